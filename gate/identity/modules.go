package identity

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/org/perfgate/kernels/checkout"
)

// importRoots are the folders of a tree that its packages of Python lie in, by convention.
var importRoots = []string{".", "src", "python"}

// imported are files that were loaded of one package of Python, or one module, in a folder that modules are found in.
type imported struct {
	folder string
	files  []string // relative to the folder
}

// modules looks for packages of Python that the tree has and that were loaded from elsewhere. A name proves nothing, since others have it too: most
// of what is loaded, or of what the installer wrote down, has to be at the same place in the tree.
func (o Owner) modules(others []string) *Elsewhere {
	known := map[string][]checkout.Distribution{}
	groups := o.importedFrom(others)
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		g := groups[key]
		if _, read := known[g.folder]; !read && IsPackages(g.folder) {
			known[g.folder] = checkout.Distributions(g.folder)
		}
		name := packageOf(g.files[0])
		files, of := g.files, checkout.Distribution{Name: name}
		for _, d := range known[g.folder] {
			if slices.Contains(d.Files, g.files[0]) {
				files, of = d.Files, d
			}
		}
		own := o.moduleAt(g.files[0])
		if !IsPackages(g.folder) && !strings.Contains(g.files[0], "/") { // one module: others have a utils.py as well
			own = ""
		}
		if o.allows(name, of.Name) || o.isMade(g, own) || !o.isFrom(of) && (own == "" || !o.hasMost(files)) {
			continue
		}
		if own == "" {
			own = of.Name
		}
		return &Elsewhere{filepath.Join(g.folder, g.files[0]), own, of.Name}
	}
	return nil
}

// packageOf is the package, or the module, that a file belongs to by its path from where modules are found; of any other file its name.
func packageOf(file string) string {
	if !isModule(file) {
		return filepath.Base(file)
	}
	top, rest, _ := strings.Cut(file, "/")
	if slices.Contains(importRoots, top) && rest != "" {
		top, _, _ = strings.Cut(rest, "/")
	}
	name, _, _ := strings.Cut(top, ".")
	return name
}

// importedFrom groups modules of Python by where they were found and by their package. One that the tree has comes first.
func (o Owner) importedFrom(others []string) map[string]imported {
	groups := map[string]imported{}
	for _, path := range others {
		path = SourceOf(path)
		folder := o.importRoot(path)
		if folder == "" {
			continue
		}
		name, _ := Below(folder, path)
		top, _, _ := strings.Cut(name, "/")
		key := folder + "\x00" + top
		g := groups[key]
		g.folder = folder
		if o.moduleAt(name) != "" && (len(g.files) == 0 || o.moduleAt(g.files[0]) == "") {
			g.files = slices.Insert(g.files, 0, name)
		} else {
			g.files = append(g.files, name)
		}
		groups[key] = g
	}
	return groups
}

// importRoot is the folder that a module was found in: one of packages, or the outermost that makes it a module of the tree, or the first that is not a
// package itself. It is "" where the file is not a module, or comes with Python.
func (o Owner) importRoot(path string) string {
	if !isModule(path) {
		return ""
	}
	var outermost, first string
	for dir := filepath.Dir(path); len(dir) > 1; dir = filepath.Dir(dir) {
		switch {
		case IsPackages(dir) || strings.HasSuffix(dir, ".egg"):
			return dir
		case isRegular(filepath.Join(dir, "os.py")) || filepath.Base(dir) == "lib-dynload":
			return ""
		case isRegular(filepath.Join(dir, "__init__.py")):
			continue
		}
		name, _ := Below(dir, path)
		if top, _, _ := strings.Cut(name, "/"); !slices.Contains(importRoots, top) && o.moduleAt(name) != "" {
			outermost = dir
		}
		if first == "" {
			first = dir
		}
	}
	if outermost != "" {
		return outermost
	}
	return first
}

// isModule says of a file's name that Python imports what is called so. What an installer makes to lead to a checkout is none of a project.
func isModule(path string) bool {
	ext := filepath.Ext(path)
	return (ext == ".py" || ext == ".so") && !strings.HasPrefix(filepath.Base(path), "__editable__")
}

// moduleAt is where the tree has a file, by its path from where modules are found; "" where it has none.
func (o Owner) moduleAt(name string) string {
	for _, folder := range []string{o.Tree, o.Root} {
		for _, root := range importRoots {
			path := filepath.Join(folder, root, name)
			if own, ok := Below(o.Root, path); ok && isRegular(path) {
				return own
			}
		}
	}
	return ""
}

// hasMost says whether the tree has most modules of a list.
func (o Owner) hasMost(files []string) bool {
	all, own := 0, 0
	for _, file := range files {
		if filepath.Ext(file) != ".py" {
			continue
		}
		all++
		if o.moduleAt(file) != "" {
			own++
		}
	}
	return 2*own > all
}

// isFrom says whether a distribution was installed from the tree, or from another version of it.
func (o Owner) isFrom(d checkout.Distribution) bool {
	if d.From == "" {
		return false
	}
	from, err := checkout.RealPath(d.From)
	return err == nil && slices.ContainsFunc(append([]string{o.Root}, o.Others...), func(tree string) bool {
		_, ok := Below(tree, from)
		return ok
	})
}
