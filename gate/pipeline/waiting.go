package pipeline

import (
	"context"
	"fmt"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/measure"
	"github.com/org/perfgate/gate/parity"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// baseCanWait says whether base's build of a kernel can wait until something needs it: records of all its cases were made of
// equal inputs, so that what it would come to is known. Then base's record and library have no more than that.
func (r *run) baseCanWait(ctx context.Context, k *kernelRun) bool {
	if !r.recordsCount() || r.config.Baseline.Mode == config.BaselinePaired {
		return false
	}
	inputs, err := r.builder.Inputs(ctx, r.spec(k.plan.Kernel, r.opt.Base))
	if err != nil || inputs == "" || r.builder.Built(inputs) {
		return false // building says what is wrong, or costs nothing
	}
	h, err := r.records(ctx)
	if err != nil {
		return false
	}
	var known *baseline.Case
	state := r.newScreening(h).state
	for _, c := range k.plan.Measured {
		found := h.Built(baseline.Now{State: state, Case: c.Name(), ConfigHash: r.config.CaseHash(c.Kernel)}, inputs)
		if found == nil || known != nil && (found.Fingerprint != known.Fingerprint || found.Libraries != known.Libraries) {
			return false
		}
		known = found
	}
	if known == nil {
		return false
	}
	k.record.Base = &result.Build{Fingerprint: known.Fingerprint, Inputs: inputs, Libraries: known.Libraries, NotBuilt: true}
	k.base = kernels.Library{Fingerprint: known.Fingerprint, Inputs: inputs}
	return true
}

func (k *kernelRun) baseWaits() bool { return k.record.Base != nil && k.record.Base.NotBuilt }

// librariesOf names what a library needs; "" is never equal to what a record holds.
func (r *run) librariesOf(lib kernels.Library) string {
	libraries, err := kernels.LibrariesFingerprint(lib.Path)
	if err != nil {
		return ""
	}
	return libraries
}

// buildBase builds the base that has waited. Its fault is in the kernel's record; the error is ours or the machine's.
func (r *run) buildBase(ctx context.Context, k *kernelRun) error {
	r.progress(Progress{Stage: StageBuild, What: k.record.Name + " (base)"})
	record, lib, err := r.buildSide(ctx, k.plan.Kernel, r.opt.Base)
	if err != nil {
		return err
	}
	if recorded := k.base.Fingerprint; !record.Failed && recorded != record.Fingerprint {
		r.res.Notes = append(r.res.Notes, fmt.Sprintf("%s: base built to other code than its record of equal inputs has, so the build is not reproducible or a library has changed", k.record.Name))
	}
	k.record.Base, k.base = record, lib
	r.judgeBuilds(k, "")
	return nil
}

// parityBase is the base that parity may ask without building it: head's own library where both are the same code.
func (k *kernelRun) parityBase() string {
	if k.baseWaits() && k.base.Fingerprint == k.head.Fingerprint {
		return k.head.Path
	}
	return k.base.Path
}

// parityWantsBase says whether an outcome that was found without base may be another with it.
func (k *kernelRun) parityWantsBase(out result.Parity) bool {
	return k.baseWaits() && k.parityBase() == "" && !parity.ExactWithoutBase(out)
}

// withBases builds the bases of subjects that rounds are for, and drops subjects whose base does not build.
func (r *run) withBases(ctx context.Context, subjects []measure.Subject, byName map[string]*kernelRun) ([]measure.Subject, error) {
	var out []measure.Subject
	for _, subject := range subjects {
		k := byName[subject.Name]
		if k.baseWaits() {
			if err := r.buildBase(ctx, k); err != nil {
				return nil, err
			}
		}
		if k.record.Base.Failed {
			k.cases = nil // the kernel's reason says it all
			continue
		}
		subject.Base = k.base.Path
		out = append(out, subject)
	}
	return out, nil
}
