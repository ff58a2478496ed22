package parity

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A corpus lies in a side, which may be a pull request's: what is no file there is neither read nor waited for.
func TestCorpusThatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(t.TempDir(), "secret")
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(os.WriteFile(secret, []byte("hunter2\n"), 0o600), os.Symlink(secret, at("link")), os.Symlink("/dev/zero", at("endless")), syscall.Mkfifo(at("pipe"), 0o644),
		os.WriteFile(at("file"), []byte(`{"kernel":"k"}`+"\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"link", "endless", "pipe", "."} {
		if c, err := readCorpus(at(name)); err == nil || !strings.Contains(err.Error(), "not a regular file") || strings.Contains(err.Error(), "invalid character") {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
	}
	for name, entries := range map[string]int{"file": 1, "missing": 0} {
		if c, err := readCorpus(at(name)); err != nil || len(c.entries) != entries {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
	}
}
