package run

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/kernels/kernelstest/fakeharness"
)

// Records that know the machine settle an honest change on head alone: no rounds, and base is not even compiled.
func TestRecordsSettleHeadAlone(t *testing.T) {
	p := newPast(t)
	p.remember(10, atBase, nil)
	opt := p.otherCode()
	var built []string
	opt.Progress = func(g Progress) {
		if g.Stage == StageBuild {
			built = append(built, g.What)
		}
	}
	res := runIt(t, opt)
	c := res.Cases[0]
	if c.Verdict != result.Same || len(res.Rounds) != 0 || c.Stored == nil || c.To(result.RoleRecord) == nil || c.Compared() != c.To(result.RoleRecord) {
		t.Fatalf("verdict %s, %d rounds, stored %+v, why %+v", c.Verdict, len(res.Rounds), c.Stored, res.Baseline.Reason)
	}
	if res.Conclusion.Exit != result.ExitPassed || res.Baseline.Settled != 1 || res.Baseline.ScreenS <= 0 || res.Baseline.Distance != 0 {
		t.Errorf("exit %d, %+v", res.Conclusion.Exit, res.Baseline)
	}
	if slices.Contains(built, "k (base)") || !res.Kernels[0].Base.NotBuilt || res.Kernels[0].Base.Fingerprint == res.Kernels[0].Head.Fingerprint {
		t.Errorf("base was built for nothing: %q, %+v", built, res.Kernels[0].Base)
	}
	if c.Head == nil || c.Head.Processes != len(c.For(result.PurposeScreening)) || c.Stored.MedianRatio <= 0 || c.Stored.Sessions != 10 {
		t.Errorf("head %+v, stored %+v", c.Head, c.Stored)
	}
}

// What the records call anything but the same is measured side by side with base, which is built by then; both comparisons
// and their time are in the result. What each stage found out can be saved and read again, and the result is made of that alone; and it
// holds all that its verdicts came from, so that they can be decided again.
func TestRecordsNeverTurnRed(t *testing.T) {
	p := newPast(t)
	p.remember(10, atBase, nil)
	v, err := Stages(t.Context(), p.options(p.tree(p.ancestors[0], levelMicros, ""), p.tree("head", 3*levelMicros, "")))
	must(t, err)
	res := v.Assemble()
	c := res.Cases[0]
	if c.To(result.RoleRecord) == nil || c.To(result.RoleRecord).Verdict != result.Regression || len(c.For(result.PurposeScreening)) == 0 {
		t.Fatalf("the records say %+v", c.Stored)
	}
	if c.Verdict != result.Regression || len(res.Rounds) < rule.MinRounds || len(c.Processes) == 0 || res.Conclusion.Exit != result.ExitFailed {
		t.Errorf("%s after %d rounds, exit %d: %s", c.Verdict, len(res.Rounds), res.Conclusion.Exit, everyWord(res))
	}
	if b := res.Baseline; b.ScreenS <= 0 || b.RoundsS <= 0 || b.Screened != 1 || b.Settled != 0 || res.Kernels[0].Base.NotBuilt {
		t.Errorf("%+v, base %+v", b, res.Kernels[0].Base)
	}
	back := Values{kept(t, v.Asked), kept(t, v.Builds), kept(t, v.Checked), kept(t, v.Measured), kept(t, v.Uncompared), kept(t, v.Evidence), kept(t, v.Surroundings)}
	if is, was := jsonOf(t, back.Assemble()), jsonOf(t, res); is != was {
		t.Errorf("assembled again: %s\nwas %s", is, was)
	}
	c = kept(t, c)
	again, err := rule.CompareProcesses(c.Sides(), len(c.Looks), *c.Method, res.Policy)
	again.Verdict = c.Verdict
	if err != nil || !reflect.DeepEqual(again.Between(result.VariantHead, result.VariantBase), *c.Compared()) || rule.Decide(again, res.Policy, false) != c.Verdict {
		t.Errorf("decided again as %+v, was %+v: %v", again, *c.Compared(), err)
	}
}

// A record that is wrong about base's level does not turn a run red by itself, whatever it says.
func TestWrongRecordIsOutvotedByRounds(t *testing.T) {
	p := newPast(t)
	p.remember(10, func(int) float64 { return 0.3 }, nil)
	res := runIt(t, p.otherCode())
	if c := res.Cases[0]; c.To(result.RoleRecord).Verdict != result.Regression || c.Verdict == result.Regression || len(res.Rounds) == 0 {
		t.Errorf("records %s, verdict %s, %d rounds", c.To(result.RoleRecord).Verdict, c.Verdict, len(res.Rounds))
	}
}

