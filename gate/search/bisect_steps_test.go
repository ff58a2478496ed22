package search

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/run"
)

// TestHintsOfRecords: records of another case, of faster code and of this machine alone are no hints.
func TestHintsOfRecords(t *testing.T) {
	t.Parallel()
	store := baseline.OpenFolder(t.TempDir())
	var line []string
	for i := range 12 {
		line = append([]string{fmt.Sprintf("%040x", i)}, line...)
		level := 1e5 * (1 + 0.001*float64(i%3))
		if i >= 6 {
			level *= 1.1
		}
		r := &baseline.Record{Schema: baseline.Schema, Commit: line[0], Time: time.Unix(int64(i), 0), Machine: result.Machine{Key: "m", Device: "cpu"}}
		for name, factor := range map[string]float64{"k/n=1": level, "k/n=2": 1e5} {
			r.Cases = append(r.Cases, baseline.Case{Name: name, Kernel: "k", Fingerprint: fmt.Sprint(i / 2), Method: result.Method{Clock: "wall", How: "single", Launches: 1},
				Rounds: []int{0, 0, 1, 1}, ValuesNS: []float64{factor, 1.001 * factor, factor, 1.001 * factor}})
		}
		must(t, baseline.Save(t.Context(), store, r))
	}
	s := &Bisect{found: Bisection{Machine: "m", Bad: line[0]}}
	s.Options.Stored = &run.Stored{Store: store, Ancestors: func(context.Context, string) ([]string, error) { return line, nil }}
	want := []Hint{{After: line[6], At: line[5]}}
	if got := s.hints(t.Context(), Step{Case: "k/n=1"}); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := s.hints(t.Context(), Step{Case: "k/n=2"}); len(got) > 0 {
		t.Errorf("of a case that did not change: %v", got)
	}
}

// Steps of a search that a commit brings are what it says that was measured: they are not gone on with.
func TestStepsThatACommitBrings(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if out, err := exec.Command("git", "init", "-q").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for path, tracked := range map[string]bool{"kept/steps.json": true, "own/steps.json": false} {
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(`{"schema":"perfgate/bisect-steps/v4"}`), 0o644))
		if tracked {
			if out, err := exec.Command("git", "add", path).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		}
		s := &Bisect{Git: repo.Git{Dir: "."}, Dir: filepath.Join(dir, filepath.Dir(path))}
		if err := s.resume(t.Context(), &span{}); (err != nil) != tracked || tracked && !result.IsUsage(err) {
			t.Errorf("%s: %v", path, err)
		}
	}
	s := &Bisect{Git: repo.Git{Dir: "."}, Dir: t.TempDir()}
	if err := s.resume(t.Context(), &span{}); err != nil {
		t.Errorf("outside of the repository: %v", err)
	}
}
