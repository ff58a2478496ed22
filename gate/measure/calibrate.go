package measure

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/org/perfgate/gate/parity"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

const (
	cpuWarmUpLimit   = 500 * time.Millisecond
	gpuWarmUpLimit   = 10 * time.Second
	quickWarmUpLimit = 5 * time.Millisecond   // where few samples are enough
	processSpan      = 150 * time.Millisecond // of samples per process and case, flush included
	minSamples       = 5
	maxSamples       = 300
	shortLaunch      = 20 * time.Microsecond  // launches below it are batched …
	batchedSample    = 250 * time.Microsecond // … until a sample lasts this long
	maxLaunches      = 1024
	smallPool        = 4 // sets of buffers where launches are not batched
	hotPool          = 2 // two: a result cached by pointer shows, and the data stay in cache
	slownessLimit    = 10
	checksPerCase    = 2
	referenceSpan    = 150 * time.Millisecond // per process and case, for checking timed outputs with the oracle
	probeLimit       = 2 * time.Minute
	commandReserve   = time.Minute // to set a case up: a problem of a task format makes inputs and weights, and asks its reference
)

// calibrate looks at every case once as base, if that stands beside head, then as head and as each competitor, and freezes how all are timed. Where
// records say so for all cases, there is nothing to find out but whether competitors have the tensors of head.
func (s *session) calibrate(ctx context.Context) error {
	known := !slices.ContainsFunc(s.cases, func(c *Case) bool { return c.Subject.Method == nil })
	if known {
		for _, c := range s.cases { // of several records the longest
			s.warmUp = result.WarmUp{NS: max(s.warmUp.NS, c.Subject.WarmUpNS), Held: true}
		}
		if len(s.competitorPlaces()) == 0 {
			return nil
		}
	} else {
		for _, c := range s.cases {
			c.Method = nil
		}
	}
	places := slices.Concat([]letter{letterHead}, competitorLetters)
	if s.design.base {
		places = slices.Insert(places, 0, letterBase)
	}
	for i, l := range places {
		turns := s.openIn(l)
		if len(turns) == 0 {
			continue
		}
		then, _ := foreseen(s.undrawn(slices.Concat(places[i+1:], s.lettersOf(0))), false)
		if err := s.probe(ctx, turns, then); err != nil {
			return err
		}
	}
	if !known {
		s.freeze()
	}
	return nil
}

// freeze fixes how the open cases are timed, by what their probes found.
func (s *session) freeze() {
	for _, c := range s.open() {
		if c.Method != nil {
			continue // its benchmark has said so itself
		}
		first, head := c.probes[0].probe, c.probes[0].probe
		if s.design.base {
			head = c.probes[1].probe
		}
		m, notes := c.Subject.freeze(c.probes, head)
		m = first.pilot.enough(m, cmp.Or(c.Subject.Tolerance, s.opt.Policy.Of(c.Subject.Name, m.LaunchNS).Tolerance))
		if most := s.opt.MaxSamples; most > 0 && m.Samples > most {
			m.LimitNS *= float64(most) / float64(m.Samples)
			m.Samples = most
		}
		c.Method, c.calibrated, c.checks = &m, true, checks(m, first.ReferenceNS)
		c.spanNS = m.LimitNS / slownessLimit
		for _, note := range notes {
			s.notes = append(s.notes, c.Subject.Name+": "+note)
		}
		if !c.Subject.Host {
			c.Flops, c.Bytes, c.HalfInputs = first.spec.Flops, first.spec.WorkBytes, halfInputs(first.spec.Tensors)
		}
		c.outputBytes = first.spec.OutputBytes()
		c.BaseLaunches, c.HeadLaunches = first.Launches, head.Launches
	}
}

// probe is the first look at a variant of a case.
type probe struct {
	kernels.ProbeReply
	spec         kernels.SpecReply
	hasReference bool
	pilot        pilot
}

// probe looks at every case in a place. The first place that is looked at says how many samples are enough, and which tensors a competitor has to have.
func (s *session) probe(ctx context.Context, turns []turn, then []wanted) error {
	pilots := s.warmUp.NS == 0
	all := func(r *running, g benchmarkCases) error { return g.calibrate(ctx, r) }
	each := func(r *running, c turn) error {
		defer s.spend(result.PhaseProbe, time.Now())
		if s.warmUp.NS == 0 {
			if err := s.findWarmUp(ctx, r); err != nil {
				return err
			}
			r.warmed = true
		}
		p, err := probeCase(ctx, r, c.Case, s.opt.Seed)
		if err == nil && pilots {
			p.pilot, err = s.takePilot(ctx, r, c.Case, p)
		}
		if err != nil {
			return err
		}
		if c.v.isAlongside() {
			if other := parity.OtherTensors(c.probes[0].spec, p.spec); other != "" {
				return &kernels.RunnerError{Code: result.CodeBadSpec, Message: parity.HasOtherTensors + other}
			}
			c.v.hasReference = p.hasReference
		}
		c.probes = append(c.probes, named{c.v.String(), p})
		return nil
	}
	return s.eachProcess(ctx, turns, then, do{each, all})
}

// findWarmUp runs the canary until its clock holds. Every later process warms up for as long.
func (s *session) findWarmUp(ctx context.Context, r kernels.Process) error {
	var reply kernels.WarmReply
	limit := cpuWarmUpLimit
	if s.opt.Device == result.DeviceCUDA {
		limit = gpuWarmUpLimit
	}
	if s.opt.MaxSamples > 0 {
		limit = min(limit, quickWarmUpLimit)
	}
	args := map[string]any{"limitNs": float64(limit), "fixed": false}
	if err := r.Call(ctx, "warm", "", args, &reply, commandReserve); err != nil {
		return err
	}
	s.warmUp = result.WarmUp{NS: reply.NS, Held: reply.Held}
	return nil
}

const nothingToTime = "the case has no elements: at this size every output is empty, so there is nothing to time; " +
	"take the case out of what is measured (measure, or the values of params), and leave such sizes to parity (fuzz)"

func probeCase(ctx context.Context, r kernels.Process, c *Case, seed uint64) (probe, error) {
	var p probe
	if err := r.Call(ctx, "spec", c.Subject.Name, map[string]any{"case": c.Subject.Spec}, &p.spec, commandReserve); err != nil {
		return p, err
	}
	if p.spec.IsEmpty() {
		return p, &kernels.RunnerError{Code: result.CodeEmpty, Message: nothingToTime}
	}
	args := map[string]any{"case": c.Subject.Spec, "seed": strconv.FormatUint(seed, 10), "cache": c.Subject.Cache}
	err := r.Call(ctx, "probe", c.Subject.Name, args, &p.ProbeReply, probeLimit)
	p.hasReference = p.ReferenceNS > 0
	return p, err
}

// bufferSets returns the sets of buffers and the launches of a sample. Cold, every launch of a batch gets a set of its own,
// untouched since the flush; inout tensors are restored outside the timed region, so they need the same.
func bufferSets(launches, limit int, cache string, inout bool) (sets, perSample int) {
	if cache == "cold" || inout {
		perSample = min(launches, limit)
		return min(limit, max(perSample, smallPool)), perSample
	}
	return min(limit, hotPool), launches
}
