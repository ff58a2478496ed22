package kernels

import (
	"debug/elf"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/untrusted"
	"github.com/org/perfgate/kernels/observe"
)

// Told is a path in a side's root that the compiler of its adapter or the linker asked for. Some of these tell them what to do: response files, specs,
// linker scripts, lists of symbols, plugins, precompiled headers.
type Told struct {
	Path     string        // relative to the root
	Compiler observe.Kinds `json:",omitempty"` // how the compiler of the adapter asked for it; 0: not
	Linker   observe.Kinds `json:",omitempty"`
	Linked   bool          // machine code that the library consists of or needs, so that it is code under test
}

// told are what the compiler of the adapter and the linker asked for in the side's root, but for what they made.
func (p places) told(r requests, library string) []Told {
	var all []Told
	compiler, linker := r.units[0].ByPath(), r.link.ByPath()
	for _, a := range observe.Union(r.units[0], r.link).Paths {
		name := p.name(a.Path)
		if filepath.IsAbs(name) || name == "." || a.Asked.Has(observe.Made) {
			continue
		}
		t := Told{Path: name, Compiler: compiler[a.Path], Linker: linker[a.Path]}
		t.Linked = !t.Compiler.Has(observe.Opened) && t.Linker.Has(observe.Opened) && isPartOf(library, a.Path)
		all = append(all, t)
	}
	return all
}

// isPartOf says whether a file that a linker opened is machine code which the library that it made consists of or needs. A library that it does not
// need may be a plugin of the linker.
func isPartOf(library, path string) bool {
	if !isMachineCode(path) {
		return false
	}
	part, err := untrusted.OpenProgram(path, mostLibrary)
	if err != nil {
		return true // an archive: a linker loads none
	}
	defer part.Close()
	if part.Type != elf.ET_DYN {
		return true
	}
	whole, err := openLibrary(library)
	if err != nil {
		return false
	}
	defer whole.Close()
	needed, _ := dynamicNames(whole.File, elf.DT_NEEDED)
	names, _ := dynamicNames(part.File, elf.DT_SONAME)
	return slices.ContainsFunc(needed, func(need string) bool {
		return filepath.Base(need) == filepath.Base(path) || slices.Contains(names, need)
	})
}

// ChangedTold names a path that told the compiler of base's adapter, or the linker, something, and that head has not or has otherwise; "" is none. What
// the adapter includes with base's headers is compared as text, see AdapterText, and code that is linked is code under test.
func ChangedTold(told []Told, base, head BuildSpec, text AdapterText) (string, error) {
	from, _, err := base.realFolders()
	if err != nil {
		return "", err
	}
	to, _, err := head.realFolders()
	if err != nil {
		return "", err
	}
	d := observe.OpenDigests("")
	for _, t := range told {
		one, other := filepath.Join(from, t.Path), filepath.Join(to, t.Path)
		if t.Linker == 0 && text.included[one] || t.Linked && isMachineCode(other) {
			continue
		}
		if changed := t.changed(d, one, other); changed != "" {
			return changed, nil
		}
	}
	return "", nil
}

// changed is the path itself, or one in a folder that only head has, where what head has there may tell compiler or linker something else.
func (t Told) changed(d *observe.Digests, one, other string) string {
	asked := t.Compiler | t.Linker
	before, known1 := stateOf(d, observe.Access{Path: one, Asked: asked})
	after, known2 := stateOf(d, observe.Access{Path: other, Asked: asked})
	switch {
	case before == after && known1 && known2:
	case before == absent && after == "folder": // nobody asked for what would lie in it
		if inside := firstInNewFolder(other); inside != "" {
			return filepath.Join(t.Path, inside)
		}
	case isPlace(before) && isPlace(after): // what lies in a folder was asked for by its name
	case before == absent && t.Linker == 0 && IsSource(t.Path): // a header that comes first: its text is compared
	case before == absent && t.Compiler == 0 && t.Linker.Has(observe.Opened) && isMachineCode(other): // it is linked: drivers look for their tools in other ways
	default:
		return t.Path
	}
	return ""
}

// firstInNewFolder is the first file below a folder that may tell a compiler or linker something, "" where there is none: what can be run, machine code, and what goes
// by the name of a script of theirs. What cannot be looked at counts.
func firstInNewFolder(folder string) (found string) {
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			return nil
		}
		info, err := os.Stat(path)
		if err == nil && info.Mode()&0o111 == 0 && !isMachineCode(path) && entry.Name() != "specs" && !slices.Contains([]string{".so", ".a", ".ld", ".lds", ".specs"}, filepath.Ext(path)) {
			return nil
		}
		found, _ = filepath.Rel(folder, path)
		return fs.SkipAll
	})
	if err != nil {
		return "."
	}
	return found
}

// IsSource says whether a file has a name that compilers take for code and for nothing else.
func IsSource(file string) bool { return slices.Contains(sourceExtensions, filepath.Ext(file)) }

var sourceExtensions = []string{".h", ".hh", ".hpp", ".hxx", ".cuh", ".inl", ".inc", ".c", ".cc", ".cpp", ".cxx", ".cu"}

// ChangedNamed names a file of a side's root that its flags name, and that head has not or has otherwise; "" is none. It stands in for ChangedTold where it was not
// seen what compilers asked for. It does not know what such a file names in turn, nor what is in folders. Sources, and objects that stand for themselves, are code under test.
func ChangedNamed(base, head BuildSpec) string {
	d := observe.OpenDigests("")
	for i, flag := range base.Flags {
		for _, name := range namesIn(flag) {
			one, other := filepath.Join(base.Tree, name), filepath.Join(head.Tree, name)
			before, known1 := stateOf(d, observe.Access{Path: one})
			after, known2 := stateOf(d, observe.Access{Path: other})
			isCode := name == filepath.Clean(flag) && (IsSource(name) || isMachineCode(other) && (i == 0 || !strings.HasPrefix(base.Flags[i-1], "-")))
			if !isCode && !(isPlace(before) && isPlace(after)) && !(before == after && known1 && known2) {
				return name
			}
		}
	}
	return ""
}

// namesIn are what a flag may name: a whole word, or what follows an option in it, as in -Wl,-Tk.ld and -specs=k.specs.
func namesIn(flag string) (names []string) {
	if strings.HasPrefix(flag, "-D") || strings.HasPrefix(flag, "-U") {
		return nil // of the preprocessor
	}
	for _, word := range strings.Split(flag, ",") {
		names = append(names, word)
		if _, value, ok := strings.Cut(word, "="); ok {
			names = append(names, value)
		}
		for _, letters := range []int{1, 2} { // @file, -Tfile
			if len(word) > letters {
				names = append(names, word[letters:])
			}
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == "" || !filepath.IsLocal(name) })
	for i := range names {
		names[i] = filepath.Clean(names[i])
	}
	return names
}

func isPlace(state string) bool { return state == absent || state == "folder" }

// machineCode is how files begin that linkers take as code: objects, libraries and archives.
var machineCode = []string{"\x7fELF", "!<arch>\n", "!<thin>\n"}

func isMachineCode(path string) bool {
	f, err := untrusted.OpenLinked(path, untrusted.NoLimit)
	if err != nil {
		return false
	}
	defer f.Close()
	begin := make([]byte, 8)
	n, _ := f.ReadAt(begin, 0)
	return slices.ContainsFunc(machineCode, func(magic string) bool { return strings.HasPrefix(string(begin[:n]), magic) })
}
