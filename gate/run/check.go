package run

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/parity"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/child"
)

// checker checks parity of head's builds. A kernel that is wrong, or that cannot be checked, ends here.
type checker struct {
	opt      Question
	ask      ParityOptions
	workshop *workshop
	runners  *runners
	purpose  checkFor
	most     int                        // that are checked side by side
	only     map[string][]plan.FuzzCase // by kernel, instead of those that the plan draws; nil
	found    map[string]result.Parity   // what came of the checks, by kernel
}

// checkFor is what comes after the check, which says what else is asked of a kernel.
type checkFor int

const (
	checkTimed checkFor = iota // its cases are timed
	checkDrawn                 // nothing
	checkKnown                 // its cases are timed, and its code has passed before
)

func (s *session) checker(purpose checkFor) *checker {
	c := &checker{opt: s.opt.Question, ask: s.opt.Parity, workshop: s.workshop, runners: s.runners, purpose: purpose, most: 1} // one kernel may keep all processors busy
	if s.device.shares() {
		c.most = checksAtOnce(s.device)
	}
	return c
}

// check is the stage that checks head's builds, for a purpose.
func (s *session) check(purpose checkFor) stage {
	return s.turns.untimedOnCPU(func(ctx context.Context, v *Values) (err error) {
		v.Checked, err = s.checker(purpose).check(ctx, v.Builds)
		return err
	})
}

// check checks every kernel that was built. It is a config.Errors where a measured case does not exist.
func (c *checker) check(ctx context.Context, b Builds) (out Checked, err error) {
	out.Kernels, err = through(b.Kernels, func(k Kernel) (Kernel, *result.Kernel, error) {
		if _, leave := c.withoutCheck(k); leave || !k.hasJudge(c.opt.Trusted) {
			return k, nil, nil
		}
		return c.workshop.withBase(ctx, k, &out.Account) // it says what is right
	})
	if err != nil {
		return out, err
	}
	left := slices.DeleteFunc(slices.Clone(out.On), func(k Kernel) bool { _, leave := c.withoutCheck(k); return leave })
	if err := c.checkEach(ctx, left, &out.Account); err != nil {
		return out, err
	}
	c.runners.early.Want(ctx, len(c.runners.firsts), c.runners.firsts...)
	out.Kernels, err = through(out.Kernels, func(k Kernel) (Kernel, *result.Kernel, error) { return c.kernel(ctx, k, &out.Account) })
	return out, err
}

// withoutCheck is what is said of the parity of a kernel that is not checked, and whether it is not.
func (c *checker) withoutCheck(k Kernel) (says result.Parity, leave bool) {
	switch {
	case k.Plan.Kernel.HidesTensors(), c.only != nil && len(c.only[k.Name()]) == 0: // a pattern may name rows of a benchmark only
		return k.Parity, true
	case c.purpose == checkKnown:
		return result.Parity{Status: result.ParityOff, Reason: &result.Reason{Kind: result.ReasonRecorded}}, true
	}
	return result.Parity{Status: result.ParityOff}, k.Plan.Kernel.Parity.Off
}

// kernel says what a kernel came to.
func (c *checker) kernel(ctx context.Context, k Kernel, a *Account) (_ Kernel, ended *result.Kernel, err error) {
	if says, leave := c.withoutCheck(k); leave {
		if k.Parity = says; k.writesOutputs() && c.purpose != checkKnown && c.only == nil {
			began := time.Now()
			k.Parity, err = c.outputs(ctx, k)
			a.inParity(began)
			return k, k.wrong(), err
		}
		return k, nil, nil
	}
	k.Parity = c.found[k.Name()]
	if k.parityWantsBase(k.Parity) {
		if k, ended, err = c.workshop.withBase(ctx, k, a); err != nil || ended != nil {
			return k, ended, err
		}
		began, before := time.Now(), k.Parity.Warnings
		k.Parity, err = c.checkOne(ctx, k, c.runners, nil)
		if a.inParity(began); err != nil {
			return k, nil, err
		}
		for _, one := range before {
			k.Parity.Warnings = addOnce(k.Parity.Warnings, one)
		}
	}
	if ended := k.wrong(); ended != nil || c.purpose != checkTimed {
		return k, ended, nil
	}
	k, err = c.competitors(ctx, k, a)
	return k, nil, err
}

