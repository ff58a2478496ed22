package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/identity"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/checkout"
	"github.com/org/perfgate/kernels/observe"
)

// askedToLaunch is what a process of a side asks for that launches every case which is timed, where its first run only listed them: it is asked how to time
// them. why is set where it does not launch all of them.
func (p *program) askedToLaunch(ctx context.Context, side result.Side) (asked observe.Report, why string, err error) {
	if p.kernel.First.of(side).Launched {
		return asked, "", nil
	}
	p.observe, p.afresh = true, true
	var rows []string
	for _, c := range p.kernel.Plan.Measured {
		rows = append(rows, c.Row)
	}
	done, err := p.run(ctx, side, benchmark.Ask{Mode: benchmark.Calibrate, Cases: rows}, p.limit())
	for _, c := range p.kernel.Plan.Measured {
		if err != nil {
			break
		}
		if row, fault := p.caseOf(done.Set, c.Row); fault != nil {
			err = fault
		} else if row.Method == nil {
			err = &kernels.RunnerError{Code: result.CodeNonsense, Message: c.Name() + " was not launched"}
		}
	}
	var fault *kernels.RunnerError
	if errors.As(err, &fault) {
		return asked, fmt.Sprintf("%s's benchmark does not launch every case while it is observed: %v", side, fault), nil
	}
	return done.Asked, "", err
}

// askedFirst is what a benchmark asked for until its first run was over.
func (k Kernel) askedFirst() observe.Report { return observe.Union(k.Base.Asked, k.First.base.Asked) }

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
