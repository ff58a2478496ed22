package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/measure"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
)

// Stored is where records are and how the commits before one are found. Nil leaves records out of a run.
type Stored struct {
	Store     baseline.Store                                             // nil: there is none that can be relied on
	Why       string                                                     // why Store is nil, for the report
	Ancestors func(ctx context.Context, commit string) ([]string, error) // nearest first, the commit itself included
	// LayOut lays a commit out as a side, to measure head beside its best-known level. Nil where that cannot be.
	LayOut func(ctx context.Context, commit string) (Side, error)
}

// screening is the stored comparison of a run.
type screening struct {
	run     *run
	history baseline.History
	state   *baseline.Record // this run, in the terms of a record
	cases   map[string]*result.Stored
	bases   map[string]*baseline.Base
	heads   map[string]baseline.Session

	subjects map[string]measure.Subject // by name; none where rounds are not to be run
	crept    []crept
}

// screen settles what the stored records can settle and returns what rounds have to. With no record it changes nothing.
func (r *run) screen(ctx context.Context, subjects []measure.Subject, byName map[string]*kernelRun) ([]measure.Subject, error) {
	s, err := r.openScreening(ctx)
	if err != nil {
		return nil, err
	}
	mode := r.config.Baseline.Mode
	if r.res.Baseline != nil && mode == config.BaselinePaired {
		r.res.Baseline.Note = "baseline.mode is paired: nothing is compared with records"
		return subjects, nil
	}
	if s == nil {
		return subjects, nil
	}
	r.screening = s
	if mode == config.BaselineAuto {
		for _, subject := range subjects {
			s.subjects[subject.Name] = subject
		}
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

// recordsCount says whether records have a part in this run.
func (r *run) recordsCount() bool {
	o := r.opt
	return o.Stored != nil && !o.NoSkip && o.Base.Info.Revision != "" && len(o.Base.Info.Flags)+len(o.Head.Info.Flags) == 0
}

// records looks up the records of base's ancestors, once.
func (r *run) records(ctx context.Context) (baseline.History, error) {
	if r.history == nil {
		h, err := r.opt.Stored.lookup(ctx, r.res.Machine.Key, r.opt.Base.Info.Revision)
		r.history = &lookedUp{h, err}
	}
	return r.history.history, r.history.err
}

// lookedUp is what a lookup came to.
type lookedUp struct {
	history baseline.History
	err     error
}

// openScreening looks up the records of base's ancestors; nil where records have no part in this run.
func (r *run) openScreening(ctx context.Context) (*screening, error) {
	if !r.recordsCount() {
		return nil, nil
	}
	r.res.Baseline = &result.Baseline{Mode: r.config.Baseline.Mode}
	b := r.res.Baseline
	if r.opt.Stored.Store == nil {
		b.Note = r.opt.Stored.Why
		return r.withoutRecords(), nil
	}
	b.Store = r.opt.Stored.Store.String()
	h, err := r.records(ctx)
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
		b.Note = "the machine has changed since its nearest record, so everything is compared side by side: " + strings.Join(changes, "; ")
	}
	return s, nil
}

func (s *Stored) lookup(ctx context.Context, machine, commit string) (baseline.History, error) {
	if s.Store == nil {
		return baseline.History{}, nil
	}
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
		subjects: map[string]measure.Subject{},
		state:    &baseline.Record{Machine: r.res.Machine, Toolchain: r.res.Toolchain},
	}
}

// now is what the run knows of a case of a kernel.
func (s *screening) now(name string, k *kernelRun) baseline.Now {
	return baseline.Now{State: s.state, Case: name, ConfigHash: s.run.config.CaseHash(k.record.Name), Fingerprint: k.base.Fingerprint}
}

// prepare finds the base of every case and returns what is worth measuring on head alone.
func (s *screening) prepare(subjects []measure.Subject, byName map[string]*kernelRun) []measure.AloneSubject {
	var out []measure.AloneSubject
	var bases []*baseline.Base
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
		if !b.Learnt.Known() {
			stored.Reason = fmt.Sprintf("how far sessions scatter on this machine is not known yet: it takes %d sessions of unchanged code", baseline.MinSessions)
			continue
		}
		bases = append(bases, b)
		out = append(out, measure.AloneSubject{Subject: subject, Method: &b.Case.Method, WarmUpNS: b.Found.Record.WarmUp.NS})
	}
	processes := s.processes(bases, len(subjects))
	for i := range out {
		out[i].Processes = processes
	}
	if processes == 0 {
		return nil
	}
	return out
}

