package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/sides"
	"github.com/org/perfgate/kernels"
)

// The demo's kernel, and the fault that head is built with.
const (
	demoKernel = "attention"
	demoFault  = "-DPG_FAULT_EXTRA_PASS=1"
)

func newDemoCommand(s *streams) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "See the gate catch a planted slowdown (exits 1, as it should)",
		Long: `demo builds a shipped attention kernel twice, head with a needless extra pass over its keys, and runs the gate on the
two. The gate says no, so the exit code is 1.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f, err := demoFlags(dir)
			if err != nil {
				return err
			}
			f.seed = strconv.FormatUint(randomSeed(), 10)
			fmt.Fprintf(s.err, "The same as: %s\n\n", reproLine("run", f, f.seed))
			return runGate(cmd.Context(), s, f)
		},
	}
	cmd.Flags().StringVar(&dir, "out", "perfgate-demo", "folder for the kernel and the results")
	return cmd
}

// demoFlags lays out the demo's kernel, unless an earlier demo did, and returns the run that compares its two builds.
func demoFlags(dir string) (runFlags, error) {
	tree := filepath.Join(dir, demoKernel)
	if err := makeOut(dir); err != nil {
		return runFlags{}, fmt.Errorf("make the demo's folder (--out names another): %w", err)
	}
	if _, err := os.Stat(tree); os.IsNotExist(err) {
		if err := kernels.WriteExample(demoKernel, tree); err != nil {
			return runFlags{}, fmt.Errorf("write the demo's kernel (--out names another folder): %w", err)
		}
	}
	return runFlags{base: tree, head: tree, headFlags: demoFault, kernels: []string{demoKernel}, trust: sides.TrustWorktree, out: dir, format: "text"}, nil
}