// Mode stored goes by the records, red included, and never runs rounds.
func TestModeStored(t *testing.T) {
	p := newPast(t)
	p.remember(10, atBase, nil)
	base := p.tree(p.ancestors[0], levelMicros, "")
	for micros, want := range map[int]result.ExitCode{levelMicros: result.ExitPassed, 3 * levelMicros: result.ExitFailed} {
		opt := p.options(base, p.tree("head", micros, otherCode))
		opt.Trusted.Config.Baseline.Mode = config.BaselineStored
		res := runIt(t, opt)
		if res.Conclusion.Exit != want || len(res.Rounds) != 0 {
			t.Errorf("%d µs: exit %d, want %d, %d rounds: %s", micros, res.Conclusion.Exit, want, len(res.Rounds), everyWord(res))
		}
	}
	p.ancestors = []string{commitName(500)} // no record
	opt := p.options(base, p.tree("head", levelMicros, otherCode))
	opt.Trusted.Config.Baseline.Mode = config.BaselineStored
	res := runIt(t, opt)
	if res.Conclusion.Exit != result.ExitNotMeasurable || !res.Cases[0].Reason.Alone {
		t.Errorf("without a record: exit %d: %s", res.Conclusion.Exit, everyWord(res))
	}
}

// Mode paired measures side by side though the records could settle it.
func TestModePaired(t *testing.T) {
	p := newPast(t)
	p.remember(10, atBase, nil)
	opt := p.otherCode()
	opt.Trusted.Config.Baseline.Mode, opt.Trusted.Config.Gate.Budget = config.BaselinePaired, 1 // what the rounds say is no matter here
	res := runIt(t, opt)
	if res.Baseline.Screened != 0 || res.Cases[0].Method == nil || res.Baseline.Reason[0].Kind != result.ReasonPaired || res.Kernels[0].Base.NotBuilt {
		t.Errorf("%+v, %+v", res.Baseline, res.Cases[0])
	}
}

// What keeps records from being compared with is said, and then everything is side by side: another machine, toolchain, configuration or code, or an
// environment that is another or not known.
func TestWhyRecordsDoNotCount(t *testing.T) {
	environment := func(change func(*baseline.Observation)) func(*baseline.Record) {
		return func(r *baseline.Record) {
			o, _ := r.Observation(&r.Cases[0])
			change(&o)
			r.Observations, r.Environments = nil, nil
			r.TakeObservations(map[string]baseline.Observation{"k": o})
		}
	}
	for want, change := range map[string]func(*baseline.Record){
		"kernel of the system was 2.4.0":        func(r *baseline.Record) { r.Machine.Kernel = "2.4.0" },
		"harness was 0123456789ab":              func(r *baseline.Record) { r.Toolchain.Harness = "0123456789abcdef" },
		string(result.ReasonConfigChanged):      func(r *baseline.Record) { r.Cases[0].ConfigHash = "other" },
		string(result.ReasonOtherCode):          func(r *baseline.Record) { r.Cases[0].Fingerprint, r.Cases[0].Inputs = "other", "other" },
		"libc.so.6":                             environment(func(o *baseline.Observation) { o.Environment = before("libc.so.6", o.Environment) }),
		string(result.ReasonEnvironmentUnknown): environment(func(o *baseline.Observation) { o.Environment = nil }),
	} {
		p := newPast(t)
		p.remember(10, atBase, change)
		opt := p.otherCode()
		opt.Trusted.Config.Gate.Budget = 1 // what the rounds say is no matter here
		res := runIt(t, opt)
		text := said(res.Cases[0].Stored.Reason)
		for _, why := range res.Baseline.Reason {
			text += "\n" + said(&why)
		}
		if !strings.Contains(text, want) || res.Baseline.Screened != 0 || res.Kernels[0].Base.NotBuilt {
			t.Errorf("screened %d, base %+v, %q, want %q", res.Baseline.Screened, res.Kernels[0].Base, text, want)
		}
	}
}

// cutRecord leaves the beginning of a record.
func cutRecord(t *testing.T, store *baseline.Store, key string) {
	t.Helper()
	data, err := store.Get(t.Context(), key)
	if err == nil {
		err = store.Put(t.Context(), key, data[:50])
	}
	must(t, err)
}

