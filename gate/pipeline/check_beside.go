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

// kernelsAtOnce is how many kernels are checked side by side. On a CPU one may keep all processors busy.
func kernelsAtOnce(d *device) int {
	if !d.shares() {
		return 1
	}
	return checksAtOnce(d)
}

// isOfOthers says whether others beside a check may be why it was not made, or not to the end: they take memory and time.
func isOfOthers(out result.Parity) bool {
	if f := out.Failure; f != nil {
		return f.Code == result.CodeHung || f.Code == result.CodeOutOfMemory || f.Code.EndsProcess()
	}
	return out.Status != result.ParityPassed || out.TooLarge > 0 || out.Run+out.Refused < out.Planned
}

// sideBySide checks kernels beside others, and keeps what came of it for those whose check is settled so. Others are checked alone then.
func (c *checker) sideBySide(ctx context.Context, ks []Kernel, a *Account) error {
	var compared []Kernel
	for _, k := range ks {
		if !c.leavesOut(k) {
			compared = append(compared, k)
		}
	}
	most := min(c.most, len(compared))
	if most < 2 || c.opt.Parity.Until > 0 || c.opt.Parity.Save { // the whole time is each kernel's, and the file that cases are saved in everyone's
		return nil
	}
	began := time.Now()
	var subjects []parity.Subject
	for _, k := range compared {
		subjects = append(subjects, c.subject(k))
	}
	tell := c.tellOf(ctx, subjects)
	outs := make([]besideOutcome, len(compared))
	err := atOnce(len(compared), most, func(i int) (err error) {
		outs[i], err = c.besideOthers(ctx, compared[i], subjects[i], most, tell)
		return err
	})
	a.inParity(time.Since(began).Seconds())
	c.beside = map[string]besideOutcome{}
	for i, out := range outs {
		c.beside[compared[i].Name()] = out
	}
	return err
}

// besideOutcome is what came of a check beside others. It is not settled where they may have a part in that, or more has to be built to tell.
type besideOutcome struct {
	parity  result.Parity
	settled bool
}

// recalled adds to a check that passed alone what came of it beside others.
func (b besideOutcome) recalled(out result.Parity) result.Parity {
	if f := b.parity.Failure; f != nil && out.Status == result.ParityPassed {
		out.Warnings = append(out.Warnings, fmt.Sprintf("beside the checks of other kernels it failed, and not alone: %s: %s", f.Case, firstLine(f.Message)))
	}
	return out
}

// besides are told of a check that others are beside.
type besides struct {
	progress func(done, more int)
	begun    func() // once no further interpreter of it has to import
}

// tellOf shows how many cases of subjects that are checked side by side are done, and begins the first interpreters of the rounds once no other has to import.
func (c *checker) tellOf(ctx context.Context, subjects []parity.Subject) besides {
	total := 0
	for _, s := range subjects {
		total += len(s.Cases)
	}
	var importing atomic.Int64
	importing.Store(int64(len(subjects)))
	return besides{
		progress: counted(c.opt.Progress, Progress{Stage: StageParity, What: fmt.Sprintf("%d kernels", len(subjects)), Total: total}),
		begun: func() {
			if importing.Add(-1) == 0 {
				c.runners.beginFirst(ctx)
			}
		},
	}
}

// besideOthers checks one kernel in a folder of its own.
func (c *checker) besideOthers(ctx context.Context, k Kernel, subject parity.Subject, most int, tell besides) (found besideOutcome, err error) {
	folder, err := os.MkdirTemp(c.opt.Scratch, "kernel-")
	if err != nil {
		return found, fmt.Errorf("make a folder for a check: %w", err)
	}
	defer os.RemoveAll(folder)
	at := c.runners.apart(folder, most)
	// One after the other: interpreters that import at once all wait for each other, and head's are needed first.
	defer at.importAhead(ctx, []Kernel{k}, 1, tell.begun)()
	opt := c.quiet()
	seen, of := 0, len(subject.Cases)
	opt.Progress = func(done, total int) {
		tell.progress(done-seen, total-of)
		seen, of = done, total
	}
	found.parity, err = c.parityAt(ctx, k, subject, at, opt)
	if err != nil || isOfOthers(found.parity) || k.parityWantsBase(found.parity) {
		return found, ctx.Err() // what went wrong beside others may go well alone
	}
	found.settled, k.Parity = true, found.parity
	return found, c.refusedCases(ctx, k, at)
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
	opt.Scratch, opt.Wishes = at.scratch, c.opt.Parity
	opt.Start = at.of(k).start
	return parity.Run(ctx, subject, opt)
}

// inParity counts seconds of parity.
func (a *Account) inParity(seconds float64) {
	a.RunnersS += seconds
	a.Phases = a.Phases.Plus(result.PhaseSeconds{result.PhaseParity: seconds})
}
