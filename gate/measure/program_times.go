package measure

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// reading is what a process wrote of a row.
func (p *Program) reading(set benchmark.Set, row string, mode benchmark.Mode) Reading {
	c, fault := p.caseOf(set, row)
	if fault == nil && mode == benchmark.Calibrate && c.Method == nil {
		fault = &kernels.RunnerError{Code: result.CodeNonsense, Message: "it was asked how to time the case, and did not say"}
	}
	if fault != nil {
		return Reading{Fault: fault}
	}
	one := c.Processes[0]
	if len(one.Samples) == 0 {
		one.Samples = []float64{one.ValueNS}
	}
	return Reading{Method: c.Method, Flops: c.Flops, Bytes: c.Bytes, TimeReply: kernels.TimeReply{
		Samples: one.Samples, WaitedNS: one.WaitedNS, Planned: one.Planned, Stopped: one.Stopped, Chosen: c.Chosen,
	}}
}

// selfTimed is how a program times a case that it times itself.
func (p *Program) selfTimed(row string) Reading {
	first := p.First.baseOrHead()
	c, fault := p.caseOf(first.Set, row)
	if fault != nil {
		return Reading{Fault: fault}
	}
	value, err := c.Processes[0].Value()
	if err != nil {
		return Reading{Fault: &kernels.RunnerError{Code: result.CodeNonsense, Message: err.Error()}}
	}
	how := p.Format.Traits().Name
	if time := p.Spec.Time; time != "" {
		how += " (" + time + ")"
	}
	return Reading{Flops: c.Flops, Bytes: c.Bytes, SpanNS: c.TotalNS, Method: &result.Method{
		Clock: result.ClockBenchmark, How: how, Launches: max(1, c.Launches), Samples: max(1, len(c.Processes[0].Samples)), LaunchNS: value, QuantumNS: c.QuantumNS,
		LimitNS: mostTimes * float64(first.Lived) / float64(p.Timed),
	}}
}

// caseOf is a row in what a process wrote, or why it is not there.
func (p *Program) caseOf(set benchmark.Set, row string) (benchmark.Case, *kernels.RunnerError) {
	i := slices.IndexFunc(set.Cases, func(c benchmark.Case) bool { return c.Name == row })
	switch {
	case i < 0:
		return benchmark.Case{}, &kernels.RunnerError{Code: result.CodeVanished, Message: "the benchmark no longer has the case, which its first run had"}
	case set.Cases[i].Coarse:
		return benchmark.Case{}, &kernels.RunnerError{Code: result.CodeCoarseClock, Message: set.Cases[i].Failed}
	case set.Cases[i].Failed != "":
		return benchmark.Case{}, &kernels.RunnerError{Code: result.CodeLaunchFailed, Message: set.Cases[i].Failed}
	}
	if first := p.First.Head.Row(row); first != nil && first.Differs(set.Cases[i]) != "" {
		return benchmark.Case{}, &kernels.RunnerError{Code: result.CodeNonsense, Message: "its first run and this one differ: " + first.Differs(set.Cases[i])}
	}
	return set.Cases[i], nil
}

const (
	mostTimes = 10 // times what base's first run took …
	reserve   = 30 * time.Second
)

// limit is how long a process may take.
func (p *Program) limit() time.Duration {
	return mostTimes*p.First.baseOrHead().Lived + reserve
}

// timingCheck is what is seen of a process from outside, where the program has the clock and says how long it measured; nil where it does not.
func (r ProgramRun) timingCheck(f benchmark.Format) *result.TimingCheck {
	check, launches := &result.TimingCheck{CPUNS: float64(r.CPU)}, 0.0
	for _, c := range r.Set.Cases {
		if f.Traits().OurClock || c.Failed == "" && c.TotalNS == 0 {
			return nil
		}
		if c.Failed == "" {
			check.ClaimedNS, launches = check.ClaimedNS+c.TotalNS, launches+c.Iterations()
		}
	}
	check.BeyondNS, check.Launches = float64(r.Lived)-check.ClaimedNS, int(math.Round(min(launches, math.MaxInt32)))
	return check
}

// lifeSlack is what is allowed for two clocks of one machine.
const lifeSlack = 1.02

// believable compares what a process says that it measured with how long it was seen to live. It cannot have measured for longer.
func (p *Program) believable(set benchmark.Set, lived time.Duration) error {
	total := 0.0
	if p.Spec.Table != nil {
		return nil // a column of a table may be the time of more work than was done
	}
	for _, c := range set.Cases {
		total += c.TotalNS
	}
	most := lifeSlack * float64(lived)
	if p.Spec.Time == "cpu" || p.Format.Traits().OwnClock { // of all cores
		most *= float64(runtime.NumCPU())
	}
	if total <= most {
		return nil
	}
	return &kernels.RunnerError{Code: result.CodeClock, Message: fmt.Sprintf(
		"the benchmark says that it measured for %.3g s, and its process lived for %.3g s: its clock is wrong, or its rows are not what it measured", total/1e9, lived.Seconds())}
}
