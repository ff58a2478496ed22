package task

import (
	"cmp"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

const root = "../../testdata/tasks"

func TestProblemsOfGPUModeAreRead(t *testing.T) {
	t.Parallel()
	p, err := Read(Within(root, "gpu_mode"), "scale_add/task.yml")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := p.Paths(), []string{"scale_add/task.yml", "scale_add/task.py", "utils.py", "scale_add/reference.py"}; !slices.Equal(got, want) {
		t.Errorf("it is made of %q, want %q: neither the submission nor the judge", got, want)
	}
	if got := p.Params(); !slices.Equal(got, []string{"size", "seed"}) {
		t.Errorf("parameters are %q", got)
	}
	if got := p.Cases(p.Tests); len(got) != 2 || !slices.Equal(got[0], []int64{31, 4242}) {
		t.Errorf("tests are %v", got)
	}
}

// What is no integer, or not given, is a number that stands for it.
func TestArgumentsThatAreNoIntegers(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{
		"p/task.yml": {Data: []byte(`files: [{name: reference.py, source: reference.py}]
tests: [{n: 4, case: dense, bias: true, seed: 1}, {n: 4, bias: false, seed: 1}]
benchmarks: [{n: 8, case: banded, bias: false, seed: 2}, {n: 8, case: banded, bias: false, seed: 2}]
`)},
		"p/reference.py":  {Data: []byte("def ref_kernel(data): ...\ndef generate_input(n): ...\ncheck_implementation = f(ref_kernel)\n")},
		"p/submission.py": {Data: []byte("def custom_kernel(data): ...\n")},
	}
	found, err := Find(tree, ".")
	if err != nil || len(found) != 1 || found[0].Err != nil || found[0].Solution != "p/submission.py" {
		t.Fatalf("found %+v, %v", found, err)
	}
	p := found[0].Task
	if got := p.Choices("case"); !slices.Equal(got, []string{"banded", "dense", "not given"}) {
		t.Errorf("case is one of %q", got)
	}
	if got := p.Choices("n"); got != nil {
		t.Errorf("n stands for %q, and is an integer", got)
	}
	if got := p.Cases(p.Benchmarks); len(got) != 1 || !slices.Equal(got[0], []int64{8, 0, 0, 2}) {
		t.Errorf("benchmarks are %v, want one: it is listed twice", got)
	}
	if got := p.Cases(p.Tests); len(got) != 2 || !slices.Equal(got[1], []int64{4, 2, 0, 1}) {
		t.Errorf("tests are %v", got)
	}
}

func TestSolutionsOfKernelBenchArePaired(t *testing.T) {
	t.Parallel()
	found, err := Find(os.DirFS(root), "kernelbench")
	if err != nil || len(found) != 3 {
		t.Fatalf("found %d problems, %v", len(found), err)
	}
	for _, f := range found {
		if f.Err != nil || !strings.Contains(strings.ToLower(f.Task.Path), strings.TrimPrefix(f.Solution, "kernelbench/solutions/")) {
			t.Errorf("%s goes with %q, %v", f.Task.Path, f.Solution, f.Err)
		}
	}
	problems := []string{"level1/1_A.py", "level1/12_B.py", "prompts/model_ex_add.py"}
	solutions := []string{"runs/level_2_problem_1_sample_0_kernel.py", "runs/level_1_problem_12_sample_3_kernel.py", "new/1_a_new.py", "prompts/model_new_ex_add.py"}
	for i, want := range []string{"new/1_a_new.py", solutions[1], solutions[3]} {
		if got := solutionOf(problems[i], problems, solutions); got != want {
			t.Errorf("%s goes with %q, want %q", problems[i], got, want)
		}
	}
}

// Models write whole files: a solution often repeats its problem, and a program that judges submissions is none.
func TestFilesThatAreMoreThanOneThing(t *testing.T) {
	t.Parallel()
	const problem, solution = "class Model(nn.Module): ...\ndef get_inputs(): ...\ndef get_init_inputs(): ...\n", "class ModelNew(nn.Module): ...\n"
	for want, tree := range map[string]fstest.MapFS{
		"a/1_Relu.py < b/1_relu.py":                             {"a/1_Relu.py": {Data: []byte(problem)}, "b/1_relu.py": {Data: []byte(problem + solution)}},
		"model.py < answer.py":                                  {"model.py": {Data: []byte(problem)}, "answer.py": {Data: []byte(solution + problem)}},
		"gelu.py < gelu.py":                                     {"gelu.py": {Data: []byte(problem + solution)}},
		"a/relu.py < a/relu_new.py, both.py < both.py, c.py < ": {"a/relu.py": {Data: []byte(problem)}, "c.py": {Data: []byte(problem)}, "a/relu_new.py": {Data: []byte(problem + solution)}, "both.py": {Data: []byte(problem + solution)}},
		"t/task.yml < t/mine.py": {
			"t/task.yml":     {Data: []byte("files: [{name: reference.py, source: reference.py}]\ntests: [{n: 4}]\n")},
			"t/reference.py": {Data: []byte("def ref_kernel(data): ...\ndef generate_input(n): ...\ncheck_implementation = f(ref_kernel)\n")},
			"t/judge.py":     {Data: []byte("import sys\nfrom submission import custom_kernel\n")},
			"t/mine.py":      {Data: []byte("from kernels import custom_kernel\n")},
		},
	} {
		found, err := Find(tree, ".")
		var got []string
		for _, f := range found {
			got = append(got, cmp.Or(f.Task.Path, "nothing")+" < "+f.Solution)
		}
		if err != nil || strings.Join(got, ", ") != want {
			t.Errorf("found %q, %v, want %q", got, err, want)
		}
	}
}

func TestWhatCannotBeReadIsSaid(t *testing.T) {
	t.Parallel()
	const reference = "def ref_kernel(d): ...\ndef generate_input(): ...\ndef check_implementation(d, o): ...\n"
	for text, want := range map[string]string{
		"lang: cu\ntests: [{n: 1}]":             "lang is",
		"multi_gpu: true\ntests: [{n: 1}]":      "one GPU",
		"files: []":                             "neither tests nor benchmarks",
		"files: []\ntests: [{n: 1}]":            "no reference.py",
		"tests: {":                              "task.yml",
		"tests: [{n: " + strings.Repeat("[", 9): "task.yml",
		"files: [{name: reference.py, source: ../../reference.py}]\ntests: [{n: 1}]": "files: reference.py",
		"description: " + strings.Repeat("x", maxDescription):                        "KiB",
		"a: &a [1, 2]\ntests: [{n: [*a, *a]}]":                                       "aliases",
		"tests: " + strings.Repeat("[", 30000):                                       "brackets",
		"tests: " + strings.Repeat("{a: ", 5000):                                     "brackets",
		"tests: " + strings.Repeat("<", 30000):                                       "in a row",
		"tests:\n  " + strings.Repeat("- ", 10000):                                   "in a row",
		"tests: [{n: .nan}]":                                                         "n is NaN",
		"tests: [{n: [1, {a: -.inf}]}]":                                              "no number that JSON has",
	} {
		dir := t.TempDir()
		for name, content := range map[string]string{"task.yml": text, "reference.py": reference} {
			if err := os.WriteFile(dir+"/"+name, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := Read(Within(dir, "."), "task.yml"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want it to say %q", text, err, want)
		}
	}
	bytes := func(string) ([]byte, error) { return []byte("# \xe9\n"), nil }
	if _, err := Read(bytes, "a.py"); err == nil || !strings.Contains(err.Error(), "no UTF-8") {
		t.Errorf("Latin-1: %v", err)
	}
	if _, err := Read(Within(root, "kernelbench"), "solutions/2_linear_relu.py"); err == nil || !strings.Contains(err.Error(), "no Model") {
		t.Errorf("a solution is no problem: %v", err)
	}
}
