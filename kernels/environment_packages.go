package kernels

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
	"github.com/org/perfgate/kernels/checkout"
)

// packageFolders are where installers of Python put packages in an environment.
var packageFolders = []string{".", "site-packages", "lib*/python3*/site-packages", "lib*/python3*/dist-packages"}

// packageWord is what a name or a version of a package consists of. Whatever else an installer wrote down is not repeated.
var packageWord = text.Pattern(`^[A-Za-z0-9][A-Za-z0-9._+!-]{0,79}$`)

// installed is a package in a folder of an environment.
type installed struct {
	checkout.Distribution
	folder string
}

// packages are the distributions of an environment by their normalized names.
func (e *Environment) packages() map[string]installed {
	found := map[string]installed{}
	if e == nil {
		return found
	}
	for _, pattern := range packageFolders {
		folders, _ := fs.Glob(os.DirFS(e.Path()), pattern)
		for _, folder := range folders {
			folder = filepath.Join(e.Path(), folder)
			for _, d := range checkout.Distributions(folder) {
				if packageWord().MatchString(d.Name) && packageWord().MatchString(d.Version) {
					found[strings.ToLower(strings.ReplaceAll(d.Name, "_", "-"))] = installed{d, folder}
				}
			}
		}
	}
	return found
}

// runs is a digest of what a package runs: the code of libraries, in which compilers also write down where and when they were built, and other files whole.
func (e *Environment) runs(p installed) string {
	var d digest
	for _, file := range p.Files {
		if !checkout.IsContent(file) {
			continue
		}
		path := filepath.Join(p.folder, file)
		sum, err := fingerprint(path, e.Path())
		if err != nil {
			sum, err = hashFile(path)
		}
		d.add(fmt.Sprint(file, " ", sum, err))
	}
	return d.sum()
}

// PackageChanges are the packages that are not the same in two environments, by name.
func PackageChanges(base, head *Environment) []result.PackageChange {
	was, is := base.packages(), head.packages()
	names := slices.Sorted(maps.Keys(was))
	names = append(names, slices.Sorted(maps.Keys(is))...)
	slices.Sort(names)
	var out []result.PackageChange
	for _, name := range slices.Compact(names) {
		a, b := was[name], is[name]
		if a.Version != b.Version || a.Content != b.Content && base.runs(a) != head.runs(b) {
			out = append(out, result.PackageChange{Name: cmp.Or(b.Name, a.Name), Base: a.Version, Head: b.Version})
		}
	}
	return out
}
