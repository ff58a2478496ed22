package run

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/kernels/kernelstest"
	"github.com/org/perfgate/kernels/kernelstest/fakeharness"
)

const besideConfig = `version: 1
device: cpu
kernels:
  - name: k
    adapter: k.pg.cc
    params: {n: {fuzz: {min: 64, max: 4000}}}
    measure: [{n: 4000}]
    cache: hot
    parity: {cases: 2, atol: 1e-5, rtol: 1e-4}
    competitors: [COMPETITORS]
gate: {tolerance: 20%, budget: 5m}
`

// besideCompetitors lays out a kernel of 400 µs, and what it is measured beside, for a fake harness.
func besideCompetitors(t *testing.T, competitors ...string) Options {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"perfgate.yaml": strings.Replace(besideConfig, "COMPETITORS", strings.Join(competitors, ", "), 1),
		"k.pg.cc":       takes(400).Source(),
		"slow.pg.cc":    takes(480).Source(),
		"wrong.pg.cc":   fakeharness.Adapter{LaunchNS: 3e5, Wrong: true}.Source(),
		"broken.pg.cc":  "#include \"no_such_header.h\"\n",
		"other.pg.cc":   fakeharness.Adapter{LaunchNS: 3e5, Dtype: "f64"}.Source(),
		"some.pg.cc":    fakeharness.Adapter{LaunchNS: 4.8e5, Lacks: 3000}.Source(),
	} {
		write(t, filepath.Join(dir, name), text)
	}
	cfg := configIn(t, dir)
	opt := optionsFor(t, cfg, dir, "")
	opt.Cache, opt.Device.MemoryBytes = sharedCache, 1<<30
	opt.Base = Side{Tree: dir, TreeID: kernelstest.TreeID(t, dir), Info: result.Version{Kind: result.KindRevision, Label: "base", Revision: commitName(0)}}
	opt.Head = opt.Base
	opt.opened = func(s *session) { keepsLibraries(s); onFakeHarness(s) }
	return opt
}

func versusCalled(t *testing.T, c result.Case, name string) result.Comparison {
	t.Helper()
	q := c.Comparison(result.VariantHead, result.CompetitorNamed(name))
	if q == nil {
		t.Fatalf("no competitor %s in %+v", name, c.Comparisons)
	}
	return *q
}

// Competitors are built, checked and measured beside a kernel whose code is the same on both sides, or that base does not have; what head has to keep is
// decided for each, and what cannot be a competitor is said and asked of nobody.
func TestCompetitorsFromBuildToVerdict(t *testing.T) {
	opt := besideCompetitors(t,
		"{name: held, adapter: slow.pg.cc, min-speedup: 1.1x, when: always}", "{name: missed, adapter: slow.pg.cc, min-speedup: 1.5x}", "{name: wrong, adapter: wrong.pg.cc}")
	competitorsToVerdict(t, opt, result.Same)
	opt.Base, opt.Scratch = Side{}, t.TempDir()
	c := competitorsToVerdict(t, opt, result.New).Cases[0]
	if len(c.Of(result.VariantHead)) == 0 || len(c.Of(result.VariantBase)) > 0 || c.Base != nil || c.To(result.RoleBase) != nil {
		t.Errorf("what base does not have was measured of it: %+v", c)
	}
}

func competitorsToVerdict(t *testing.T, opt Options, verdict result.Verdict) *result.Result {
	t.Helper()
	res := runIt(t, opt)
	c := res.Cases[0]
	held, missed := versusCalled(t, c, "held"), versusCalled(t, c, "missed")
	if held.Verdict != result.Met || missed.Verdict != result.Missed || c.Verdict != verdict || res.Conclusion.Exit != result.ExitFailed {
		t.Errorf("held %s, missed %s, case %s, exit %d: %s", held.Verdict, missed.Verdict, c.Verdict, res.Conclusion.Exit, everyWord(res))
	}
	if s := result.Speed(&held); s == nil || math.Abs(s.Ratio-1.2) > 0.02 {
		t.Errorf("head is %+v times as fast, want about 1.2", s)
	}
	if wrong := res.Kernels[0].Competitors[2]; wrong.Status != result.CompetitorFailed || !strings.Contains(result.MessageOf(wrong.Reason), "it computes something else: k/n=4000") {
		t.Errorf("the wrong one: %+v", wrong)
	}
	if err := rule.Replay(res, res.Policy).Err(); err != nil {
		t.Errorf("decided again: %v", err)
	}
	return res
}

