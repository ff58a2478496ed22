package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/checkout"
	"github.com/org/perfgate/kernels/observe"
)

// askLimit is how long base may take to launch one case where nothing is timed.
const askLimit = 3 * time.Minute

// askedToRun is what base's process asks for that runs every measured case and decides nothing: of a benchmark what builds it, its first run, and what
// launches its cases where that did not. why is set where that is not known.
func (m *measuring) askedToRun(ctx context.Context, k Kernel) (asked observe.Report, why string, err error) {
	if k.Plan.Kernel.Bench == nil {
		return m.askedByBase(ctx, k)
	}
	asked, why, err = newProgram(k, m.runners, m.opt).askedToLaunch(ctx, result.SideBase)
	return observe.Union(k.askedFirst(), asked), why, err
}

// lists says whether the first run of a kernel's benchmark launched nothing.
func (k Kernel) lists() bool {
	if k.Plan.Kernel.Bench == nil {
		return false
	}
	format, _ := benchmark.Named(k.Plan.Kernel.Bench.Format)
	return format.Traits().Lists
}

// askedToLaunch is what a process of a side asks for that launches every case which is timed, where its first run only listed them: it is asked how to time
// them. why is set where it does not launch all of them.
func (p *program) askedToLaunch(ctx context.Context, side result.Side) (asked observe.Report, why string, err error) {
	if !p.kernel.lists() {
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
func (m *measuring) loadedElsewhere(k Kernel, asked observe.Report) (*elsewhere, error) {
	base, head := m.opt.Base, m.opt.Head
	if k.Plan.Kernel.Bench != nil {
		base, head = k.Base.Bench, k.Head.Bench
	}
	o, err := m.opt.owner(base, head)
	if err != nil {
		return nil, err
	}
	o.built = k.Base.Began
	_, others := o.loadedFiles(asked)
	scratch, err := checkout.RealPath(m.opt.Scratch)
	if err != nil {
		return nil, err
	}
	others = slices.DeleteFunc(others, func(path string) bool { _, ok := below(scratch, path); return ok })
	return o.fromElsewhere(others)
}

// askedByBase observes a process of base that sets up and launches every measured case, and finds nothing compiled by another. why is set where it does
// not get that far: the rounds will say more.
func (m *measuring) askedByBase(ctx context.Context, k Kernel) (asked observe.Report, why string, err error) {
	caches, err := os.MkdirTemp(m.opt.Scratch, "observed-")
	if err != nil {
		return asked, "", fmt.Errorf("make a folder for what an observed process compiles: %w", err)
	}
	defer os.RemoveAll(caches)
	l := m.runners.of(k)
	r, err := l.begin(ctx, func() (kernels.RunnerSpec, error) {
		s, err := l.spec(k.Base.Library.Path)
		s.Observe = &observe.Options{Own: nonEmpty(caches, m.opt.Cache, filepath.Dir(m.runners.harness)), Caches: observe.SharedCaches(os.Environ())}
		s.Caches = caches
		return s, err
	})
	var fault *kernels.RunnerError
	if errors.As(err, &fault) {
		return asked, "base's process, which was to be observed, did not start: " + fault.Error(), nil
	}
	if err != nil {
		return asked, "", err
	}
	if err = m.launchAll(ctx, r, k); err == nil {
		r.AtEnd(ctx)
	}
	r.Close()
	if errors.As(err, &fault) {
		return asked, "base does not launch every case while it is observed: " + fault.Error(), nil
	}
	return r.Observed(), "", err
}

// launchAll sets up and launches every measured case of a kernel, as what times them does.
func (m *measuring) launchAll(ctx context.Context, r *kernels.Runner, k Kernel) error {
	for _, c := range k.Plan.Measured {
		args := map[string]any{"case": c.Spec()}
		if err := r.Call(ctx, "spec", c.Name(), args, new(kernels.SpecReply), askLimit); err != nil {
			return err
		}
		args["seed"], args["cache"] = strconv.FormatUint(m.opt.Seed, 10), k.Plan.Kernel.Cache
		if err := r.Call(ctx, "probe", c.Name(), args, new(kernels.ProbeReply), askLimit); err != nil {
			return err
		}
	}
	return nil
}
