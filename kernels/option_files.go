package kernels

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/untrusted"
)

// OptionFiles are the files of a tree that flags name and that tell compiler or linker what to do: response files, linker
// scripts, lists of symbols, plugins, with those that they name in turn. Headers and other machine code are none. The result is their content
// by name.
func OptionFiles(tree string, flags []string) map[string][]byte {
	o := optionFiles{tree: tree, found: map[string][]byte{}}
	o.words(flags)
	return o.found
}

// ChangedOptionFiles names the files that differ between two sides, in order.
func ChangedOptionFiles(base, head map[string][]byte) []string {
	var changed []string
	for _, name := range slices.Sorted(maps.Keys(union(base, head))) {
		was, inBase := base[name]
		if is, inHead := head[name]; inBase != inHead || !bytes.Equal(was, is) {
			changed = append(changed, name)
		}
	}
	return changed
}

type optionFiles struct {
	tree  string
	dirs  []string // that libraries are searched in
	found map[string][]byte
}

// headerFlags are options whose argument is code, or a folder of it.
var headerFlags = []string{"-include", "-imacros", "-I", "-iquote", "-isystem", "-idirafter", "-D", "-U", "--pre-include"}

func (o *optionFiles) words(flags []string) {
	for _, flag := range flags {
		if dir, ok := strings.CutPrefix(flag, "-L"); ok && dir != "" {
			o.dirs = append(o.dirs, dir)
		}
	}
	previous := ""
	for _, flag := range flags {
		code := slices.ContainsFunc(headerFlags, func(h string) bool { return previous == h || strings.HasPrefix(flag, h) })
		if previous = flag; code {
			continue
		}
		plugin := strings.Contains(flag, "plugin")
		for _, part := range flagParts(flag) {
			for _, prefix := range []string{"", "@", "-T"} {
				if name, ok := strings.CutPrefix(part, prefix); ok {
					o.file(name, plugin)
				}
			}
			if library, ok := strings.CutPrefix(part, "-l"); ok {
				o.library(library)
			}
		}
	}
}

// library looks at what -l finds in a folder of the tree, which may be a linker script.
func (o *optionFiles) library(name string) {
	for _, dir := range o.dirs {
		o.file(filepath.Join(dir, strings.TrimPrefix(name, ":")), false)
		o.file(filepath.Join(dir, "lib"+name+".so"), false)
		o.file(filepath.Join(dir, "lib"+name+".a"), false)
	}
}

const mostOptionBytes = 1 << 20

// file takes a file of the tree, one of machine code only where the compiler runs it.
func (o *optionFiles) file(name string, plugin bool) {
	if name == "" || filepath.IsAbs(name) {
		return
	}
	name = filepath.Clean(name)
	if _, seen := o.found[name]; seen {
		return
	}
	info, err := os.Stat(filepath.Join(o.tree, name))
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	content, err := untrusted.ReadIn(o.tree, name, mostText)
	code := bytes.HasPrefix(content, []byte("\x7fELF")) || bytes.HasPrefix(content, []byte("!<arch>")) || bytes.HasPrefix(content, []byte("!<thin>"))
	if err != nil || code && !plugin {
		return
	}
	o.found[name] = content
	if code || len(content) > mostOptionBytes {
		return
	}
	inner := strings.FieldsFunc(string(content), func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'();", r) })
	for _, dir := range o.dirs { // scripts name files that are searched like libraries
		for _, name := range inner {
			o.file(filepath.Join(dir, name), false)
		}
	}
	o.words(inner)
}
