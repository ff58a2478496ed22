package identity

import (
	"errors"
	"os"

	"github.com/org/perfgate/kernels/observe"
)

// MostBytes bounds the files that are compared.
const MostBytes = 256 << 20

// ErrTooMany is of trees that are too large to be compared.
var ErrTooMany = errors.New("more files than are compared")

// SameFiles says whether the same file or link is at two paths. Of folders that are called files, such as submodules, it is not known.
func SameFiles(a, b string) bool {
	for _, path := range []string{a, b} {
		if info, err := os.Lstat(path); err == nil && info.IsDir() {
			return false
		}
	}
	return SameAt(a, b, observe.Opened)
}
