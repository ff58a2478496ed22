package run

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/identity"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/observe"
)

// identical ends a kernel whose timing could only show noise, by one of the proofs of docs/identity.md: nothing that base asked for differs on head. So it
// does one whose base does not run what its tree has. nil means that it is timed. It decides as well whether what both sides share is all of head's change.
func (m *measuring) identical(ctx context.Context, k *Kernel, a *Account) (*result.Kernel, error) {
	r := m.runner(*k)
	c := r.claim(*k)
	t, err := m.workshop.treesOf(*k, c.libraries)
	if err != nil {
		return nil, err
	}
	c = m.claimed(c, *k, t)
	shared := m.workshop.leftOut[k.Name()]
	if shared.epoch() != nil { // the report has the level before and after, whatever changed
		c.proof = ""
	}
	if c.against != "" || c.proof == "" {
		a.noteTimed(*k, c)
		if k.Environment == nil && !c.unobserved && (len(shared.parts) == 0 || c.proof == "" && !c.showsShared) {
			return nil, nil
		}
		c.proof = ""
	}
	asked, why, err := r.observed(ctx, *k, result.SideBase)
	if err != nil || why != "" {
		a.noteTimed(*k, c.not(why))
		return nil, err
	}
	m.workshop.uses.add(k.Name(), true, asked, cmp.Or(t.Kept.Base, k.Base.Runs.Tree))
	if ended, err := m.endedElsewhere(k, asked, a); ended != nil || err != nil {
		return ended, err
	}
	asked = observe.Union(c.built, asked)
	m.decideShared(k, shared, t, asked)
	if k.Environment != nil {
		return nil, m.attribute(k, t, asked)
	}
	differs := t.FirstDiffering(asked)
	switch {
	case c.proof == "":
		return nil, nil
	case differs == nil:
		return k.end(result.KernelIdentical, &result.Reason{Kind: c.proof}), nil
	case c.sameCode || differs.Kind != identity.OtherContent: // else it is what head's change is about
		a.noteTimed(*k, c.not(differs.String()))
	}
	return nil, nil
}

// endedElsewhere ends a kernel whose base does not run what its tree has. nil means that it does, or that its first run was checked.
func (m *measuring) endedElsewhere(k *Kernel, asked observe.Report, a *Account) (*result.Kernel, error) {
	if k.First.Base.Launched {
		return nil, nil
	}
	other, err := m.loadedElsewhere(*k, asked)
	if err != nil {
		return nil, err
	}
	if other != nil {
		why := ofElsewhere(other)
		why.Side = result.SideBase
		return k.end(result.KernelError, why), nil
	}
	if isUnobserved(asked) && !asked.Loaded {
		a.noteNotChecked(fmt.Sprintf("%s (%s)", k.Name(), hides(asked)))
	}
	return nil, nil
}

// attribute says whether a kernel can have changed by its environment alone: whether nothing differs of the repository that base asked for.
func (m *measuring) attribute(k *Kernel, t identity.Trees, asked observe.Report) error {
	files, listed, err := m.workshop.changedInputs(k.Plan.Kernel)
	if err != nil {
		return err
	}
	for _, file := range files {
		if name, ok := identity.Below(t.Before.Base.Root, filepath.Join(t.Tree, file)); ok {
			t.LeftOut = append(t.LeftOut, name)
		}
	}
	only := *k.Environment
	only.Only = listed && t.FirstDiffering(asked) == nil
	k.Environment = &only
	return nil
}

// treesOf are the trees of a kernel's sides, whose processes load libraries.
func (w *workshop) treesOf(k Kernel, libraries identity.Pair) (t identity.Trees, err error) {
	var r identity.RealPaths
	t = identity.Trees{
		Before: w.before, Ran: w.ran, Tree: r.Of(w.Base.Tree),
		Base: []string{r.Of(w.Base.root()), r.Of(k.Base.Runs.root())}, Head: []string{r.Of(w.Head.root()), r.Of(k.Head.Runs.root())},
		Checkout: r.Of(w.Checkout), Scratch: r.Of(w.Scratch),
	}
	if libraries.Base != "" {
		t.Library = r.Of(libraries.Base)
		t.Kept = identity.Pair{Base: r.Of(kernels.Besides(libraries.Base)), Head: r.Of(kernels.Besides(libraries.Head))}
	}
	return t, r.Err
}

