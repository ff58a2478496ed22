package kernels

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/kernelstest"
)

// pythonZoo starts runners on the files of testdata/python.
type pythonZoo struct {
	*rig
	interpreter Interpreter
	packages    string
}

func newPythonZoo(t *testing.T) pythonZoo {
	t.Helper()
	return zooWith(t, newRig(t), "numpy")
}

// zooWith is a zoo whose interpreter has modules.
func zooWith(t *testing.T, r *rig, modules ...string) pythonZoo {
	t.Helper()
	z := pythonZoo{r, interpreterWith(t, modules...), filepath.Join(r.builder.Scratch, "python")}
	must(t, writePackage(z.packages))
	return z
}

// adapter describes a file of testdata/python, without the process that a build takes to import it.
func (z pythonZoo) adapter(t *testing.T, file string, pins ...Pin) Library {
	t.Helper()
	tree, err := filepath.Abs(filepath.Join("..", "testdata", "python"))
	must(t, err)
	return z.describe(t, hosted{File: filepath.Join(tree, file), Shown: file, Tree: tree, Root: tree, Pins: pins, ImportFirst: []string{"numpy"}})
}

func (z pythonZoo) describe(t *testing.T, h hosted) Library {
	t.Helper()
	out := t.TempDir()
	h.Interpreter, h.Package, h.Caches = z.interpreter, z.packages, out
	lib := Library{Path: filepath.Join(out, hostedName)}
	must(t, h.write(lib.Path))
	return lib
}

func (z pythonZoo) tryOut(t *testing.T, file string, limit time.Duration) error {
	r := *z.rig
	r.t = t
	return r.tryOut(z.adapter(t, file), limit)
}

// The cheats of the C++ zoo again, and those that only Python knows.
func TestPythonCheatsAreCaught(t *testing.T) {
	kernelstest.Live(t)
	z := newPythonZoo(t)
	for animal, codes := range map[string][]result.Code{
		"honest":             {""},
		"honest_returns":     {""},
		"honest_state":       {""},
		"cache_by_a_glance":  {""}, // open: docs/python.md
		"cache_by_pointer":   {"wrong-output"},
		"cache_by_shape":     {"wrong-output", "parity"},
		"cache_by_case":      {"wrong-output", "parity"},
		"cache_by_count":     {"wrong-output"},
		"cache_by_tensor":    {"wrong-output"},
		"precomputed":        {"wrong-output", "parity"},
		"returns_remembered": {"wrong-output", "parity"},
		"skip_after_n":       {"wrong-output"},
		"stale_output":       {"wrong-output", "parity"},
		"changes_input":      {"input-changed"},
		"writes_outside":     {"guard-broken"},
		"writes_before":      {"guard-broken"},
		"reads_outside":      {"parity"},
		"low_precision":      {"parity"},
		"fails_silently":     {"parity"},
		"unwritten_tail":     {"parity"},
		"nan":                {"parity"},
		"unread_input":       {"parity"},
		"swaps_tensor":       {"parity", "wrong-output"},
		"shrinks_case":       {"wrong-output", "parity"},
		"side_thread":        {"outside-work", "wrong-output", "parity"},
		"late_thread":        {"outside-work", "wrong-output", "parity"},
		"busy_daemon":        {"outside-work", "wrong-output", "parity"},
		"in_a_process":       {"wrong-output", "parity", "outside-work"},
		"lazy_array":         {"launch-failed"},
		"lazy_dict":          {"launch-failed"},
		"in_a_signal":        {"launch-failed"},
		"in_a_profiler":      {"launch-failed"},
		"patched_numpy":      {"sources-load", "adapter-load"},
		"swapped_functions":  {"sources-load", "adapter-load"},
		"patched_perfgate":   {"sources-load", "adapter-load"},
		"patched_builtins":   {"adapter-load"},
		"patched_checks":     {"adapter-load"},
		"patched_below":      {"sources-load", "adapter-load"},
		"patched_operators":  {"sources-load", "adapter-load"},
		"own_reference":      {"reference-failed"},
		"in_a_collection":    {"wrong-output", "parity", "outside-work"},
		"in_a_list":          {"launch-failed"},
		"in_an_audit":        {"launch-failed"},
		"join_later":         {"outside-work", "wrong-output", "parity"},
		"other_tensors":      {""}, // it is asked once
	} {
		t.Run(animal, func(t *testing.T) {
			t.Parallel()
			expectCode(t, untilCaught(animal, func() error { return z.tryOut(t, "zoo/"+animal+".pg.py", time.Minute) }), codes)
		})
	}
}

