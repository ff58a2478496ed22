package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/saved"
	"github.com/org/perfgate/gate/untrusted"
	"github.com/org/perfgate/kernels"
)

// onCUDA is the value of --device for an NVIDIA GPU.
const onCUDA = "cuda"

// demonstration is an example, its kernel, and the fault that head has: by a flag of the compiler, or written into a file of its own tree. Of a
// kernel that takes long on a CPU it has one case, so that an answer is there in seconds.
type demonstration struct {
	example, kernel, flag, file, fault string
	cases                              []string
}

var (
	onCPU = demonstration{example: "attention", kernel: "attention", flag: "-DPG_FAULT_EXTRA_PASS=1",
		cases: []string{"attention/*,dtype=f32"}}
	onGPU       = demonstration{example: "attention_cuda", kernel: "attention_tiled", flag: "-DPG_FAULT_SERIAL_BATCH=1"}
	pythonOnCPU = demonstration{example: "softmax_numpy", kernel: "softmax", file: "softmax.py", fault: "double"}
	pythonOnGPU = demonstration{example: "attention_triton", kernel: "attention", file: "attention.py", fault: "all_keys"}
)

func demonstrationOf(python, gpu bool) demonstration {
	switch {
	case python && gpu:
		return pythonOnGPU
	case python:
		return pythonOnCPU
	case gpu:
		return onGPU
	}
	return onCPU
}

func newDemoCommand(s *streams) *cobra.Command {
	var f struct {
		output
		Device string
		Python bool
	}
	return verb(&cobra.Command{
		Use:   "demo",
		Short: "See the gate catch an injected slowdown (exits 1, as it should)",
		Long: `demo builds an attention kernel that comes with perfgate twice and runs the gate on the two builds. Head makes
a needless extra pass over its keys, so the gate says no, and the exit code is 1.

  --device cuda            a CUDA kernel, in which the blocks of head work through all attention heads one after
                           the other. It needs an NVIDIA GPU and nvcc, and never falls back to the CPU.
  --python                 a softmax in numpy; head computes in float64.
  --python --device cuda   attention in Triton; head reads all keys where a causal mask hides half of them.`,
		Example: `  perfgate demo
  perfgate demo --device cuda`,
		Args: noArgs,
	}, &f, func(ctx context.Context, _ []string) error {
		run, err := demonstrationOf(f.Python, f.Device == onCUDA).flags(f.Out)
		if err != nil {
			return err
		}
		run.Seed = strconv.FormatUint(request.RandomSeed(), 10)
		return runGate(ctx, s, run)
	})
}

// flags lays out the example, unless an earlier demo did, and returns the run that compares its two sides.
func (d demonstration) flags(dir string) (runFlags, error) {
	tree := filepath.Join(dir, d.example)
	if err := saved.MakeFolder(dir); err != nil {
		return runFlags{}, fmt.Errorf("make the demo's folder (--out names another): %w", err)
	}
	if err := d.layOut(tree); err != nil {
		return runFlags{}, err
	}
	f := runFlags{Run: request.Run{Base: tree, Head: tree, HeadFlags: d.flag, Kernels: []string{d.kernel}, Cases: d.cases, Trust: repo.TrustWorktree},
		output: output{Out: dir, Format: "text"}}
	if d.fault != "" {
		f.Head = tree + "_" + d.fault
		if err := d.layOut(f.Head); err != nil {
			return runFlags{}, err
		}
		return f, d.inject(filepath.Join(f.Head, d.file))
	}
	return f, nil
}

// layOut writes the example into a folder that is not there yet.
func (d demonstration) layOut(tree string) error {
	if _, err := os.Stat(tree); !os.IsNotExist(err) {
		return nil
	}
	if err := kernels.WriteExample(d.example, tree); err != nil {
		return fmt.Errorf("write the demo's kernel (--out names another folder): %w", err)
	}
	return nil
}

// inject writes the fault into a kernel that does not have it yet.
func (d demonstration) inject(file string) error {
	text, err := untrusted.Read(file, 1<<20)
	if err != nil {
		return fmt.Errorf("inject the demo's fault (--out names another folder): %w", err)
	}
	injected := strings.Replace(string(text), "FAULT = \"\"\n", fmt.Sprintf("FAULT = %q\n", d.fault), 1)
	if err := os.WriteFile(file, []byte(injected), 0o644); err != nil {
		return fmt.Errorf("inject the demo's fault (--out names another folder): %w", err)
	}
	return nil
}