// claim is a proof that a kernel's sides may be the same.
type claim struct {
	libraries identity.Pair // of perfgate's, that the processes of both sides load; "" where they load none
	// showsShared says whether what base's process asks for tells that nothing was compared but what both sides share.
	showsShared bool

	proof    result.ReasonKind // "" is none
	sameCode bool
	// ownCompile says that perfgate compiled both sides, so that their code differs as a rule where their files do.
	ownCompile bool
	built      observe.Report // what base's build and the first run of its benchmark asked for, where the proof needs it
	against    string         // why the kernel is timed all the same
	// unobserved says that the proof fails since nothing could be observed here: what base loads is looked for all the same, where no first run was.
	unobserved bool
}

func (c claim) not(why string) claim {
	c.against = why
	return c
}

// noteTimed says why a kernel is timed whose sides may be the same.
func (a *Account) noteTimed(k Kernel, c claim) {
	switch {
	case c.against == "" || c.proof == "":
	case c.sameCode:
		a.note("%s: both sides built to the same code, timed all the same: %s", k.Name(), c.against)
	default:
		a.note("%s: not proved to be the same on both sides, so timed: %s", k.Name(), c.against)
	}
}

// claimed is the claim of a kernel's sides, as far as it stands before a process is run for it.
func (m *measuring) claimed(c claim, k Kernel, t identity.Trees) claim {
	none := claim{showsShared: c.showsShared}
	if k.Environment != nil { // what processes ask for there differs
		return claim{built: observe.Union(k.askedFirst(), k.Base.Library.Asked)}
	}
	if _, always := k.asksRounds(); always || m.opt.NoSkip {
		return none
	}
	if c.proof == result.ReasonSameFiles && !c.sameCode { // before a process is run for it
		switch differs := t.FirstDiffering(c.built); {
		case differs != nil && (differs.Kind == identity.OtherContent || c.ownCompile):
			return none
		case differs != nil:
			c.unobserved = k.First.Base.Lived == 0 && isUnobserved(c.built)
			return c.not(differs.String())
		}
	}
	if changed := m.opt.questionChanged(k); c.proof != "" && changed != "" {
		c.against = "head changes " + changed
	}
	return c
}

// askedFirst is what a benchmark asked for until its first run was over.
func (k Kernel) askedFirst() observe.Report { return observe.Union(k.Base.Asked, k.First.Base.Asked) }

// observedBuild says whether it is known what made base's library: a command, or compilers that were seen to the end.
func (k Kernel) observedBuild() bool {
	lib := k.Base.Library
	return lib.Path != "" && !kernels.IsHosted(k.Head.Library.Path) && (k.Plan.Kernel.Build != nil || len(lib.Asked.Incomplete) == 0 && k.BaseAdapter == "")
}

// equalCode says whether a kernel's sides are built to the same code: an equal library, byte for byte. Two are told apart by their fingerprints: an
// adapter in Python, which is that of its files, and a library for a GPU, since nvcc writes digests of a source's text, comments included, into names of
// functions.
func equalCode(k Kernel, target kernels.Target) bool {
	if k.Base.Library.Fingerprint != k.Head.Library.Fingerprint {
		return false
	}
	return kernels.IsHosted(k.Head.Library.Path) || target.IsCUDA() || identity.EqualFiles(k.Base.Library.Path, k.Head.Library.Path)
}

// sameBenchmark says whether both sides are asked for the same by a benchmark, each of its own tree, and both have the same rows.
func (o Question) sameBenchmark(k Kernel) bool {
	return !o.recording && k.OwnBase.Record == nil &&
		k.Base.Runs.Tree == o.Base.Tree && k.Head.Runs.Tree == o.Head.Tree && !builtOtherwise(o, k.Plan.Kernel) &&
		!slices.ContainsFunc(benchmark.Match(k.First.Base.Set, k.First.Head.Set), func(p benchmark.Pair) bool {
			return k.takes(p.Case) && (p.State != benchmark.Common && p.State != benchmark.Left || p.Work)
		})
}

// questionChanged says what head changes, for both sides, of what gives a kernel's cases their meaning: then equal code is
// no reason to look away. What flags of the command line say holds for both sides alike.
func (o Question) questionChanged(k Kernel) string {
	t := o.Trusted
	switch {
	case t.Trust != repo.TrustWorktree:
		return "" // head's own are not used
	case t.ChangesAdapter(k.Plan.Kernel.Adapter):
		return "its adapter"
	case t.Base == nil || t.Head == nil:
		return ""
	case t.Head.AsksOtherwise(t.Base, k.Name()):
		return "its configuration"
	}
	return ""
}