// A goal that is required is tested of a kernel that base does not have, as a minimum speedup is.
func TestRequiredGoalOfANewKernel(t *testing.T) {
	opt := besideCompetitors(t, "{name: lib, adapter: slow.pg.cc}")
	opt.Base, opt.Trusted.Config.Goals = Side{}, []config.Goal{{Speedup: 1.5, Over: "lib", Cases: 1, Required: true}}
	res := runIt(t, opt)
	if !slices.ContainsFunc(res.Conclusion.Findings, func(f result.Finding) bool { return f.Kind == result.FindingGoalMissed }) || res.Conclusion.Exit != result.ExitFailed {
		t.Errorf("exit %d: %s", res.Conclusion.Exit, everyWord(res))
	}
}

// What is no competitor ends as exit 3 where something is to be kept, and as a note otherwise.
func TestWhatIsNoCompetitor(t *testing.T) {
	res := runIt(t, besideCompetitors(t, "{name: broken, adapter: broken.pg.cc}", "{name: other, adapter: other.pg.cc, min-speedup: 1.1x}"))
	if res.Conclusion.Exit != result.ExitNotMeasurable {
		t.Errorf("exit %d: %s", res.Conclusion.Exit, everyWord(res))
	}
	for i, want := range []string{"it does not build", "other tensors"} {
		r := res.Kernels[0].Competitors[i]
		if r.Status != result.CompetitorFailed || !strings.Contains(result.MessageOf(r.Reason), want) {
			t.Errorf("%s: %+v, want %q", r.Name, r, want)
		}
	}
}

// Nothing of a comparison that did not come about looks like one: why, and what the compiler said.
func TestVersusSaysWhatDoesNotBuild(t *testing.T) {
	good, broken := config.Competitor{Name: "k", Adapter: "k.pg.cc"}, config.Competitor{Name: "broken", Adapter: "broken.pg.cc"}
	for want, v := range map[string]Versus{"A does not build": {Kernel: "k", A: broken, B: good}, "broken does not build": {Kernel: "k", A: good, B: broken}} {
		found, fault, err := Compare(t.Context(), besideCompetitors(t, "{name: slow, adapter: slow.pg.cc}"), v)
		if err != nil || fault.Fault != want || !strings.Contains(fault.Output, "no_such_header.h") || found != nil {
			t.Errorf("%+v, %+v, %v, want %q", found, fault, err, want)
		}
	}
}

// A competitor that has some of the cases is measured in these, and the others say why they are not.
func TestCompetitorWithoutACase(t *testing.T) {
	opt := besideCompetitors(t, "{name: some, adapter: some.pg.cc}")
	k := &opt.Trusted.Config.Kernels[0]
	for _, n := range []int64{3000, 2000} {
		k.Measure = append(k.Measure, []config.Value{{Int: n, Text: fmt.Sprint(n)}})
	}
	opt.Trusted.Config.Gate.Budget = time.Second // what is measured is not the point
	found, fault, err := Compare(t.Context(), opt, Versus{Kernel: "k", A: config.Competitor{Name: "k", Adapter: "k.pg.cc"}, B: config.Competitor{Name: "some", Adapter: "some.pg.cc"}})
	if err != nil || found == nil {
		t.Fatalf("%+v, %v", fault, err)
	}
	for _, c := range found.Cases {
		if lacks := strings.Contains(result.MessageOf(c.Reason), "does not support k/n=3000"); lacks != (c.Name == "k/n=3000") {
			t.Errorf("%s: %s", c.Name, result.MessageOf(c.Reason))
		}
	}
	if found.Conclusion.Exit != result.ExitNotMeasurable || len(found.Conclusion.Findings) == 0 {
		t.Errorf("a case was not measured, and exit %d: %s", found.Conclusion.Exit, everyWord(found))
	}
}

