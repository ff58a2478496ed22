package pipeline

import (
	"bytes"
	"context"

	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/untrusted"
	"github.com/org/perfgate/kernels"
)

// identical says whether timing the two sides could only show noise: they are built to the same code, and all that base's code asks for while it runs
// is the same on head.
func (m *measuring) identical(ctx context.Context, k Kernel, a *Account) (bool, error) {
	same, err := m.sameCode(k)
	if err != nil || !same {
		return false, err
	}
	why := m.questionChanged(k)
	if why != "" {
		why = "head changes " + why
	} else if why, err = m.otherInput(ctx, k); err != nil {
		return false, err
	}
	if why != "" {
		a.note("%s: both sides built to the same code, timed all the same: %s", k.Name(), why)
	}
	return why == "", nil
}

// sameCode says whether a kernel may be left untimed at all, and its sides are built to the same code: an equal library, byte for byte. Two are told
// apart by their fingerprints: an adapter in Python, which is that of its files, and a library for a GPU, since nvcc writes digests of a source's text,
// comments included, into names of functions.
func (m *measuring) sameCode(k Kernel) (bool, error) {
	if _, always := k.asksRounds(); always || m.opt.NoSkip || k.Plan.Kernel.Bench != nil || k.Base.Library.Fingerprint != k.Head.Library.Fingerprint {
		return false, nil
	}
	if kernels.IsHosted(k.Head.Library.Path) || m.onGPU() {
		return true, nil
	}
	was, err := untrusted.Read(k.Base.Library.Path, mostComparedBytes)
	if err != nil {
		return false, err
	}
	is, err := untrusted.Read(k.Head.Library.Path, mostComparedBytes)
	return bytes.Equal(was, is), err
}

func (m *measuring) onGPU() bool { return m.runners != nil && m.runners.device.target.IsCUDA() }

// compilesAlike is what compiling alone can say of it, where nothing can be run: by what a library imports, and what lies beside it.
func (m *measuring) compilesAlike(k Kernel, a *Account) (bool, error) {
	same, err := m.sameCode(k)
	if err != nil || !same || m.questionChanged(k) != "" {
		return false, err
	}
	const all = "%s: both sides built to the same code, to be measured all the same: "
	reader, err := kernels.ReadsAtRunTime(k.Head.Library.Path)
	if err != nil {
		return false, err
	}
	if reader != "" {
		other := "what its build command leaves behind, which is not compared"
		if k.Plan.Kernel.Build == nil {
			other = otherFile(m.opt, nil)
		}
		if other != "" {
			a.note(all+"it imports %s, so it may read %s", k.Name(), reader, other)
			return false, nil
		}
	}
	if file := m.besideFile(k); file != "" {
		a.note(all+"it may read %s, which lies beside it and differs", k.Name(), file)
		return false, nil
	}
	return true, nil
}

// questionChanged says what head changes, for both sides, of what gives a kernel's cases their meaning: then equal code is
// no reason to look away.
func (m *measuring) questionChanged(k Kernel) string {
	t := m.opt.Trusted
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
