package baseline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/org/perfgate/gate/measure"
	"github.com/org/perfgate/gate/parity"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/stats"
)

// ScreenProcesses is the most fresh processes that measure head alone: half of the fewest that rounds take.
const ScreenProcesses = 8

// Subject is a case to be measured on head alone, by the method of a record.
type Subject struct {
	measure.Subject
	Method    result.Method
	WarmUpNS  float64
	Processes int // fresh processes to measure it in
}

// AloneOptions say how to measure.
type AloneOptions struct {
	Seed  uint64
	Start func(ctx context.Context, library string) (measure.Runner, error)
	// Health says what happened on the machine since it was last asked that spoils a process, or "". May be nil.
	Health   func() string
	Progress func(name string, process int) // may be nil
}

// Alone is what was measured of a subject.
type Alone struct {
	Processes []result.Process
	Fault     string // of the code under test, or of the machine; then the processes do not count
}

// Session returns the processes as a session.
func (a Alone) Session() Session {
	var s Session
	var compute, memory []float64
	for _, p := range a.Processes {
		s.Values = append(s.Values, math.Log(p.ValueNS))
		compute, memory = append(compute, p.ComputeNS), append(memory, p.MemoryNS)
	}
	s.Canaries = Canaries{ComputeNS: medianPositive(compute), MemoryNS: medianPositive(memory)}
	return s
}

// MeasureAlone measures head in fresh processes as it was measured for the records. Faults of the code under test are in
// the outcome: rounds will find out whose they are. The error is ours, the machine's or the context's.
func MeasureAlone(ctx context.Context, subjects []Subject, opt AloneOptions) (map[string]*Alone, error) {
	m := &alone{opt: opt, rng: rand.New(rand.NewPCG(opt.Seed, 0x616c6f6e65)), out: map[string]*Alone{}}
	for _, s := range subjects {
		m.out[s.Name] = &Alone{}
	}
	for n := range ScreenProcesses {
		left := slices.DeleteFunc(slices.Clone(subjects), func(s Subject) bool { return m.out[s.Name].Fault != "" || n >= s.Processes })
		m.rng.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
		for _, group := range byHead(left) {
			if err := m.process(ctx, group, n); err != nil {
				return nil, err
			}
		}
	}
	return m.out, nil
}

func byHead(subjects []Subject) [][]Subject {
	index := map[string]int{}
	var groups [][]Subject
	for _, s := range subjects {
		i, ok := index[s.Head]
		if !ok {
			i = len(groups)
			index[s.Head] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], s)
	}
	return groups
}

type alone struct {
	opt AloneOptions
	rng *rand.Rand
	out map[string]*Alone
}

// Limits on a command beyond what it is asked to do: only a kernel that hangs gets there.
const (
	commandReserve = 30 * time.Second
	limitFactor    = 10
	timedChecks    = 2
	reasonDisturb  = "the machine was disturbed: "
)

// process measures every subject of a library once in one fresh process.
func (m *alone) process(ctx context.Context, group []Subject, number int) error {
	r, err := m.opt.Start(ctx, group[0].Head)
	if err != nil {
		return m.blame(group, err)
	}
	defer r.Close()
	args := map[string]any{"limitNs": group[0].WarmUpNS, "fixed": true}
	if err := r.Call(ctx, "warm", "", args, nil, commandReserve); err != nil {
		return m.blame(group, err)
	}
	for i, s := range group {
		if m.opt.Progress != nil {
			m.opt.Progress(s.Name, number)
		}
		p, err := m.sample(ctx, r, s)
		if err != nil {
			return m.blame(group[i:], err)
		}
		p.Round, p.Position, p.Side = number/4, number%4, result.SideHead
		m.out[s.Name].Processes = append(m.out[s.Name].Processes, p)
	}
	if m.opt.Health != nil {
		if void := m.opt.Health(); void != "" {
			return m.blame(group, &kernels.RunnerError{Code: kernels.CodeNonsense, Message: reasonDisturb + void})
		}
	}
	return nil
}

// blame files a fault under the subjects that it leaves without values.
func (m *alone) blame(group []Subject, err error) error {
	var fault *kernels.RunnerError
	if !errors.As(err, &fault) {
		return err
	}
	for _, s := range group {
		m.out[s.Name].Fault = fault.Brief()
	}
	return nil
}

func (m *alone) sample(ctx context.Context, r measure.Runner, s Subject) (result.Process, error) {
	var spec kernels.SpecReply
	if err := r.Call(ctx, "spec", s.Name, map[string]any{"case": s.Spec}, &spec, commandReserve); err != nil {
		return result.Process{}, err
	}
	tolerance := parity.DefaultTolerance(spec.Tensors).Or(s.ATol, s.RTol)
	t := s.Method
	args := kernels.TimeCommand{
		Case: s.Spec, Seed: strconv.FormatUint(m.rng.Uint64(), 10),
		Method: kernels.Method{Clock: t.Clock, How: t.How, Block: t.Block, Launches: t.Launches, Pool: t.Pool, Samples: t.Samples, Cache: t.Cache, Pin: t.Pin},
		Checks: timedChecks, Oracle: t.Oracle, Atol: tolerance.ATol, Rtol: tolerance.RTol, LimitNS: t.LimitNS,
	}
	var reply kernels.TimeReply
	if err := r.Call(ctx, "time", s.Name, args, &reply, limitFactor*time.Duration(t.LimitNS)+commandReserve); err != nil {
		return result.Process{}, err
	}
	p, err := summarise(reply)
	if err != nil {
		err = &kernels.RunnerError{Code: kernels.CodeNonsense, Message: err.Error(), Doing: "time " + s.Name}
	}
	return p, err
}

// summarise turns samples into a process value, as rounds do.
func summarise(reply kernels.TimeReply) (result.Process, error) {
	xs := slices.Sorted(slices.Values(reply.Samples))
	value, err := stats.TrimmedMean(xs, 0.2)
	if err != nil {
		return result.Process{}, fmt.Errorf("samples: %w", err)
	}
	if !(xs[0] > 0) || math.IsInf(xs[len(xs)-1], 0) {
		return result.Process{}, fmt.Errorf("a sample of %v ns is no time", xs[0])
	}
	q := func(p float64) float64 { v, _ := stats.Quantile(xs, p); return v } // xs is not empty: TrimmedMean would have said so
	_, variance := meanVariance(xs)
	return result.Process{
		ValueNS: value, Samples: len(xs), Planned: reply.Planned, Stopped: reply.Stopped, CV: math.Sqrt(variance) / value, Checks: len(reply.Checks),
		Quantiles: result.Quantiles{Min: xs[0], P25: q(.25), P50: q(.5), P75: q(.75), P90: q(.9), P99: q(.99), Max: xs[len(xs)-1]},
		ComputeNS: reply.Canary.ComputeNS, MemoryNS: reply.Canary.MemoryNS,
	}, nil
}
