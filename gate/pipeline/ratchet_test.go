package pipeline

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate"
	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/result"
)

// creptPast is a past whose kernel took 70 % of base's time until five commits ago.
func creptPast(t *testing.T) (p *past, best string) {
	p = newPast(t)
	p.remember(10, func(i int) float64 {
		if i < 5 {
			return 1
		}
		return 0.7
	}, func(r *baseline.Record) {
		if r.Commit > commitName(4) {
			r.Cases[0].Fingerprint, r.Cases[0].Inputs = "best", "best"
		}
	})
	return p, p.ancestors[5]
}

// Many changes within the tolerance: the one that is slower itself fails once rounds against the best-known build confirm
// what is lost by now.
func TestRatchetFailsWhatRoundsConfirm(t *testing.T) {
	p, best := creptPast(t)
	p.tree(best, 7*levelMicros/10, "")
	res := runIt(t, p.options(p.tree(p.ancestors[0], levelMicros, ""), p.tree("head", 11*levelMicros/10, "")))
	c := res.Cases[0]
	if c.Verdict != result.Slower {
		t.Fatalf("head against base: %s: %s", c.Verdict, everyWord(res))
	}
	if res.Conclusion.Exit != result.ExitFailed || !strings.Contains(everyWord(res), "best-known level") {
		t.Errorf("exit %d: %s; %q", res.Conclusion.Exit, everyWord(res), res.Baseline.Warnings)
	}
	s := c.Stored
	if s.BestVerdict != result.Regression || s.BestCommit != best || s.Creep < 0.4 || s.BestCompared == nil || s.BestCompared.Ratio < 1.5 || len(s.BestProcesses) < 4*gate.MinRounds {
		t.Errorf("%s, commit %.8s, crept %v, %+v", s.BestVerdict, s.BestCommit, s.Creep, s.BestCompared)
	}
	if res.Baseline.CreepS <= 0 || len(res.Baseline.Warnings) != 0 || len(p.laidOut) != 1 {
		t.Errorf("%+v, laid out %q", res.Baseline, p.laidOut)
	}
	path := filepath.Join(t.TempDir(), "result.json")
	if err := result.WriteFile(path, res); err != nil {
		t.Fatal(err)
	}
	if _, err := result.ReadFile(path); err != nil {
		t.Error(err)
	}
}

// A record that remembers a level which its commit does not have fails nobody: the rounds outvote it, and this is said.
func TestRatchetBelievesRoundsMoreThanRecords(t *testing.T) {
	p, best := creptPast(t)
	p.tree(best, 108*levelMicros/100, "")
	res := runIt(t, p.options(p.tree(p.ancestors[0], levelMicros, ""), p.tree("head", 11*levelMicros/10, "")))
	if s := res.Cases[0].Stored; res.Conclusion.Exit != result.ExitPassed || s.BestVerdict == result.Regression || s.BestVerdict == "" {
		t.Errorf("exit %d, %s: %s", res.Conclusion.Exit, s.BestVerdict, everyWord(res))
	}
	if w := strings.Join(res.Baseline.Warnings, "\n"); !strings.Contains(w, "does not surely exceed") {
		t.Errorf("warned of %q", w)
	}
}

// Without the best-known commit, or where it does not build any more, the run warns and says why.
func TestRatchetOnlyWarnsWithoutABuild(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(p *past, best string)
		says    string
	}{
		"shallow clone":  {func(*past, string) {}, "this clone is shallow"},
		"does not build": {func(p *past, best string) { p.tree(best, levelMicros, "this is no C++") }, "does not build with today's configuration"},
	} {
		t.Run(name, func(t *testing.T) {
			p, best := creptPast(t)
			c.prepare(p, best)
			res := runIt(t, p.options(p.tree(p.ancestors[0], levelMicros, ""), p.tree("head", 11*levelMicros/10, "")))
			if w := strings.Join(res.Baseline.Warnings, "\n"); res.Conclusion.Exit != result.ExitPassed || !strings.Contains(w, c.says) || len(res.Baseline.Warnings) != 1 {
				t.Errorf("exit %d, warned of %q, want %q", res.Conclusion.Exit, w, c.says)
			}
		})
	}
}

// A change that is not slower itself does not answer for others: it is warned, nothing is built or measured for it.
func TestRatchetSparesTheInnocent(t *testing.T) {
	p, best := creptPast(t)
	p.tree(best, 7*levelMicros/10, "")
	res := runIt(t, p.options(p.tree(p.ancestors[0], levelMicros, ""), p.tree("head", levelMicros, otherCode)))
	if res.Conclusion.Exit != result.ExitPassed || len(p.laidOut) != 0 || res.Cases[0].Stored.BestVerdict != "" {
		t.Errorf("exit %d, laid out %q, %+v", res.Conclusion.Exit, p.laidOut, res.Cases[0].Stored)
	}
	if w := strings.Join(res.Baseline.Warnings, "\n"); !strings.Contains(w, "slower than its best-known level") {
		t.Errorf("warned of %q", w)
	}
}

// Where the best-known level is base's own code, its rounds have been run already.
func TestRatchetTakesTheRoundsThatItHas(t *testing.T) {
	p := newPast(t)
	p.remember(10, func(int) float64 { return 0.7 }, nil)
	p.tree(p.ancestors[0], levelMicros, "")
	res := runIt(t, p.options(p.tree(p.ancestors[0], levelMicros, ""), p.tree("head", 11*levelMicros/10, "")))
	s := res.Cases[0].Stored
	if s.BestCompared == nil || *s.BestCompared != *res.Cases[0].Compared || len(s.BestProcesses) != 0 {
		t.Fatalf("%+v against %+v", s.BestCompared, res.Cases[0].Compared)
	}
	// The comparison is with base, and its limit is what baseline.creep allows: 10 % is over 5 %.
	if s.BestVerdict != result.Regression || res.Conclusion.Exit != result.ExitFailed {
		t.Errorf("%s, exit %d", s.BestVerdict, res.Conclusion.Exit)
	}
}
