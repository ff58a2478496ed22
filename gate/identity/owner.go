package identity

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/untrusted"
	"github.com/org/perfgate/kernels/observe"
)

// Owner is the side of an observed process: what its tree has should not be loaded from elsewhere.
type Owner struct {
	Tree, Root string    // the folder of the configuration and the one that holds all of the side, without links
	Others     []string  // folders that have other versions of its files: the other side's, and the checkout
	Shared     []string  // patterns of files that both sides share, relative to tree
	Installed  []string  // names that may be loaded from elsewhere
	Built      time.Time // when a command began to build it; zero where none did
	// The side's own environment, "" for none, and patterns of the files that it was made of, relative to tree.
	Environment string
	Inputs      []string
}

// Elsewhere is a file that was loaded in the place of one of the tree.
type Elsewhere struct {
	Loaded, Own string
	Name        string // by which Owner.Installed allows it
}

// LoadedFiles are the regular files that processes opened or started, those of the tree by their paths within its root.
func (o Owner) LoadedFiles(asked observe.Report) (own, others []string) {
	for _, a := range asked.Paths {
		if a.Asked&(observe.Opened|observe.Executed) == 0 || !isRegular(a.Path) {
			continue
		}
		if name, ok := Below(o.Root, a.Path); ok {
			own = append(own, name)
		} else {
			others = append(others, a.Path)
		}
	}
	return own, others
}

func isRegular(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

// settings are files that tools read in the folder that they work in: they say how, and no code is in them.
var settings = []string{"pytest.ini", ".pytest.ini", "tox.ini", ".coveragerc"}

// RanOwn says whether a process opened or started a file of its tree that the sides do not share. What a build made of the tree is its own, whatever
// pattern it has the name of.
func (o Owner) RanOwn(own []string) bool {
	return slices.ContainsFunc(own, func(file string) bool {
		path := filepath.Join(o.Root, file)
		name, err := filepath.Rel(o.Tree, SourceOf(path))
		switch {
		case err != nil || isInstalledIn(o.Root, path):
			return false
		case !o.Built.IsZero() && (IsMachineCode(path) || changedSince(path, o.Built)):
			return true
		}
		return !plan.IsOfEnvironment(name) && !slices.Contains(settings, filepath.Base(name)) && !config.MatchesAny(o.Shared, filepath.ToSlash(name))
	})
}

// NotMade is machine code among files of the tree, where a build made none of them; "" where it made one, or none is machine code. Who copies with an old
// time makes a file too, as the build's own report says.
func (o Owner) NotMade(own []string, build observe.Report) (old string) {
	asked := build.ByPath()
	for _, file := range own {
		path := filepath.Join(o.Root, file)
		if changedSince(path, o.Built) || IsMade(asked, path) {
			return ""
		}
		if old == "" && IsMachineCode(path) {
			old = file
		}
	}
	return old
}

// IsMade says whether observed processes made a path, or a folder that it is in.
func IsMade(asked map[string]observe.Kinds, path string) bool {
	for at := path; ; at = filepath.Dir(at) {
		if asked[at].Has(observe.Made) {
			return true
		}
		if at == filepath.Dir(at) {
			return false
		}
	}
}

// SourceOf is the module of Python that a file of bytecode was made from; any other file is its own.
func SourceOf(path string) string {
	dir, name := filepath.Split(path)
	if folder := filepath.Clean(dir); filepath.Ext(name) == ".pyc" && filepath.Base(folder) == "__pycache__" {
		module, _, _ := strings.Cut(name, ".")
		return filepath.Join(filepath.Dir(folder), module+".py")
	}
	return path
}

// clockStep is more than Linux lags behind with the times of files.
const clockStep = 20 * time.Millisecond

func changedSince(path string, since time.Time) bool {
	info, err := os.Stat(path)
	return err == nil && info.ModTime().After(since.Add(-clockStep))
}

// IsMachineCode says whether a file is a program or a library that a compiler made.
func IsMachineCode(path string) bool {
	program, err := untrusted.OpenProgram(path, untrusted.NoLimit)
	if err != nil {
		return false
	}
	program.Close()
	return true
}

// FromElsewhere is the first file that was loaded in the place of one of the tree, nil where there is none.
func (o Owner) FromElsewhere(others []string) (*Elsewhere, error) {
	if found := o.ofAnotherTree(others); found != nil {
		return found, nil
	}
	if found := o.modules(others); found != nil {
		return found, nil
	}
	return o.products(others)
}

// isMade says that modules which stand for those of the tree were made of them, with the environment: each that the tree has is of its inputs, and own is
// one of them.
func (o Owner) isMade(g imported, own string) bool {
	if _, inside := Below(o.Environment, filepath.Join(g.folder, g.files[0])); o.Environment == "" || !inside {
		return false
	}
	isInput := func(own string) bool {
		name, err := filepath.Rel(o.Tree, filepath.Join(o.Root, own))
		return err == nil && config.MatchesAny(o.Inputs, filepath.ToSlash(name))
	}
	return isInput(own) && !slices.ContainsFunc(g.files, func(file string) bool { own := o.moduleAt(file); return own != "" && !isInput(own) })
}

func (o Owner) allows(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return slices.ContainsFunc(o.Installed, func(allowed string) bool { return normalized(allowed) == normalized(name) })
	})
}

