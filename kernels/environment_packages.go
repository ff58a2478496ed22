package kernels

import (
	"cmp"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/checkout"
)

// packageFolders are where installers of Python put packages in an environment.
var packageFolders = []string{".", "site-packages", "lib*/python3*/site-packages", "lib*/python3*/dist-packages"}

// packageWord is what a name or a version of a package consists of. Whatever else an installer wrote down is not repeated.
var packageWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+!-]{0,79}$`) })

// packages are the distributions of an environment by their normalized names.
func (e *Environment) packages() map[string]checkout.Distribution {
	found := map[string]checkout.Distribution{}
	if e == nil {
		return found
	}
	for _, pattern := range packageFolders {
		folders, _ := fs.Glob(os.DirFS(e.Path()), pattern)
		for _, folder := range folders {
			for _, d := range checkout.Distributions(filepath.Join(e.Path(), folder)) {
				if packageWord().MatchString(d.Name) && packageWord().MatchString(d.Version) {
					found[strings.ToLower(strings.ReplaceAll(d.Name, "_", "-"))] = d
				}
			}
		}
	}
	return found
}

// PackageChanges are the packages that are not the same in two environments, by name.
func PackageChanges(base, head *Environment) []result.PackageChange {
	was, is := base.packages(), head.packages()
	names := slices.Sorted(maps.Keys(was))
	names = append(names, slices.Sorted(maps.Keys(is))...)
	slices.Sort(names)
	var out []result.PackageChange
	for _, name := range slices.Compact(names) {
		if a, b := was[name], is[name]; a.Version != b.Version || a.Content != b.Content {
			out = append(out, result.PackageChange{Name: cmp.Or(b.Name, a.Name), Base: a.Version, Head: b.Version})
		}
	}
	return out
}
