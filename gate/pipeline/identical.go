package pipeline

import (
	"fmt"

	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// identical says whether timing the two sides could only show noise.
func (m *measuring) identical(k Kernel, a *Account) (bool, error) {
	if _, always := k.asksRounds(); always || m.opt.NoSkip || k.Plan.Kernel.Bench != nil || k.Base.Library.Fingerprint != k.Head.Library.Fingerprint {
		return false, nil
	}
	const all = "%s: both sides built to the same code, timed all the same: "
	if what := m.questionChanged(k); what != "" {
		a.note(all+"head changes %s", k.Name(), what)
		return false, nil
	}
	if kernels.IsHosted(k.Head.Library.Path) {
		why, err := m.otherPython(k)
		if why != "" {
			a.note(all+"%s", k.Name(), why)
		}
		return err == nil && why == "", err
	}
	reader, err := kernels.ReadsAtRunTime(k.Head.Library.Path)
	if err != nil {
		return false, err
	}
	if reader != "" {
		if other := m.otherInput(k, nil); other != "" {
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

// otherInput is what a kernel could read while it runs and that is not known to be the same on both sides, "" for nothing.
func (m *measuring) otherInput(k Kernel, leftOut func(file string) bool) string {
	if k.Plan.Kernel.Build != nil {
		return "what its build command leaves behind, which is not compared"
	}
	return otherFile(m.opt, leftOut)
}

// otherPython says why two adapters in Python of one fingerprint are not the same code for sure: what both read and compiled in the parity
// check is compared too. Before anything ran (perfgate touched) only a change of no file at all is none.
func (m *measuring) otherPython(k Kernel) (string, error) {
	if k.Parity.Status == result.ParityOff {
		return "parity is off, so it is not known what it imports and compiles when it runs", nil
	}
	run, err := kernels.RunOf(k.Base.Library, k.Head.Library)
	if err != nil {
		return "", err
	}
	var leftOut func(file string) bool
	if p := k.Parity; p.Status == result.ParityPassed && p.Run >= len(k.Plan.Measured) && p.TooLarge == 0 && p.Reason == "" && p.Why == nil {
		leftOut = run.LeftOut // every measured case was launched on both sides: they are the first that parity draws
	}
	if other := m.otherInput(k, leftOut); other != "" {
		return "it may read " + other + startsWords(run.Programs), nil
	}
	if other := run.Differs(); other != "" {
		return "when it ran, its sides differed in " + other, nil
	}
	return "", nil
}

// startsWords say why any file may have been read.
func startsWords(programs []string) string {
	if len(programs) == 0 {
		return ""
	}
	return fmt.Sprintf(" (it starts %q, which may read any file)", programs)
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