// normalized is a name as Python's package index compares it.
func normalized(name string) string {
	return strings.ToLower(strings.Join(strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("-_.", r) }), "-"))
}

// ofAnotherTree looks for files of another version of the tree that it has itself. What is installed there is of no version.
func (o Owner) ofAnotherTree(others []string) *Elsewhere {
	for _, path := range others {
		for _, tree := range o.Others {
			name, ok := Below(tree, SourceOf(path))
			if ok && isRegular(filepath.Join(o.Tree, name)) && !isInstalledIn(tree, path) && !o.allows(packageOf(name)) {
				return &Elsewhere{path, name, packageOf(name)}
			}
		}
	}
	return nil
}

// isInstalledIn says whether a file is of an environment of Python that lies in a folder.
func isInstalledIn(tree, path string) bool {
	for dir := filepath.Dir(path); dir != tree && len(dir) > 1; dir = filepath.Dir(dir) {
		if IsPackages(dir) || isRegular(filepath.Join(dir, "pyvenv.cfg")) {
			return true
		}
	}
	return false
}

func IsPackages(dir string) bool {
	return slices.Contains([]string{"site-packages", "dist-packages"}, filepath.Base(dir))
}

// ofSystem are the folders of the system's own programs and libraries, which no build of a project writes to.
var ofSystem = []string{"/bin", "/sbin", "/lib", "/lib64", "/usr/bin", "/usr/sbin", "/usr/lib", "/usr/lib64", "/usr/libexec"}

// unversioned is the name of a library without its version: libk.so of libk.so.1.2.
func unversioned(name string) string {
	if base, _, versioned := strings.Cut(name, ".so."); versioned {
		return base + ".so"
	}
	return name
}

// products looks for libraries and programs that are called as one that the build made.
func (o Owner) products(others []string) (*Elsewhere, error) {
	if o.Built.IsZero() {
		return nil, nil
	}
	loaded := map[string][]string{}
	for _, path := range others {
		if !slices.ContainsFunc(ofSystem, func(folder string) bool { _, ok := Below(folder, path); return ok }) {
			name := unversioned(filepath.Base(path))
			loaded[name] = append(loaded[name], path)
		}
	}
	var found *Elsewhere
	err := repo.Walk(o.Root, func(file string, _ os.FileMode) error {
		path, name := filepath.Join(o.Root, file), filepath.Base(file)
		others := loaded[unversioned(name)]
		if len(others) == 0 || o.allows(name) || !isRegular(path) || !changedSince(path, o.Built) || isInstalledIn(o.Root, path) || !IsMachineCode(path) {
			return nil
		}
		if at := slices.IndexFunc(others, func(other string) bool { return o.mayReplace(path, other) }); at >= 0 {
			found = &Elsewhere{others[at], file, name}
			return fs.SkipAll
		}
		return nil
	})
	return found, err
}

// mayReplace says whether a file of the same name as a product is loaded in its place. Many packages of Python have an extension of one name (_C): that of
// a package which the tree does not have is another.
func (o Owner) mayReplace(product, other string) bool {
	if folder := o.importRoot(other); folder != "" {
		name, _ := Below(folder, other)
		root, _, inPackage := strings.Cut(name, "/")
		if inPackage && filepath.Base(filepath.Dir(product)) != filepath.Base(filepath.Dir(other)) && !o.hasPackage(root) {
			return false
		}
	}
	return IsMachineCode(other)
}

// hasPackage says whether a package of Python of some name lies anywhere in the tree.
func (o Owner) hasPackage(name string) (found bool) {
	_ = repo.Walk(o.Root, func(file string, _ os.FileMode) error {
		found = filepath.Base(file) == "__init__.py" && filepath.Base(filepath.Dir(file)) == name && !isInstalledIn(o.Root, filepath.Join(o.Root, file))
		if found {
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// OfCheckout is what was asked for in folders that a change could write to, "" where nothing was. Folders around the tree are looked at on the way.
func (o Owner) OfCheckout(asked observe.Report, folders ...string) string {
	for _, a := range asked.Paths {
		if _, ok := Below(o.Root, a.Path); ok {
			continue
		}
		for _, folder := range folders {
			name, ok := Below(folder, a.Path)
			if ok && !OnTheWay(a, o.Root) && !(name == "." && LookedAt(a)) {
				return a.Path
			}
		}
	}
	return ""
}
