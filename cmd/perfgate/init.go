package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/kernels"
)

func newInitCommand(s *streams) *cobra.Command {
	return &cobra.Command{
		Use:   "init",
		Short: "Write a first perfgate.yaml and an adapter that works",
		Long: `init writes into the current folder perfgate.yaml, an adapter with a small kernel that compiles, runs and passes, and
perfgate.h for the editor. Files that are there are never overwritten.`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return writeStarter(s) },
	}
}

func writeStarter(s *streams) error {
	files, err := kernels.StarterFiles()
	if err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find the current folder: %w", err)
	}
	var exists *kernels.ExistsError
	if err := kernels.WriteNew(dir, files); errors.As(err, &exists) {
		return usage(err)
	} else if err != nil {
		return err
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintln(s.out, "wrote", path)
	}
	fmt.Fprint(s.out, `
try it:         perfgate parity
compare builds: perfgate run --base . --head . --head-flags=-O1
in a git repository, after a change to the kernel: perfgate run
`)
	return nil
}
