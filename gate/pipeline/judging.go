package pipeline

import (
	"context"

	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
)

// judge is the library that says what head's outputs should be: base's, where base rules and has the kernel. Then a change of head
// cannot touch the specification, the inputs, the reference or the comparison. Where both sides are the same code there is
// nothing to keep apart. "" lets head's library judge itself.
func (r *run) judge(k *kernelRun) string {
	if !r.wantsJudge(k) {
		return ""
	}
	return k.base.Path
}

// timedJudge judges timed outputs likewise. Without parity nobody has said that what head computes can be held against base's word.
func (r *run) timedJudge(k *kernelRun) string {
	if k.record.Parity.Status != result.ParityPassed {
		return ""
	}
	return r.judge(k)
}

func (r *run) wantsJudge(k *kernelRun) bool {
	return r.opt.Trusted.Trust == repo.TrustBase && k.record.Base != nil && !k.record.Base.Failed && k.base.Fingerprint != k.head.Fingerprint
}

// buildJudge builds a base that has waited, where it is to judge.
func (r *run) buildJudge(ctx context.Context, k *kernelRun) error {
	if !r.wantsJudge(k) || !k.baseWaits() {
		return nil
	}
	return r.buildBase(ctx, k)
}
