package run

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// checkSeeds is how many inputs a benchmark's outputs are compared for.
const checkSeeds = 3

// writesOutputs says whether a command of the configuration writes what the kernel of a benchmark computes, on both sides.
func (k Kernel) writesOutputs() bool {
	return k.Plan.Kernel.HidesTensors() && k.Plan.Kernel.Bench.Check != nil && !k.Plan.Kernel.Bench.Check.Off && !k.isNew()
}

// checkSeed is a seed for inputs: of the run's, which head does not choose and knows when its command runs.
func checkSeed(run uint64, kernel string, i int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "check %d %s %d", run, kernel, i))
	return strconv.FormatUint(uint64(binary.LittleEndian.Uint32(sum[:])), 10)
}

// outputs compares what a benchmark's check writes on head with what it writes on base. Base writes first: it has to write the same from the same seed, and
// in each array others from others, by more than the bounds, or the check would say nothing.
func (c *checker) outputs(ctx context.Context, k Kernel) (p result.Parity, err error) {
	check, program := k.Plan.Kernel.Bench.Check, newProgram(k, c.runners, c.opt)
	bounds := benchmark.Bounds{ATol: check.ATol, RTol: check.RTol}
	p = result.Parity{Status: result.ParityPassed, Seed: strconv.FormatUint(c.opt.Seed, 10), Oracle: "base", Planned: checkSeeds}
	unusable := func(format string, args ...any) (result.Parity, error) {
		p.Status, p.ErrorSide, p.Reason = result.ParityError, result.SideBase, result.Message(fmt.Sprintf(format, args...))
		return p, nil
	}
	var fault *kernels.RunnerError
	var base []benchmark.Outputs
	for i := range checkSeeds + 1 {
		c.opt.Progress(Progress{Stage: StageParity, What: k.Name(), Done: i, Total: 2*checkSeeds + 1})
		out, err := program.Outputs(ctx, result.SideBase, check.Command, checkSeed(c.opt.Seed, k.Name(), i%checkSeeds))
		if errors.As(err, &fault) {
			return unusable("check, on base: %s", fault.Brief())
		} else if err != nil {
			return p, err
		}
		base = append(base, out)
	}
	if again := bounds.Compare(base[0], base[checkSeeds]); again.Differs != "" {
		return unusable("check, on base: two runs with one seed differ by more than the bounds: %s", again.Differs)
	} else if untold := bounds.Untold(base[:checkSeeds]); untold != "" {
		return unusable("check, on base: %s", untold)
	}
	for i := range checkSeeds {
		c.opt.Progress(Progress{Stage: StageParity, What: k.Name(), Done: checkSeeds + 1 + i, Total: 2*checkSeeds + 1})
		seed := checkSeed(c.opt.Seed, k.Name(), i)
		out, err := program.Outputs(ctx, result.SideHead, check.Command, seed)
		failure := result.ParityFailure{Case: k.Name(), Seed: seed, Code: result.CodeWrongOutput}
		var got benchmark.Compared
		switch {
		case errors.As(err, &fault):
			failure.Code, failure.Message = fault.Code, fault.Brief()
		case err != nil:
			return p, err
		default:
			got = bounds.Compare(base[i], out)
			failure.Message = got.Differs
		}
		p.Run++
		if failure.Message != "" {
			failure.Repro = c.ask.Whole // which fails before its rounds
			p.Status, p.Failure = result.ParityFailed, &failure
			return p, nil
		}
		p.Elements, p.MaxRatio = p.Elements+got.Elements, max(p.MaxRatio, got.Worst)
	}
	return p, nil
}
