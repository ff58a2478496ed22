package identity

import (
	"archive/zip"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/untrusted"
)

// IsCopy says whether a file that was loaded has the name and the content of a source that was not. What is empty is a copy of nothing.
func IsCopy(loaded, source string) bool {
	if filepath.Base(loaded) != filepath.Base(source) {
		return false
	}
	info, err := os.Lstat(source)
	return err == nil && info.Size() > 0 && EqualFiles(loaded, source)
}

// Product is a file of a tree that may have been made of sources which lie there too.
type Product struct {
	IsCode  bool     // for a machine: nobody knows its sources
	of      string   // the source of bytecode that Python keeps
	modules []string // of Python, by their names
}

// ProductOf reads what a file may have been made of.
func ProductOf(path string) (p Product) {
	if p.IsCode = IsMachineCode(path); p.IsCode || filepath.Ext(path) == ".pyc" {
		p.modules = []string{moduleName(path)}
	}
	if source := SourceOf(path); source != path {
		return Product{of: source}
	}
	f, err := untrusted.Open(path, MostBytes)
	if err != nil {
		return p
	}
	defer f.Close()
	start := make([]byte, 4)
	info, err := f.Stat()
	if n, _ := f.ReadAt(start, 0); err != nil || string(start[:n]) != "PK\x03\x04" { // few are archives, and to look for the end of one takes longer
		return p
	}
	archive, err := zip.NewReader(f, info.Size())
	if err != nil {
		return p
	}
	for _, member := range archive.File {
		if strings.HasPrefix(filepath.Ext(member.Name), ".py") {
			p.modules = append(p.modules, moduleName(member.Name))
		}
	}
	return p
}

// MayBeOf says whether it may have been made of a module of Python, by its name.
func (p Product) MayBeOf(source string) bool {
	return filepath.Ext(source) == ".py" && (p.of == source || slices.Contains(p.modules, moduleName(source)))
}

// moduleName is what Python calls a file: k of k.py, k/__init__.py and k.cpython-311-x86_64-linux-gnu.so.
func moduleName(file string) string {
	name, _, _ := strings.Cut(filepath.Base(file), ".")
	if name == "__init__" {
		return filepath.Base(filepath.Dir(file))
	}
	return name
}
