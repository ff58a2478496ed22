package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/org/perfgate/gate"
	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/measure"
	"github.com/org/perfgate/gate/result"
)

// Stored is where records are and how the commits before one are found. Nil leaves records out of a run.
type Stored struct {
	Store     baseline.Store
	Ancestors func(ctx context.Context, commit string) ([]string, error) // nearest first, the commit itself included
}

// screening is the stored comparison of a run.
type screening struct {
	run     *run
	history baseline.History
	state   *baseline.Record // this run, in the terms of a record
	cases   map[string]*result.Stored
	bases   map[string]*baseline.Base
	heads   map[string]baseline.Session
}

// screen settles what the stored records can settle and returns what rounds have to. With no record it changes nothing.
func (r *run) screen(ctx context.Context, subjects []measure.Subject, byName map[string]*kernelRun) ([]measure.Subject, error) {
	s, err := r.openScreening(ctx)
	if err != nil || s == nil {
		return subjects, err
	}
	r.screening = s
	mode := r.config.Baseline.Mode
	if mode == config.BaselinePaired {
		r.res.Baseline.Note = "baseline.mode is paired: nothing is compared with records"
		return subjects, nil
	}
	hopeful := s.prepare(subjects, byName)
	if err := s.measure(ctx, hopeful); err != nil {
		return nil, err
	}
	if mode == config.BaselineStored {
		s.settleAll(subjects, byName)
		return nil, nil
	}
	return slices.DeleteFunc(subjects, func(subject measure.Subject) bool { return s.settles(subject, byName[subject.Name]) }), nil
}

// openScreening looks up the records of base's ancestors; nil where records have no part in this run.
func (r *run) openScreening(ctx context.Context) (*screening, error) {
	o := r.opt
	if o.Stored == nil || o.NoSkip || o.Base.Info.Revision == "" || len(o.Base.Info.Flags)+len(o.Head.Info.Flags) > 0 {
		return nil, nil
	}
	r.res.Baseline = &result.Baseline{Store: o.Stored.Store.String(), Mode: r.config.Baseline.Mode}
	b := r.res.Baseline
	h, err := o.Stored.lookup(ctx, r.res.Machine.Key, o.Base.Info.Revision)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		// A store that cannot be read never stops side-by-side rounds, and is never silent.
		b.Note = "the store cannot be read: " + firstLine(err.Error())
		return r.withoutRecords(), nil
	}
	b.Records = h.Keys
	for _, p := range h.Problems {
		b.PassedOver = append(b.PassedOver, p.String())
	}
	if len(h.Found) == 0 {
		b.Note = noRecord(h)
		return r.withoutRecords(), nil
	}
	b.Commit, b.Distance = h.Found[0].Record.Commit, h.Found[0].Distance
	s := r.newScreening(h)
	if changes := baseline.Changes(h.Found[0].Record, s.state); len(changes) > 0 {
		b.Note = "the machine has changed since its nearest record, so everything is compared side by side: " + joinList(changes)
	}
	return s, nil
}

func (s *Stored) lookup(ctx context.Context, machine, commit string) (baseline.History, error) {
	ancestors, err := s.Ancestors(ctx, commit)
	if err != nil {
		return baseline.History{}, err
	}
	return baseline.Lookup(ctx, s.Store, machine, ancestors)
}

func noRecord(h baseline.History) string {
	switch {
	case len(h.Problems) > 0:
		return "no record of this machine can be used"
	case h.Keys > 0:
		return fmt.Sprintf("none of the %d records of this machine is of an ancestor of base", h.Keys)
	}
	return "there is no stored record of this machine yet (perfgate baseline record makes one)"
}

// withoutRecords is the screening of a run that has none: only mode stored needs one, to say so of every case.
func (r *run) withoutRecords() *screening {
	if r.config.Baseline.Mode != config.BaselineStored {
		return nil
	}
	return r.newScreening(baseline.History{})
}

