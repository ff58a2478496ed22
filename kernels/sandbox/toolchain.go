package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// partsOfTools are the folders beside a bin in which compilers keep what they need, wherever that is. A folder around a bin is never opened
// itself: it may be a home, a checkout or a runner.
var partsOfTools = []string{"lib", "lib32", "lib64", "libexec", "include", "nvvm", "targets"}

// partsOfInstallations are further ones, of what is installed outside of a hidden folder of the home: in those, share has keyrings.
var partsOfInstallations = []string{"share", "extras", "compute-sanitizer", "nsight-compute*", "ssl", "sysroot", "*-linux-*", "llvm", "amdgcn", "compiler", "opt/compiler", "jmods"}

// special are parts of installations that are known by one of them.
var special = []struct{ by, parts []string }{
	{[]string{"pkg/tool", "src/runtime"}, []string{"pkg", "src", "go.env", "VERSION"}}, // Go
	{[]string{"Cellar", "Homebrew"}, []string{"Cellar", "opt"}},                        // Homebrew
}

// Toolchain is what a compiler or another tool needs beyond System: the folder that it lies in, and for a program in …/bin the parts of
// its installation beside that.
func Toolchain(programs ...string) Policy {
	var p Policy
	for _, program := range programs {
		if program == "" {
			continue
		}
		for _, path := range slices.Compact([]string{program, resolved(program)}) {
			dir := resolved(filepath.Dir(path))
			if narrow(path) {
				p.Read = append(p.Read, path)
			}
			if narrow(dir) {
				p = p.With(opened(dir))
			}
			if filepath.Base(dir) == "bin" {
				p = p.With(partsOf(filepath.Dir(dir)), environment(filepath.Dir(dir)))
			}
		}
	}
	return p
}

// SearchPath is what a shell command needs to find its tools: the folders of PATH, each with what it belongs to.
func SearchPath() Policy {
	var p Policy
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if filepath.IsAbs(dir) && narrow(dir) {
			p = p.With(Toolchain(filepath.Join(dir, "any")))
		}
	}
	return p
}

// environment allows what programs in the bin of a virtual environment are started by, such as a cmake or a ninja that pip installed: its interpreter.
func environment(root string) Policy {
	if !isFile(filepath.Join(root, "pyvenv.cfg")) {
		return Policy{}
	}
	return ofProgram(filepath.Join(root, "bin", "python3"))
}

// partsOf allows the parts of an installation that are there. What a link of it leads to is allowed, or not, by itself.
func partsOf(root string) Policy {
	if wide(root) || secret(root) {
		return Policy{}
	}
	patterns := slices.Clone(partsOfTools)
	if !personal(root) {
		patterns = append(patterns, partsOfInstallations...)
		for _, kind := range special {
			if !slices.ContainsFunc(kind.by, func(name string) bool { return !isFolder(filepath.Join(root, name)) }) {
				patterns = append(patterns, kind.parts...)
			}
		}
	}
	var p Policy
	for _, pattern := range patterns {
		found, _ := filepath.Glob(filepath.Join(globbed(root), pattern))
		for _, path := range found {
			if (isFolder(path) || isFile(path)) && narrow(path) {
				p = p.With(opened(path))
			}
		}
	}
	return p
}

// globbed is a path as a pattern that it alone matches.
func globbed(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// personal says whether a folder is one in which tools keep what is the user's: ~/.local, ~/.cargo and ~/.docker hold keyrings
// and credentials beside their bin.
func personal(dir string) bool {
	return strings.HasPrefix(filepath.Base(dir), ".") && slices.ContainsFunc(homes(), func(home string) bool { return within(home, dir) })
}
