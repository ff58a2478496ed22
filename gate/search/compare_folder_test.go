package search_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/search"
)

// The folder that a run has written is read as its result: the tables next to that are made of it, and are no samples.
func TestFolderOfARun(t *testing.T) {
	t.Parallel()
	saved, err := os.ReadFile("../../testdata/report/regression/result.json")
	must(t, err)
	for name, tt := range map[string]struct{ content, format, fault string }{
		"a result":              {string(saved), "result", ""},
		"of another version":    {`{"schema": "perfgate/result/v1"}`, "", "perfgate/result/v1"},
		"another tool's output": {`{"benchmarks": [{"name": "x", "run_type": "iteration", "iterations": 9, "real_time": 5, "cpu_time": 5, "time_unit": "ns"}]}`, "", "together with files of googlebenchmark"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for file, text := range map[string]string{"result.json": tt.content, "samples.csv": "process,kernel,case,ns\np,k,c,1\n"} {
				must(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600))
			}
			set, err := search.ReadSamples(dir, search.ReadOptions{})
			if tt.fault == "" && (err != nil || set.Format != tt.format || len(set.Cases) == 0) || tt.fault != "" && (err == nil || !strings.Contains(err.Error(), tt.fault)) {
				t.Errorf("%v: %+v", err, set)
			}
		})
	}
}
