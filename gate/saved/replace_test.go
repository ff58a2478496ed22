package saved

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "doc.json")
	for range 2 { // the second time over the first
		must(t, kind.Write(path, sample()))
	}
	if _, err := kind.ReadFile(path); err != nil {
		t.Error(err)
	}
	if left := files(t, dir); len(left) != 1 {
		t.Errorf("%q is left", left)
	}
}

// TestModeIsThatOfOtherFiles keeps the file readable for the job that reports, which may run as another user.
func TestModeIsThatOfOtherFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ours, other := filepath.Join(dir, "doc.json"), filepath.Join(dir, "other")
	must(t, errors.Join(kind.Write(ours, sample()), os.WriteFile(other, nil, 0o666)))
	a, errA := os.Stat(ours)
	b, errB := os.Stat(other)
	must(t, errors.Join(errA, errB))
	if a.Mode() != b.Mode() {
		t.Errorf("mode is %v, that of other files %v", a.Mode(), b.Mode())
	}
}

// TestNothingHalfWritten lets writing fail at several places: what was there before stays, and nothing else.
func TestNothingHalfWritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "doc.json")
	must(t, os.WriteFile(path, []byte("before"), 0o666))
	bad := sample()
	bad.Count = -1
	failures := map[string]error{
		"a document that cannot be read back": kind.Write(path, bad),
		"a disk that is full at once":         Replace(path, func(io.Writer) error { return syscall.ENOSPC }),
		"a disk that fills up": Replace(path, func(w io.Writer) error {
			_, err := io.WriteString(w, strings.Repeat("x", 1<<20))
			return errors.Join(err, syscall.ENOSPC)
		}),
	}
	for name, err := range failures {
		if err == nil {
			t.Errorf("%s is no error", name)
		}
	}
	if got, err := os.ReadFile(path); string(got) != "before" || err != nil {
		t.Errorf("%q, %v is left", got, err)
	}
	if left := files(t, dir); len(left) != 1 {
		t.Errorf("%q is left", left)
	}
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	err := writeError("out/doc.json", "doc", &os.PathError{Op: "write", Path: "out/doc.json.1-0.tmp", Err: syscall.ENOSPC})
	want := "write doc out/doc.json: the disk is full, nothing was written: no space left on device"
	if err.Error() != want || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("%q, want %q", err, want)
	}
}

func TestNoFolder(t *testing.T) {
	t.Parallel()
	err := kind.Write(filepath.Join(t.TempDir(), "none", "doc.json"), sample())
	if !errors.Is(err, os.ErrNotExist) || strings.Contains(err.Error(), ".tmp") {
		t.Errorf("got %v", err)
	}
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names
}
