package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

func newMergeCommand(s *streams) *cobra.Command {
	f := runFlags{}
	var machines int
	cmd := &cobra.Command{
		Use:   "merge FILE|FOLDER…",
		Short: "Make one verdict of the results of several runners",
		Long: `merge makes one result and one verdict of the results that several runners left: of the parts of a plan (run --shard
i/n), or of the whole plan measured on several machines, or of both. Of a folder it takes every result.json in it.

The results are decided again from their samples. They must be of one measurement: the same configuration, base, head,
seed and version of perfgate. A shard that is missing is an error, but a regression in those that are there still fails.`,
		Example: `  perfgate run --shard 1/3 --seed 42 --out part-1     # on three runners, 1/3 to 3/3
  perfgate merge part-1 part-2 part-3
  perfgate merge --machine-count 2 results/   # an L4 and an H100, each with the whole plan`,
		Args: takes(1, 0, "at least one result.json, or a folder of them"),
		RunE: func(_ *cobra.Command, args []string) error {
			if machines > rule.MaxInputs {
				return result.Usagef("--machine-count is %d; it must be from 1 to %d", machines, rule.MaxInputs)
			}
			return mergeResults(s, f, args, rule.MergeOptions{Machines: machines})
		},
	}
	define(cmd, f.targets().with(targets{"machine-count": &machines}))
	return cmd
}

func mergeResults(s *streams, f runFlags, args []string, opt rule.MergeOptions) error {
	paths, err := resultFiles(args)
	if err != nil {
		return err
	}
	var inputs []rule.MergeInput
	for _, path := range paths {
		r, err := result.ReadArtifact(path)
		if err != nil {
			return err
		}
		inputs = append(inputs, rule.MergeInput{Name: path, Result: r})
	}
	merged, err := rule.Merge(inputs, opt)
	if err != nil {
		return fmt.Errorf("merge: %w", err)
	}
	merged.Repro = commandLine("merge", targets{"machine-count": &opt.Machines}, args...)
	if err := checkOut(f.out); err != nil {
		return err
	}
	return publish(s, f, merged)
}

// resultFiles lists the files that arguments name, and those called result.json below folders. Links in a folder are not
// followed: what was unpacked there may be of anybody's making.
func resultFiles(args []string) ([]string, error) {
	var paths []string
	for _, arg := range args {
		info, err := os.Stat(arg)
		if err != nil {
			return nil, result.Usagef("%s is neither a result.json nor a folder that contains one: %v", arg, err)
		}
		if !info.IsDir() {
			paths = append(paths, arg)
			continue
		}
		found, err := resultsBelow(arg)
		if err != nil {
			return nil, err
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
		return nil, fmt.Errorf("look for results in %s: %w", dir, err)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no result.json in %s: did the jobs that measure leave any?", dir)
	}
	return found, nil
}
