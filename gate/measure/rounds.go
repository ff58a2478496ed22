package measure

import (
	"context"
	"fmt"
	"math"
	"sort"
	"strconv"
	"time"

	"github.com/org/perfgate/gate"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/stats"
)

// round measures every open case in four fresh processes, A B B A or B A A B by lot. It counts only when complete, and
// not when it was voided.
func (s *session) round(ctx context.Context) (voided bool, err error) {
	start := time.Now()
	r := result.Round{Index: len(s.rounds), Order: "ABBA"}
	if s.rng.IntN(2) == 1 {
		r.Order = "BAAB"
	}
	open := s.open()
	for position, letter := range r.Order {
		side := sideBase
		if letter == 'B' {
			side = sideHead
		}
		if err := s.process(ctx, r.Index, position, side); err != nil {
			return false, err
		}
		if r.Voided = s.health(); r.Voided != "" {
			break
		}
	}
	r.Seconds = time.Since(start).Seconds()
	if r.Voided != "" {
		return true, s.void(ctx, r, open)
	}
	for _, c := range open {
		if c.Verdict == gate.Undecided {
			r.Cases = append(r.Cases, c.Subject.Name)
		}
	}
	s.rounds, s.ran = append(s.rounds, r), append(s.ran, r)
	return false, nil
}

// process is one letter of a round: fresh processes, one a library, that measure the open cases in shuffled order.
func (s *session) process(ctx context.Context, round, position int, side string) error {
	cases := s.open()
	s.rng.Shuffle(len(cases), func(i, j int) { cases[i], cases[j] = cases[j], cases[i] })
	warm := map[Runner]bool{}
	return s.eachLibrary(ctx, side, cases, func(r Runner, c *Case) error {
		s.progress(c, round, position)
		if !warm[r] {
			warm[r] = true
			args := map[string]any{"limitNs": s.warmUp.NS, "fixed": true}
			if err := r.Call(ctx, "warm", "", args, nil, commandReserve); err != nil {
				return err
			}
		}
		reply, err := s.sample(ctx, r, c)
		if err != nil {
			return err
		}
		p, err := summarise(reply)
		if err != nil {
			return &kernels.RunnerError{Code: kernels.CodeNonsense, Message: err.Error(), Doing: "time " + c.Subject.Name}
		}
		p.Round, p.Position, p.Side = round, position, side
		c.Processes = append(c.Processes, p)
		return nil
	})
}

func (s *session) sample(ctx context.Context, r Runner, c *Case) (kernels.TimeReply, error) {
	m := c.Method
	args := kernels.TimeCommand{
		Case: c.Subject.Spec, Seed: strconv.FormatUint(s.rng.Uint64(), 10),
		Method: kernels.Method{Clock: m.Clock, How: m.How, Block: m.Block, Launches: m.Launches, Pool: m.Pool, Samples: m.Samples, Cache: m.Cache, Pin: m.Pin},
		Checks: checksPerCase, Oracle: m.Oracle, Atol: c.tolerance.ATol, Rtol: c.tolerance.RTol, LimitNS: m.LimitNS,
	}
	var reply kernels.TimeReply
	// Far beyond the stop rule: only a kernel that hangs, or nearly so, gets there. The budget ends it in any case.
	limit := 10*time.Duration(m.LimitNS) + commandReserve
	err := r.Call(ctx, "time", c.Subject.Name, args, &reply, limit)
	return reply, err
}

func (s *session) progress(c *Case, round, position int) {
	if s.opt.Progress == nil {
		return
	}
	s.opt.Progress(Progress{
		Case: c.Subject.Name, Round: round + 1, Process: position, Open: len(s.open()), Last: c.Comparison, Remaining: s.remaining(),
	})
}

// summarise turns samples into a process value and the quantiles that are kept of them.
func summarise(reply kernels.TimeReply) (result.Process, error) {
	xs := append([]float64(nil), reply.Samples...)
	for _, x := range xs {
		if !(x > 0) || math.IsInf(x, 0) {
			return result.Process{}, fmt.Errorf("a sample of %v ns is no time", x)
		}
	}
	value, err := stats.TrimmedMean(xs, 0.2)
	if err != nil {
		return result.Process{}, fmt.Errorf("samples: %w", err)
	}
	sort.Float64s(xs)
	q := func(p float64) float64 { v, _ := stats.Quantile(xs, p); return v } // xs is not empty: TrimmedMean would have said so
	return result.Process{
		ValueNS: value, Samples: len(xs), Planned: reply.Planned, Stopped: reply.Stopped, CV: variation(xs), Checks: len(reply.Checks),
		Quantiles: result.Quantiles{Min: xs[0], P25: q(.25), P50: q(.5), P75: q(.75), P90: q(.9), P99: q(.99), Max: xs[len(xs)-1]},
		ComputeNS: reply.Canary.ComputeNS, MemoryNS: reply.Canary.MemoryNS,
		ComputeFlops: reply.Canary.ComputeFlops, MemoryBytes: reply.Canary.MemoryBytes, ClockMHz: reply.Canary.ClockMHz,
	}, nil
}

// look decides the open cases if the number of complete rounds calls for it.
func (s *session) look() error {
	number := 0
	for i, r := range gate.Looks {
		if r == len(s.rounds) {
			number = i + 1
		}
	}
	if number == 0 {
		return nil
	}
	last := number == len(gate.Looks)
	for _, c := range s.open() {
		rounds := Rounds(c.Processes)
		comparison, err := gate.Compare(rounds, number, Timing(*c.Method), s.opt.Policy)
		if err != nil {
			return fmt.Errorf("compare %s: %w", c.Subject.Name, err)
		}
		c.Comparison = &comparison
		c.Verdict = gate.Decide(comparison, s.opt.Policy, last)
		c.Looks = append(c.Looks, result.Look{
			Rounds: comparison.Rounds, Theta: comparison.Theta, Low: comparison.Low, High: comparison.High, Verdict: c.Verdict,
		})
	}
	return nil
}

// Rounds arranges process values, two of each side a round, as log ns.
func Rounds(processes []result.Process) []stats.Round {
	var rounds []stats.Round
	seen := map[int][2]int{} // by round: processes of base and of head so far
	for _, p := range processes {
		for len(rounds) <= p.Round {
			rounds = append(rounds, stats.Round{})
		}
		y, n := math.Log(p.ValueNS), seen[p.Round]
		if p.Side == result.SideBase {
			rounds[p.Round].Base[n[0]] = y
			n[0]++
		} else {
			rounds[p.Round].Head[n[1]] = y
			n[1]++
		}
		seen[p.Round] = n
	}
	return rounds
}

// Timing is what a method says of the least believable scatter.
func Timing(m result.Method) gate.Timing {
	return gate.Timing{QuantumNS: m.QuantumNS, Launches: m.Launches, MedianNS: m.LaunchNS}
}