// wrong ends a kernel that is wrong, or that cannot be checked.
func (k Kernel) wrong() *result.Kernel {
	switch k.Parity.Status {
	case result.ParityFailed:
		return k.end(result.KernelFailed, result.Message(k.Parity.Failure.Case+": "+firstLine(k.Parity.Failure.Message)))
	case result.ParityError:
		return k.end(result.KernelError, k.Parity.Reason)
	}
	return nil
}

func (c *checker) subject(k Kernel) parity.Subject {
	settings := k.Plan.Kernel.Parity
	s := parity.Subject{
		Kernel: k.Name(), Head: k.Head.Library.Path, Base: k.parityBase(), Cases: c.only[k.Name()],
		Tolerances: tolerances(settings), Replay: c.only != nil,
	}
	if c.only == nil {
		s.Cases = plan.Fuzz(k.Plan.Kernel, c.opt.Seed, settings.Cases)
	}
	return s
}

// tolerances of untimed and of timed outputs are the same.
func tolerances(p config.Parity) parity.Tolerances {
	return parity.TolerancesOf(p.ATol, p.RTol, p.Matched, p.Accumulate)
}

// options are what all ways to check parity share. Progress begins at once, with none of its cases done.
func (c *checker) options(what string, s parity.Subject) parity.Options {
	progress := func(done, total int) {
		c.opt.Progress(Progress{Stage: StageParity, What: what, Done: done, Total: total})
	}
	progress(0, len(s.Cases))
	opt := c.quiet()
	opt.Progress = progress
	return opt
}

// quiet are options without progress, for checks that run side by side.
func (c *checker) quiet() parity.Options {
	return parity.Options{Scratch: c.opt.Scratch, Seed: strconv.FormatUint(c.opt.Seed, 10), Repro: c.ask.Command, CaseLimit: c.ask.HangLimit}
}

// judge is the library that says what head's outputs should be: base's, where base rules and has the kernel. Then a change of head
// cannot touch the specification, the inputs, the reference or the comparison. Where both sides are the same code there is
// nothing to keep apart. "" lets head's library judge itself.
func (k Kernel) judge(t repo.Trusted) string {
	if !k.hasJudge(t) {
		return ""
	}
	return k.referee().Path
}

func (k Kernel) hasJudge(t repo.Trusted) bool {
	return t.Trust == repo.TrustBase && !k.isNew() && k.referee().Fingerprint != k.Head.Library.Fingerprint
}

// referee is the library that says what is right, where base's rules count.
func (k Kernel) referee() kernels.Library {
	if k.Referee.Path != "" {
		return k.Referee
	}
	return k.Base.Library
}

// timedJudge is the library that says what timed outputs should be. Without parity nothing says that what head computes can be compared with that.
func (k Kernel) timedJudge(t repo.Trusted) string {
	if k.Parity.Status != result.ParityPassed {
		return ""
	}
	return k.judge(t)
}

// narrow fixes how many cases parity draws, or returns those that it runs, by kernel: Case, or the cases of the plan where opt names some.
func (o ParityOnly) narrow(p *plan.Plan, opt Question) (map[string][]plan.FuzzCase, error) {
	var only map[string][]plan.FuzzCase
	if o.Case != "" || len(opt.Cases) > 0 {
		only = map[string][]plan.FuzzCase{}
	}
	for i := range p.Kernels {
		k, named := &p.Kernels[i].Kernel, p.Kernels[i].Measured
		if o.Cases > 0 {
			k.Parity.Cases = o.Cases
		}
		if o.Case != "" {
			c, err := plan.ParseCase(*k, o.Case)
			if err != nil {
				return nil, result.Usagef("--param: %w", err)
			}
			named = []plan.Case{c}
		}
		if only == nil {
			continue
		}
		for _, c := range named {
			c.Host = false // its outputs are those of the case itself
			if !slices.ContainsFunc(only[k.Name], func(f plan.FuzzCase) bool { return f.Case.Name() == c.Name() }) {
				only[k.Name] = append(only[k.Name], plan.Replay(c, opt.Seed)...)
			}
		}
	}
	return only, nil
}

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

