package kernels

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// The cheats of torch and Triton on a GPU: each must be caught by parity or by timing; honest ones pass both.
func TestPythonCheatsOnGPU(t *testing.T) {
	r := cudaRig(t)
	z := pythonZoo{r, interpreterWith(t, "torch", "triton"), filepath.Join(r.builder.Scratch, "python")}
	if err := writePackage(z.packages); err != nil {
		t.Fatal(err)
	}
	for animal, codes := range map[string][]result.Code{
		"honest":             {"passed"},
		"honest_returns":     {"passed"},
		"honest_triton":      {"passed"},
		"honest_joined":      {"passed"},
		"side_stream":        {"outside-work", "wrong-output"},
		"cache_by_pointer":   {"wrong-output"},
		"returns_remembered": {"wrong-output"},
		"skip_after_n":       {"wrong-output"},
		"changes_input":      {"input-changed"},
		"writes_outside":     {"guard-broken"},
		"low_precision":      {"wrong-output"},
		"own_graph":          {"wrong-output", "setup-failed", "launch-failed"},
		"lazy_tensor":        {"launch-failed"},
		"patched_torch":      {"adapter-load", "sources-load"},
		"late_thread":        {"outside-work", "wrong-output"},
		"host_work":          {"outside-work", "launch-failed"}, // it waits for the device: what it takes is timed, and no graph records it
	} {
		t.Run(animal, func(t *testing.T) {
			t.Parallel()
			runner, err := StartRunner(context.Background(), RunnerSpec{
				Harness: z.harness.Path, Library: z.adapter(t, "zoo_cuda/"+animal+".pg.py").Path, Dir: t.TempDir(),
				Env: []string{"CUDA_DEVICE_ORDER=PCI_BUS_ID", "CUDA_VISIBLE_DEVICES=0"},
			})
			if err != nil {
				if code := codeOf(err); !slices.Contains(codes, code) {
					t.Errorf("%v, want one of %q", err, codes)
				}
				return
			}
			defer runner.Close()
			parity, single := look(runner, 1<<20, HowSingle)
			graph := result.Code("")
			if single == "passed" {
				_, graph = look(runner, 1<<12, HowGraph)
			}
			t.Logf("parity %s, singly %s, in a graph %s", parity, single, graph)
			caught := slices.ContainsFunc([]result.Code{parity, single, graph}, func(c result.Code) bool { return c != "" && c != "passed" && slices.Contains(codes, c) })
			if passed := parity == "passed" && single == "passed" && graph == "passed"; passed != slices.Contains(codes, "passed") && !caught {
				t.Errorf("parity %s, singly %s, in a graph %s, want one of %q", parity, single, graph, codes)
			}
		})
	}
}
