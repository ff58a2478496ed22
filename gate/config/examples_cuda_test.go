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

// causes are the words that a fault of faults_cuda.yaml may have as its cause.
var causes = []string{
	"grid-too-small", "serialised-batch", "tail-effect", "occupancy-registers", "occupancy-shared", "occupancy-block-size", "register-spills",
	"uncoalesced", "bank-conflicts", "l1-hit-rate", "l2-hit-rate", "dram-traffic", "tensor-unused", "more-instructions", "divergence",
	"barrier-stall", "memory-latency-stall", "math-pipe-stall", "more-launches", "memory-roof", "async-copy-lost",
}

type cudaFault struct {
	Dir    string   `yaml:"dir"`
	Kernel string   `yaml:"kernel"`
	Case   string   `yaml:"case"`
	Flag   string   `yaml:"flag"`
	Cause  string   `yaml:"cause"`
	Also   []string `yaml:"also"`
}

func cudaFaults(t *testing.T) []cudaFault {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(examplesDir, "faults_cuda.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var faults []cudaFault
	if err := yaml.UnmarshalWithOptions(b, &faults, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	return faults
}

// measuredCases are the measured cases of a configuration, as kernel and parameters in declared order.
func measuredCases(t *testing.T, file string) map[string][]string {
	t.Helper()
	c, err := Load(filepath.Join(examplesDir, file))
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string][]string{}
	for _, k := range c.Kernels {
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

var definesFault = regexp.MustCompile(`(?m)^#ifndef (PG_FAULT_\w+)$`)

// Every row names a kernel and a measured case that are there, a flag that some source of the example reads, and a cause
// that is known. A table whose rows turned nothing on would make every later test of it worthless.
func TestCUDAFaultsAreWhatTheExamplesHave(t *testing.T) {
	faults := cudaFaults(t)
	byCause := map[string]int{}
	seen := map[string]bool{}
	for _, f := range faults {
		name := f.Kernel + f.Flag
		if seen[name] {
			t.Errorf("%s is listed twice", name)
		}
		seen[name] = true
		byCause[f.Cause]++
		if !slices.Contains(measuredCases(t, f.Dir+"/perfgate.yaml")[f.Kernel], f.Case) {
			t.Errorf("%s: %s does not measure %s of %s", name, f.Dir, f.Case, f.Kernel)
		}
		for _, cause := range append([]string{f.Cause}, f.Also...) {
			if !slices.Contains(causes, cause) {
				t.Errorf("%s: no cause is called %q", name, cause)
			}
		}
		macro, _, _ := strings.Cut(strings.TrimPrefix(f.Flag, "-D"), "=")
		if !slices.Contains(macrosOf(t, f.Dir), macro) {
			t.Errorf("%s: no source of %s reads %s", name, f.Dir, macro)
		}
	}
	if len(byCause) < 12 {
		t.Errorf("%d different causes, want 12 at least", len(byCause))
	}
}

func macrosOf(t *testing.T, dir string) []string {
	t.Helper()
	sources, err := filepath.Glob(filepath.Join(examplesDir, dir, "*.cu"))
	if err != nil || len(sources) == 0 {
		t.Fatalf("%s: %v sources, %v", dir, len(sources), err)
	}
	var macros []string
	for _, source := range sources {
		b, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range definesFault.FindAllStringSubmatch(string(b), -1) {
			macros = append(macros, m[1])
		}
	}
	return macros
}

func suite(t *testing.T) *Config {
	t.Helper()
	c, err := Load(filepath.Join(examplesDir, "suite_cuda.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// suiteDirs are the folders of the examples that the suite is made of.
func suiteDirs(t *testing.T) []string {
	t.Helper()
	var dirs []string
	for _, source := range suite(t).Kernels[0].Sources {
		if dir := filepath.Dir(source); !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	if len(dirs) < 6 {
		t.Fatalf("the suite is made of %v", dirs)
	}
	return dirs
}

// Every planted fault is in the table, but the dose of work.
func TestEveryCUDAFaultIsListed(t *testing.T) {
	listed := map[string]bool{}
	for _, f := range cudaFaults(t) {
		macro, _, _ := strings.Cut(strings.TrimPrefix(f.Flag, "-D"), "=")
		listed[f.Dir+" "+macro] = true
	}
	for _, dir := range suiteDirs(t) {
		for _, macro := range macrosOf(t, dir) {
			if macro != "PG_FAULT_WORK" && !listed[dir+" "+macro] {
				t.Errorf("%s of %s is not in faults_cuda.yaml", macro, dir)
			}
		}
	}
}

// The suite measures what the examples measure, with one adapter for all, so that one process does all cases.
func TestCUDASuiteIsTheExamples(t *testing.T) {
	measured := measuredCases(t, "suite_cuda.yaml")
	count := 0
	for _, dir := range suiteDirs(t) {
		for kernel, cases := range measuredCases(t, dir+"/perfgate.yaml") {
			if !slices.Equal(measured[kernel], cases) {
				t.Errorf("%s: the suite measures %v, its example %v", kernel, measured[kernel], cases)
			}
			count += len(cases)
		}
	}
	if count < 12 {
		t.Errorf("%d measured cases, want 12 at least", count)
	}
	c := suite(t)
	for _, k := range c.Kernels {
		if k.Adapter != c.Kernels[0].Adapter || !slices.Equal(k.Sources, c.Kernels[0].Sources) || !slices.Equal(k.Flags, c.Kernels[0].Flags) {
			t.Errorf("%s is another library than %s: they would be other processes", k.Name, c.Kernels[0].Name)
		}
	}
}