// A store that cannot be read, and records that are damaged, are named; rounds go on without them.
func TestDamagedStore(t *testing.T) {
	p := newPast(t)
	p.remember(10, atBase, nil)
	keys, err := p.store.List(t.Context(), "")
	must(t, err)
	for _, key := range keys {
		cutRecord(t, p.store, key)
	}
	opt := p.otherCode()
	opt.Trusted.Config.Gate.Budget = 1
	res := runIt(t, opt)
	if b := res.Baseline; len(b.PassedOver) != 10 || !strings.Contains(b.PassedOver[0], "cut off") || len(b.Reason) != 1 || b.Reason[0].Kind != result.ReasonNoneUsable {
		t.Errorf("%+v", b)
	}
	opt.Stored.Ancestors = func(context.Context, string) ([]string, error) { return nil, errors.New("no such branch") }
	if res = runIt(t, opt); res.Baseline.Reason[0].Kind != result.ReasonStoreUnreadable || !strings.Contains(res.Baseline.Reason[0].Message, "no such branch") {
		t.Errorf("%+v", res.Baseline)
	}
}

// Equal code is the same without a clock; another adapter, other flags and --time-identical defeat that.
func TestNothingChanged(t *testing.T) {
	p := newPast(t)
	p.remember(10, atBase, nil)
	base := p.tree(p.ancestors[0], levelMicros, "")
	remark := p.tree("remark", levelMicros, "// nothing but a remark")
	built := p.options(base, remark)
	built.opened = onFakeHarness // by what compilers ask for equal libraries are known to be the same
	res := runIt(t, built)
	k, c := res.Kernels[0], res.Cases[0]
	if k.Status != result.KernelIdentical || k.Base.NotBuilt || res.Baseline.Identical != 1 || c.Verdict != result.Same || len(res.Rounds) != 0 || res.Conclusion.Exit != result.ExitPassed {
		t.Fatalf("a remark: status %s, base %+v, %+v, %s after %d rounds: %s", k.Status, k.Base, res.Baseline, c.Verdict, len(res.Rounds), everyWord(res))
	}
	adapterSide, flagsSide := p.tree("adapter", levelMicros, ""), p.tree("flags", levelMicros, "")
	write(t, filepath.Join(adapterSide.Tree, "k.pg.cc"), "#include \"kernel.h\"\n"+otherCode+"\n")
	write(t, filepath.Join(flagsSide.Tree, "perfgate.yaml"), strings.Replace(read(t, filepath.Join(flagsSide.Tree, "perfgate.yaml")), "adapter: ", "flags: [-O1]\n    adapter: ", 1))
	adapter, flags, again := p.options(base, adapterSide), p.options(base, flagsSide), p.options(base, remark)
	for _, opt := range []*Options{&adapter, &flags} {
		trusted, err := repo.LoadTrusted(repo.Pair{Base: repo.Side{Root: base.Tree}, Head: repo.Side{Root: opt.Head.Tree}}, "perfgate.yaml", repo.TrustWorktree)
		must(t, err)
		opt.Trusted = trusted
	}
	again.NoSkip = true
	for what, opt := range map[string]Options{"adapter": adapter, "flags": flags, "--time-identical": again} {
		opt.Trusted.Config.Gate.Budget = 1
		res := runIt(t, opt)
		if k := res.Kernels[0]; what != "--time-identical" && k.Base.NotBuilt {
			t.Errorf("%s: an old record stood in for base: %+v", what, k.Base)
		}
		if b := res.Baseline; b != nil && b.Screened != 0 {
			t.Errorf("%s: screened against another question: %+v", what, b)
		}
		// Base keeps its own flags, so that head's make other code of the same lines.
		if k := res.Kernels[0]; k.Status != result.KernelCompared || (k.Base.Fingerprint == k.Head.Fingerprint) != (what != "flags") {
			t.Errorf("%s: %s, base %s, head %s: want it timed, and other code by other flags alone", what, k.Status, k.Base.Fingerprint, k.Head.Fingerprint)
		}
	}
}

// before is an environment whose part of a name was another.
func before(name string, e *baseline.Environment) *baseline.Environment {
	was := &baseline.Environment{Parts: slices.Clone(e.Parts)}
	for i := range was.Parts {
		if was.Parts[i].Name == name {
			was.Parts[i].Digest = strings.Repeat("0", 32)
		}
	}
	return was
}

