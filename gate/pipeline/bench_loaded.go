package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/identity"
	"github.com/org/perfgate/gate/program"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/checkout"
	"github.com/org/perfgate/kernels/observe"
)

// elsewhere ends a kernel one side of which did not run what its own tree has, as its first run showed. It is a *checkout.Lead where base's policy
// counts and base's process asked for something of head or of the checkout.
func (f *finding) elsewhere(k Kernel) (*result.Kernel, error) {
	for _, side := range []result.Side{result.SideBase, result.SideHead} {
		b, other := k.Base, k.Head
		if side == result.SideHead {
			b, other = k.Head, k.Base
		}
		first := k.First.Of(side)
		if first.Lived == 0 {
			continue
		}
		o, err := f.ownerOf(k, b, other)
		if err != nil {
			return nil, err
		}
		if side == result.SideBase && f.opt.Trusted.AsksBase() {
			if lead := f.leads(k, o, first.Asked); lead != nil {
				return nil, lead
			}
		}
		why, err := f.ranElsewhere(k, o, first)
		if err != nil {
			return nil, err
		}
		if why != nil {
			why.Side = side
			return k.end(result.KernelError, why), nil
		}
	}
	return nil, nil
}

// ownerOf is the side of a benchmark's process.
func (f *finding) ownerOf(k Kernel, b, other Build) (o identity.Owner, err error) {
	if o, err = f.opt.owner(b.Runs, other.Runs); err != nil {
		return o, err
	}
	o.Built = b.Began
	if !k.OwnBenchmarks && f.opt.Base.Tree != "" {
		o.Shared = k.Plan.Kernel.Files
	}
	return o, nil
}

// owner is a side of which nothing was built, beside the other one.
func (o Options) owner(side, other Side) (identity.Owner, error) {
	var r identity.RealPaths
	out := identity.Owner{Installed: o.Trusted.Config.Installed, Tree: r.Of(side.Tree), Root: r.Of(side.root())}
	for _, folder := range nonEmpty(other.Tree, o.Base.Tree, o.Head.Tree, o.Desk) {
		if folder = r.Of(folder); folder != out.Tree {
			out.Others = append(out.Others, folder)
		}
	}
	return out, r.Err
}

// leads is what base's process asked for in folders that a change could write to; nil where that is nothing.
func (f *finding) leads(k Kernel, o identity.Owner, asked observe.Report) error {
	var folders []string
	var r identity.RealPaths
	_, ours := identity.Below(r.Of(f.opt.Scratch), o.Root)
	for _, folder := range nonEmpty(f.opt.Head.root(), k.Head.Runs.root(), repo.Checkout(f.opt.Checkout)) {
		real, err := checkout.RealPath(folder)
		_, around := identity.Below(real, o.Root)
		if err == nil && (!around || ours) { // who looks for settings looks in the folders around its own
			folders = append(folders, real)
		}
	}
	if path := o.OfCheckout(asked, folders...); path != "" {
		return &checkout.Lead{Name: "the benchmark of kernel " + k.Name(), Path: path}
	}
	return nil
}

// ranElsewhere says why a process of a side did not run what its tree has; nil where it did, or where that was not seen.
func (f *finding) ranElsewhere(k Kernel, o identity.Owner, run program.Run) (*result.Reason, error) {
	asked := run.Asked
	own, others := o.LoadedFiles(asked)
	found, err := o.FromElsewhere(others)
	switch {
	case err != nil:
		return nil, fmt.Errorf("look for what %s has built: %w", k.Name(), err)
	case found != nil:
		return ofElsewhere(found), nil
	case hides(asked) != nil:
		f.unseen = append(f.unseen, fmt.Sprintf("%s (%s)", k.Name(), hides(asked)))
	case o.RanOwn(own) || k.approved():
	case len(asked.Incomplete) > 0: // what was asked of the tree may be done elsewhere, or be kept from another run
		f.unseen = append(f.unseen, fmt.Sprintf("%s (%s)", k.Name(), asked.Incomplete[0]))
	case !run.Launched: // it imported, and ran nothing
		f.unseen = append(f.unseen, k.Name()+" (it was only asked which cases it has)")
	default:
		return &result.Reason{Kind: result.ReasonRanNothing}, nil
	}
	return nil, nil
}

// approved says that a person answers for it that of head's change nothing is compared but what both sides share.
func (k Kernel) approved() bool {
	return slices.ContainsFunc(k.Uncompared, func(u result.Uncompared) bool { return u.Reason.Kind == result.ReasonBenchmarkFiles && u.Approved })
}

// beyondFiles are reasons that hide no file which the processes themselves loaded.
var beyondFiles = []observe.ReasonKind{observe.SharedCache, observe.SharedMemory, observe.Connections}

func ofElsewhere(e *identity.Elsewhere) *result.Reason {
	return &result.Reason{Kind: result.ReasonElsewhere, Name: e.Own, Names: []string{e.Name}, Message: e.Loaded}
}

// hides is why files may have been loaded that a report does not have; nil where it has all.
func hides(asked observe.Report) *observe.Reason {
	at := slices.IndexFunc(asked.Incomplete, func(r observe.Reason) bool { return !slices.Contains(beyondFiles, r.Kind) })
	if at < 0 {
		return nil
	}
	return &asked.Incomplete[at]
}

// isUnobserved says whether processes could not be observed at all.
func isUnobserved(asked observe.Report) bool {
	return slices.ContainsFunc(asked.Incomplete, func(r observe.Reason) bool { return r.Kind == observe.NotObserved })
}

// noteNotChecked says once of which kernels it is not known whether each side ran what its tree has, and why.
func (a *Account) noteNotChecked(unseen ...string) {
	if len(unseen) == 0 {
		return
	}
	slices.Sort(unseen)
	a.note("not checked, since not all that they asked for was seen: whether each side ran what its own tree has: %s", strings.Join(slices.Compact(unseen), ", "))
}
