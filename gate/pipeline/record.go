package pipeline

import (
	"context"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/measure"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
)

// Recorded is what Record came to.
type Recorded struct {
	Result *result.Result // head's side only; nil where nothing was measured
	Case   string         // whose record is wanted; empty where none is
	Reason *result.Reason // why a record was, or was not, wanted; nil if that was not asked

	Observed map[string]baseline.Observation // what kernels ask for
}

// Record is what was measured as a record of head, with what its kernels ask for. The error is baseline.ErrNothing where no case was timed.
func (d Recorded) Record(c *config.Config) (*baseline.Record, error) {
	rec, err := baseline.FromResult(d.Result, result.SideHead, c.CaseHash)
	if err == nil {
		rec.TakeObservations(d.Observed)
	}
	return rec, err
}

// Record measures head alone, to be recorded: there is nothing to decide. Parity is checked first, since a wrong kernel has
// no speed worth remembering. Records that there are say how cases are timed. With ifWanted it measures only where a record adds
// something; code that is recorded already passed parity then, and takes fewer processes.
//
// Options are those of Run; base has no part in it.
func Record(ctx context.Context, opt Options, ifWanted bool) (out Recorded, err error) {
	stored := opt.Stored
	opt.Base, opt.Stored, opt.Trusted.NoBaseConfig, opt.recording = Side{}, nil, false, true
	measured := false
	v, err := runStages(ctx, opt, func(s *session) []stage {
		lookUp := func(ctx context.Context, v *Values) (err error) {
			if stored != nil {
				s.records.stored, s.records.commit = stored, opt.Head.Info.Revision
				_, err = s.records.history(ctx)
			}
			if err == nil && ifWanted {
				if out.Case, out.Reason = s.records.wanted(s.records.found, *v); out.Case == "" {
					return errOver
				}
			}
			measured = err == nil
			return err
		}
		record := func(ctx context.Context, v *Values) (err error) {
			out.Observed, err = s.record(ctx, v, ifWanted)
			return err
		}
		return []stage{s.open, s.build, lookUp, s.onDevice(s.find, record)}
	})
	if err == nil && measured {
		out.Result = v.Assemble()
	}
	return out, err
}

// record checks, observes and measures head. further says that sessions of recorded code are wanted: these take less.
func (s *session) record(ctx context.Context, v *Values, further bool) (observed map[string]baseline.Observation, err error) {
	var known []*baseline.Base
	if further {
		known = s.records.basesOf(v.Builds.On)
	}
	purpose := checkTimed
	if known != nil {
		purpose = checkKnown
	}
	for i := range v.Builds.On {
		v.Builds.On[i].toRecord(known == nil)
	}
	if err := s.check(purpose)(ctx, v); err != nil {
		return nil, err
	}
	m := s.measuring(v.Asked)
	if observed, err = m.observeAll(ctx, v.Checked.On, &v.Checked.Account); err != nil {
		return nil, err
	}
	v.Measured, err = m.alone(ctx, v.Checked, known)
	return observed, err
}

// toRecord is what a run knows of a case that is to be recorded. Where nothing can be observed, an environment that is not known is no reason to
// record each commit, and all of it.
func (r *records) toRecord(c plan.Case, fingerprint string) baseline.Now {
	now := r.now(c, fingerprint)
	now.Environment = func(o baseline.Observation) ([]string, bool) {
		names, _ := r.changedSince(o)
		return names, true
	}
	return now
}

// basesOf are the records' bases of all cases of kernels, in order; nil if code of any case has no record that may be compared with.
func (r *records) basesOf(ks []Kernel) []*baseline.Base {
	var out []*baseline.Base
	for _, k := range ks {
		for _, c := range k.Plan.Measured {
			b, _ := r.found.Base(r.toRecord(c, k.Head.Library.Fingerprint))
			if b == nil {
				return nil
			}
			out = append(out, b)
		}
	}
	return out
}

// alone measures head without a base.
func (m *measuring) alone(ctx context.Context, c Checked, known []*baseline.Base) (out Measured, err error) {
	m.open(c.On)
	defer m.close()
	out.Kernels, err = through(c.Kernels, func(k Kernel) (Timed, *result.Kernel, error) { return timed(k), nil, nil })
	if err != nil {
		return out, err
	}
	processes := baseline.RecordProcesses
	if known != nil {
		processes = baseline.FurtherProcesses
	}
	found, err := m.timeCases(ctx, &out, func(t *Timed, c *Case) (measure.Subject, bool) {
		t.besideRounds()
		one := m.subject(t.Kernel, c.Plan)
		if known != nil {
			one.Method, one.WarmUpNS = &known[0].Case.Method, known[0].Found.Record.WarmUp.NS
			known = known[1:]
		}
		return one, true
	}, func(_ *Timed, c *Case, found *measure.Case) { c.measuredAlone(found) }, withoutTimingCheck, headOnly(processes))
	out.WarmUp = found.WarmUp
	return out, err
}

// measuredAlone puts what was measured of head into a case.
func (c *Case) measuredAlone(a *measure.Case) {
	r := &c.Record
	r.Verdict, r.Reason = result.New, result.Message(a.Reason)
	if a.Verdict == result.Error {
		r.Verdict = result.Error // of no side: there is only one
	}
	r.Method, r.Flops, r.Bytes, r.Head, r.Processes = a.Method, a.Flops, a.Bytes, a.Summary(result.VariantHead), a.All()
	r.Competitors, r.Comparisons = a.Competitors(), a.Comparisons()
}

// wanted names the first case of head whose record would add something, "" where none would, and says why.
func (r *records) wanted(h baseline.History, v Values) (string, *result.Reason) {
	prints := map[string]string{}
	for _, k := range v.Builds.On {
		prints[k.Name()] = k.Head.Library.Fingerprint
	}
	for _, k := range v.Asked.Plan.Kernels {
		for _, c := range k.Measured {
			if wanted, why := h.Wanted(r.toRecord(c, prints[k.Kernel.Name])); wanted {
				return c.Name(), why
			}
		}
	}
	return "", &result.Reason{Kind: result.ReasonAllRecorded}
}