// Every kind of bad day in Python has its code, and words that say what, and where in the user's own file.
func TestPythonBadDaysAreNamed(t *testing.T) {
	kernelstest.Live(t)
	z := newPythonZoo(t)
	for day, want := range map[string]struct {
		code  result.Code
		words string
	}{
		"missing_module":      {"adapter-load", "ModuleNotFoundError: No module named 'no_such_framework'\nat bad/missing_module.pg.py:1: import no_such_framework"},
		"broken_extension":    {"sources-load", "ImportError: libcudart.so.13: cannot open shared object file"},
		"syntax_error":        {"adapter-load", "SyntaxError: "},
		"exits_at_import":     {"adapter-load", "it called sys.exit('no GPU here')\nat bad/exits_at_import.pg.py:3"},
		"no_launch":           {"adapter-load", "defines no function launch"},
		"coroutine":           {"adapter-load", "launch of bad/coroutine.pg.py is a coroutine or a generator"},
		"misnamed":            {"adapter-load", "bad/misnamed.pg.py defines refrence, which nothing calls: if it is to be reference, write def reference(case, t)"},
		"other_arguments":     {"adapter-load", "reference(case, t, stream) of bad/other_arguments.pg.py cannot be called as perfgate does: write def reference(case, t)"},
		"no_dict":             {"bad-spec", "TypeError: tensors(case) returns a dict of In, Out, InOut and Scratch by name, not list"},
		"no_such_type":        {"bad-spec", "TypeError: 'f24' is no element type; there are f64, f32"},
		"no_output":           {"bad-spec", "tensors(case) has no Out and no InOut"},
		"missing_param":       {"missing-parameter", `k has no parameter "columns" in perfgate.yaml (it has n)` + "\nat bad/missing_param.pg.py:5 in tensors"},
		"refuses":             {"unsupported", ""},
		"raises":              {"launch-failed", "ValueError: operands could not be broadcast together with shapes (10000,) (9999,)"},
		"raises_in_setup":     {"setup-failed", "KeyError: 'workspace'\nat bad/raises_in_setup.pg.py:5 in setup"},
		"raises_in_reference": {"reference-failed", "AttributeError: tensors(case) describes no 'z'; it has a, x, y0, y\nat bad/raises_in_reference.pg.py:9 in reference"},
		"exits":               {"launch-failed", "it called sys.exit(3)\nat bad/exits.pg.py:6 in launch"},
		"exits_at_once":       {result.CodeExited, ""},
		"interrupts":          {"launch-failed", "it raised KeyboardInterrupt\nat bad/interrupts.pg.py:5 in launch"},
		"hangs":               {result.CodeHung, ""},
		"hangs_in_setup":      {result.CodeHung, ""},
		"no_memory":           {"out-of-memory", "Unable to allocate 8.00 PiB"},
		"wrong_shape":         {"launch-failed", "it returned y of shape (9999,); tensors(case) says (10000,)"},
		"wrong_type":          {"launch-failed", "it returned y as float64; tensors(case) says float32"},
		"wrong_count":         {"launch-failed", "it returned 2 values, and there is 1 output (y)"},
		"float32_reference":   {"reference-failed", "the reference returned y as float32"},
		"crashes":             {result.CodeCrashed, ""},
		"recurses":            {"launch-failed", "RecursionError"},
		"floods":              {result.CodeFlooded, ""},
		"hostile_words":       {"launch-failed", "ValueError: "},
		"leaves_threads":      {"", ""},
		"tidies_up":           {"", ""},
		"closes_all":          {"", ""},
		"unknown_arrays":      {"adapter-load", "arrays is 'jax'; on a CPU it is one of torch, numpy, raw"},
	} {
		t.Run(day, func(t *testing.T) {
			t.Parallel()
			limit := time.Minute
			if want.code == result.CodeHung {
				limit = 2 * time.Second
			}
			err := z.tryOut(t, "bad/"+day+".pg.py", limit)
			expectCode(t, err, []result.Code{want.code})
			if fault := runnerFault(err); !strings.Contains(fault.Message, want.words) {
				t.Errorf("says %q, want %q", fault.Message, want.words)
			}
		})
	}
}

