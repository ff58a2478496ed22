package kernels

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A cache that cannot be written to says what names another one.
func TestCacheThatCannotBeWritten(t *testing.T) {
	from := filepath.Join(t.TempDir(), "a.so")
	write(t, from, "x")
	for name, c := range map[string]struct{ to, says string }{
		"no folder can be made": {filepath.Join(from, "adapters", "adapter.so"), "make the cache folder"},
		"no file can be made":   {"/proc/self/adapter.so", "write into the cache"},
	} {
		err := publish(from, c.to)
		if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "PERFGATE_CACHE") {
			t.Errorf("%s: %v, want %q and PERFGATE_CACHE", name, err, c.says)
		}
	}
}

// Two runs that find no harness both make one. The first one's processes know its file by its inode (Landlock), so that stays.
func TestWhatIsInTheCacheFirstStays(t *testing.T) {
	dir := t.TempDir()
	one, two, to := filepath.Join(dir, "one"), filepath.Join(dir, "two"), filepath.Join(dir, "cache", "harness.so")
	write(t, one, "made")
	write(t, two, "made again")
	var kept []os.FileInfo
	for _, from := range []string{one, two} {
		must(t, fill(to, moveFirst, copyOf(from)))
		info, err := os.Stat(to)
		must(t, err)
		kept = append(kept, info)
	}
	if entries, err := os.ReadDir(filepath.Dir(to)); !os.SameFile(kept[0], kept[1]) || kept[1].Size() != int64(len("made")) || kept[0].Mode().Perm()&0o111 == 0 || len(entries) != 1 {
		t.Errorf("kept %v then %v; in the folder %v, %v", kept[0], kept[1], entries, err)
	}
}

// A kept harness that cannot run any more is the machine's fault, and said before code under test has a part in it.
func TestHarnessThatDoesNotStart(t *testing.T) {
	t.Parallel()
	for what, script := range map[string]string{
		"lacks a library":  "echo 'error while loading shared libraries: libgone.so' >&2; exit 127",
		"does nothing":     "exit 0",
		"is of no use":     "kill -SEGV $$",
		"cannot be run":    "",
		"says how to call": "exit 2",
	} {
		h := Harness{Path: filepath.Join(t.TempDir(), harnessProgram)}
		if script != "" {
			must(t, os.WriteFile(h.Path, []byte("#!/bin/sh\n"+script+"\n"), 0o755))
		}
		err := h.starts(t.Context(), t.TempDir())
		if (err == nil) != (what == "says how to call") || err != nil && !strings.Contains(err.Error(), "does not start on this machine") {
			t.Errorf("%s: %v", what, err)
		}
		if what == "lacks a library" && !strings.Contains(err.Error(), "libgone.so") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
