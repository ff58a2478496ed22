package measure

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/kernels"
)

// overlap is a bench whose runners say how many of them are alive at once.
type overlap struct {
	*bench
	mu         sync.Mutex
	live, most int
	starts     int
	ahead      int                                 // that may wait
	full       bool                                // as soon as two are alive, a case is out of memory
	broken     func(library string, live int) bool // whether a start fails; nil: never
}

func (o *overlap) open(ctx context.Context, _ result.Side, library string) (kernels.Process, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.starts++
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if o.broken != nil && o.broken(library, o.live) {
		return nil, &kernels.RunnerError{Code: result.CodeCrashed, Message: "gone"}
	}
	o.live++
	o.most = max(o.most, o.live)
	runner, err := o.bench.open(ctx, library)
	return overlapping{runner, o}, err
}

type overlapping struct {
	kernels.Process
	bench *overlap
}

func (r overlapping) Call(ctx context.Context, op, what string, args, answer any, limit time.Duration) error {
	time.Sleep(100 * time.Microsecond) // in which the next process may start
	r.bench.mu.Lock()
	defer r.bench.mu.Unlock()
	if op == "time" && r.bench.full && r.bench.live > 1 {
		return &kernels.RunnerError{Code: result.CodeOutOfMemory, Message: "no memory"}
	}
	return r.Process.Call(ctx, op, what, args, answer, limit)
}

func (r overlapping) Close() {
	r.bench.mu.Lock()
	defer r.bench.mu.Unlock()
	r.bench.live--
	r.Process.Close()
}

// waiting are subjects whose processes may start ahead.
func waiting(n int) []Subject {
	all := subjects(n)
	edit(all, func(v *Variant) { v.Waits = true })
	return all
}

func (o *overlap) run(t *testing.T, all []Subject) Outcome {
	t.Helper()
	out, err := Rounds(t.Context(), all, Options{Policy: policy(0.015, len(all)), Budget: time.Minute, Seed: 7, StartAhead: o.open, Ahead: o.ahead})
	if err != nil {
		t.Fatal(err)
	}
	if o.live != 0 {
		t.Errorf("%d runners left", o.live)
	}
	return out
}

// The next process starts while one measures and the last one ends, no more than that, in the order of the round; none starts in vain, and none
// is left behind.
func TestNextProcessStartsAhead(t *testing.T) {
	for _, ahead := range []int{0, 1, 3} {
		startsAhead(t, &overlap{bench: newBench(5), ahead: ahead})
	}
}

func startsAhead(t *testing.T, o *overlap) {
	t.Helper()
	o.processSD = 0.012 // more than one look
	out := o.run(t, waiting(2))
	if most := max(1, o.ahead); o.most < 1+most || o.most > 2+most {
		t.Errorf("%d runners alive at once, where %d may wait", o.most, most)
	}
	rounds := len(out.Rounds)
	if rounds < 6 || o.starts != 2+processesIn(rounds) {
		t.Errorf("%d starts in %d rounds and for calibration", o.starts, rounds)
	}
	for i, r := range out.Rounds {
		var got string
		at := 0 // order has a line a case and process
		for _, before := range out.Rounds[:i] {
			at += len(before.Order) * len(before.Cases)
		}
		for ; at < len(o.order) && len(got) < len(r.Order); at += len(r.Cases) {
			got += map[string]string{"base": "A", "head": "B"}[o.order[at]]
		}
		if got != r.Order {
			t.Errorf("round %d ran %s, recorded %s", i, got, r.Order)
		}
	}
}

// What fails to start beside another process is started again alone; then it is its side's fault.
func TestStartAheadThatFails(t *testing.T) {
	o := &overlap{bench: newBench(5), broken: func(_ string, live int) bool { return live > 0 }}
	if out := o.run(t, waiting(1)); out.Cases[0].Verdict != result.Same {
		t.Errorf("fails beside another: %+v", out.Cases[0])
	}
	o = &overlap{bench: newBench(5), broken: func(library string, _ int) bool { return library == "head" }}
	if out := o.run(t, waiting(1)); out.Cases[0].Verdict != result.Error || out.Cases[0].ErrorSide != result.SideHead {
		t.Errorf("always fails: %+v", out.Cases[0])
	}
}

// A case that has no room beside another process is measured alone, and so are all after it.
func TestCaseThatNeedsTheWholeDevice(t *testing.T) {
	o := &overlap{bench: newBench(5), full: true}
	out := o.run(t, waiting(2))
	for _, c := range out.Cases {
		if c.Verdict != result.Same {
			t.Errorf("%s: %s: %s", c.Subject.Name, c.Verdict, result.MessageOf(c.Reason))
		}
	}
}