func (r *run) newScreening(h baseline.History) *screening {
	return &screening{
		run: r, history: h, cases: map[string]*result.Stored{}, bases: map[string]*baseline.Base{}, heads: map[string]baseline.Session{},
		state: &baseline.Record{Machine: r.res.Machine, Toolchain: r.res.Toolchain},
	}
}

func joinList(words []string) string {
	text := words[0]
	for _, w := range words[1:] {
		text += "; " + w
	}
	return text
}

// now is what the run knows of a case of a kernel.
func (s *screening) now(name string, k *kernelRun) baseline.Now {
	return baseline.Now{State: s.state, Case: name, ConfigHash: s.run.config.CaseHash(k.record.Name), Fingerprint: k.base.Fingerprint}
}

// prepare finds the base of every case and returns what is worth measuring on head alone.
func (s *screening) prepare(subjects []measure.Subject, byName map[string]*kernelRun) []baseline.Subject {
	var out []baseline.Subject
	for _, subject := range subjects {
		stored := &result.Stored{}
		s.cases[subject.Name] = stored
		b, why := s.history.Base(s.now(subject.Name, byName[subject.Name]))
		if b == nil {
			stored.Reason = why
			continue
		}
		s.bases[subject.Name] = b
		fillStored(stored, b)
		var processes int
		if processes, stored.Reason = s.worthwhile(b); processes == 0 {
			continue
		}
		out = append(out, baseline.Subject{Subject: subject, Method: b.Case.Method, WarmUpNS: b.Found.Record.WarmUp.NS, Processes: processes})
	}
	if len(out) < len(subjects) && s.run.config.Baseline.Mode == config.BaselineAuto {
		return nil // rounds start processes anyway: what screening the other cases saves is less than it costs
	}
	return out
}

func fillStored(to *result.Stored, b *baseline.Base) {
	to.Commit, to.Distance = b.Found.Record.Commit, b.Found.Distance
	to.Sessions, to.LearntSessions = len(b.Sessions), b.Learnt.Sessions
	if b.Learnt.Known() {
		to.SessionSD, to.Steady = math.Sqrt(b.Learnt.Var), string(b.Learnt.Steady)
	}
}

// worthwhile is how many processes of head alone could settle a case; 0 says why none could.
func (s *screening) worthwhile(b *baseline.Base) (processes int, why string) {
	if !b.Learnt.Known() {
		return 0, fmt.Sprintf("how far sessions scatter on this machine is not known yet: it takes %d sessions of unchanged code", baseline.MinSessions)
	}
	if s.run.config.Baseline.Mode == config.BaselineStored {
		return baseline.ScreenProcesses, ""
	}
	if n := b.Processes(s.run.policy); n > 0 {
		return n, ""
	}
	return 0, fmt.Sprintf("sessions scatter by %.2f %% here, too much to exclude a change above the tolerance from head alone", 100*math.Sqrt(b.Learnt.Var))
}

// measure times head alone and lets the records speak.
func (s *screening) measure(ctx context.Context, subjects []baseline.Subject) error {
	if len(subjects) == 0 {
		return nil
	}
	start := time.Now()
	out, err := baseline.MeasureAlone(ctx, subjects, baseline.AloneOptions{
		Seed:   s.run.opt.Seed,
		Start:  func(ctx context.Context, library string) (measure.Runner, error) { return s.run.start(ctx, library) },
		Health: s.run.device.health(),
		Progress: func(name string, process int) {
			p := measure.Progress{Case: name, Round: process/4 + 1, Process: process % 4, Open: len(subjects), Remaining: s.run.config.Gate.Budget - time.Since(start)}
			s.run.progress(Progress{Stage: StageMeasure, Measure: &p})
		},
	})
	spent := time.Since(start).Seconds()
	s.run.res.Timings.RunnersS += spent
	s.run.res.Baseline.ScreenS, s.run.res.Baseline.Screened = spent, len(subjects)
	if err != nil {
		return fmt.Errorf("measure head alone: %w", err)
	}
	for _, subject := range subjects {
		s.compare(subject.Name, out[subject.Name])
	}
	return nil
}

