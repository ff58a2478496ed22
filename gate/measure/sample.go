package measure

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/stats"
)

// warm lets a process warm up, once, for as long as every other.
func (r *running) warm(ctx context.Context, ns float64) error {
	if r.warmed {
		return nil
	}
	r.warmed = true
	return r.Call(ctx, "warm", "", map[string]any{"limitNs": ns, "fixed": true}, nil, commandReserve)
}

func timeCommand(s Subject, m result.Method, seed uint64, checks int) kernels.TimeCommand {
	return kernels.TimeCommand{
		Case: s.Spec, Seed: strconv.FormatUint(seed, 10),
		Method: kernels.Method{Clock: m.Clock, How: m.How, Block: m.Block, Launches: m.Launches, Pool: m.Pool, Samples: m.Samples, Cache: m.Cache, Pin: m.Pin},
		Checks: checks, Oracle: m.Oracle, LimitNS: m.LimitNS,
		Tolerances: s.Tolerances.For("spec"), Bound: s.Tolerances.Bound,
	}
}

// processOf makes the samples of a process its value, with what an external timing check says of them.
func processOf(reply kernels.TimeReply, args kernels.TimeCommand, name string) (result.Process, error) {
	p, err := summarise(reply)
	if err == nil && args.TimingCheck != "" {
		p.TimingCheck, err = timingCheckOf(reply, args, p.ValueNS)
	}
	if err != nil {
		return p, sampleFault(err, name)
	}
	return p, nil
}

// sampleFault is the fault of a case whose samples make no value. A clock that stands still is no side's.
func sampleFault(err error, name string) *kernels.RunnerError {
	code := result.CodeNonsense
	var coarse *stats.CoarseError
	if errors.As(err, &coarse) {
		code = result.CodeCoarseClock
	}
	return &kernels.RunnerError{Code: code, Message: err.Error(), Doing: "time " + name}
}

// mostChosen bounds what is kept of a process's words on what its autotuners chose, in bytes.
const mostChosen = 500

func callTime(ctx context.Context, r kernels.Process, name string, args kernels.TimeCommand) (reply kernels.TimeReply, err error) {
	// Far beyond the stop rule: only a kernel that hangs, or nearly so, gets there. The budget ends it in any case.
	limit := 10*time.Duration(args.LimitNS) + commandReserve
	err = r.Call(ctx, "time", name, args, &reply, limit)
	return reply, err
}

// mostRaw is how many samples of a process are kept.
const mostRaw = 16

// thinned are up to mostRaw of xs, spread evenly over all of them, to four digits: a figure shows no more.
func thinned(xs []float64) []float64 {
	n := min(mostRaw, len(xs))
	out := make([]float64, n)
	for i := range out {
		x := xs[i*len(xs)/n]
		scale := math.Pow(10, 3-math.Floor(math.Log10(x)))
		out[i] = math.Round(x*scale) / scale
	}
	return out
}

// valueOf is what samples make the value of a process.
func valueOf(xs []float64) (float64, error) { return stats.TrimmedMean(xs, 0.2) }

// summarise turns samples into a process value and the quantiles that are kept of them. Those of a clock that stood still are
// left out, which the value, a trimmed mean, would not have seen.
func summarise(reply kernels.TimeReply) (result.Process, error) {
	for _, x := range reply.Samples {
		if math.IsNaN(x) || math.IsInf(x, 0) || x < 0 {
			return result.Process{}, fmt.Errorf("a sample of %v ns is no time", x)
		}
	}
	xs, err := stats.Moving(reply.Samples)
	if err != nil {
		return result.Process{}, err
	}
	value, err := valueOf(xs)
	if err != nil {
		return result.Process{}, fmt.Errorf("samples: %w", err)
	}
	if !(reply.WaitedNS >= 0) || math.IsInf(reply.WaitedNS, 0) {
		return result.Process{}, fmt.Errorf("a wait of %v ns is not a time", reply.WaitedNS)
	}
	raw := thinned(xs)
	mean, _ := stats.TrimmedMean(xs, 0) // xs has a trimmed mean, so it has this one
	elapsed := mean + reply.WaitedNS
	slices.Sort(xs)
	q := func(p float64) float64 { v, _ := stats.Quantile(xs, p); return v } // xs is not empty: TrimmedMean would have said so
	return result.Process{
		ValueNS: value, ElapsedNS: elapsed, WaitedNS: reply.WaitedNS, Samples: len(xs), Planned: reply.Planned, Stopped: reply.Stopped, CV: stats.Variation(xs), Checks: len(reply.Checks), Raw: raw,
		Quantiles: result.Quantiles{Min: xs[0], P25: q(.25), P50: q(.5), P75: q(.75), P90: q(.9), P99: q(.99), Max: xs[len(xs)-1]},
		ComputeNS: reply.Canary.ComputeNS, MemoryNS: reply.Canary.MemoryNS,
		ComputeFlops: reply.Canary.ComputeFlops, MemoryBytes: reply.Canary.MemoryBytes,
		TensorNS: reply.Canary.TensorNS, TensorFlops: reply.Canary.TensorFlops, ClockMHz: reply.Canary.ClockMHz,
		HostNS: max(0, reply.HostNS), Chosen: strings.ToValidUTF8(reply.Chosen[:min(len(reply.Chosen), mostChosen)], ""),
	}, nil
}
