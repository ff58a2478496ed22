package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/drift"
	"github.com/org/perfgate/gate/history"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/gate/run"
	"github.com/org/perfgate/gate/text"
)

// Drift compares a part of the cases with the records of their machine. Each day takes the next part.
type Drift struct {
	Turn    int                                                              // which of the runs that share the cases this is, counted from any number
	Of      int                                                              // such runs
	Measure func(ctx context.Context, opt run.Options) (run.Recorded, error) // one session
}

// Drifted is what a drift check came to.
type Drifted struct {
	Report drift.Report
	Record *baseline.Record // of the last session; nil where no case was timed
	Result *result.Result   // of the last session
}

// Keeps says whether its session may become a record.
func (d Drifted) Keeps() bool { return d.Record != nil && !d.Report.OfMachine() }

// MeasureAlone measures a session of head alone.
func MeasureAlone(ctx context.Context, opt run.Options) (run.Recorded, error) {
	return run.Record(ctx, opt, false)
}

// Run measures a part of the cases, a second time where the first finds something, and decides.
func (d Drift) Run(ctx context.Context, opt run.Options) (Drifted, error) {
	began := time.Now().UTC().Truncate(time.Second)
	seen, err := d.session(ctx, &opt)
	if err == nil && len(seen.Report.Against()) > 0 && len(seen.Report.Broken) == 0 && !seen.Report.Blind() {
		first := seen.Report
		if seen, err = d.session(ctx, &opt); err == nil {
			seen.Report = drift.Confirm(first, seen.Report)
		}
	}
	r := &seen.Report
	r.Version, r.Started, r.Exit = opt.Version, began, r.Conclude()
	return seen, err
}

// session measures this turn's part of the cases once. There cannot be more parts than cases.
func (d Drift) session(ctx context.Context, opt *run.Options) (Drifted, error) {
	of := d.Of
	if opt.Shard != nil {
		of = opt.Shard.Of
	}
	opt.Shard = &plan.Shard{Index: d.Turn%of + 1, Of: of, Seed: opt.Seed}
	done, err := d.Measure(ctx, *opt)
	var fewer *plan.ShardError
	if errors.As(err, &fewer) && fewer.Cases > 0 {
		opt.Shard = &plan.Shard{Index: d.Turn%fewer.Cases + 1, Of: fewer.Cases, Seed: opt.Seed}
		done, err = d.Measure(ctx, *opt)
	}
	if err != nil {
		return Drifted{}, err
	}
	return decideSession(ctx, *opt, done)
}

// decideSession compares a session with the records of its machine.
func decideSession(ctx context.Context, opt run.Options, done run.Recorded) (Drifted, error) {
	res := done.Result
	w := Drifted{Result: res}
	rec, err := done.Record(opt.Trusted.Config)
	if err != nil && !errors.Is(err, baseline.ErrNothing) {
		return w, err
	}
	var past drift.Past
	var note string
	if rec == nil { // what keeps all cases from being timed is in the conclusion
		rec = &baseline.Record{Commit: res.Head.Revision, Machine: res.Machine}
	} else {
		w.Record = rec
		if past, note, err = pastOf(ctx, opt.Stored, rec); err != nil {
			return w, err
		}
	}
	cfg := opt.Trusted.Config
	w.Report = drift.Judge(past, rec, drift.Policy{
		Tolerance: cfg.Gate.Tolerance, Tolerances: res.Policy.Tolerances, Waivers: res.Policy.Waivers, Day: res.Policy.Day,
		CumulativeTolerance: cfg.CumulativeTolerance(), Confidence: cfg.Gate.Confidence,
	})
	if w.Report.Waivers, err = uselessWaivers(cfg, res.Policy, past.History); err != nil {
		return w, err
	}
	w.Report.Part = drift.Part{Index: opt.Shard.Index, Of: opt.Shard.Of}
	if note != "" {
		w.Report.Notes = append(w.Report.Notes, note)
	}
	w.Report.Broken = res.Conclusion.Against()
	return w, nil
}

// uselessWaivers are the waivers that lapsed, match no case, or whose cases have done without them in their latest sessions: a drift check fails for
// them. Which rows a benchmark has, records say, and before the first nothing is said of it.
func uselessWaivers(cfg *config.Config, p result.Policy, past history.History) ([]result.Finding, error) {
	whole, err := plan.New(cfg, nil)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, k := range whole.Kernels {
		for _, c := range k.Measured {
			names = append(names, c.Name())
		}
		for _, c := range past.Cases {
			if k.IsUnknown() && c.Kernel == k.Kernel.Name {
				names = append(names, c.Name)
			}
		}
	}
	unwaived := p
	unwaived.Waivers = nil
	found := rule.UselessWaivers(p, names, func(name string) bool {
		c := past.Case(name)
		return c != nil && c.IsWithin(unwaived.Of(name, 0).Tolerance, result.WaiverSessions)
	})
	found = slices.DeleteFunc(found, func(f result.Finding) bool {
		return f.Kind == result.FindingWaiverUnmatched && past.Records == 0 && whole.HasCase(f.Waiver.Cases)
	})
	for i := range found {
		found[i].Effect = result.EffectFails
	}
	return found, nil
}

// pastOf reads the records of a session's machine and what they tell. note says why there are none to be had.
func pastOf(ctx context.Context, stored *run.Stored, rec *baseline.Record) (past drift.Past, note string, err error) {
	if stored.Store == nil {
		return past, stored.Reason, nil
	}
	ancestors, err := stored.Ancestors(ctx, rec.Commit)
	if err != nil {
		return past, "", err
	}
	if past.Found, err = baseline.Lookup(ctx, stored.Store, rec.Machine.Key, ancestors, baseline.MaxRecords); err != nil {
		return past, "", fmt.Errorf("read the records: %w", err)
	}
	if n := len(past.Found.Problems); n > 0 {
		note = fmt.Sprintf("%s skipped: %s", text.Count(n, "record"), past.Found.Problems[0])
	}
	past.History = history.Of(rec.Machine.Key, past.Found, nil) // what a commit only asks to have accepted does not count
	return past, note, nil
}
