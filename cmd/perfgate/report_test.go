package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A report is no proof: a verdict that its samples do not come to is shown as it is saved, with a warning.
func TestReportWarnsOfAnEditedResult(t *testing.T) {
	t.Parallel()
	saved, err := os.ReadFile("../../gate/rule/testdata/replay/regression.json")
	must(t, err)
	for name, edited := range map[string]string{"": string(saved), "the result contradicts itself: cases[": strings.ReplaceAll(string(saved), `"verdict": "regression"`, `"verdict": "same"`)} {
		folder := t.TempDir()
		path := filepath.Join(folder, "result.json")
		must(t, os.WriteFile(path, []byte(edited), 0o600))
		code, _, stderr := executed(t, "report", path, "-o", filepath.Join(folder, "out"))
		if code != 0 || name == "" && stderr != "" || !strings.Contains(stderr, name) {
			t.Errorf("exit %d, %q, want it to say %q", code, stderr, name)
		}
	}
}
