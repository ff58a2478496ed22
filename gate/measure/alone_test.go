package measure

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/kernels"
)

func aloneSubjects(n int, method *result.Method) []Subject {
	out := subjects(n)
	for i := range out {
		out[i].Method, out[i].WarmUpNS = method, 5e7
	}
	return out
}

func (b *bench) alone(t *testing.T, subjects []Subject, processes int, opt Options) Outcome {
	t.Helper()
	opt.Start, opt.Seed, opt.Design, opt.Stop = b.start, 3, Single, rule.Count(processes)
	if opt.Budget == 0 {
		opt.Budget = time.Minute
	}
	out, err := Rounds(context.Background(), subjects, opt)
	if err != nil {
		t.Fatal(err)
	}
	if b.live != 0 {
		t.Errorf("%d runners were not closed", b.live)
	}
	return out
}

var recorded = result.Method{Clock: "thread", Launches: 7, Pool: 4, Samples: 11, Cache: "cold", LaunchNS: 1e6, LimitNS: 1e9, Oracle: "relaunch"}

// By the method of a record: so many fresh processes of head, no base, no calibration.
func TestAloneByAMethod(t *testing.T) {
	b := newBench(1)
	out := b.alone(t, aloneSubjects(3, &recorded), 6, Options{})
	if b.started["head"] != 6 || b.started["base"] != 0 {
		t.Errorf("started %v, want 6 processes of head", b.started)
	}
	for _, a := range out.Cases {
		name := a.Subject.Name
		if len(a.Processes) != 6 || a.Reason != nil || a.Processes[5].Round != 1 || a.Processes[5].Variant != result.VariantHead || a.Processes[0].Samples != 11 {
			t.Errorf("%s: %+v", name, a)
		}
		if s := a.Head; s == nil || s.Processes != 6 {
			t.Errorf("%s: %+v", name, s)
		}
	}
	if m := b.methods[0]; m.Launches != 7 || m.Samples != 11 {
		t.Errorf("timed by %+v, want the record's method", m)
	}
	if out.WarmUp.NS != 5e7 {
		t.Errorf("warm-up %+v, want the record's", out.WarmUp)
	}
}

// Without a method head is calibrated, once, and then measured as rounds would.
func TestAloneCalibrates(t *testing.T) {
	b := newBench(1)
	out := b.alone(t, aloneSubjects(2, nil), 8, Options{})
	paired := newBench(1).run(t, 0.5, 2)
	for i, c := range paired.Cases {
		a := caseOf(out, c.Subject.Name)
		if a.Method == nil || a.Method.Clock != c.Method.Clock || a.Method.Launches != c.Method.Launches || a.Flops != c.Flops || len(a.Processes) != 8 {
			t.Errorf("case %d: %+v, rounds have %+v", i, a, c.Method)
		}
	}
	if b.started["head"] != 9 || out.WarmUp != paired.WarmUp {
		t.Errorf("started %v, warm-up %+v, want one look and 8 processes, %+v", b.started, out.WarmUp, paired.WarmUp)
	}
}

// A fault of the code is the case's, an error of ours ends all; neither leaves values that look like a measurement.
func TestAloneFaults(t *testing.T) {
	b := newBench(1)
	b.faults["head"] = func(op string, started int) error {
		if op == "time" && started == 3 {
			return &kernels.RunnerError{Code: result.CodeCrashed, Message: "segmentation fault"}
		}
		return nil
	}
	out := b.alone(t, aloneSubjects(1, &recorded), 6, Options{})
	if a := caseOf(out, "k/n=0"); a.Reason == nil || a.Verdict != result.Error || len(a.Processes) != 0 || b.started["head"] != 3 {
		t.Errorf("%+v, started %v", a, b.started)
	}
	b.faults["head"] = func(string, int) error { return errors.New("no such file") }
	if _, err := Rounds(context.Background(), aloneSubjects(1, &recorded), Options{Design: Single, Stop: rule.Count(6), Start: b.start, Budget: time.Minute}); err == nil {
		t.Error("an error of ours was swallowed")
	}
}

// Head alone keeps to its budget, and what is not complete does not count; what was asked of the whole run still ends it.
func TestAloneKeepsToItsBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(1)
		b.delay = 30 * time.Millisecond
		// The budget goes while the second process is between its first case and its second.
		out := b.alone(t, aloneSubjects(3, &recorded), 200, Options{Budget: 135 * time.Millisecond})
		for _, a := range out.Cases {
			name := a.Subject.Name
			if !strings.Contains(result.MessageOf(a.Reason), "time budget for head only, 135ms") || len(a.Processes) != 0 {
				t.Errorf("%s: %q, %d processes", name, result.MessageOf(a.Reason), len(a.Processes))
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := Rounds(ctx, aloneSubjects(1, &recorded), Options{Design: Single, Stop: rule.Count(6), Start: b.start, Budget: time.Minute}); !errors.Is(err, context.Canceled) {
			t.Errorf("err = %v, want canceled", err)
		}
	})
}