// atOnce is how many of so many kernels are checked side by side.
func (c *checker) atOnce(kernels int) int {
	if c.ask.Until > 0 || c.ask.Save { // the whole time is each kernel's, and the file that cases are saved in everyone's
		return 1
	}
	return min(c.most, kernels)
}

// checkEach checks kernels in parallel, where that is possible, and keeps what came of it. Interpreters import before their turn, those of the first round
// after all others. A kernel that is checked again, alone, has the memory for itself: nothing of the first round waits meanwhile.
func (c *checker) checkEach(ctx context.Context, ks []Kernel, a *Account) error {
	defer a.inParity(time.Now())
	most := c.atOnce(len(ks))
	firsts := c.runners.firsts
	var progress func(done, more int)
	var apart func(int) *runners
	if most > 1 {
		with, leave, err := c.runners.apart(len(ks), most)
		if err != nil {
			return err
		}
		defer leave()
		total := 0
		for _, k := range ks {
			total += len(c.subject(k).Cases)
		}
		progress = counted(c.opt.Progress, Progress{Stage: StageParity, What: fmt.Sprintf("%d kernels", len(ks)), Total: total})
		c.runners.early.Want(ctx, most, append(spares(ks, with, most), firsts...)...)
		apart, firsts = with, nil
	}
	outs := make([]result.Parity, len(ks))
	err := child.Each(len(ks), most, func(i int, alone []int) (spoiled bool, err error) {
		before := outs[i].Failure
		if alone == nil {
			outs[i], err = c.checkOne(ctx, ks[i], apart(i), progress)
			if result.ExitCodeOf(err) == result.ExitUsage { // others are no reason for what is wrong with the configuration
				return false, err
			}
			return err != nil || isOfOthers(outs[i]), ctx.Err()
		}
		var left []Kernel
		for _, at := range alone {
			left = append(left, ks[at])
		}
		c.runners.early.Want(ctx, mostAhead(ks), append(spares(left, func(int) *runners { return c.runners }, 1), firsts...)...)
		outs[i], err = c.checkOne(ctx, ks[i], c.runners, nil)
		if before != nil && outs[i].Status == result.ParityPassed {
			outs[i].Warnings = append(outs[i].Warnings, fmt.Sprintf("it failed alongside the checks of other kernels, and passed without them: %s: %s", before.Case, firstLine(before.Message)))
		}
		return false, err
	})
	c.found = map[string]result.Parity{}
	for i, out := range outs {
		c.found[ks[i].Name()] = out
	}
	return err
}

// checkOne checks a kernel, and whether its measured cases can be asked for. progress counts the cases of all kernels; nil shows this one's.
func (c *checker) checkOne(ctx context.Context, k Kernel, with *runners, progress func(done, more int)) (out result.Parity, err error) {
	subject := c.subject(k)
	opt := c.quiet()
	if progress == nil {
		opt = c.options(k.Name(), subject)
	} else {
		seen, of := 0, len(subject.Cases)
		opt.Progress = func(done, total int) {
			progress(done-seen, total-of)
			seen, of = done, total
		}
	}
	subject.Judge = k.judge(c.opt.Trusted)
	opt.Start, opt.Scratch, opt.Wishes = with.of(k).start, with.scratch, c.ask.Wishes
	if k.Parity, err = parity.Run(ctx, subject, opt); err != nil {
		return k.Parity, fmt.Errorf("parity of %s: %w", k.Name(), err)
	}
	if k.parityWantsBase(k.Parity) { // whose process is asked as well
		return k.Parity, nil
	}
	return k.Parity, c.refusedCases(ctx, k, with)
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

// inParity counts the time since parity began.
func (a *Account) inParity(began time.Time) {
	seconds := time.Since(began).Seconds()
	a.RunnersS += seconds
	a.Phases = a.Phases.Plus(result.PhaseSeconds{result.PhaseParity: seconds})
}
