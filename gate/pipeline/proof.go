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

// askedFirst is what a benchmark asked for until its first run was over.
func (k Kernel) askedFirst() observe.Report { return observe.Union(k.Base.Asked, k.First.base.Asked) }

// loadedElsewhere is what an adapter's process of base loaded in place of what its tree has. What perfgate keeps of a build is the tree's.
func (m *measuring) loadedElsewhere(asked observe.Report) (*elsewhere, error) {
	o, err := m.opt.owner(m.opt.Base, m.opt.Head)
	if err != nil {
		return nil, err
	}
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
	err = m.launchAll(ctx, r, k)
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
