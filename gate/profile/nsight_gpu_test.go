package profile_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/profile/explain"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// TestGPU profiles the example attention on the GPU of this machine, with the chosen sections and with the full set. With
// PERFGATE_EVIDENCE_OUT set, it leaves the exports there.
func TestGPU(t *testing.T) {
	ctx := context.Background()
	arch, err := exec.Command("nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader", "--id=0").Output()
	if err != nil {
		t.Skip("no NVIDIA GPU here: the recordings in testdata/ncu cover the rest")
	}
	target := kernels.Target{Device: result.DeviceCUDA, Arch: "sm_" + strings.ReplaceAll(strings.TrimSpace(string(arch)), ".", "")}
	nvcc, err := kernels.FindNVCC(ctx)
	if err != nil {
		t.Skip(err)
	}
	tool, err := profile.FindNsight(ctx, nvcc.Path, "")
	if err != nil {
		t.Skip(err)
	}
	t.Logf("%s, version %s", tool.Path, tool.Version)
	scratch, cache := t.TempDir(), t.TempDir()
	harness, err := kernels.BuildHarness(ctx, nvcc, target, cache, scratch, nil)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := filepath.Abs("../../kernels/examples/attention_cuda")
	if err != nil {
		t.Fatal(err)
	}
	builder := &kernels.Builder{Compiler: nvcc, Target: target, Cache: cache, Scratch: scratch}
	lib, err := builder.Build(ctx, kernels.BuildSpec{Kernel: "attention", Tree: tree, AdapterTree: tree, Adapter: "attention.pg.cu", Sources: sourcesOf(t, tree), Flags: []string{"-O3"}})
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	if dir := os.Getenv("PERFGATE_EVIDENCE_OUT"); dir != "" {
		out = dir
	}
	params := []kernels.CaseParam{
		{Name: "B", Text: "8", Value: 8}, {Name: "H", Text: "8", Value: 8}, {Name: "S", Text: "512", Value: 512}, {Name: "D", Text: "64", Value: 64}, {Name: "causal", Text: "0"},
	}
	job := profile.Job{
		Runner: kernels.RunnerSpec{Harness: harness.Path, Library: lib.Path, Dir: scratch}, Case: kernels.CaseSpec{Kernel: "attention", Params: params}, Seed: "7", Cache: "cold",
		Limit: 2 * time.Minute, Metrics: explain.Asked(profile.Version{}),
	}
	for name, set := range map[string]string{"sections": "", "full": "full"} {
		job.Set, job.Report = set, filepath.Join(out, "smoke-"+name+".ncu-rep")
		c, err := tool.Run(ctx, job)
		var failure *profile.Failure
		if errors.As(err, &failure) && (failure.Kind == result.GapPermission || failure.Kind == result.GapCountersBusy) {
			t.Skip(failure)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		t.Logf("%s: %.1f s, %d kernels, %d metrics, %d rules, missing %q, notes %q", name, c.Seconds, len(c.Profile.Kernels),
			len(c.Profile.Kernels[0].Metrics), len(c.Profile.Rules), c.Profile.Missing(explain.Metrics), c.Notes)
		if blocks, ok := c.Profile.Kernels[0].Value("launch__grid_size"); !ok || blocks <= 0 {
			t.Errorf("%s: grid size %v", name, blocks)
		}
		for page, text := range map[string]string{"raw": c.Exported.Raw, "details": c.Exported.Details} {
			if err := os.WriteFile(filepath.Join(out, "smoke-"+name+"."+page+".csv"), []byte(text), 0o644); err != nil {
				t.Error(err)
			}
		}
	}
}

// sourcesOf are the CUDA files of a folder that are no adapters.
func sourcesOf(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.cu"))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range files {
		if !strings.HasSuffix(f, ".pg.cu") {
			out = append(out, filepath.Base(f))
		}
	}
	return out
}
