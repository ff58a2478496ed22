package request

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// Results reads the files of ResultPaths, which anybody may have made.
func Results(args []string) (inputs []rule.MergeInput, err error) {
	paths, err := ResultPaths(args)
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		r, err := result.ReadArtifact(path)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, rule.MergeInput{Name: path, Result: r})
	}
	return inputs, nil
}

// ResultPaths are the files that arguments name, and those called result.json below folders. Links in a folder are not followed: anybody may have made
// what was unpacked there.
func ResultPaths(args []string) (paths []string, err error) {
	for _, arg := range args {
		info, err := os.Stat(arg)
		if err != nil {
			return nil, result.Usagef("%s is neither a result.json nor a folder that contains one: %v", arg, err)
		}
		found := []string{arg}
		if info.IsDir() {
			if found, err = resultsBelow(arg); err != nil {
				return nil, err
			}
		}
		paths = append(paths, found...)
	}
	return paths, nil
}

// deepest is how far below a folder results are looked for: a folder for each artifact, and one for what it holds.
const deepest = 3

func resultsBelow(dir string) ([]string, error) {
	var found []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		switch {
		case entry.IsDir() && strings.Count(rel, string(filepath.Separator)) >= deepest:
			return fs.SkipDir
		case entry.Type().IsRegular() && entry.Name() == "result.json":
			if found = append(found, path); len(found) > rule.MaxInputs {
				return fmt.Errorf("more than %d results", rule.MaxInputs)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find results in %s: %w", dir, err)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no result.json in %s: did the jobs that measure leave any?", dir)
	}
	return found, nil
}

// SavedResult reads the one result that a file is or a folder has. out is where a new one goes: it must not take the place of what is read.
func SavedResult(path, out string) (*result.Result, error) {
	dir, err := os.Stat(path)
	if err == nil && !dir.IsDir() {
		dir, err = os.Stat(filepath.Dir(path))
	}
	if into, outErr := os.Stat(out); err == nil && outErr == nil && os.SameFile(dir, into) {
		return nil, result.Usagef("--out %s has the result that is to be repeated, which would be lost: name another folder", out)
	}
	found, err := Results([]string{path})
	if err != nil {
		return nil, result.Usage(err)
	}
	if len(found) != 1 {
		return nil, result.Usagef("%s holds %d results; name one of them", path, len(found))
	}
	return found[0].Result, nil
}
