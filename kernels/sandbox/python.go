package sandbox

import (
	"path/filepath"
	"strings"
)

// Python is what an interpreter may read of itself: a program that was named, and of what it says about where it is installed, that which is
// seen to be a part of a Python. The interpreter, or a package of it, may be a pull request's, so nothing is opened on its word.
func Python(program string, told ...string) Policy {
	p := ofProgram(program)
	for _, path := range told {
		p = p.With(ofPython(path))
	}
	return p
}

// ofProgram allows a program, and the installation that it lies in the bin of, also at the end of links.
func ofProgram(program string) Policy {
	var p Policy
	for _, path := range []string{program, resolved(program)} {
		if isFile(path) && narrow(path) {
			p.Read = append(p.Read, path)
		}
		if dir := resolved(filepath.Dir(path)); filepath.Base(dir) == "bin" {
			p = p.With(ofPython(filepath.Dir(dir)))
		}
	}
	return p
}

// ofPython allows what a path is of a Python, by what lies there: an installation or a virtual environment its parts; a library of modules; a
// folder of packages; the shared library of an interpreter.
func ofPython(path string) Policy {
	if !filepath.IsAbs(path) {
		return Policy{}
	}
	path = resolved(filepath.Clean(path))
	switch name := filepath.Base(path); {
	case isInstallation(path):
		return installation(path)
	case !narrow(path):
	case strings.HasPrefix(name, "libpython3") && strings.Contains(name, ".so") && isFile(path),
		strings.HasPrefix(name, "python3") && (isFile(filepath.Join(path, "os.py")) || isFile(filepath.Join(path, "Python.h"))),
		(name == "site-packages" || name == "dist-packages") && has(path, "*.dist-info/METADATA"):
		return opened(path)
	}
	return Policy{}
}

// isInstallation says whether a folder is that of an installed Python or of a virtual environment.
func isInstallation(dir string) bool {
	library := has(dir, "lib/python3*/os.py") || has(dir, "lib64/python3*/os.py")
	return library || isFile(filepath.Join(dir, "pyvenv.cfg")) && has(dir, "bin/python*")
}

// installation allows the parts of a Python, none of which is a link.
func installation(root string) Policy {
	p := partsOf(root)
	for _, name := range []string{"bin", "share", "ssl", "pyvenv.cfg"} {
		if path := filepath.Join(root, name); (isFolder(path) || isFile(path)) && narrow(path) {
			p = p.With(opened(path))
		}
	}
	return p
}

func has(dir, pattern string) bool {
	found, _ := filepath.Glob(filepath.Join(globbed(dir), pattern))
	return len(found) > 0
}
