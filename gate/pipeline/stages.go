package pipeline

import (
	"context"
	"fmt"
	"time"

	"github.com/org/perfgate/gate/measure"
	"github.com/org/perfgate/gate/oracle"
	"github.com/org/perfgate/gate/parity"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// parity checks head's build of every kernel that has one. A failing head is not timed.
func (r *run) parity(ctx context.Context) error {
	for _, k := range r.kernels {
		if k.record.Status != "" && k.record.Status != result.KernelNew {
			continue
		}
		if k.plan.Kernel.Parity.Off {
			k.record.Parity = result.Parity{Status: result.ParityOff}
			continue
		}
		if err := r.parityOf(ctx, k); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) parityOf(ctx context.Context, k *kernelRun) error {
	settings := k.plan.Kernel.Parity
	if err := r.buildJudge(ctx, k); err != nil || k.record.Status != "" && k.record.Status != result.KernelNew {
		return err
	}
	subject := parity.Subject{
		Kernel: k.record.Name, Head: k.head.Path, Base: k.parityBase(), Judge: r.judge(k), Cases: k.fuzzCases(r.opt.Seed),
		ATol: settings.ATol, RTol: settings.RTol, Replay: k.fuzz != nil,
	}
	out, err := r.runParity(ctx, k, subject)
	if err == nil && k.parityWantsBase(out) {
		if err = r.buildBase(ctx, k); err != nil || k.record.Status != "" {
			return err
		}
		subject.Base = k.base.Path
		out, err = r.runParity(ctx, k, subject)
	}
	if err != nil {
		return fmt.Errorf("parity of %s: %w", k.record.Name, err)
	}
	k.record.Parity = out
	k.settleParity()
	return nil
}

// settleParity ends the way of a kernel that is wrong, or of which nobody can tell.
func (k *kernelRun) settleParity() {
	switch out := k.record.Parity; out.Status {
	case result.ParityFailed:
		k.record.Status, k.record.Reason = result.KernelFailed, out.Failure.Case+": "+firstLine(out.Failure.Message)
	case result.ParityError:
		k.record.Status, k.record.Reason = result.KernelError, out.Reason
	}
}

// runParity runs parity once.
func (r *run) runParity(ctx context.Context, k *kernelRun, subject parity.Subject) (result.Parity, error) {
	r.progress(Progress{Stage: StageParity, What: k.record.Name, Total: len(subject.Cases)})
	out, err := parity.Run(ctx, subject, parity.Options{
		Start:   r.start,
		Scratch: r.opt.Scratch, Seed: r.res.Seed, Repro: r.opt.ParityCmd, CaseLimit: r.opt.HangLimit, Wishes: r.opt.Parity,
		Progress: func(done, total int) {
			r.progress(Progress{Stage: StageParity, What: k.record.Name, Done: done, Total: total})
		},
	})
	r.res.Timings.RunnersS += out.Seconds
	return out, err
}

// measure times what both sides have and what is not the same code anyway.
func (r *run) measure(ctx context.Context) error {
	byName := map[string]*kernelRun{}
	var subjects []measure.Subject
	for _, k := range r.kernels {
		if k.record.Status != "" {
			continue
		}
		identical, err := r.identical(k)
		if err != nil {
			return err
		}
		if identical {
			k.record.Status = result.KernelIdentical
			k.record.Reason = "both sides built to the same code"
			continue
		}
		k.record.Status = result.KernelCompared
		for _, c := range k.plan.Measured {
			byName[c.Name()] = k
			s := subject(k, c)
			s.Judge = r.timedJudge(k)
			subjects = append(subjects, s)
		}
	}
	if err := r.compare(ctx, subjects, byName); err != nil {
		return err
	}
	return r.ratchet(ctx)
}

// compare lets the records settle what they can, and rounds the rest.
func (r *run) compare(ctx context.Context, subjects []measure.Subject, byName map[string]*kernelRun) error {
	subjects, err := r.screen(ctx, subjects, byName)
	if err != nil {
		return err
	}
	if subjects, err = r.withBases(ctx, subjects, byName); err != nil {
		return err
	}
	began := time.Now()
	defer func() { r.afterRounds(time.Since(began)) }()
	if len(subjects) == 0 {
		return nil
	}
	out, err := measure.Run(ctx, subjects, r.measureOptions(r.policy, r.budgetLeft()))
	if err != nil {
		return fmt.Errorf("measure: %w", err)
	}
	r.record(out, byName)
	return nil
}

// budgetLeft is what rounds may take: head alone and earlier rounds are within the same budget.
func (r *run) budgetLeft() time.Duration {
	left := r.config.Gate.Budget
	if b := r.res.Baseline; b != nil {
		left -= time.Duration((b.ScreenS + b.RoundsS) * float64(time.Second))
	}
	return left
}

func (r *run) measureOptions(p result.Policy, budget time.Duration) measure.Options {
	given, made := oracle.Folders(r.opt.Scratch)
	return measure.Options{
		BaseOutputs: given, HeadOutputs: made,
		Policy: p, Budget: budget, Seed: r.opt.Seed,
		Start:      r.start,
		MaxSamples: r.opt.MaxSamples,
		Device:     r.device.target.Device,
		Health:     r.device.health(),
		Progress:   func(p measure.Progress) { r.progress(Progress{Stage: StageMeasure, Measure: &p}) },
	}
}

// identical says whether timing the two sides could only show noise.
func (r *run) identical(k *kernelRun) (bool, error) {
	if r.opt.NoSkip || k.base.Fingerprint != k.head.Fingerprint {
		return false, nil
	}
	if what := r.questionChanged(k); what != "" {
		r.res.Notes = append(r.res.Notes, fmt.Sprintf("%s: both sides built to the same code, timed all the same: head changes %s", k.record.Name, what))
		return false, nil
	}
	reader, err := kernels.ReadsAtRunTime(k.head.Path)
	if err != nil {
		return false, err
	}
	if reader == "" {
		return true, nil
	}
	other := "what its build command leaves behind, which nobody compares"
	if k.plan.Kernel.Build == nil {
		other = r.otherFile()
	}
	if other != "" {
		r.res.Notes = append(r.res.Notes, fmt.Sprintf("%s: both sides built to the same code, timed all the same: it imports %s, so it may read %s", k.record.Name, reader, other))
	}
	return other == "", nil
}

// questionChanged says what head changes, for both sides, of what gives a kernel's cases their meaning: then equal code is
// no reason to look away.
func (r *run) questionChanged(k *kernelRun) string {
	t := r.opt.Trusted
	switch {
	case t.Trust != repo.TrustWorktree:
		return "" // head's own are not used
	case t.ChangesAdapter(k.plan.Kernel.Adapter):
		return "its adapter"
	case t.Base != nil && t.Base.CaseHash(k.record.Name) != r.config.CaseHash(k.record.Name):
		return "its configuration"
	}
	return ""
}

func subject(k *kernelRun, c plan.Case) measure.Subject {
	return measure.Subject{
		Name: c.Name(), Spec: c.Spec(), Base: k.base.Path, Head: k.head.Path, Cache: k.plan.Kernel.Cache,
		ATol: k.plan.Kernel.Parity.ATol, RTol: k.plan.Kernel.Parity.RTol, Matched: k.plan.Kernel.Parity.Matched,
	}
}

// record puts what was measured into the result.
func (r *run) record(out measure.Outcome, byName map[string]*kernelRun) {
	r.res.Rounds, r.res.WarmUp = out.Rounds, out.WarmUp
	r.res.Timings.RunnersS += out.RunnersSeconds
	r.res.Notes = append(r.res.Notes, out.Notes...)
	params := r.paramsByName()
	for _, c := range out.Cases {
		k := byName[c.Subject.Name]
		k.cases = append(k.cases, result.Case{
			Name: c.Subject.Name, Kernel: k.record.Name, Params: params[c.Subject.Name], Verdict: c.Verdict, Reason: c.Reason,
			ErrorSide: c.ErrorSide, Method: c.Method, Flops: c.Flops, Bytes: c.Bytes, Looks: c.Looks, Compared: c.Comparison,
			Launched: launched(c.BaseLaunches, c.HeadLaunches, r.device.multiprocessors()),
			Base:     c.Summary(result.SideBase), Head: c.Summary(result.SideHead), Processes: c.Processes,
			BudgetGone: c.BudgetGone, BudgetNeededS: c.BudgetNeeded,
		})
	}
}

func (r *run) paramsByName() map[string][]result.Param {
	all := map[string][]result.Param{}
	for _, k := range r.kernels {
		for _, c := range k.plan.Measured {
			all[c.Name()] = params(c)
		}
	}
	return all
}
