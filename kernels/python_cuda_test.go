package kernels

import (
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

func newTritonZoo(t *testing.T) pythonZoo {
	t.Helper()
	return zooWith(t, cudaRig(t), "torch", "triton")
}

// The cheats of torch and Triton on a GPU: each must be caught by parity or by timing; honest ones pass both.
func TestPythonCheatsOnGPU(t *testing.T) {
	z := newTritonZoo(t)
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
			runner, err := z.startAs(z.onGPU(z.adapter(t, "zoo_cuda/"+animal+".pg.py")))
			if err != nil {
				if code := runnerFault(err).Code; !slices.Contains(codes, code) {
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

// What TestPythonInputsAndPartialOutputs says, with tensors of a GPU.
func TestTritonInputsAndPartialOutputs(t *testing.T) {
	t.Parallel()
	z := newTritonZoo(t)
	for _, c := range []partialOutput{
		{"ragged_cuda.pg.py", "k", []bool{true, true}},
		{"ragged_cuda.pg.py", "writes_all", []bool{false}},
		{"zoo_cuda/honest_returns.pg.py", "k", []bool{true, true}},
		{"zoo_cuda/returns_leftovers.pg.py", "k", []bool{true, false}},
	} {
		c.check(t, z.startCUDA(z.adapter(t, c.file)))
	}
}

// Mistakes that people make in Triton and torch: right kernels pass and wrong ones fail, in one process.
func TestWrongTritonKernelsFail(t *testing.T) {
	t.Parallel()
	z := newTritonZoo(t)
	runner := z.startCUDA(z.adapter(t, "wrong_cuda.pg.py"))
	kinds := func(kernel string) []string {
		if strings.HasPrefix(kernel, "attention") || strings.HasPrefix(kernel, "causal") {
			return []string{"normal"} // an exponential of larger ones is not known in float32
		}
		return []string{"normal", "large", "cancel", "outlier", "mixed"}
	}
	for _, kernel := range []string{"softmax", "layernorm", "sum", "sum_tiles", "gemm", "attention", "causal", "gelu", "gather", "cumsum"} {
		if !passesParity(t, runner, kernel, kinds(kernel)) {
			t.Errorf("%s is right, and failed", kernel)
		}
	}
	for _, kernel := range []string{
		"softmax_unstable", "softmax_zero_padding", "softmax_columns", "softmax_half", "layernorm_padding", "layernorm_by_block", "layernorm_one_pass",
		"layernorm_sample_variance", "sum_without_tail", "sum_race", "sum_not_cleared", "sum_half", "gemm_transposed", "gemm_half", "gemm_no_k_mask", "gemm_tf32",
		"attention_no_rescale", "attention_padding", "attention_unscaled", "causal_late", "causal_skips_last_tile", "gelu_sigmoid", "gather_next", "cumsum_restarts",
	} {
		if passesParity(t, runner, kernel, kinds(kernel)) {
			t.Errorf("%s is wrong, and passed", kernel)
		}
	}
}
