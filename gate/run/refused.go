package run

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/parity"
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
	start := at.of(k).start
	var asked []*parity.Judge
	for _, lib := range []kernels.Library{k.Base.Library, k.Head.Library} {
		if lib.Path != "" {
			one := &parity.Judge{Library: lib.Path, Start: start}
			defer one.Close()
			asked = append(asked, one)
		}
	}
	for _, p := range k.Plan.Measured {
		if k.Parity.Status != result.ParityError && k.Parity.Refused == 0 && !notPositive(p) {
			continue
		}
		why, err := c.refusal(ctx, asked, p)
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

// refusal says why the adapter has no such case, in each build of it that there is; "" if one has it, or it fails for another reason. One process of a
// build is asked about all cases, since an interpreter takes seconds to start.
func (c *checker) refusal(ctx context.Context, builds []*parity.Judge, p plan.Case) (why string, err error) {
	for _, build := range builds {
		if why, err = refusedBy(ctx, build, p, c.purpose != checkDrawn); why == "" || err != nil {
			return "", err
		}
	}
	return why, nil
}

const specLimit = 20 * time.Second

// refusedBy says why a library has no such case, "" where it has. That it cannot be asked has been said of its cases.
func refusedBy(ctx context.Context, library *parity.Judge, c plan.Case, timed bool) (why string, err error) {
	var spec kernels.SpecReply
	err = library.Call(ctx, "spec", c.Name(), map[string]any{"case": c.Spec()}, &spec, specLimit)
	var fault *kernels.RunnerError
	switch {
	case err == nil && timed && spec.IsEmpty():
		return "it has no elements, so there is nothing to time: leave such sizes to parity (fuzz)", nil
	case errors.As(err, &fault):
		// An adapter that is wrong about a positive size should know better: that case exists.
		if code := fault.Code; code == result.CodeUnsupported || code == result.CodeMissingParameter || code == result.CodeBadSpec && notPositive(c) {
			return fault.Message, nil
		}
	}
	return "", ctx.Err()
}

func valuesOf(c plan.Case) []config.Value {
	var out []config.Value
	for _, p := range c.Params {
		out = append(out, p.Value)
	}
	return out
}
