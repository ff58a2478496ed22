package kernels

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A library of which the end is missing is a full disk, and no fault of the code.
func TestPartOfALibraryIsAFullDisk(t *testing.T) {
	t.Parallel()
	all, err := os.ReadFile("/proc/self/exe")
	must(t, err)
	path := filepath.Join(t.TempDir(), libraryName)
	for _, c := range []struct {
		bytes int
		full  bool
	}{{0, true}, {8, true}, {len(all) / 2, true}, {len(all), false}} {
		must(t, os.WriteFile(path, all[:c.bytes], 0o755))
		if err := whole(path); errors.Is(err, syscall.ENOSPC) != c.full || !c.full && err != nil {
			t.Errorf("%d of %d bytes: %v", c.bytes, len(all), err)
		}
	}
}
