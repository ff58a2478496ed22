package pipeline

import (
	"context"

	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// identical ends a kernel whose timing could only show noise: its sides are built to the same code, and all that base's code asks for while it runs is the
// same on head. So it does one whose base does not run what its tree has. nil means that it is timed.
func (m *measuring) identical(ctx context.Context, k Kernel, a *Account) (*result.Kernel, error) {
	if !m.opt.sameCode(k, m.runners.device.target) {
		return nil, nil
	}
	why := m.opt.questionChanged(k)
	if why != "" {
		why = "head changes " + why
	} else {
		input, other, err := m.otherInput(ctx, k)
		if err != nil {
			return nil, err
		}
		if other != nil {
			found := other.why()
			found.Side = result.SideBase
			return k.end(result.KernelError, found), nil
		}
		why = input
	}
	if why != "" {
		a.note("%s: both sides built to the same code, timed all the same: %s", k.Name(), why)
		return nil, nil
	}
	return k.end(result.KernelIdentical, &result.Why{Kind: result.WhyIdentical}), nil
}

// sameCode says whether a kernel may be left untimed at all, and its sides are built to the same code: an equal library, byte for byte. Two are told
// apart by their fingerprints: an adapter in Python, which is that of its files, and a library for a GPU, since nvcc writes digests of a source's text,
// comments included, into names of functions.
func (o Options) sameCode(k Kernel, target kernels.Target) bool {
	if _, always := k.asksRounds(); always || o.NoSkip || k.Plan.Kernel.Bench != nil || k.Base.Library.Fingerprint != k.Head.Library.Fingerprint {
		return false
	}
	return kernels.IsHosted(k.Head.Library.Path) || target.IsCUDA() || equalFiles(k.Base.Library.Path, k.Head.Library.Path)
}

// questionChanged says what head changes, for both sides, of what gives a kernel's cases their meaning: then equal code is
// no reason to look away.
func (o Options) questionChanged(k Kernel) string {
	t := o.Trusted
	switch {
	case t.Trust != repo.TrustWorktree:
		return "" // head's own are not used
	case t.ChangesAdapter(k.Plan.Kernel.Adapter):
		return "its adapter"
	case t.Base != nil && t.Base.CaseHash(k.Name()) != t.Config.CaseHash(k.Name()):
		return "its configuration"
	}
	return ""
}
