package kernels

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A disk that fails midway leaves files, and they are named.
func TestWriteNewNamesWhatItWrote(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, os.Symlink(filepath.Join(dir, "nowhere", "file"), filepath.Join(dir, "b")))
	written, err := WriteNew(dir, map[string][]byte{"a": []byte("1"), "b": []byte("2"), "c": []byte("3")})
	if err == nil || !slices.Equal(written, []string{"a"}) {
		t.Errorf("%q, %v", written, err)
	}
}
