package pipeline

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

// owner is the side of an observed process: what its tree has should not be loaded from elsewhere.
type owner struct {
	tree, root string    // of Side, without links
	others     []string  // folders that have other versions of its files: the other side's, and the checkout
	shared     []string  // patterns of files that both sides share, relative to tree
	installed  []string  // names that may be loaded from elsewhere
	built      time.Time // when a command began to build it; zero where none did
}

// elsewhere is a file that was loaded in the place of one of the tree.
type elsewhere struct {
	loaded, own string
	name        string // by which installed allows it
}

// loadedFiles are the regular files that processes opened or started, those of the tree by their paths within its root.
func (o owner) loadedFiles(asked observe.Report) (own, others []string) {
	for _, a := range asked.Paths {
		if a.Asked&(observe.Opened|observe.Executed) == 0 || !isRegular(a.Path) {
			continue
		}
		if name, ok := below(o.root, a.Path); ok {
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

// ranOwn says whether a process opened or started a file of its tree that the sides do not share. What a build made of the tree is its own, whatever
// pattern it has the name of.
func (o owner) ranOwn(own []string) bool {
	return slices.ContainsFunc(own, func(file string) bool {
		path := filepath.Join(o.root, file)
		name, err := filepath.Rel(o.tree, sourceOf(path))
		switch {
		case err != nil || isInstalledIn(o.root, path):
			return false
		case !o.built.IsZero() && (isMachineCode(path) || changedSince(path, o.built)):
			return true
		}
		return !plan.IsOfEnvironment(name) && !slices.Contains(settings, filepath.Base(name)) && !config.MatchesAny(o.shared, filepath.ToSlash(name))
	})
}

// sourceOf is the module of Python that a file of bytecode was made from; any other file is its own.
func sourceOf(path string) string {
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

func isMachineCode(path string) bool {
	program, err := untrusted.OpenProgram(path, untrusted.NoLimit)
	if err != nil {
		return false
	}
	program.Close()
	return true
}

// fromElsewhere is the first file that was loaded in the place of one of the tree, nil where there is none.
func (o owner) fromElsewhere(others []string) (*elsewhere, error) {
	if found := o.ofAnotherTree(others); found != nil {
		return found, nil
	}
	if found := o.modules(others); found != nil {
		return found, nil
	}
	return o.products(others)
}

func (o owner) allows(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return slices.ContainsFunc(o.installed, func(allowed string) bool { return normalized(allowed) == normalized(name) })
	})
}

// normalized is a name as Python's package index compares it.
func normalized(name string) string {
	return strings.ToLower(strings.Join(strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("-_.", r) }), "-"))
}

// ofAnotherTree looks for files of another version of the tree that it has itself. What is installed there is of no version.
func (o owner) ofAnotherTree(others []string) *elsewhere {
	for _, path := range others {
		for _, tree := range o.others {
			name, ok := below(tree, sourceOf(path))
			if ok && isRegular(filepath.Join(o.tree, name)) && !isInstalledIn(tree, path) && !o.allows(packageOf(name)) {
				return &elsewhere{path, name, packageOf(name)}
			}
		}
	}
	return nil
}

// isInstalledIn says whether a file is of an environment of Python that lies in a folder.
func isInstalledIn(tree, path string) bool {
	for dir := filepath.Dir(path); dir != tree && len(dir) > 1; dir = filepath.Dir(dir) {
		if isPackages(dir) || isRegular(filepath.Join(dir, "pyvenv.cfg")) {
			return true
		}
	}
	return false
}

func isPackages(dir string) bool {
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
func (o owner) products(others []string) (*elsewhere, error) {
	if o.built.IsZero() {
		return nil, nil
	}
	loaded := map[string][]string{}
	for _, path := range others {
		if !slices.ContainsFunc(ofSystem, func(folder string) bool { _, ok := below(folder, path); return ok }) {
			name := unversioned(filepath.Base(path))
			loaded[name] = append(loaded[name], path)
		}
	}
	var found *elsewhere
	err := repo.Walk(o.root, func(file string, _ os.FileMode) error {
		path, name := filepath.Join(o.root, file), filepath.Base(file)
		others := loaded[unversioned(name)]
		if len(others) == 0 || o.allows(name) || !isRegular(path) || !changedSince(path, o.built) || isInstalledIn(o.root, path) || !isMachineCode(path) {
			return nil
		}
		if at := slices.IndexFunc(others, func(other string) bool { return o.mayReplace(path, other) }); at >= 0 {
			found = &elsewhere{others[at], file, name}
			return fs.SkipAll
		}
		return nil
	})
	return found, err
}

// mayReplace says whether a file of the same name as a product is loaded in its place. Many packages of Python have an extension of one name (_C): that of
// a package which the tree does not have is another.
func (o owner) mayReplace(product, other string) bool {
	if folder := o.importRoot(other); folder != "" {
		name, _ := below(folder, other)
		root, _, inPackage := strings.Cut(name, "/")
		if inPackage && filepath.Base(filepath.Dir(product)) != filepath.Base(filepath.Dir(other)) && !o.hasPackage(root) {
			return false
		}
	}
	return isMachineCode(other)
}

// hasPackage says whether a package of Python of some name lies anywhere in the tree.
func (o owner) hasPackage(name string) (found bool) {
	_ = repo.Walk(o.root, func(file string, _ os.FileMode) error {
		found = filepath.Base(file) == "__init__.py" && filepath.Base(filepath.Dir(file)) == name && !isInstalledIn(o.root, filepath.Join(o.root, file))
		if found {
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// ofCheckout is what was asked for in folders that a change could write to, "" where nothing was. Folders around the tree are looked at on the way.
func (o owner) ofCheckout(asked observe.Report, folders ...string) string {
	for _, a := range asked.Paths {
		if _, ok := below(o.root, a.Path); ok {
			continue
		}
		for _, folder := range folders {
			name, ok := below(folder, a.Path)
			if ok && !onTheWay(a, o.root) && !(name == "." && lookedAt(a)) {
				return a.Path
			}
		}
	}
	return ""
}

// ownerOf is the side of a benchmark's process.
func (f *finding) ownerOf(k Kernel, b, other Build) (o owner, err error) {
	if o, err = f.opt.owner(b.Runs, other.Runs); err != nil {
		return o, err
	}
	o.built = b.Began
	if !k.OwnBenchmarks && f.opt.Base.Tree != "" {
		o.shared = k.Plan.Kernel.Files
	}
	return o, nil
}

// owner is a side of which nothing was built, beside the other one.
func (o Options) owner(side, other Side) (owner, error) {
	var r realPaths
	out := owner{installed: o.Trusted.Config.Installed, tree: r.of(side.Tree), root: r.of(side.root())}
	for _, folder := range nonEmpty(other.Tree, o.Base.Tree, o.Head.Tree, o.Desk) {
		if folder = r.of(folder); folder != out.tree {
			out.others = append(out.others, folder)
		}
	}
	return out, r.err
}
