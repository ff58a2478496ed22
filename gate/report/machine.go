package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// mostClockReasons bounds what a line says of clocks; the driver has eight reasons.
const mostClockReasons = 8

// machine is what was measured on. Where that is a GPU: what it is, how it felt, and what it sits in.
func machine(m result.Machine, cases []result.Case) Text {
	if m.Model == "" && m.Key == "" {
		return nil
	}
	p := phrases{Say(cmp.Or(m.Model, m.Key))}
	system, cores := strings.TrimSpace(m.OS+" "+m.Arch), text.Count(m.Cores, "core")
	if m.GPU != nil {
		p.gpu(*m.GPU)
		host := []string{cmp.Or(m.Processor, "unknown processor"), cores, system}
		return say("%v%v; in %s", p.joined(", "), gpuWatch(m.GPU, cases), strings.TrimSuffix(strings.Join(host, ", "), ", "))
	}
	p.when(m.Cores > 0, "%s", cores)
	p.when(m.Virtual, "virtual")
	p.when(m.MemoryBytes > 0, "%s memory", text.Bytes(m.MemoryBytes))
	p.when(m.CacheBytes > 0, "%s cache", text.Bytes(m.CacheBytes))
	p.when(m.FrequencyMHz > 0, "%s MHz", text.Number(m.FrequencyMHz))
	p.when(m.Governor != "", "governor %s", m.Governor)
	p.say("%s, load %.1f before, %.1f after", system, m.LoadBefore, m.LoadAfter)
	return p.joined(", ")
}

func (p *phrases) gpu(g result.GPU) {
	p.when(g.ComputeCapability != "", "sm_%s", strings.ReplaceAll(g.ComputeCapability, ".", ""))
	p.when(g.SMs > 0, "%s", text.Count(g.SMs, "SM"))
	p.when(g.L2Bytes > 0, "%s L2", text.Bytes(g.L2Bytes))
	p.when(g.MemoryBytes > 0, "%s memory", text.Bytes(g.MemoryBytes))
	p.say("driver %s for CUDA up to %s", cmp.Or(g.Driver, "unknown"), cmp.Or(g.CUDA, "unknown"))
	// Another machine of the same key may have these otherwise.
	p.when(g.PowerLimitW > 0, "power cap %.0f W", g.PowerLimitW)
	p.when(g.LockedClock == "base", "clocks locked to base")
	p.when(g.LockedClock != "" && g.LockedClock != "base", "clocks locked to %s MHz", g.LockedClock)
	p.when(g.ECC, "ECC")
	p.when(!g.Persistence, "no persistence")
	p.when(g.VGPU, "a vGPU")
}

// gpuWatch says how the GPU felt while kernels ran.
func gpuWatch(g *result.GPU, cases []result.Case) Text {
	w := g.Watch
	if w == nil || w.Samples == 0 {
		return nil
	}
	blind := Say(either(w.Blind, "; the driver shows no processes here, so another one on this GPU would not have been noticed", "")).In(Warn)
	return say("; while kernels ran: %v%v", Watched(*g, cases), blind)
}

// Watched is what was sampled of a GPU while the kernels of cases ran.
func Watched(g result.GPU, cases []result.Case) Text {
	w := g.Watch
	var p phrases
	p.when(w.MaxSMClockMHz > 0, "SMs at %s of %d MHz", numbers(w.MinSMClockMHz, w.MaxSMClockMHz), g.MaxSMClockMHz)
	low, high := countedClocks(cases)
	p.when(high > 0, "%s MHz as kernels counted it around each case", numbers(low, high))
	p.when(w.TemperatureC > 0, "up to %d °C", w.TemperatureC)
	p.when(w.PowerW > 0, "up to %.0f W", w.PowerW)
	for _, reason := range w.Clocks[:min(mostClockReasons, len(w.Clocks))] {
		p.say("%s %s of the time", reason.Limit, text.Percent(reason.Share))
	}
	return p.joined(", ")
}

// countedClocks is the range of SM clocks in MHz that kernels of the harness counted: the driver may say 1980 where these have 1980 to 2085.
func countedClocks(cases []result.Case) (low, high int) {
	for _, c := range cases {
		for _, p := range c.Processes {
			if mhz := int(math.Round(p.ClockMHz)); mhz > 0 {
				low, high = min(cmp.Or(low, mhz), mhz), max(high, mhz)
			}
		}
	}
	return low, high
}

// numbers writes what lies between two numbers, or the one that both are.
func numbers(low, high int) string {
	if low == high {
		return fmt.Sprint(low)
	}
	return fmt.Sprintf("%d to %d", low, high)
}

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
	clocks := differing(all, clock)
	samples := spread(all, func(m result.Method) int { return m.Samples }, "sample", "samples") + " a process"
	if !slices.ContainsFunc(all, func(m result.Method) bool { return !m.IsForeign() }) { // these time themselves: of buffers and caches they say nothing
		return Say(clocks + "; " + samples)
	}
	launches := spread(all, func(m result.Method) int { return m.Launches }, "launch", "launches")
	buffers := spread(all, func(m result.Method) int { return m.Pool }, "set", "sets")
	return say("%s; %s a sample; %s; %s; %s of buffers in turn[; %s][; warm-up %s a process]%s", clocks, launches, samples, differing(all, cache), buffers,
		hostTime(r.Cases), either(r.WarmUp.NS > 0, text.Duration(r.WarmUp.NS), ""), either(r.WarmUp.NS > 0 && !r.WarmUp.Held, " (the clock was still changing)", ""))
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
	low, high := text.Duration(slices.Min(each)), text.Duration(slices.Max(each))
	return "host " + low + either(low == high, "", " to "+high) + " a launch" + either(hidden, ", hidden in a graph", "")
}

// clocks name those that have other words than their own name.
var clocks = map[string]string{
	"thread": "CPU time of the launching thread", "wall": "wall clock", "event": "device events", result.ClockHost: "the host's clock around the call that launches",
}

func clock(m result.Method) string {
	name := cmp.Or(clocks[m.Clock], m.Clock+" clock")
	if m.Clock == result.ClockBenchmark {
		name = "timed by " + m.How
	}
	return name + either(m.Pin, ", pinned to a core", "")
}

func cache(m result.Method) string {
	if m.Cache == "cold" && m.FlushBytes > 0 {
		return "cache flushed before each (" + text.Bytes(m.FlushBytes) + ")"
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
		return text.Count(low, one, many)
	}
	return numbers(low, high) + " " + many
}
