package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

type pythonFault struct {
	Dir    string   `yaml:"dir"`
	Kernel string   `yaml:"kernel"`
	File   string   `yaml:"file"`
	Case   string   `yaml:"case"`
	Fault  string   `yaml:"fault"`
	Cause  string   `yaml:"cause"`
	Also   []string `yaml:"also"`
}

// Every fault of the Python examples is one that its kernel knows, of a case that is measured, and has a cause that evidence can name.
func TestFaultsOfPythonExamples(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile(filepath.Join(examplesDir, "faults_python.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var faults []pythonFault
	if err := yaml.UnmarshalWithOptions(b, &faults, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		source, err := os.ReadFile(filepath.Join(examplesDir, f.Dir, f.File))
		if err != nil {
			t.Fatal(err)
		}
		text := string(source)
		if strings.Count(text, "\nFAULT = \"\"\n") != 1 || !strings.Contains(text, "== \""+f.Fault+"\"") {
			t.Errorf("%s/%s has no one place for the fault %q", f.Dir, f.File, f.Fault)
		}
		if cases := measuredCases(t, f.Dir+"/perfgate.yaml")[f.Kernel]; !slices.Contains(cases, f.Case) {
			t.Errorf("%s: %s of %s is not measured; there are %q", f.Fault, f.Case, f.Dir, cases)
		}
		for _, cause := range append(f.Also, f.Cause) {
			if cause != "" && !slices.Contains(causes, cause) {
				t.Errorf("%s of %s: no cause is called %q", f.Fault, f.Dir, cause)
			}
		}
	}
}

// The suite of Triton measures what its examples measure, in one adapter, and as many cases as the one of CUDA is compared on.
func TestTritonSuiteHasTheExamples(t *testing.T) {
	t.Parallel()
	const leastCases = 12
	measured := measuredCases(t, "suite_triton.yaml")
	count := 0
	for _, kernel := range []string{"softmax", "layernorm", "attention"} {
		for _, c := range measuredCases(t, kernel+"_triton/perfgate.yaml")[kernel] {
			if !slices.Contains(measured[kernel], c) {
				t.Errorf("%s: the suite measures %q, its example %s too", kernel, measured[kernel], c)
			}
		}
		count += len(measured[kernel])
	}
	if count < leastCases {
		t.Errorf("%d measured cases in Triton, want %d at least", count, leastCases)
	}
	c, err := Load(filepath.Join(examplesDir, "suite_triton.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range c.Kernels {
		if k.Adapter != c.Kernels[0].Adapter {
			t.Errorf("%s has another adapter than %s: they would be other processes", k.Name, c.Kernels[0].Name)
		}
	}
}
