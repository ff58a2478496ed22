package repo

import (
	"path"
	"slices"
	"strings"
)

// What builds leave in a folder, by the names that their tools give it. git ignores some of it in most projects, and none of it in some.
var (
	// buildState is how a build system remembers what it was asked and what it has made: a folder that has it is the build's.
	buildState = strings.Fields("CMakeCache.txt build.ninja .ninja_log .ninja_deps config.status config.cache .sconsign.dblite pyvenv.cfg CACHEDIR.TAG meson-info")
	// productFolders are made by tools alone, whatever they lie in.
	productFolders = strings.Fields("CMakeFiles __pycache__ node_modules conda-meta .ninja meson-private")
	// products are made of sources that lie there too, and are read by builds alone.
	products  = strings.Fields(".o .obj .lo .la .d .pyc .pyo .gch .pch .gcno .gcda")
	libraries = strings.Fields(".a .so .dylib .dll")
)

// isProduct says of a file's name that what builds leave for builds is called so; with libraries also what others load.
func isProduct(name string, withLibraries bool) bool {
	return slices.Contains(products, path.Ext(name)) || slices.Contains(buildState, name) ||
		withLibraries && (slices.Contains(libraries, path.Ext(name)) || strings.Contains(name, ".so."))
}
