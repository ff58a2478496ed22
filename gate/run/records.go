package run

import (
	"context"
	"sync"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/measure"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/observe"
)

// LaidOut is the folder within Scratch that holds commits which are laid out besides both sides.
const LaidOut = "commits"

// Stored is where records are and how the commits before one are found. Nil leaves records out of a run.
type Stored struct {
	Store     *baseline.Store                                            // nil: there is none that can be relied on
	Reason    string                                                     // why Store is nil, for the report
	Ancestors func(ctx context.Context, commit string) ([]string, error) // nearest first, the commit itself included
	// LayOut lays a commit out as a side, to measure head beside its best-known level, in the folder LaidOut of the run's. Nil where that cannot be.
	LayOut func(ctx context.Context, commit string) (Side, error)

	siblings *siblings // who has the same folders of commits; nil for nobody
	// Tag is the last tag at or before a commit, "" where there is none. May be nil.
	Tag func(ctx context.Context, commit string) string
}

const paired = config.BaselinePaired

// records are those of this machine, looked up once.
type records struct {
	stored    *Stored // nil: they have no part in this run
	commit    string  // whose ancestors are asked for
	tree      string  // the root of its files
	mode      string
	config    *config.Config
	device    *device
	toolchain result.Toolchain

	asked bool
	found baseline.History
	err   error

	digests      func() *observe.Digests // of files outside of the trees
	folders      map[string]string       // of kernels' own environments: the one of the side that records are of
	environments map[string][]string     // parts that have changed since records were made, by the digest of these
	reads        map[string]string       // digests of what lies at the paths of observations, by their names
}

func newRecords(o Options, d *device, t result.Toolchain) *records {
	r := &records{
		folders: map[string]string{}, environments: map[string][]string{}, reads: map[string]string{}, commit: o.Base.Info.Revision, tree: o.Base.root(), mode: o.Trusted.Config.Baseline.Mode,
		config: o.Trusted.Config, device: d, toolchain: t,
	}
	r.digests = sync.OnceValue(func() *observe.Digests { return observe.OpenDigests(o.Cache) })
	if !o.NoSkip && r.commit != "" && len(o.Base.Info.Flags)+len(o.Head.Info.Flags) == 0 {
		r.stored = o.Stored
	}
	return r
}

// count says whether records have a part in this run.
func (r *records) count() bool { return r.stored != nil }

// history are the records of the commit's ancestors.
func (r *records) history(ctx context.Context) (baseline.History, error) {
	if r.asked || r.stored.Store == nil {
		return r.found, r.err
	}
	r.asked = true
	ancestors, err := r.stored.Ancestors(ctx, r.commit)
	if err != nil {
		r.err = err
		return r.found, err
	}
	r.found, r.err = baseline.Lookup(ctx, r.stored.Store, r.device.machine.Key, ancestors, baseline.MaxRecords)
	return r.found, r.err
}

// method is how records have timed a case, nil where there are none of its configuration.
func (r *records) method(c plan.Case) *result.Method {
	return r.found.Method(c.Name(), r.config.CaseHash(c.Kernel))
}

// state is this run in the terms of a record.
func (r *records) state() *baseline.Record {
	return &baseline.Record{Machine: r.device.machine, Toolchain: r.toolchain}
}

// now is what the run knows of a case whose code has a fingerprint. Records of another environment do not stand for it, nor do those of one that is
// not known.
func (r *records) now(c plan.Case, fingerprint string) baseline.Now {
	k, _ := r.config.Kernel(c.Kernel)
	now := baseline.Now{
		State: r.state(), Case: c.Name(), ConfigHash: r.config.CaseHash(c.Kernel), Fingerprint: baseline.CodeOf(fingerprint, k.IsSelfTimed(), r.commit),
		Environment: func(o baseline.Observation) ([]string, bool) {
			names, known := r.changedSince(c.Kernel, o)
			return names, known && (!k.ReadsWhenRun() || o.HasPaths())
		},
	}
	if k.ReadsWhenRun() {
		now.Reads = func(name string, o baseline.Observation) string {
			if r.reads[name] == "" {
				r.reads[name] = readsOf(r.tree, o, r.digests())
			}
			return r.reads[name]
		}
	}
	return now
}

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
				s.records.stored, s.records.commit, s.records.tree = stored, opt.Head.Info.Revision, opt.Head.root()
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
		return []stage{s.open, s.build, lookUp, s.onDevice(s.turns.untimedOnCPU(s.find), record)}
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
		names, _ := r.changedSince(c.Kernel, o)
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
	out.Kernels, err = through(c.Kernels, func(k Kernel) (Kernel, *result.Kernel, error) { return timed(k), nil, nil })
	if err != nil {
		return out, err
	}
	processes := baseline.RecordProcesses
	if known != nil {
		processes = baseline.FurtherProcesses
	}
	found, err := m.timeCases(ctx, &out, func(t *Kernel, c *Case) (measure.Subject, bool) {
		t.settleCompetitors(result.CompetitorMeasured, nil)
		one := m.subject(*t, c.Plan)
		if known != nil {
			one.Method, one.WarmUpNS = &known[0].Case.Method, known[0].Found.Record.WarmUp.NS
			known = known[1:]
		}
		return one, true
	}, func(_ *Kernel, c *Case, found *measure.Case) { c.measuredAlone(found) }, withoutTimingCheck, headOnly(processes))
	out.WarmUp = found.WarmUp
	return out, err
}

// measuredAlone puts what was measured of head into a case.
func (c *Case) measuredAlone(a *measure.Case) {
	r := &c.Record
	r.Verdict, r.Reason = result.New, a.Reason
	if a.Verdict == result.Error {
		r.Verdict = result.Error // of no side: there is only one
	}
	r.Method, r.Flops, r.Bytes, r.Head, r.Processes = a.Method, a.Flops, a.Bytes, a.Head, a.Processes
	r.Competitors, r.Comparisons = a.Competitors, a.Comparisons
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
