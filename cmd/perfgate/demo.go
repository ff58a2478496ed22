package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/kernels"
)

// demonstration is an example, its kernel, and the fault that head is built with.
type demonstration struct{ example, kernel, fault string }

var (
	onCPU = demonstration{"attention", "attention", "-DPG_FAULT_EXTRA_PASS=1"}
	onGPU = demonstration{"attention_cuda", "attention_tiled", "-DPG_FAULT_SERIAL_BATCH=1"}
)

func newDemoCommand(s *streams) *cobra.Command {
	var dir string
	var gpu bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "See the gate catch a planted slowdown (exits 1, as it should)",
		Long: `demo builds a shipped attention kernel twice, head with a needless extra pass over its keys, and runs the gate on the
two. The gate says no, so the exit code is 1. With --gpu it is a CUDA kernel, in which the blocks of head walk over all attention heads one
after the other: that needs an NVIDIA GPU and nvcc, and is never run on a CPU instead.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			what := onCPU
			if gpu {
				what = onGPU
			}
			f, err := what.flags(dir)
			if err != nil {
				return err
			}
			f.seed = strconv.FormatUint(randomSeed(), 10)
			fmt.Fprintf(s.err, "The same as: %s\n\n", reproLine("run", f, f.seed))
			return runGate(cmd.Context(), s, f)
		},
	}
	cmd.Flags().StringVar(&dir, "out", "perfgate-demo", "folder for the kernel and the results")
	cmd.Flags().BoolVar(&gpu, "gpu", false, "a CUDA kernel on the GPU")
	return cmd
}

// flags lays out the example, unless an earlier demo did, and returns the run that compares its two builds.
func (d demonstration) flags(dir string) (runFlags, error) {
	tree := filepath.Join(dir, d.example)
	if err := makeOut(dir); err != nil {
		return runFlags{}, fmt.Errorf("make the demo's folder (--out names another): %w", err)
	}
	if _, err := os.Stat(tree); os.IsNotExist(err) {
		if err := kernels.WriteExample(d.example, tree); err != nil {
			return runFlags{}, fmt.Errorf("write the demo's kernel (--out names another folder): %w", err)
		}
	}
	return runFlags{base: tree, head: tree, headFlags: d.fault, kernels: []string{d.kernel}, trust: repo.TrustWorktree, out: dir, format: "text"}, nil
}
