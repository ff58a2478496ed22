package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// method says how a launch was timed. What differs between the cases is said as a range or a list.
func method(r *result.Result) Text {
	var all []result.Method
	for _, c := range r.Cases {
		if c.Method != nil {
			all = append(all, *c.Method)
		}
	}
	if len(all) == 0 {
		return nil
	}
	if own := slices.DeleteFunc(slices.Clone(all), result.Method.IsForeign); len(own) == 0 {
		return Say(ownClock(all).join("; "))
	}
	c := clauses{
		differing(all, clock),
		spread(all, func(m result.Method) int { return m.Launches }, "launch", "launches") + " a sample",
		spread(all, func(m result.Method) int { return m.Samples }, "sample", "samples") + " a process",
		differing(all, cache),
		spread(all, func(m result.Method) int { return m.Pool }, "set", "sets") + " of buffers in turn",
	}
	if host := hostTime(r.Cases); host != "" {
		c = append(c, host)
	}
	if r.WarmUp.NS > 0 {
		warm := "warm-up " + Duration(r.WarmUp.NS) + " a process"
		if !r.WarmUp.Held {
			warm += " (the clock was still changing)"
		}
		c = append(c, warm)
	}
	return Say(c.join("; "))
}

// hostTime says what launches cost the host of a GPU; from the cheapest case to the dearest.
func hostTime(cases []result.Case) string {
	var each []float64
	hidden := true
	for _, c := range cases {
		var of []float64
		for _, p := range c.Sides() {
			if p.HostNS > 0 {
				of = append(of, p.HostNS)
			}
		}
		if len(of) > 0 {
			slices.Sort(of)
			each = append(each, of[len(of)/2])
			hidden = hidden && c.Method != nil && c.Method.IsGraph()
		}
	}
	if len(each) == 0 {
		return ""
	}
	low, high := Duration(slices.Min(each)), Duration(slices.Max(each))
	if low != high {
		low += " to " + high
	}
	if hidden {
		return "host " + low + " a launch, hidden in a graph"
	}
	return "host " + low + " a launch"
}

// ownClock is for methods of benchmarks that time themselves: of buffers and caches they say nothing.
func ownClock(all []result.Method) clauses {
	return clauses{differing(all, clock), spread(all, func(m result.Method) int { return m.Samples }, "sample", "samples") + " a process"}
}

func clock(m result.Method) string {
	s := m.Clock + " clock"
	switch m.Clock {
	case "thread":
		s = "CPU time of the launching thread"
	case "wall":
		s = "wall clock"
	case "event":
		s = "device events"
	case result.ClockHost:
		s = "the host's clock around the call that launches"
	case result.ClockBenchmark:
		s = "timed by " + m.How
	}
	if m.Pin {
		s += ", pinned to a core"
	}
	return s
}

func cache(m result.Method) string {
	if m.Cache == "cold" && m.FlushBytes > 0 {
		return "cache flushed before each (" + Bytes(m.FlushBytes) + ")"
	}
	return cmp.Or(m.Cache, "unknown") + " cache"
}

// differing joins the different answers that the methods give.
func differing(all []result.Method, say func(result.Method) string) string {
	var out []string
	for _, m := range all {
		if s := say(m); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return strings.Join(out, " or ")
}

// spread writes a number that may differ between the methods as one number or a range.
func spread(all []result.Method, of func(result.Method) int, one, many string) string {
	less := func(a, b result.Method) int { return cmp.Compare(of(a), of(b)) }
	low, high := of(slices.MinFunc(all, less)), of(slices.MaxFunc(all, less))
	if low == high {
		return Count(low, one, many)
	}
	return numbers(low, high) + " " + many
}