// processes is how many processes of head alone are worth their time: none where rounds start processes anyway.
func (s *screening) processes(bases []*baseline.Base, subjects int) int {
	if s.run.config.Baseline.Mode == config.BaselineStored {
		return baseline.ScreenProcesses
	}
	if len(bases) < subjects {
		return 0
	}
	n := baseline.Plan(bases, s.run.policy)
	for name, b := range s.bases {
		if n == 0 {
			s.cases[name].Reason = fmt.Sprintf("sessions scatter by %.2f %% here, too much to exclude a change above the tolerance from head alone", 100*math.Sqrt(b.Learnt.Var))
		}
	}
	return n
}

func fillStored(to *result.Stored, b *baseline.Base) {
	to.Commit, to.Distance = b.Found.Record.Commit, b.Found.Distance
	to.Sessions, to.LearntSessions = len(b.Sessions), b.Learnt.Sessions
	if b.Learnt.Known() {
		to.SessionSD, to.Steady = math.Sqrt(b.Learnt.Var), string(b.Learnt.Steady)
	}
}

// screenShare is the part of the budget that head alone may take where rounds may have to follow: the most processes that it
// starts are a sixteenth of what all rounds would.
const screenShare = 4

func (s *screening) budget() time.Duration {
	if s.run.config.Baseline.Mode == config.BaselineStored {
		return s.run.config.Gate.Budget
	}
	return s.run.config.Gate.Budget / screenShare
}

// measure times head alone and lets the records speak.
func (s *screening) measure(ctx context.Context, subjects []measure.AloneSubject) error {
	if len(subjects) == 0 {
		return nil
	}
	start := time.Now()
	out, err := measure.RunAlone(ctx, subjects, s.run.measureOptions(s.run.policy, s.budget()))
	spent := time.Since(start).Seconds()
	s.run.res.Timings.RunnersS += spent
	s.run.res.Baseline.ScreenS, s.run.res.Baseline.Screened = spent, len(subjects)
	if err != nil {
		return fmt.Errorf("measure head alone: %w", err)
	}
	for _, subject := range subjects {
		s.compare(out.Case(subject.Name))
	}
	return nil
}

func (s *screening) compare(a *measure.Case) {
	name := a.Subject.Name
	stored := s.cases[name]
	if a.Verdict == result.Error {
		stored.Reason = a.Reason
		return
	}
	stored.Processes = a.Processes
	s.heads[name] = baseline.SessionOf(a.Processes)
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
	if stored.Verdict != result.Same {
		return false
	}
	s.settle(subject, k, result.Same, "")
	return true
}

// settle files a case under what the records said of it.
func (s *screening) settle(subject measure.Subject, k *kernelRun, verdict result.Verdict, reason string) {
	stored := s.cases[subject.Name]
	if reason == "" {
		reason = fmt.Sprintf("head alone against %d stored sessions, no rounds", stored.Sessions)
		s.run.res.Baseline.Settled++
	}
	c := result.Case{
		Name: subject.Name, Kernel: k.record.Name, Params: s.run.paramsByName()[subject.Name], Verdict: verdict, Reason: reason, Compared: stored.Compared,
	}
	if b := s.bases[subject.Name]; b != nil && len(stored.Processes) > 0 {
		method := b.Case.Method
		measured := measure.Case{Processes: stored.Processes}
		c.Method, c.Head = &method, measured.Summary(result.SideHead)
	}
	k.cases = append(k.cases, c)
}

// settleAll ends every case with the records' word: mode stored has no other. Without one the case was not measured.
func (s *screening) settleAll(subjects []measure.Subject, byName map[string]*kernelRun) {
	for _, subject := range subjects {
		stored := s.cases[subject.Name]
		if stored.Verdict == "" {
			reason := "baseline.mode is stored, and there is nothing to compare with: " + cmp.Or(s.run.res.Baseline.Note, stored.Reason)
			s.settle(subject, byName[subject.Name], result.Error, reason)
			continue
		}
		s.settle(subject, byName[subject.Name], stored.Verdict, "")
	}
}

// MachineKey is the key under which records of a configuration are on this machine: its GPU's where its kernels run on one,
// else its CPU's.
func MachineKey(c *config.Config) (string, error) {
	r, err := newRun(Options{Trusted: repo.Trusted{Config: c}})
	if err != nil {
		return "", err
	}
	defer r.closeDevice()
	if err := r.chooseDevice(); err != nil {
		return "", err
	}
	return r.res.Machine.Key, nil
}
