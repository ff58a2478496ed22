package config

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/kernels"
)

// namedPattern is a pattern with its path, and what messages call the list.
type namedPattern struct{ pattern, path, list string }

// CheckPatterns reports patterns of watch and files that match nothing in any of the folders, such as those of base and head: a change that
// deletes what a pattern named, or adds it, is no mistake. Its error is an Errors.
func (c *Config) CheckPatterns(dirs ...string) error {
	var open []namedPattern
	add := func(of, at, key string, patterns []string) {
		for i, p := range patterns {
			if !strings.HasPrefix(p, "!") { // to leave out what is not there yet is no mistake
				open = append(open, namedPattern{p, index(join(at, key), i), of + key})
			}
		}
	}
	add("", "", "paths", c.Watch)
	add("", "", "environment.inputs", c.Environment.inputs())
	for _, k := range c.Kernels {
		add("kernel "+k.Name+": ", k.at, "environment.inputs", k.Environment.inputs())
		add("kernel "+k.Name+": ", k.at, "files", k.Files)
	}
	for _, dir := range dirs {
		var whole bool
		if open, whole = unmatched(open, dir); !whole {
			return nil // what cannot be looked at may match
		}
	}
	var errs Errors
	for _, p := range open {
		errs = append(errs, c.errorAt(p.path, near(p.pattern, dirs), "%s: %s matches nothing in base or head", p.list, quoted(p.pattern)))
	}
	return errs.sorted()
}

func (e *Environment) inputs() []string {
	if e == nil {
		return nil
	}
	return e.Inputs
}

// unmatched are the patterns that match nothing in a folder. whole is false where not all of it could be read.
func unmatched(open []namedPattern, dir string) (left []namedPattern, whole bool) {
	left = slices.Clone(open)
	err := filepath.WalkDir(dir, func(at string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, at)
		switch {
		case err != nil || name == ".":
			return err
		case entry.Name() == ".git" && entry.IsDir():
			return fs.SkipDir
		}
		name = filepath.ToSlash(name)
		if left = slices.DeleteFunc(left, func(p namedPattern) bool { return MatchesAny([]string{p.pattern}, name) }); len(left) == 0 {
			return fs.SkipAll
		}
		return nil
	})
	return left, err == nil
}

// near says what there is in the last folder that leads to a pattern or a file and that one of the folders has.
func near(pattern string, dirs []string) string {
	folder, rest := ".", strings.Split(path.Clean(pattern), "/")
	for len(rest) > 1 && len(entriesOf(path.Join(folder, rest[0]), dirs)) > 0 {
		folder, rest = path.Join(folder, rest[0]), rest[1:]
	}
	names := entriesOf(folder, dirs)
	if len(names) == 0 {
		return ""
	}
	slices.SortStableFunc(names, func(a, b string) int { return kernels.Slips(rest[0], a) - kernels.Slips(rest[0], b) })
	const most = 8
	for i, name := range names {
		names[i] = quoted(name)
	}
	list := strings.Join(names[:min(len(names), most)], ", ")
	if folder == "." {
		return "what there is, such as " + list
	}
	return "what there is in " + quoted(folder) + ", such as " + list
}

// entriesOf are the names in a folder of any of the folders, in order. No link is followed out of them.
func entriesOf(folder string, dirs []string) []string {
	var out []string
	for _, dir := range dirs {
		root, err := os.OpenRoot(dir)
		if err != nil {
			continue
		}
		entries, _ := fs.ReadDir(root.FS(), folder)
		for _, e := range entries {
			if e.Name() != ".git" && !slices.Contains(out, e.Name()) {
				out = append(out, e.Name())
			}
		}
		root.Close()
	}
	slices.Sort(out)
	return out
}

// CheckWatch says what is wrong with a pattern that stands for one of paths.
func CheckWatch(p string) error {
	if problem, allowed := checkWatched(p); problem != "" {
		return fmt.Errorf("%s; allowed: %s", problem, allowed)
	}
	return nil
}

// MatchesAny says whether a file, by its path with slashes, is one that patterns name. A folder that a pattern names is all that is in it.
func MatchesAny(patterns []string, file string) bool {
	return benchmark.IsPicked(patterns, isAbove(file))
}

// NamedPaths are the patterns of paths that name files; the others leave some out.
func (c *Config) NamedPaths() []string { return benchmark.Picks(c.Watch) }

// LeavesOut says whether patterns with ! in front name a file.
func LeavesOut(patterns []string, file string) bool {
	return benchmark.IsLeftOut(patterns, isAbove(file))
}

// isAbove says whether a pattern names a file, or a folder around it. None names what lies outside of the configuration's folder.
func isAbove(file string) func(pattern string) bool {
	return func(pattern string) bool {
		if strings.HasPrefix(file, "../") {
			return false
		}
		for at := file; at != "."; at = path.Dir(at) {
			if ok, err := doublestar.Match(pattern, at); ok && err == nil { // the reader has checked the patterns
				return true
			}
			if at == "/" {
				return false
			}
		}
		return false
	}
}
