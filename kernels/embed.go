// Package kernels builds adapters and talks to the runners that load them.
//
// The harness, its header and the example kernels are C++ sources that travel inside the binary: they are compiled
// with the machine's own compiler when they are needed.
package kernels

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

//go:embed native/perfgate.h native/harness
var native embed.FS

//go:embed examples
var examples embed.FS

// Header returns perfgate.h, the adapter interface.
func Header() []byte {
	b, err := native.ReadFile("native/perfgate.h")
	if err != nil {
		panic(err) // embedded at build time
	}
	return b
}

// WriteExample copies a shipped example kernel into dir, which is created.
func WriteExample(name, dir string) error {
	tree, err := fs.Sub(examples, "examples/"+name)
	if err != nil {
		return err
	}
	if _, err := fs.Stat(tree, "."); err != nil {
		return fmt.Errorf("there is no example kernel %q", name)
	}
	return writeTree(tree, dir)
}

func writeTree(tree fs.FS, dir string) error {
	return fs.WalkDir(tree, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(dir, filepath.FromSlash(path))
		if entry.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		b, err := fs.ReadFile(tree, path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, b, 0o644)
	})
}
