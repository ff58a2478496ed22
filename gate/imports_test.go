package gate

import (
	"go/build"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/org/perfgate"

// A decision that could read a file, ask a clock or roll dice could not be taken again from a saved run.
func TestGateDoesNoInputOrOutput(t *testing.T) {
	allowed := []string{"cmp", "errors", "fmt", "math", "slices", "reflect", "strings", "github.com/bmatcuk/doublestar/v4", module + "/gate/result", module + "/stats"}
	for _, path := range importsOf(t, ".") {
		if !slices.Contains(allowed, path) {
			t.Errorf("gate imports %q; the decision may only import %v", path, allowed)
		}
	}
}

// The vocabulary is what everything else stands on.
func TestResultImportsNothingOfOurs(t *testing.T) {
	for _, path := range importsOf(t, "result") {
		if strings.HasPrefix(path, module) {
			t.Errorf("gate/result imports %q", path)
		}
	}
}

func TestStatsImportsNothingOfOurs(t *testing.T) {
	for _, path := range importsOf(t, "../stats") {
		if strings.HasPrefix(path, module) {
			t.Errorf("stats imports %q", path)
		}
		standard := !strings.Contains(path, ".")
		if standard && !slices.Contains([]string{"cmp", "errors", "fmt", "math", "math/cmplx", "slices", "sync", "sync/atomic"}, path) {
			t.Errorf("stats imports %q: statistics need no more than arithmetic", path)
		}
	}
}

func importsOf(t *testing.T, dir string) []string {
	t.Helper()
	pkg, err := build.ImportDir(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(pkg.Imports) == 0 {
		t.Fatalf("%s imports nothing: is this the right folder?", dir)
	}
	return pkg.Imports
}
