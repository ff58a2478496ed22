package run

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/measure"
	"github.com/org/perfgate/gate/parity"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// runRounds measures subjects in the same rounds, as the gate does unless some of how say otherwise, and counts what that took. Processes may read the
// libraries of all kernels ks.
func (m *measuring) runRounds(ctx context.Context, ks []Kernel, subjects []measure.Subject, a *Account, how ...func(*measure.Options)) (measure.Outcome, error) {
	given, made, err := parity.DeliveryFolders(m.opt.Scratch)
	if err != nil {
		return measure.Outcome{}, err
	}
	from := m.runners.of(ks...)
	opt := measure.Options{
		BaseOutputs: given, HeadOutputs: made,
		Policy: m.policy, Budget: m.opt.Trusted.Config.Gate.Budget, Seed: m.opt.Seed,
		Start:      from.start,
		MaxSamples: m.ask.MaxSamples,
		Device:     m.runners.device.target.Device,
		Health:     m.runners.device.health(),
		Progress:   func(p measure.Progress) { m.opt.Progress(Progress{Stage: StageMeasure, Measure: &p}) },
	}
	opt.Search = m.ask.Course != nil
	if m.runners.device.shares() {
		opt.StartAhead, opt.Ahead = from.open, mostAhead(ks)
	}
	for _, set := range how {
		set(&opt)
	}
	if opt.Search && opt.Stop == nil {
		opt.Stop, opt.Design = rule.Together{Course: *m.ask.Course, Policy: opt.Policy}, measure.Even
	}
	if m.runners.device.shares() {
		opt.Quiet = m.turns.timed
	} else {
		leave, err := m.turns.timed(ctx)
		if err != nil {
			return measure.Outcome{}, err
		}
		defer leave()
	}
	found, err := measure.Rounds(ctx, subjects, opt)
	if err != nil {
		return found, fmt.Errorf("measure: %w", err)
	}
	a.RunnersS += found.RunnersSeconds
	a.Phases = a.Phases.Plus(found.Phases)
	a.Notes = append(a.Notes, found.Notes...)
	return found, nil
}

// timeCases measures, in the same rounds, the cases that subject picks, and puts what was found of each.
func (m *measuring) timeCases(
	ctx context.Context, out *Measured, subject func(*Kernel, *Case) (s measure.Subject, picked bool), put func(*Kernel, *Case, *measure.Case), how ...func(*measure.Options),
) (found measure.Outcome, err error) {
	var subjects []measure.Subject
	var puts []func(*measure.Case)
	for t, c := range out.cases() {
		if s, picked := subject(t, c); picked {
			subjects, puts = append(subjects, s), append(puts, func(found *measure.Case) { put(t, c, found) })
		}
	}
	if len(subjects) == 0 {
		return found, nil
	}
	if found, err = m.runRounds(ctx, out.On, subjects, &out.Account, how...); err != nil {
		return found, err
	}
	for i, c := range found.Cases {
		puts[i](c)
	}
	return found, nil
}

// within bounds the time of all rounds.
func within(budget time.Duration) func(*measure.Options) {
	return func(o *measure.Options) { o.Budget = budget }
}

// headOnly measures so many processes of head.
func headOnly(processes int) func(*measure.Options) {
	return func(o *measure.Options) { o.Design, o.Stop = measure.Single, rule.Count(processes) }
}

// withoutTimingCheck leaves out external timing checks: nobody has a reason to bend the clock of code of their own.
func withoutTimingCheck(o *measure.Options) { o.NoTimingCheck = true }

// comparedWith is a subject whose head is compared with the library of another variant than base, and with nothing else. how is how both are measured, but that their
// outputs were checked elsewhere.
func comparedWith(s measure.Subject, how measure.Variant, to result.Variant, library string) measure.Subject {
	how.Judge = ""
	s.To, s.Variants = to, []measure.Variant{how.As(to, library), how.As(result.VariantHead, s.Variants[1].Library)}
	return s
}

// withHeadKernel builds one kernel of head's, checks it, and lets do measure it beside others while the run has the device to itself. The result has what do
// measured, and no conclusion. What keeps the kernel, which people call name, or those others from being measured is a fault: then there is none.
func withHeadKernel(
	ctx context.Context, opt Options, kernel, name string, do func(context.Context, *session, Kernel, *Values) (AdapterFault, error),
) (res *result.Result, fault AdapterFault, err error) {
	opt.Base, opt.Stored, opt.Only = Side{}, nil, []string{kernel}
	v, err := runStages(ctx, opt, func(s *session) []stage {
		withoutCompetitors := func(context.Context, *Values) error {
			s.workshop.asks = func(config.Competitor) bool { return false }
			return nil
		}
		last := func(ctx context.Context, v *Values) (err error) {
			if len(v.Checked.On) == 1 {
				fault, err = do(ctx, s, v.Checked.On[0], v)
			}
			return err
		}
		return []stage{s.open, withoutCompetitors, s.build, s.built, s.onDevice(s.check(checkTimed), last)}
	})
	if len(v.Checked.Ended) > 0 {
		ended := v.Checked.Ended[0]
		fault = faultOf(name, ended.Head, cmp.Or(ended.Reason, result.Message(string(ended.Status))))
	}
	if err != nil || fault.Fault != "" || len(v.Measured.On) != 1 {
		return nil, fault, err
	}
	res, m := v.frame(), v.Measured
	res.Rounds, res.WarmUp, res.Kernels = m.Rounds, m.WarmUp, []result.Kernel{*m.On[0].last()}
	for _, c := range m.On[0].Cases {
		res.Cases = append(res.Cases, c.Record)
	}
	return res, fault, nil
}

// AdapterFault says why an adapter went no further, with what its build printed. The zero value is none.
type AdapterFault struct {
	Fault    string
	Reason   *result.Reason // behind Fault, where there is more to say
	Output   string
	Unlinked bool // all of it compiles, and it does not link
}

// faultOf says why what people call by a name went no further.
func faultOf(name string, b *result.Build, why *result.Reason) AdapterFault {
	if b != nil && b.Failed {
		return AdapterFault{Fault: name + " does not build", Output: b.Output, Unlinked: b.Unlinked}
	}
	return AdapterFault{Fault: name, Reason: why}
}
