package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/org/perfgate/gate/parity"
	"github.com/org/perfgate/gate/result"
)

// checksAtOnce is how many kernels, or settings of one, are checked side by side. Each has a process of its own and one that says what is right. Many small
// launches of many processes keep a GPU busy with changing between them, and the driver with starting them.
func checksAtOnce(d *device) int {
	const processes, mostOnGPU = 2, 4
	most := max(1, runtime.NumCPU()/processes)
	if d.target.IsCUDA() {
		most = min(most, mostOnGPU)
	}
	return most
}

// isOfOthers says whether others beside a check may be why it was not made, or not to the end: they take memory and time.
func isOfOthers(out result.Parity) bool {
	if f := out.Failure; f != nil {
		return f.Code == result.CodeHung || f.Code == result.CodeOutOfMemory || f.Code.EndsProcess()
	}
	return out.Status != result.ParityPassed || out.TooLarge > 0 || out.Run+out.Refused < out.Planned
}

// besideOutcome is what came of a check beside others. It is not settled where they may have a part in that, or more has to be built to tell.
type besideOutcome struct {
	parity  result.Parity
	settled bool
}

// sideBySide checks kernels beside others, and keeps what came of it. What went wrong beside others may go well alone: those are checked alone then.
func (c *checker) sideBySide(ctx context.Context, ks []Kernel, a *Account) error {
	most := min(c.most, len(ks))
	if most < 2 || c.ask.Until > 0 || c.ask.Save { // the whole time is each kernel's, and the file that cases are saved in everyone's
		return nil
	}
	began, total := time.Now(), 0
	subjects, outs := make([]parity.Subject, len(ks)), make([]besideOutcome, len(ks))
	for i, k := range ks {
		subjects[i] = c.subject(k)
		total += len(subjects[i].Cases)
	}
	progress := counted(c.opt.Progress, Progress{Stage: StageParity, What: fmt.Sprintf("%d kernels", len(ks)), Total: total})
	var importing atomic.Int64
	importing.Store(int64(len(ks)))
	begun := func() { // the first interpreters of the rounds may begin once no other has to import
		if importing.Add(-1) == 0 {
			c.runners.beginFirst(ctx)
		}
	}
	err := c.runners.beside(len(ks), most, func(i int, with *runners) error {
		k, seen, of := ks[i], 0, len(subjects[i].Cases)
		// One after the other: interpreters that import at once all wait for each other, and head's are needed first.
		defer with.importAhead(ctx, []Kernel{k}, 1, begun)()
		opt := c.quiet()
		opt.Progress = func(done, total int) {
			progress(done-seen, total-of)
			seen, of = done, total
		}
		out, err := c.parityAt(ctx, k, subjects[i], with, opt)
		outs[i].parity = out
		if err != nil || isOfOthers(out) || k.parityWantsBase(out) {
			return ctx.Err()
		}
		outs[i].settled, k.Parity = true, out
		return c.refusedCases(ctx, k, with)
	})
	a.inParity(time.Since(began).Seconds())
	c.beside = map[string]besideOutcome{}
	for i, out := range outs {
		c.beside[ks[i].Name()] = out
	}
	return err
}

// beside does n checks, so many at a time, each by runners with a folder of their own.
func (r *runners) beside(n, most int, check func(i int, with *runners) error) error {
	return atOnce(n, most, func(i int) error {
		folder, err := os.MkdirTemp(r.scratch, "check-")
		if err != nil {
			return fmt.Errorf("make a folder for a check: %w", err)
		}
		defer os.RemoveAll(folder)
		return check(i, r.apart(folder, most))
	})
}

// counted shows p, and then how many of its steps are done, and how many more there are, as those that happen side by side say so.
func counted(show func(Progress), p Progress) func(done, more int) {
	var one sync.Mutex
	show(p)
	return func(done, more int) {
		one.Lock()
		defer one.Unlock()
		p.Done, p.Total = p.Done+done, p.Total+more
		show(p)
	}
}

// atOnce calls f with 0 to n-1, at most so many at a time, and returns the error of the lowest.
func atOnce(n, most int, f func(i int) error) error {
	errs := make([]error, n)
	slots := make(chan struct{}, most)
	var wg sync.WaitGroup
	for i := range n {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			errs[i] = f(i)
		})
	}
	wg.Wait()
	return cmp.Or(errs...)
}

// parityAt runs parity once.
func (c *checker) parityAt(ctx context.Context, k Kernel, subject parity.Subject, at *runners, opt parity.Options) (result.Parity, error) {
	subject.Judge = k.judge(c.opt.Trusted)
	opt.Scratch, opt.Wishes = at.scratch, c.ask.Wishes
	opt.Start = at.of(k).start
	return parity.Run(ctx, subject, opt)
}

// inParity counts seconds of parity.
func (a *Account) inParity(seconds float64) {
	a.RunnersS += seconds
	a.Phases = a.Phases.Plus(result.PhaseSeconds{result.PhaseParity: seconds})
}