// A disturbed machine leaves nothing to compare with.
func TestAloneOnADisturbedMachine(t *testing.T) {
	b := newBench(1)
	asked := 0
	out := b.alone(t, aloneSubjects(2, &recorded), 6, Options{Health: func() string {
		if asked++; asked == 4 {
			return "the GPU was hot"
		}
		return ""
	}})
	for _, a := range out.Cases {
		name := a.Subject.Name
		if !strings.Contains(result.MessageOf(a.Reason), "the GPU was hot") || len(a.Processes) != 0 {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

// Libraries are measured in processes of their own, in an order that changes.
func TestAloneOfSeveralLibraries(t *testing.T) {
	b := newBench(1)
	b.levelNS["other"] = 2e6
	all := aloneSubjects(2, &recorded)
	all[1].Variants[1].Library = "other"
	b.alone(t, all, 8, Options{})
	if b.started["head"] != 8 || b.started["other"] != 8 {
		t.Errorf("started %v", b.started)
	}
	first := map[string]int{}
	for pair := range slices.Chunk(b.order, 2) {
		first[pair[0]]++
	}
	if len(first) != 2 {
		t.Errorf("one library always came first: %v", b.order)
	}
}

// A case that cannot even be calibrated is an error like any other, and one that can is measured.
func TestAloneThatCannotBeCalibrated(t *testing.T) {
	b := newBench(1)
	asked := 0
	b.faults["head"] = func(op string, _ int) error {
		if op != "probe" {
			return nil
		}
		if asked++; asked > 1 {
			return nil
		}
		return &kernels.RunnerError{Code: result.CodeLaunchFailed, Message: "it launched nothing"}
	}
	out := b.alone(t, aloneSubjects(2, nil), 6, Options{})
	if a := caseOf(out, "k/n=0"); a.Verdict != result.Error || result.MessageOf(a.Reason) != "it launched nothing" || a.Method != nil || len(a.Processes) != 0 {
		t.Errorf("%+v", a)
	}
	if a := caseOf(out, "k/n=1"); a.Reason != nil || len(a.Processes) != 6 {
		t.Errorf("%+v", a)
	}
}

func caseOf(out Outcome, name string) *Case {
	for _, c := range out.Cases {
		if c.Subject.Name == name {
			return c
		}
	}
	return nil
}

// Where a record is made, each competitor of a case is measured in as many processes as head, by head's method; one that has other tensors, or
// breaks, leaves the case as it is.
func TestCompetitorsOfARecord(t *testing.T) {
	for name, method := range map[string]*result.Method{"calibrated": nil, "by a record's method": &recorded} {
		b := newBench(1)
		b.levelNS["lib"], b.levelNS["broken"] = 2e6, 1e6
		b.faults["broken"] = func(op string, _ int) error {
			if op == "time" {
				return &kernels.RunnerError{Code: result.CodeCrashed, Message: "segmentation fault"}
			}
			return nil
		}
		all := aloneSubjects(2, method)
		for i := range all {
			all[i].Variants = append(all[i].Variants, competitor("lib"), competitor("broken"))
		}
		out := b.alone(t, all, 8, Options{})
		for _, c := range out.Cases {
			v := c.Competitors
			if len(c.Of(result.VariantHead)) != 8 || c.Verdict == result.Error || len(v) != 2 || len(measuredBeside(c, 0)) != 8 || v[0].Summary == nil || measuredBeside(c, 0)[7].Variant != result.CompetitorNamed("lib") {
				t.Fatalf("%s: %s: %+v", name, c.Subject.Name, v)
			}
			if s := v[0].Summary; s.MedianNS < 1.9e6 || s.MedianNS > 2.1e6 {
				t.Errorf("%s: the competitor takes %g ns", name, s.MedianNS)
			}
			if q := speedupOf(c, 1); q.Verdict != result.Unmeasured || !strings.Contains(result.MessageOf(q.Reason), "segmentation fault") {
				t.Errorf("%s: %+v", name, v[1])
			}
		}
		for _, m := range b.methods {
			if m != b.methods[0] {
				t.Fatalf("%s: two methods: %+v, %+v", name, m, b.methods[0])
			}
		}
	}
}
