package kernels

import (
	"embed"
	"io/fs"
)

// Files that begin with an underscore are left out of a folder that is embedded, but not of a pattern.
//
//go:embed python/perfgate/*.py python/perfgate/py.typed
var pythonPackage embed.FS

// PythonPackage has the folder perfgate: what adapters in Python import, and what runs benchmark scripts.
func PythonPackage() fs.FS {
	tree, err := fs.Sub(pythonPackage, "python")
	if err != nil {
		panic(err) // embedded at build time
	}
	return tree
}
