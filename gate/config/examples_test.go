package config

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

const examplesDir = "../../kernels/examples"

// causes are the words that a fault of the examples may have as its cause.
var causes = []string{
	"grid-too-small", "serialised-batch", "tail-effect", "occupancy-registers", "occupancy-shared", "occupancy-block-size", "register-spills",
	"uncoalesced", "bank-conflicts", "l1-hit-rate", "l2-hit-rate", "dram-traffic", "tensor-unused", "more-instructions", "divergence",
	"barrier-stall", "memory-latency-stall", "math-pipe-stall", "more-launches", "memory-roof", "async-copy-lost",
}

// fault is a row of a table of injected faults: a macro of CUDA (flag), or the value of a variable in a file of Python.
type fault struct {
	Dir, Kernel, Case string
	Flag, File, Fault string
	Cause             string
	Also              []string
}

func (f fault) macro() string {
	macro, _, _ := strings.Cut(strings.TrimPrefix(f.Flag, "-D"), "=")
	return macro
}

func readFile(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	must(t, err)
	return string(text)
}

func loadExample(t *testing.T, file string) *Config {
	t.Helper()
	c, err := Load(filepath.Join(examplesDir, file))
	must(t, err)
	return c
}

// measuredCases are the measured cases of a configuration by kernel, with parameters in declared order.
func measuredCases(t *testing.T, file string) map[string][]string {
	t.Helper()
	cases := map[string][]string{}
	for _, k := range loadExample(t, file).Kernels {
		for _, m := range k.Measure {
			var parts []string
			for i, v := range m {
				parts = append(parts, k.Params[i].Name+"="+v.Text)
			}
			cases[k.Name] = append(cases[k.Name], strings.Join(parts, ","))
		}
	}
	return cases
}

// macrosOf are the faults that the sources of an example read.
func macrosOf(t *testing.T, dir string) (macros []string) {
	t.Helper()
	sources, err := filepath.Glob(filepath.Join(examplesDir, dir, "*.cu"))
	if err != nil || len(sources) == 0 {
		t.Fatalf("%s: %v sources, %v", dir, len(sources), err)
	}
	for _, source := range sources {
		for _, m := range regexp.MustCompile(`(?m)^#ifndef (PG_FAULT_\w+)$`).FindAllStringSubmatch(readFile(t, source), -1) {
			macros = append(macros, m[1])
		}
	}
	return macros
}

// Every row names a kernel and a measured case that are there, a fault that some source of the example reads, and a cause
// that is known. A table whose rows turned nothing on would make every later test of it worthless. All macros are listed, but the dose of work.
func TestFaultsAreWhatTheExamplesHave(t *testing.T) {
	t.Parallel()
	listed := map[string]bool{}
	for table, least := range map[string]int{"faults_cuda.yaml": 12, "faults_python.yaml": 0} {
		var faults []fault
		must(t, yaml.UnmarshalWithOptions([]byte(readFile(t, examplesDir, table)), &faults, yaml.Strict()))
		byCause := map[string]bool{}
		for _, f := range faults {
			name := f.Dir + " " + f.Kernel + " " + f.Flag + f.Fault
			if listed[name] {
				t.Errorf("%s is listed twice", name)
			}
			listed[name], listed[f.Dir+" "+f.macro()], byCause[f.Cause] = true, true, true
			if cases := measuredCases(t, f.Dir+"/perfgate.yaml")[f.Kernel]; !slices.Contains(cases, f.Case) {
				t.Errorf("%s: %s is not measured; there are %q", name, f.Case, cases)
			}
			for _, cause := range append(f.Also, f.Cause) {
				if !slices.Contains(causes, cause) && (cause != "" || f.Flag != "") {
					t.Errorf("%s: no cause is called %q", name, cause)
				}
			}
			switch {
			case f.Flag != "" && !slices.Contains(macrosOf(t, f.Dir), f.macro()):
				t.Errorf("%s: no source reads %s", name, f.macro())
			case f.File != "":
				if text := readFile(t, examplesDir, f.Dir, f.File); strings.Count(text, "\nFAULT = \"\"\n") != 1 || !strings.Contains(text, "== \""+f.Fault+"\"") {
					t.Errorf("%s: %s has no one place for it", name, f.File)
				}
			}
		}
		if len(faults) == 0 || len(byCause) < least {
			t.Errorf("%s: %d faults of %d causes, want %d at least", table, len(faults), len(byCause), least)
		}
	}
	for _, source := range loadExample(t, "suite_cuda.yaml").Kernels[0].Sources {
		for _, macro := range macrosOf(t, filepath.Dir(source)) {
			if name := filepath.Dir(source) + " " + macro; macro != "PG_FAULT_WORK" && !listed[name] {
				t.Errorf("%s is not in faults_cuda.yaml", name)
			}
		}
	}
}

// A suite measures what its examples measure, with one adapter for all, so that one process does all cases.
func TestSuitesAreTheExamples(t *testing.T) {
	t.Parallel()
	var cuda []string
	for _, source := range loadExample(t, "suite_cuda.yaml").Kernels[0].Sources {
		cuda = append(cuda, filepath.Dir(source))
	}
	cuda = slices.Compact(cuda)
	if len(cuda) < 6 {
		t.Errorf("the suite of CUDA is made of %v", cuda)
	}
	for suite, dirs := range map[string][]string{"suite_cuda.yaml": cuda, "suite_triton.yaml": {"softmax_triton", "layernorm_triton", "attention_triton"}} {
		const least = 12
		measured, count := measuredCases(t, suite), 0
		for _, dir := range dirs {
			for kernel, cases := range measuredCases(t, dir+"/perfgate.yaml") {
				if suite == "suite_triton.yaml" && kernel+"_triton" != dir {
					continue
				}
				if missing := slices.ContainsFunc(cases, func(c string) bool { return !slices.Contains(measured[kernel], c) }); missing || suite == "suite_cuda.yaml" && !slices.Equal(measured[kernel], cases) {
					t.Errorf("%s measures %v of %s, its example %v", suite, measured[kernel], kernel, cases)
				}
				count += len(measured[kernel])
			}
		}
		if count < least {
			t.Errorf("%s: %d measured cases, want %d at least", suite, count, least)
		}
		first := loadExample(t, suite).Kernels[0]
		for _, k := range loadExample(t, suite).Kernels {
			if k.Adapter != first.Adapter || !slices.Equal(k.Sources, first.Sources) || !slices.Equal(k.Flags, first.Flags) {
				t.Errorf("%s: %s is another library than %s: they would be other processes", suite, k.Name, first.Name)
			}
		}
	}
}
