package pipeline

import (
	"slices"

	"github.com/org/perfgate/gate/identity"
	"github.com/org/perfgate/kernels/checkout"
	"github.com/org/perfgate/kernels/observe"
)

// askedFirst is what a benchmark asked for until its first run was over.
func (k Kernel) askedFirst() observe.Report { return observe.Union(k.Base.Asked, k.First.Base.Asked) }

// loadedElsewhere is what base's process loaded in place of what its tree has, when it launched the cases. What perfgate keeps of a build is the tree's.
func (m *measuring) loadedElsewhere(k Kernel, asked observe.Report) (*identity.Elsewhere, error) {
	o, err := m.opt.owner(k.Base.Runs, k.Head.Runs)
	if err != nil {
		return nil, err
	}
	o.Built = k.Base.Began
	_, others := o.LoadedFiles(asked)
	scratch, err := checkout.RealPath(m.opt.Scratch)
	if err != nil {
		return nil, err
	}
	others = slices.DeleteFunc(others, func(path string) bool { _, ok := identity.Below(scratch, path); return ok })
	return o.FromElsewhere(others)
}
