package pipeline

import (
	"context"
	"fmt"

	"github.com/org/perfgate/gate"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
)

// ParityOnly narrows a run that only checks parity.
type ParityOnly struct {
	Case  string // one case of the one kernel; "" draws from the plan
	Cases int    // how many to draw; 0 is the configuration's
}

// CheckParity builds and checks parity, without timing anything. The result holds kernels and a conclusion, no cases.
// Base is built only where Options name it.
func CheckParity(ctx context.Context, opt Options, only ParityOnly) (*result.Result, error) {
	r, err := newRun(opt)
	if err != nil {
		return nil, err
	}
	for _, k := range r.kernels {
		if err := k.narrow(only, opt.Seed); err != nil {
			return nil, err
		}
	}
	defer r.closeDevice()
	if err := r.build(ctx); err != nil {
		return nil, err
	}
	if err := r.parityAlone(ctx, only); err != nil {
		return nil, err
	}
	for _, k := range r.kernels {
		r.res.Kernels = append(r.res.Kernels, k.record)
	}
	r.res.Conclusion = gate.ConcludeParity(r.res.Kernels)
	return r.res, nil
}

// parityAlone leaves a GPU that somebody measures on to them. A core of the CPU is enough to share it.
func (r *run) parityAlone(ctx context.Context, only ParityOnly) error {
	if r.device.gpu != nil {
		lock, err := r.lock(ctx)
		if err != nil {
			return err
		}
		defer lock.Release()
	}
	if err := r.refuseToCheck(); err != nil {
		return err
	}
	if err := r.parity(ctx); err != nil {
		return err
	}
	if only.Case == "" {
		if err := r.refusedCases(ctx, false); err != nil {
			return err
		}
	}
	return r.sanitize(ctx, only)
}

// refuseToCheck leaves kernels alone that run refuses as well: shown one GPU, what wants several would only look wrong.
func (r *run) refuseToCheck() error {
	for _, k := range r.kernels {
		if k.record.Status != "" && k.record.Status != result.KernelNew {
			continue
		}
		if err := k.refuseSeveralGPUs(); err != nil {
			return err
		}
		if k.record.Status == result.KernelError {
			k.record.Parity = result.Parity{Status: result.ParityError, ErrorSide: result.SideBoth, Reason: k.record.Reason}
		}
	}
	return nil
}

// narrow fixes which cases parity runs.
func (k *kernelRun) narrow(only ParityOnly, seed uint64) error {
	if only.Cases > 0 {
		k.plan.Kernel.Parity.Cases = only.Cases
	}
	if only.Case == "" {
		return nil
	}
	c, err := plan.ParseCase(k.plan.Kernel, only.Case)
	if err != nil {
		return &CaseError{err}
	}
	k.fuzz = plan.Replay(c, seed)
	return nil
}

// CaseError says that a case which the caller named makes no sense.
type CaseError struct{ err error }

func (e *CaseError) Error() string { return fmt.Sprintf("--case: %v", e.err) }

func (e *CaseError) Unwrap() error { return e.err }

// fuzzCases are the cases that parity runs.
func (k *kernelRun) fuzzCases(seed uint64) []plan.FuzzCase {
	if k.fuzz != nil {
		return k.fuzz
	}
	return plan.Fuzz(k.plan.Kernel, seed, k.plan.Kernel.Parity.Cases)
}
