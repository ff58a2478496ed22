package pipeline

import (
	"context"
	"sync"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/config"
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
	// Tag is the last tag at or before a commit, "" where there is none. May be nil.
	Tag func(ctx context.Context, commit string) string
}

const paired = config.BaselinePaired

// records are those of this machine, looked up once.
type records struct {
	stored    *Stored // nil: they have no part in this run
	commit    string  // whose ancestors are asked for
	mode      string
	config    *config.Config
	device    *device
	toolchain result.Toolchain

	asked bool
	found baseline.History
	err   error

	digests      func() *observe.Digests // of files outside of the trees
	environments map[string][]string     // parts that have changed since records were made, by the digest of these
}

func newRecords(o Options, d *device, t result.Toolchain) *records {
	r := &records{commit: o.Base.Info.Revision, mode: o.Trusted.Config.Baseline.Mode, config: o.Trusted.Config, device: d, toolchain: t}
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
	return baseline.Now{
		State: r.state(), Case: c.Name(), ConfigHash: r.config.CaseHash(c.Kernel), Fingerprint: fingerprint, Environment: r.changedSince,
	}
}
