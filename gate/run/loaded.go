package run

import (
	"fmt"
	"slices"

	"github.com/org/perfgate/gate/identity"
	"github.com/org/perfgate/gate/measure"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/checkout"
	"github.com/org/perfgate/kernels/observe"
)

// elsewhere ends a kernel one side of which did not run what its own tree has, as the first run of its benchmark showed. It is a *checkout.Lead where base's
// policy counts and base's process asked for something of head or of the checkout.
func (f *finding) elsewhere(k Kernel) (*result.Kernel, error) {
	for _, side := range bothSides {
		first := k.First.Of(side)
		if first.Lived == 0 {
			continue
		}
		o, err := f.opt.owner(k, side)
		if err != nil {
			return nil, err
		}
		if side == result.SideBase && f.opt.Trusted.AsksBase() {
			if lead := f.leads(k, o, first.Asked); lead != nil {
				return nil, lead
			}
		}
		own, others := o.LoadedFiles(first.Asked)
		why, err := f.ranElsewhere(k, o, first, own, others)
		if err != nil {
			return nil, err
		}
		if why != nil {
			why.Side = side
			return k.end(result.KernelError, why), nil
		}
		if k.ranStale(o, side, own) {
			return f.workshop.judge(k, ""), nil
		}
	}
	return nil, nil
}

// owner is the side of a kernel's process, beside the other one.
func (o Question) owner(k Kernel, side result.Side) (identity.Owner, error) {
	var r identity.RealPaths
	b, other := k.build(side), k.Head
	if side == result.SideHead {
		other = k.Base
	}
	out := identity.Owner{Installed: o.Trusted.Config.Installed, Tree: r.Of(b.Runs.Tree), Root: r.Of(b.Runs.root()), Built: b.Began}
	for _, folder := range nonEmpty(other.Runs.Tree, o.Base.Tree, o.Head.Tree, o.Desk) {
		if folder = r.Of(folder); folder != out.Tree {
			out.Others = append(out.Others, folder)
		}
	}
	if e := o.environmentConfig(k.Plan.Kernel, b.Runs); b.Environment != nil && e != nil && (side == result.SideBase || !o.sharesEnvironment(k.Plan.Kernel)) {
		out.Environment, out.Inputs = b.Environment.Folder, e.Inputs
	}
	if !k.OwnBenchmarks && o.Base.Tree != "" {
		out.Shared = k.Plan.Kernel.Files
	}
	return out, r.Err
}

// leads is what base's process asked for in folders that a change could write to; nil where that is nothing.
func (f *finding) leads(k Kernel, o identity.Owner, asked observe.Report) error {
	var folders []string
	var r identity.RealPaths
	_, ours := identity.Below(r.Of(f.opt.Scratch), o.Root)
	for _, folder := range nonEmpty(f.opt.Head.root(), k.Head.Runs.root(), checkout.Around(f.opt.Checkout)) {
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

// ranElsewhere says why a process of a side, which loaded own files and others, did not run what its tree has; nil where it did, or where that was not seen.
// A person may answer for it that of head's change nothing is compared but what both sides share.
func (f *finding) ranElsewhere(k Kernel, o identity.Owner, run measure.ProgramRun, own, others []string) (*result.Reason, error) {
	found, err := o.FromElsewhere(others)
	switch hidden := hides(run.Asked); {
	case err != nil:
		return nil, fmt.Errorf("find what %s has built: %w", k.Name(), err)
	case found != nil:
		return ofElsewhere(found), nil
	case hidden != nil:
		f.unseen = append(f.unseen, fmt.Sprintf("%s (%s)", k.Name(), hidden))
	case o.RanOwn(own), slices.ContainsFunc(k.Uncompared, func(u result.Uncompared) bool { return u.Reason.Kind == result.ReasonBenchmarkFiles && u.Approved }):
	case len(run.Asked.Incomplete) > 0: // what was asked of the tree may be done elsewhere, or be kept from another run
		f.unseen = append(f.unseen, fmt.Sprintf("%s (%s)", k.Name(), run.Asked.Incomplete[0]))
	case !run.Launched: // it imported, and ran nothing
		f.unseen = append(f.unseen, k.Name()+" (it was only asked which cases it has)")
	default:
		return &result.Reason{Kind: result.ReasonRanNothing}, nil
	}
	return nil, nil
}

// loadedElsewhere is what base's process loaded in place of what its tree has, when it launched the cases. What perfgate keeps of a build is the tree's.
func (m *measuring) loadedElsewhere(k Kernel, asked observe.Report) (*identity.Elsewhere, error) {
	o, err := m.opt.owner(k, result.SideBase)
	if err != nil {
		return nil, err
	}
	_, others := o.LoadedFiles(asked)
	scratch, err := checkout.RealPath(m.opt.Scratch)
	if err != nil {
		return nil, err
	}
	others = slices.DeleteFunc(others, func(path string) bool { _, ok := identity.Below(scratch, path); return ok })
	return o.FromElsewhere(others)
}

func ofElsewhere(e *identity.Elsewhere) *result.Reason {
	return &result.Reason{Kind: result.ReasonElsewhere, Name: e.Own, Names: []string{e.Name}, Message: e.Loaded}
}

// beyondFiles are reasons that hide no file which the processes themselves loaded.
var beyondFiles = []observe.ReasonKind{observe.SharedCache, observe.SharedMemory, observe.Connections}

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
	a.note("not checked, since not all that they asked for was seen: whether each side ran what its own tree has: %s", listed(unseen))
}
