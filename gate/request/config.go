package request

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/checkout"
)

// expectConfig is an error of usage where the folder has no configuration, and says where one is.
func expectConfig(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, config.DefaultFile)); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if name := misnamed(dir); name != "" {
		return result.Usagef("no %s in %s: there is %s: rename it to %s, or name it with --config %s", config.DefaultFile, dir, name, config.DefaultFile, name)
	}
	above, inRepository := ConfigAbove(dir)
	switch {
	case above == "":
		return result.Usagef("no %s in %s: `perfgate init` writes one, --config names another", config.DefaultFile, dir)
	case !inRepository: // the current folder is then the side, and --config has to lie within
		return result.Usagef("no %s in %s: there is one in %s: run there", config.DefaultFile, dir, above)
	}
	return result.Usagef("no %s in %s: there is one in %s: run there, or name it with --config %s", config.DefaultFile, dir, above, filepath.Join(above, config.DefaultFile))
}

// misnamed is a file of the folder whose name is nearly that of a configuration; "" where there is none.
func misnamed(dir string) string {
	for _, name := range []string{"perfgate.yml", ".perfgate.yaml", ".perfgate.yml"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() {
			return name
		}
	}
	return ""
}

// ConfigAbove is the nearest folder above dir, an absolute path, that has a configuration, as a path from dir such as
// "../.."; "" where there is none. It looks up to the root of the repository around dir. Without one, where inRepository is
// false, it ends at the user's home or the root of the file system.
func ConfigAbove(dir string) (above string, inRepository bool) {
	home, _ := os.UserHomeDir()
	up := ""
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(d, config.DefaultFile)); err == nil && above == "" {
			above = up // still "" for dir itself
		}
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil {
			return above, true
		}
		if d == home || d == filepath.Dir(d) {
			return above, false
		}
		up = filepath.Join(up, "..")
	}
}

// configPath is the configuration's path within head's root: --config counts from the current folder for a working
// tree, from head's root for a folder or a revision. Without it, it is that of the folder that the user stands in, also of a revision.
func (r Run) configPath(cwd string, head repo.Side) (string, error) {
	path := cmp.Or(r.Config, config.DefaultFile)
	from := head.Place()
	switch {
	case r.Head == "":
		from = cwd
	case r.Config == "" && head.Info.Kind == result.KindRevision:
		from = standsIn(cwd, head.Root)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(from, path)
	}
	root, err := filepath.EvalSymlinks(head.Place())
	if err != nil {
		return "", fmt.Errorf("find head's folder: %w", err)
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return "", result.Usagef("no configuration at %s: its folder is not there", path)
	}
	rel, err := filepath.Rel(root, filepath.Join(dir, filepath.Base(path)))
	if err != nil || !filepath.IsLocal(rel) {
		return "", result.Usagef("the configuration %s is outside head's folder %s: both sides are built by its relative paths, so it must lie within", path, head.Place())
	}
	return rel, nil
}

// standsIn is the folder of a revision that the user stands in, where that has a configuration now or had one then; else its root.
func standsIn(cwd, root string) string {
	cwd, err := checkout.RealPath(cwd)
	if err != nil {
		return root
	}
	below, err := filepath.Rel(checkout.Top(cwd), cwd)
	if err != nil {
		return root
	}
	then := filepath.Join(root, below)
	for _, dir := range []string{then, cwd} {
		if _, err := os.Stat(filepath.Join(dir, config.DefaultFile)); err == nil {
			return then
		}
	}
	return root
}
