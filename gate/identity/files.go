package identity

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/org/perfgate/gate/untrusted"
	"github.com/org/perfgate/kernels/observe"
)

// MostBytes bounds the files that are compared.
const MostBytes = 256 << 20

// ErrTooMany is of trees that are too large to be compared.
var ErrTooMany = errors.New("more files than are compared")

// SameFiles says whether the same file or link is at two paths. Of folders that are called files, such as submodules, it is not known.
func SameFiles(a, b string) bool {
	return !isFolder(a) && !isFolder(b) && SameAt(a, b, observe.Opened)
}

func isFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// ReadWhole reads a regular file, or where a link leads that stays in its side.
func ReadWhole(path string) ([]byte, error) {
	if to, err := os.Readlink(path); err == nil && filepath.IsLocal(to) {
		return []byte(to), nil
	}
	return untrusted.Read(path, MostBytes)
}