// Head alone is within the budget: when its share is gone, rounds are asked.
func TestScreeningKeepsToTheBudget(t *testing.T) {
	p := newPast(t)
	p.remember(10, atBase, nil)
	opt := p.otherCode()
	opt.Trusted.Config.Gate.Budget = 4
	res := runIt(t, opt)
	if c := res.Cases[0]; !strings.Contains(result.MessageOf(c.Stored.Reason), "time budget for head only") || len(c.For(result.PurposeScreening)) != 0 || c.Verdict == result.Same {
		t.Errorf("%s, %+v", c.Verdict, c.Stored)
	}
	if res.Conclusion.Exit != result.ExitNotMeasurable {
		t.Errorf("exit %d", res.Conclusion.Exit)
	}
}

// Record measures head alone: by its own calibration for new code, by the record's method and without parity for code that
// is known, and not at all where a record would add nothing.
func TestRecordMeasuresHeadAlone(t *testing.T) {
	p := newPast(t)
	head := p.tree(commitName(50), levelMicros, "")
	opt := p.options(head, head)
	p.ancestors = []string{head.Info.Revision}
	m, err := Record(t.Context(), opt, true)
	if err != nil || m.Result == nil || m.Reason.Kind != result.ReasonNotRecorded || m.Case == "" {
		t.Fatalf("%+v, %v", m, err)
	}
	c := m.Result.Cases[0]
	if m.Result.Conclusion.Exit != result.ExitPassed || m.Result.Kernels[0].Parity.Status != result.ParityPassed || len(c.Processes) != baseline.RecordProcesses || c.Head == nil || len(m.Result.Rounds) != 0 {
		t.Errorf("exit %d, parity %s, %d processes", m.Result.Conclusion.Exit, m.Result.Kernels[0].Parity.Status, len(c.Processes))
	}
	rec, err := baseline.FromResult(m.Result, result.SideHead, opt.Trusted.Config.CaseHash)
	must(t, err)
	if kept := rec.Cases[0]; kept.Inputs == "" || kept.Libraries == "" || kept.Fingerprint == "" || rec.WarmUp.NS <= 0 || rec.Canaries.ComputeNS <= 0 {
		t.Errorf("%+v", rec)
	}
	must(t, baseline.Save(t.Context(), p.store, rec))
	opt.Progress = func(g Progress) {
		if g.Stage != StageBuild {
			t.Errorf("the commit has a record, and all the same: %+v", g)
		}
	}
	if m, err = Record(t.Context(), opt, true); err != nil || m.Result != nil || m.Reason.Kind != result.ReasonAllRecorded {
		t.Errorf("the commit has a record: %+v, %v", m, err)
	}
	next := p.tree(commitName(51), levelMicros, "// a remark")
	p.ancestors = []string{next.Info.Revision, head.Info.Revision}
	if m, err = Record(t.Context(), p.options(next, next), true); err != nil || m.Result == nil || m.Reason.Kind != result.ReasonScatterLearnt {
		t.Fatalf("%+v, %v", m, err)
	}
	again := m.Result.Cases[0]
	if m.Result.Conclusion.Exit != result.ExitPassed || len(again.Processes) != baseline.FurtherProcesses || *again.Method != *c.Method || m.Result.Kernels[0].Parity.Status != result.ParityOff {
		t.Errorf("exit %d, %d processes, %+v, parity %+v", m.Result.Conclusion.Exit, len(again.Processes), again.Method, m.Result.Kernels[0].Parity)
	}
}

// A kernel that is wrong, or that does not build, is not recorded.
func TestRecordRefusesBrokenKernels(t *testing.T) {
	for what, extra := range map[string]string{"wrong": "", "not C++": "this is no C++"} {
		p := newPast(t)
		head := p.tree(commitName(50), levelMicros, extra)
		if what == "wrong" {
			write(t, filepath.Join(head.Tree, "kernel.h"), fakeharness.Adapter{LaunchNS: 1e5, Wrong: true}.Source())
		}
		opt := p.options(head, head)
		m, err := Record(t.Context(), opt, false)
		if err != nil || m.Result == nil || m.Result.Conclusion.Exit == result.ExitPassed {
			t.Fatalf("%s: %+v, %v", what, m.Result, err)
		}
		if _, err := baseline.FromResult(m.Result, result.SideHead, opt.Trusted.Config.CaseHash); !errors.Is(err, baseline.ErrNothing) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
