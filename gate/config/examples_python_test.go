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
