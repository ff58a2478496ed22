package pipeline

import (
	"context"
	"fmt"
	"time"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/measure"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
)

// Measured is what Record came to.
type Measured struct {
	Result *result.Result // head's side only; nil where nothing was measured
	Why    string         // why a record was, or was not, wanted; "" if nobody asked
}

// Record measures head alone, to be recorded: there is nothing to decide. Parity is checked first, since a wrong kernel has
// no speed worth remembering. With stored it measures only where a record adds something, by the methods of the records
// that there are; code that is recorded already passed parity then, and takes fewer processes.
//
// Options are those of Run; base, and records in them, have no part in it.
func Record(ctx context.Context, opt Options, stored *Stored) (Measured, error) {
	opt.Base, opt.Stored, opt.Trusted.NoBaseConfig = Side{}, nil, false
	r, err := newRun(opt)
	if err != nil {
		return Measured{}, err
	}
	defer r.closeDevice()
	if err := r.build(ctx); err != nil {
		return Measured{}, err
	}
	var h baseline.History
	var m Measured
	if stored != nil {
		if h, err = stored.lookup(ctx, r.res.Machine.Key, opt.Head.Info.Revision); err != nil {
			return m, err
		}
		var wanted bool
		if wanted, m.Why = r.wanted(h); !wanted {
			return m, nil
		}
	}
	if err := r.lockedRecord(ctx, h); err != nil {
		return m, err
	}
	r.finish()
	m.Result = r.res
	return m, nil
}

// lockedRecord checks and measures head with the device to itself.
func (r *run) lockedRecord(ctx context.Context, h baseline.History) error {
	return r.locked(ctx, func() error {
		known := r.known(h)
		if err := r.recordParity(ctx, known != nil); err != nil {
			return err
		}
		if err := r.refusedCases(ctx, true); err != nil {
			return err
		}
		subjects := r.recordSubjects(known)
		if len(subjects) == 0 {
			return nil
		}
		start := time.Now()
		opt := r.measureOptions(r.policy, r.config.Gate.Budget)
		opt.NoAudit = true
		out, err := measure.RunAlone(ctx, subjects, opt)
		r.res.Timings.RunnersS += time.Since(start).Seconds()
		if err != nil {
			return fmt.Errorf("measure: %w", err)
		}
		r.fileAlone(out)
		return nil
	})
}

// recordParity checks parity unless the same code was recorded before.
func (r *run) recordParity(ctx context.Context, known bool) error {
	if !known {
		return r.parity(ctx)
	}
	for _, k := range r.kernels {
		k.record.Parity = result.Parity{Status: result.ParityOff, Reason: "checked when this code was first recorded"}
	}
	return nil
}

// known returns the records' bases of all cases by name, nil if code of any case has no record that may be compared with.
func (r *run) known(h baseline.History) map[string]*baseline.Base {
	out := map[string]*baseline.Base{}
	for _, k := range r.kernels {
		for _, c := range k.plan.Measured {
			b, _ := h.Base(r.headNow(h, k, c))
			if b == nil {
				return nil
			}
			out[c.Name()] = b
		}
	}
	return out
}

// headNow is what a run knows of a case of head.
func (r *run) headNow(h baseline.History, k *kernelRun, c plan.Case) baseline.Now {
	now := r.newScreening(h).now(c.Name(), k)
	now.Fingerprint = k.head.Fingerprint
	return now
}

func (r *run) recordSubjects(known map[string]*baseline.Base) []measure.AloneSubject {
	var out []measure.AloneSubject
	for _, k := range r.kernels {
		if k.record.Status != result.KernelNew {
			continue // does not build, or is wrong
		}
		for _, c := range k.plan.Measured {
			a := measure.AloneSubject{Subject: subject(k, c), Processes: baseline.RecordProcesses}
			if b := known[c.Name()]; b != nil {
				a.Method, a.WarmUpNS, a.Processes = &b.Case.Method, b.Found.Record.WarmUp.NS, baseline.FurtherProcesses
			}
			out = append(out, a)
		}
	}
	return out
}

// fileAlone puts what was measured of head alone into the result.
func (r *run) fileAlone(out measure.Outcome) {
	r.res.WarmUp = out.WarmUp
	r.res.Notes = append(r.res.Notes, out.Notes...)
	for _, k := range r.kernels {
		if k.record.Status != result.KernelNew {
			continue
		}
		for _, planned := range k.plan.Measured {
			a := out.Case(planned.Name())
			c := result.Case{
				Name: planned.Name(), Kernel: k.record.Name, Params: params(planned), Verdict: result.New, Reason: a.Reason,
				Method: a.Method, Flops: a.Flops, Bytes: a.Bytes, Head: a.Summary(result.SideHead), Processes: a.Processes,
			}
			if a.Verdict == result.Error {
				c.Verdict = result.Error // of no side: there is only one
			}
			k.cases = append(k.cases, c)
		}
	}
}

// wanted says whether a record of head would add something, and why.
func (r *run) wanted(h baseline.History) (bool, string) {
	for _, k := range r.kernels {
		for _, c := range k.plan.Measured {
			if wanted, why := h.Wanted(r.headNow(h, k, c)); wanted {
				return true, c.Name() + ": " + why
			}
		}
	}
	return false, "every case has records enough on this machine: nothing to do"
}
