package run

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/identity"
	"github.com/org/perfgate/gate/text"
	"github.com/org/perfgate/kernels/checkout"
	"github.com/org/perfgate/kernels/observe"
)

// newEnvironment sorts files outside of the trees into the packages, libraries and programs that they are of. Folders, and what is not there, are
// left out. Those in folder, which is the side's own environment, have names that another run of the same finds. nil: there are more than a record holds.
func newEnvironment(paths []string, folder string, digests *observe.Digests) *baseline.Environment {
	slices.Sort(paths)
	known, files := distributions{}, map[string][]string{}
	count := 0
	for _, path := range slices.Compact(paths) {
		if is, err := os.Lstat(path); err != nil || !is.Mode().IsRegular() && is.Mode()&os.ModeSymlink == 0 {
			continue
		}
		name, within := known.partOf(path), ""
		if folder != "" {
			if below, ok := identity.Below(folder, path); ok {
				if within = below; namesPlace(within) {
					continue
				}
				path = filepath.Join(ownEnvironment, within)
			}
		}
		count++
		files[name] = append(files[name], path)
	}
	if count > baseline.MostEnvironment {
		return nil
	}
	e := new(baseline.Environment)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		e.Parts = append(e.Parts, baseline.EnvironmentPart{Name: name, Files: files[name], Digest: digestOf(files[name], folder, digests)})
	}
	return e
}

// ownEnvironment stands in records for the folder of the side's own environment.
const ownEnvironment = "/PERFGATE_ENV"

// namesPlace says whether a file holds the place where it lies, and nothing else that its neighbours do not have.
func namesPlace(file string) bool {
	return filepath.Ext(file) == ".pyc" || filepath.Base(file) == "pyvenv.cfg"
}

// changedParts names the parts of an environment that are not as they were.
func changedParts(e *baseline.Environment, folder string, digests *observe.Digests) []string {
	var names []string
	for _, p := range e.Parts {
		if digestOf(p.Files, folder, digests) != p.Digest {
			names = append(names, p.Name)
		}
	}
	return names
}

// digestOf is that of what lies at paths.
func digestOf(paths []string, folder string, digests *observe.Digests) string {
	h := sha256.New()
	for _, path := range paths {
		at := path
		if name, ok := identity.Below(ownEnvironment, path); ok {
			at = filepath.Join(folder, name)
		}
		addDigest(h, path, at, digests)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// addDigest adds what lies at a place, under the path that it goes by.
func addDigest(h hash.Hash, path, at string, digests *observe.Digests) {
	is, err := digests.Of(at)
	if err != nil {
		is = "unreadable"
	}
	fmt.Fprintf(h, "%q %q\n", path, is)
}

// readsOf is the digest of what lies at the paths of a tree that were asked for, to whoever asks so for them. What a process made there is no part of it.
func readsOf(tree string, o baseline.Observation, digests *observe.Digests) string {
	h, paths, made := sha256.New(), o.Paths(), map[string]bool{}
	for _, a := range paths {
		made[a.Path] = a.Asked.Has(observe.Made)
	}
	for _, a := range paths {
		if made[a.Path] {
			continue
		}
		at := filepath.Join(tree, a.Path)
		addDigest(h, a.Path, at, digests)
		if a.Asked.Has(observe.Listed) {
			isMade := func(name string) bool { return made[path.Join(a.Path, name)] }
			fmt.Fprintf(h, "%q\n", slices.DeleteFunc(identity.NamesIn(at), isMade))
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// distributions are the packages of Python that installers wrote down, by folder of packages and by file.
type distributions map[string]map[string]string

// partOf names what a file outside of the trees is of, for people: a package of Python, Python itself, a library, a program, a folder of headers or data.
func (d distributions) partOf(path string) string {
	if folder, file, ok := inPackages(path); ok {
		return d.packageAt(folder, file)
	}
	if python := pythonOf(path); python != "" {
		return python
	}
	name := filepath.Base(path)
	if library := libraryName().FindString(name); library != "" {
		return library
	}
	switch filepath.Base(filepath.Dir(path)) {
	case "bin", "sbin", "libexec":
		return name
	}
	const levels = 3 // such as /usr/include/c++
	parts := strings.SplitN(filepath.Dir(path), "/", levels+2)
	return strings.Join(parts[:min(len(parts), levels+1)], "/")
}

// inPackages takes the path of an installed file apart at the innermost folder of packages.
func inPackages(path string) (folder, file string, ok bool) {
	for dir := filepath.Dir(path); len(dir) > 1; dir = filepath.Dir(dir) {
		if identity.IsPackages(dir) {
			file, ok = identity.Below(dir, path)
			return dir, file, ok
		}
	}
	return "", "", false
}

func (d distributions) packageAt(folder, file string) string {
	if d[folder] == nil {
		d[folder] = map[string]string{}
		for _, known := range checkout.Distributions(folder) {
			for _, f := range known.Files {
				d[folder][f] = known.Name
			}
		}
	}
	for _, f := range []string{file, identity.SourceOf(file)} {
		if name := d[folder][f]; name != "" {
			return name
		}
	}
	top, _, _ := strings.Cut(file, "/")
	return strings.TrimSuffix(top, filepath.Ext(top))
}

var (
	pythonName  = text.Pattern(`^python[0-9]+(\.[0-9]+)?$`)
	libraryName = text.Pattern(`^[^/]+\.so(\.[0-9]+)?`)
)

// pythonOf is the interpreter that a file is, or that it is a module of: python3.12.
func pythonOf(path string) string {
	for at := path; len(at) > 1; at = filepath.Dir(at) {
		parent := filepath.Base(filepath.Dir(at))
		if name := filepath.Base(at); pythonName().MatchString(name) && (at == path || parent == "lib" || parent == "lib64") {
			return name
		}
	}
	return ""
}

// changedSince names what of a recorded environment is not now as it was for a kernel. known is false where that cannot be said.
func (r *records) changedSince(kernel string, o baseline.Observation) (names []string, known bool) {
	if o.Environment == nil {
		return nil, false
	}
	folder := r.folders[kernel]
	digest := o.EnvironmentDigest + folder
	names, seen := r.environments[digest]
	if !seen {
		names = changedParts(o.Environment, folder, r.digests())
		r.digests().Save()
		r.environments[digest] = names
	}
	return names, true
}