// A tuner's choice is told where it has one, and taken from it by a pin. A pin that means nothing is an error.
func TestPinnedChoice(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	z := newPythonZoo(t)
	for _, c := range []struct {
		pin          Pin
		chosen, says string
	}{
		{Pin{}, "scale_kernel: BLOCK=5000, num_warps=4, num_stages=3", ""},
		{Pin{"scale_kernel", "num_warps=4"}, "scale_kernel: BLOCK=5000, num_warps=4, num_stages=3", ""},
		{Pin{"scale_kernel", "BLOCK=2000"}, "", ""},
		{Pin{"scale_kernel", "BLOCK=64"}, "", "pin: scale_kernel has no configuration with BLOCK=64; it has BLOCK=1000, num_warps=4, num_stages=3; BLOCK=2000"},
		{Pin{"scaled", "BLOCK=64"}, "", "pin: there is no @triton.autotune on a function scaled; there are: scale_kernel"},
	} {
		var pins []Pin
		if c.pin.Function != "" {
			pins = append(pins, c.pin)
		}
		runner := z.run(z.spec(z.adapter(t, "tuned.pg.py", pins...)))
		timed, err := runner.time(time.Minute, 5, "relaunch")
		if timed.Chosen != c.chosen || (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: chose %q, %v; want %q, %q", c.pin, timed.Chosen, err, c.chosen, c.says)
		}
		runner.Close()
	}
}

// Tensors that an adapter keeps are found when their case is over.
func TestKeptTensorsAreNamed(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	z := newPythonZoo(t)
	runner := z.run(z.spec(z.adapter(t, "zoo/keeps_tensors.pg.py")))
	if _, err := runner.parity(ParityCommand{Case: caseN, Seed: "1", Values: "normal", Atol: 1e-5, Rtol: 1e-4, Oracle: "none"}); err != nil {
		t.Fatal(err)
	}
	err := runner.Call(context.Background(), "reset", "k", map[string]any{}, &struct{}{}, time.Minute)
	if err == nil || !strings.Contains(err.Error(), `global "SEEN" of zoo/keeps_tensors.pg.py still holds tensor x of a case that is over`) {
		t.Errorf("reset: %v", err)
	}
}

// Inputs that the adapter makes, and outputs of which a launch writes a part; and memory that a launch returns again and again without
// writing all of it, which is spoilt once it was collected.
func TestPythonInputsAndPartialOutputs(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	z := newPythonZoo(t)
	for _, c := range []partialOutput{
		{"ragged.pg.py", "k", []bool{true, true}},
		{"ragged.pg.py", "writes_all", []bool{false}},
		{"zoo/honest_returns.pg.py", "k", []bool{true, true}},
		{"zoo/returns_leftovers.pg.py", "k", []bool{true, false}},
	} {
		c.check(t, z.run(z.spec(z.adapter(t, c.file))))
	}
}

// partialOutput is an adapter, its kernel, and whether each of its launches passes.
type partialOutput struct {
	file, kernel string
	passed       []bool
}

func (c partialOutput) check(t *testing.T, runner *Runner) {
	t.Helper()
	for i, want := range c.passed {
		reply, err := runner.parity(ParityCommand{Case: caseOf(c.kernel, "rows=40,n=10000"), Seed: strconv.Itoa(i + 1), Values: "normal", Atol: 1e-5, Rtol: 1e-4, Oracle: "reference"})
		if err != nil || reply.Passed != want {
			t.Errorf("%s, %s, launch %d: %+v, %v; want passed %v", c.file, c.kernel, i+1, reply, err, want)
		}
	}
}

// The mistakes of the parity zoo, in Python: right kernels pass and wrong ones fail, in one process.
func TestWrongPythonKernelsFail(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	z := newPythonZoo(t)
	runner := z.run(z.spec(z.adapter(t, "wrong.pg.py")))
	kinds := []string{"normal", "large", "cancel", "outlier", "mixed"}
	for _, kernel := range []string{"softmax", "layernorm", "gelu", "sum", "gemm", "gather", "cumsum", "relu"} {
		if !passesParity(t, runner, kernel, kinds) {
			t.Errorf("%s is right, and failed", kernel)
		}
	}
	for _, kernel := range []string{
		"softmax_unstable", "softmax_columns", "softmax_half", "layernorm_sample_variance", "layernorm_one_pass", "gelu_sigmoid", "sum_without_tail", "sum_half",
		"gemm_transposed", "gemm_half", "gather_next", "cumsum_restarts", "relu_of_nan",
	} {
		if passesParity(t, runner, kernel, kinds) {
			t.Errorf("%s is wrong, and passed", kernel)
		}
	}
}

// passesParity says whether a kernel of the mistakes passes with inputs of each kind.
func passesParity(t *testing.T, runner *Runner, kernel string, kinds []string) bool {
	t.Helper()
	for _, values := range kinds {
		cmd := ParityCommand{Case: caseOf(kernel, "rows=200,n=77"), Seed: "3", Values: values, Atol: 1e-5, Rtol: 1e-4, Oracle: "reference"}
		if values != "normal" {
			cmd.Atol, cmd.Rtol = 1e-3, 1e-3
		}
		reply, err := runner.parity(cmd)
		if err != nil {
			t.Fatalf("%s: %v", kernel, err)
		}
		if !reply.Passed {
			return false
		}
	}
	return true
}