func (s *screening) compare(name string, a *baseline.Alone) {
	stored := s.cases[name]
	if a.Fault != "" {
		stored.Reason = a.Fault
		return
	}
	stored.Processes = a.Processes
	s.heads[name] = a.Session()
	c, err := s.bases[name].Screen(s.heads[name], s.run.policy)
	if err != nil {
		stored.Reason = err.Error()
		return
	}
	stored.Verdict, stored.Compared = c.Verdict, &c.Comparison
	stored.CanaryShift, stored.Widened = c.CanaryShift, c.Widened
	stored.MedianRatio, stored.MedianLow, stored.MedianHigh = c.MedianRatio.Estimate, c.MedianRatio.Low, c.MedianRatio.High
}

// settles ends a case that the records say is the same. Anything else needs side-by-side proof.
func (s *screening) settles(subject measure.Subject, k *kernelRun) bool {
	stored := s.cases[subject.Name]
	if stored.Verdict != gate.Same {
		return false
	}
	s.settle(subject, k, gate.Same, "")
	return true
}

// settle files a case under what the records said of it.
func (s *screening) settle(subject measure.Subject, k *kernelRun, verdict gate.Verdict, reason string) {
	stored := s.cases[subject.Name]
	if reason == "" {
		reason = fmt.Sprintf("head alone against %d stored sessions, no rounds", stored.Sessions)
		s.run.res.Baseline.Settled++
	}
	c := result.Case{
		Name: subject.Name, Kernel: k.record.Name, Params: s.run.paramsByName()[subject.Name], Verdict: verdict, Reason: reason, Compared: stored.Compared,
	}
	outcome := gate.CaseOutcome{Name: c.Name, Verdict: verdict, Comparison: stored.Compared, LooksDone: len(gate.Looks)}
	if verdict == gate.Error {
		outcome.Reason = reason
	}
	if b := s.bases[subject.Name]; b != nil && len(stored.Processes) > 0 {
		method := b.Case.Method
		measured := measure.Case{Processes: stored.Processes}
		c.Method, c.Head = &method, measured.Summary(result.SideHead)
	}
	k.cases = append(k.cases, c)
	k.outcomes = append(k.outcomes, outcome)
}

// settleAll ends every case with the records' word: mode stored has no other. Without one the case was not measured.
func (s *screening) settleAll(subjects []measure.Subject, byName map[string]*kernelRun) {
	for _, subject := range subjects {
		stored := s.cases[subject.Name]
		if stored.Verdict == "" {
			reason := "baseline.mode is stored, and there is nothing to compare with: " + cmp.Or(stored.Reason, s.run.res.Baseline.Note)
			s.settle(subject, byName[subject.Name], gate.Error, reason)
			continue
		}
		s.settle(subject, byName[subject.Name], stored.Verdict, "")
	}
}

// Wanted builds what opt would measure and says whether a record of it would add something, and why.
func (s *Stored) Wanted(ctx context.Context, opt Options) (bool, string, error) {
	r, err := newRun(opt)
	if err != nil {
		return false, "", err
	}
	defer r.closeDevice()
	if err := r.build(ctx); err != nil {
		return false, "", err
	}
	h, err := s.lookup(ctx, r.res.Machine.Key, opt.Head.Info.Revision)
	if err != nil {
		return false, "", err
	}
	state := r.newScreening(h)
	for _, k := range r.kernels {
		for _, c := range k.plan.Measured {
			now := state.now(c.Name(), k)
			now.Fingerprint = k.head.Fingerprint
			if wanted, why := h.Wanted(now); wanted {
				return true, c.Name() + ": " + why, nil
			}
		}
	}
	return false, "every case has records enough on this machine: nothing to do", nil
}
