package search

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
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

// The worst case speaks for a step, or the one that is followed. A step that is skipped keeps the findings that say why, and whose fault that is.
func TestStepOfARun(t *testing.T) {
	t.Parallel()
	of := func(kind result.FindingKind, name string, side result.Side) result.Finding {
		return result.Finding{Kind: kind, Case: name, Side: side, Effect: result.EffectFails}
	}
	timed := func(name string, v result.Verdict, theta float64) result.Case {
		c := result.Case{Name: name, Verdict: v}
		c.SetComparison(result.VariantHead, result.VariantBase, &result.Comparison{Theta: theta, Ratio: 1 + theta, Rounds: 4})
		return c
	}
	failed := func(side result.Side) result.Case {
		return result.Case{Name: "k/n=1", Verdict: result.Error, ErrorSide: side}
	}
	slow, quick := timed("k/n=2", result.Regression, 0.2), timed("k/n=3", result.Faster, -0.1)
	note := result.Finding{Kind: result.FindingUnsteady, Case: "k/n=1", Effect: result.EffectNote}
	for name, tt := range map[string]struct {
		cases    []result.Case
		findings []result.Finding
		follows  string
		want     Step
	}{
		"slower":              {[]result.Case{quick, slow}, nil, "", Step{Answer: StepBad, Case: "k/n=2", Ratio: 1.2, Rounds: 4}},
		"another is followed": {[]result.Case{slow, quick}, nil, "k/n=3", Step{Answer: StepGood, Case: "k/n=3", Ratio: 0.9, Rounds: 4}},
		"inconclusive": {[]result.Case{quick, timed("k/n=4", result.Inconclusive, 0.01)}, nil, "",
			Step{Answer: StepInconclusive, Case: "k/n=4", Ratio: 1.01, Rounds: 4}},
		"a case of head fails": {[]result.Case{failed(result.SideHead), quick},
			[]result.Finding{note, of(result.FindingCaseError, "k/n=1", result.SideHead), of(result.FindingRegression, "k/n=2", "")}, "",
			Step{Answer: StepSkipped, Case: "k/n=1", Findings: []result.Finding{of(result.FindingCaseError, "k/n=1", result.SideHead)}}},
		"a case of base fails": {[]result.Case{failed(result.SideBase)}, []result.Finding{of(result.FindingCaseError, "k/n=1", result.SideBase)}, "",
			Step{Answer: StepSkipped, OfBase: true, Findings: []result.Finding{of(result.FindingCaseError, "k/n=1", result.SideBase)}}},
		"head does not build": {[]result.Case{{Name: "k/n=1", Verdict: result.Skipped}}, []result.Finding{of(result.FindingBuild, "", result.SideHead)}, "",
			Step{Answer: StepSkipped, Case: "k/n=1", Findings: []result.Finding{of(result.FindingBuild, "", result.SideHead)}}},
		"base does not build": {nil, []result.Finding{of(result.FindingBuild, "", result.SideBase)}, "",
			Step{Answer: StepSkipped, OfBase: true, Findings: []result.Finding{of(result.FindingBuild, "", result.SideBase)}}},
	} {
		res := &result.Result{Cases: tt.cases, Conclusion: result.Conclusion{Findings: tt.findings}}
		if got := stepOf(res, tt.follows); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}
