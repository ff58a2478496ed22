package pipeline

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// refusedCases is a config.Errors where the configuration asks to measure a case that its adapter does not have, built with either
// side: what no change of the code mends is the configuration's fault. Where cases are to be timed, one without elements is none either.
// It comes before minutes of measuring, where parity or a parameter gives reason to ask.
func (r *run) refusedCases(ctx context.Context, timed bool) error {
	for _, k := range r.kernels {
		for _, c := range k.plan.Measured {
			if !k.doubtful(c) {
				continue
			}
			why, err := r.refusal(ctx, k, c, timed)
			if err != nil {
				return err
			}
			if why != "" {
				return r.config.MeasuredError(k.record.Name, valuesOf(c), "%s cannot be measured: %s", c.Name(), why)
			}
		}
	}
	return nil
}

// doubtful says whether something speaks for a case that does not exist.
func (k *kernelRun) doubtful(c plan.Case) bool {
	p := k.record.Parity
	return p.Status == result.ParityError || p.Refused > 0 || notPositive(c)
}

func notPositive(c plan.Case) bool {
	return slices.ContainsFunc(valuesOf(c), func(v config.Value) bool { return v.Int <= 0 })
}

// refusal says why the adapter has no such case, in each build of it that there is; "" if one has it, or it fails for another reason.
func (r *run) refusal(ctx context.Context, k *kernelRun, c plan.Case, timed bool) (why string, err error) {
	for _, library := range []string{k.base.Path, k.head.Path} {
		if library == "" {
			continue
		}
		if why, err = r.askFor(ctx, library, c, timed); why == "" || err != nil {
			return "", err
		}
	}
	return why, nil
}

const specLimit = 20 * time.Second

func (r *run) askFor(ctx context.Context, library string, c plan.Case, timed bool) (string, error) {
	runner, err := r.start(ctx, library)
	if err != nil {
		return "", ctx.Err() // it cannot be asked, which has been said of its cases
	}
	defer runner.Close()
	var spec kernels.SpecReply
	err = runner.Call(ctx, "spec", c.Name(), map[string]any{"case": c.Spec()}, &spec, specLimit)
	var fault *kernels.RunnerError
	switch {
	case err == nil && timed && spec.IsEmpty():
		return "it has no elements, so there is nothing to time: leave such sizes to parity (fuzz)", nil
	case errors.As(err, &fault) && noSuchCase(fault.Code, c):
		return fault.Message, nil
	}
	return "", ctx.Err()
}

// noSuchCase tells a case that does not exist from an adapter that is wrong about one that does: of a positive size it should know
// better.
func noSuchCase(code result.Code, c plan.Case) bool {
	return code == result.CodeUnsupported || code == result.CodeMissingParameter || code == result.CodeBadSpec && notPositive(c)
}

func valuesOf(c plan.Case) []config.Value {
	var out []config.Value
	for _, p := range c.Params {
		out = append(out, p.Value)
	}
	return out
}
