package run

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/oracle"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// refusedCases is a config.Errors where the configuration asks to measure a case that its adapter does not have, built with either
// side: what no change of the code mends is the configuration's fault. Where cases are to be timed, one without elements is none either.
// It comes before minutes of measuring, where parity or a parameter gives reason to ask. A benchmark's cases are those that it says it has.
func (c *checker) refusedCases(ctx context.Context, k Kernel, at *runners) error {
	if k.Plan.Kernel.IsSelfTimed() || c.only != nil {
		return nil
	}
	asked := &asked{start: at.of(k).start, runners: map[string]kernels.Process{}}
	defer asked.close()
	for _, p := range k.Plan.Measured {
		if k.Parity.Status != result.ParityError && k.Parity.Refused == 0 && !notPositive(p) {
			continue
		}
		why, err := c.refusal(ctx, asked, k, p)
		if err != nil {
			return err
		}
		if why != "" {
			return c.opt.Trusted.Config.MeasuredError(k.Name(), valuesOf(p), "%s cannot be measured: %s", p.Name(), why)
		}
	}
	return nil
}

func notPositive(c plan.Case) bool {
	return slices.ContainsFunc(valuesOf(c), func(v config.Value) bool { return v.Int <= 0 })
}

// refusal says why the adapter has no such case, in each build of it that there is; "" if one has it, or it fails for another reason.
func (c *checker) refusal(ctx context.Context, asked *asked, k Kernel, p plan.Case) (why string, err error) {
	for _, library := range []string{k.Base.Library.Path, k.Head.Library.Path} {
		if library == "" {
			continue
		}
		runner, err := asked.runner(ctx, library)
		if err != nil {
			return "", ctx.Err() // it cannot be asked, which has been said of its cases
		}
		var ended bool
		if why, ended, err = refusedBy(ctx, runner, p, c.purpose != checkDrawn); ended {
			asked.end(library)
		}
		if why == "" || err != nil {
			return "", err
		}
	}
	return why, nil
}

// asked are the processes of a kernel's libraries that are asked about its cases: one for all cases, since an interpreter takes seconds to start.
type asked struct {
	start   oracle.Start
	runners map[string]kernels.Process // by library
}

func (a *asked) runner(ctx context.Context, library string) (kernels.Process, error) {
	if r := a.runners[library]; r != nil {
		return r, nil
	}
	r, err := a.start(ctx, library)
	if err == nil {
		a.runners[library] = r
	}
	return r, err
}

func (a *asked) end(library string) {
	a.runners[library].Close()
	delete(a.runners, library)
}

func (a *asked) close() {
	for library := range a.runners {
		a.end(library)
	}
}

const specLimit = 20 * time.Second

// refusedBy says why a process has no such case, "" where it has, and whether it answers no more.
func refusedBy(ctx context.Context, r kernels.Process, c plan.Case, timed bool) (why string, ended bool, err error) {
	var spec kernels.SpecReply
	err = r.Call(ctx, "spec", c.Name(), map[string]any{"case": c.Spec()}, &spec, specLimit)
	var fault *kernels.RunnerError
	switch {
	case err == nil && timed && spec.IsEmpty():
		return "it has no elements, so there is nothing to time: leave such sizes to parity (fuzz)", false, nil
	case errors.As(err, &fault):
		// An adapter that is wrong about a positive size should know better: that case exists.
		if code := fault.Code; code == result.CodeUnsupported || code == result.CodeMissingParameter || code == result.CodeBadSpec && notPositive(c) {
			return fault.Message, false, nil
		}
	}
	return "", err != nil, ctx.Err()
}

func valuesOf(c plan.Case) []config.Value {
	var out []config.Value
	for _, p := range c.Params {
		out = append(out, p.Value)
	}
	return out
}