// A record has its competitors, and a later run on a machine that is slower than it was says so.
func TestCompetitorsOfRecordsShowThatTheMachineMoved(t *testing.T) {
	opt := besideCompetitors(t, "{name: slow, adapter: slow.pg.cc, when: always}")
	recorded, err := Record(t.Context(), opt, false)
	must(t, err)
	rec, err := recorded.Record(opt.Trusted.Config)
	if err != nil {
		t.Fatalf("%v: %s", err, everyWord(recorded.Result))
	}
	kept := &rec.Cases[0]
	if len(kept.Competitors) != 1 || kept.Competitors[0].Competitor != "slow" || len(kept.Competitors[0].ValuesNS) != baseline.RecordProcesses {
		t.Fatalf("recorded %+v", kept.Competitors)
	}
	for _, values := range [][]float64{kept.ValuesNS, kept.Competitors[0].ValuesNS} { // it was a third faster then
		for i := range values {
			values[i] *= 0.75
		}
	}
	store := baseline.OpenFolder(t.TempDir())
	must(t, baseline.Save(t.Context(), store, rec))
	opt.Stored = &Stored{Store: store, Ancestors: func(context.Context, string) ([]string, error) { return []string{rec.Commit}, nil }}
	opt.Scratch = t.TempDir()
	res := runIt(t, opt)
	v := res.Cases[0].Competitors[0]
	if v.Moved == nil || !v.Moved.Machine || v.Moved.Commit != rec.Commit || math.Abs(v.Moved.Base.Ratio-4./3) > 0.02 {
		t.Errorf("%+v: %s", v.Moved, everyWord(res))
	}
	if res.Conclusion.Exit != result.ExitPassed {
		t.Errorf("exit %d: a machine that moved is nobody's fault", res.Conclusion.Exit)
	}
}

// An adapter in another language is a competitor of a kernel in C++, and versus compares the two at a desk. What they take is this machine's affair.
func TestVersusBetweenLanguages(t *testing.T) {
	kernelstest.Live(t)
	opt := twoFolders(t, "cheats/honest.cc", "cheats/honest.cc")
	write(t, filepath.Join(opt.Head.Tree, "numpy.pg.py"), inNumpy)
	opt.Trusted.Config.Python, opt.Trusted.Config.Kernels[0].Cache = kernelstest.PythonWith(t, "numpy"), "hot"
	found, fault, err := Compare(t.Context(), opt, Versus{Kernel: "k", A: config.Competitor{Name: "k", Adapter: "k.pg.cc"}, B: config.Competitor{Name: "numpy", Adapter: "numpy.pg.py"}})
	if err != nil || found == nil || len(found.Cases) != 1 {
		t.Fatalf("%+v, %v", fault, err)
	}
	c := found.Cases[0]
	if q := c.To(result.RoleCompetitor); !q.HasNumbers() || c.Head == nil || c.Competitors[0].Summary == nil {
		t.Errorf("%+v, %s", q, everyWord(found))
	}
	if err := rule.Replay(found, found.Policy).Err(); err != nil {
		t.Error(err)
	}
	var b bytes.Buffer // it can be read again
	must(t, result.Write(&b, found))
	if _, err := result.Read(&b); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(opt.Scratch); err != nil {
		t.Error(err)
	}
}

const inNumpy = `import numpy
import perfgate as pg


def tensors(case):
    return {"a": pg.In(1, fill=pg.uniform(1, 2)), "x": pg.In(case.n), "y0": pg.In(case.n), "y": pg.Out(case.n)}


def launch(case, t):
    numpy.multiply(t.a, t.x, out=t.y)
    t.y += t.y0
`