func TestCancelledRunLeavesNoRunnerAhead(t *testing.T) {
	o := &overlap{bench: newBench(5)}
	ctx, cancel := context.WithCancel(t.Context())
	begun := 0
	_, err := Rounds(ctx, waiting(2), Options{Policy: policy(0.015, 2), Budget: time.Minute, Seed: 7, StartAhead: o.open, Progress: func(Progress) {
		if begun++; begun == 3 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || o.live != 0 {
		t.Errorf("%v, %d runners left", err, o.live)
	}
}

func TestHeadAloneStartsAhead(t *testing.T) {
	o := &overlap{bench: newBench(5)}
	out, err := Rounds(t.Context(), waiting(2), Options{Design: Single, Stop: rule.Count(5), Policy: policy(0.015, 2), Budget: time.Minute, Seed: 7, StartAhead: o.open})
	if err != nil || o.live != 0 || o.most < 2 || o.starts != 1+5 || len(out.Cases[1].Processes) != 5 {
		t.Errorf("%v, %d left, at most %d, %d starts, %+v", err, o.live, o.most, o.starts, out.Cases[1])
	}
}

// apart are three kernels whose adapters are built apart.
func apart(b *bench, share bool) []Subject {
	var all []Subject
	for i := range 3 {
		base, head := fmt.Sprint("base", i), fmt.Sprint("head", i)
		b.levelNS[base], b.levelNS[head] = 1e6, 1e6
		for n := range 2 {
			all = append(all, Subject{Name: fmt.Sprintf("k%d/n=%d", i, n), Variants: sidesOf(base, head), Cache: "cold"})
		}
	}
	edit(all, func(v *Variant) { v.Waits, v.Shares = true, share })
	return all
}

// Cases that share are measured in one process of a side, each with its own library; others have one each.
func TestCasesShareAProcess(t *testing.T) {
	for _, share := range []bool{false, true} {
		o := &overlap{bench: newBench(5)}
		all := apart(o.bench, share)
		o.levelNS["head2"] *= 1.2
		out := o.run(t, all)
		if want := 2 + processesIn(len(out.Rounds)); share && o.starts != want || !share && o.starts < 3*want {
			t.Errorf("share %v: %d starts in %d rounds", share, o.starts, len(out.Rounds))
		}
		for _, c := range out.Cases {
			if (c.Verdict == result.Regression) != (c.Subject.Variants[1].Library == "head2") || c.Verdict != result.Same && c.Verdict != result.Regression {
				t.Errorf("share %v: %s is %s", share, c.Subject.Name, c.Verdict)
			}
		}
	}
}

// Without StartAhead, as on a CPU, a process has its own library and loads no other: the sandbox would not let it.
func TestCasesShareNoProcessThatHasALibrary(t *testing.T) {
	t.Parallel()
	b := newBench(5)
	all := apart(b, true)
	for _, library := range []string{"base0", "base1", "base2", "head0", "head1", "head2"} {
		b.faults[library] = func(doing string, _ int) error {
			if doing == "load" {
				return &kernels.RunnerError{Code: result.CodeAdapterLoad, Message: "Permission denied"}
			}
			return nil
		}
	}
	out, err := Rounds(t.Context(), all, Options{Policy: policy(0.015, len(all)), Budget: time.Minute, Seed: 7, Start: b.start})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range out.Cases {
		if c.Verdict != result.Same {
			t.Errorf("%s: %s: %s", c.Subject.Name, c.Verdict, result.MessageOf(c.Reason))
		}
	}
}

// A library that breaks the shared process, or does not load, costs the others nothing, and is never measured as another.
func TestFaultInASharedProcessIsItsKernels(t *testing.T) {
	for op, code := range map[string]result.Code{"time": result.CodeCrashed, "load": result.CodeAdapterLoad, "probe": result.CodeCrashed} {
		o := &overlap{bench: newBench(5)}
		all := apart(o.bench, true)
		o.faults["head1"] = func(doing string, _ int) error {
			if doing == op {
				return &kernels.RunnerError{Code: code, Message: "no"}
			}
			return nil
		}
		for _, c := range o.run(t, all).Cases {
			if broken := c.Subject.Variants[1].Library == "head1"; (c.Verdict == result.Error) != broken || broken && c.ErrorSide != result.SideHead {
				t.Errorf("%s: %s: %s of %q: %s", op, c.Subject.Name, c.Verdict, c.ErrorSide, result.MessageOf(c.Reason))
			}
		}
		if slices.Contains(o.order, "head1") {
			t.Errorf("%s: head1 was timed", op)
		}
	}
}

// What has to be told of its library when it starts, such as an interpreter, starts when it is needed, with it.
func TestProcessThatCannotWait(t *testing.T) {
	o := &overlap{bench: newBench(5)}
	all := waiting(2)
	all[0].Variants = sidesOf("python", "python")
	o.levelNS["python"] = 1e6
	out, err := Rounds(t.Context(), all, Options{Policy: policy(0.015, 2), Budget: time.Minute, Seed: 7, StartAhead: o.open, Start: o.start})
	if err != nil || out.Cases[0].Verdict != result.Same || out.Cases[1].Verdict != result.Same || o.live != 0 || o.bench.live != 0 {
		t.Errorf("%v, %+v, %d and %d left", err, out.Cases, o.live, o.bench.live)
	}
	if want := 2 + processesIn(len(out.Rounds)); o.started["python"] != want || o.starts != want {
		t.Errorf("%d and %d starts, want %d of each", o.started["python"], o.starts, want)
	}
}
