package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// mostClockReasons bounds what a line says of clocks; the driver has eight reasons.
const mostClockReasons = 8

func machine(m result.Machine) Text {
	if m.Model == "" && m.Key == "" {
		return nil
	}
	if m.GPU != nil {
		return gpuMachine(m)
	}
	c := clauses{cmp.Or(m.Model, m.Key)}
	c.when(m.Cores > 0, "%s", Count(m.Cores, "core"))
	c.when(m.Virtual, "virtual")
	c.when(m.MemoryBytes > 0, "%s memory", Bytes(m.MemoryBytes))
	c.when(m.CacheBytes > 0, "%s cache", Bytes(m.CacheBytes))
	c.when(m.FrequencyMHz > 0, "%s MHz", Number(m.FrequencyMHz))
	c.when(m.Governor != "", "governor %s", m.Governor)
	c.say("%s, load %.1f before, %.1f after", strings.TrimSpace(m.OS+" "+m.Arch), m.LoadBefore, m.LoadAfter)
	return Say(c.join(", "))
}

// gpuMachine words a machine that was measured on by its GPU: what it is, how it felt, and what it sits in.
func gpuMachine(m result.Machine) Text {
	g := m.GPU
	c := clauses{cmp.Or(m.Model, m.Key)}
	c.when(g.ComputeCapability != "", "sm_%s", strings.ReplaceAll(g.ComputeCapability, ".", ""))
	c.when(g.SMs > 0, "%s", Count(g.SMs, "SM"))
	c.when(g.L2Bytes > 0, "%s L2", Bytes(g.L2Bytes))
	c.when(g.MemoryBytes > 0, "%s memory", Bytes(g.MemoryBytes))
	c.say("driver %s for CUDA up to %s", cmp.Or(g.Driver, "unknown"), cmp.Or(g.CUDA, "unknown"))
	// Another machine of the same key may have these otherwise.
	c.when(g.PowerLimitW > 0, "power cap %.0f W", g.PowerLimitW)
	c.when(g.LockedClock == "base", "clocks locked to base")
	c.when(g.LockedClock != "" && g.LockedClock != "base", "clocks locked to %s MHz", g.LockedClock)
	c.when(g.ECC, "ECC")
	c.when(!g.Persistence, "no persistence")
	c.when(g.VGPU, "a vGPU")
	host := clauses{cmp.Or(m.Processor, "unknown processor"), Count(m.Cores, "core"), strings.TrimSpace(m.OS + " " + m.Arch)}
	return append(append(Say(c.join(", ")), gpuWatch(g)...), words("; in "+strings.TrimSuffix(host.join(", "), ", ")))
}

// gpuWatch says how the GPU felt while kernels ran.
func gpuWatch(g *result.GPU) Text {
	w := g.Watch
	if w == nil || w.Samples == 0 {
		return nil
	}
	var c clauses
	c.when(w.MaxSMClockMHz > 0, "SMs at %s of %d MHz", numbers(w.MinSMClockMHz, w.MaxSMClockMHz), g.MaxSMClockMHz)
	c.when(w.TemperatureC > 0, "up to %d °C", w.TemperatureC)
	c.when(w.PowerW > 0, "up to %.0f W", w.PowerW)
	for _, reason := range w.Clocks[:min(mostClockReasons, len(w.Clocks))] {
		c.say("%s %s of the time", reason.Limit, Percent(reason.Share))
	}
	t := Say("; while kernels ran: " + c.join(", "))
	if w.Blind {
		t = append(t, Span{Text: "; the driver shows no processes here, so another one on this GPU would not have been noticed", Tone: Warn})
	}
	return t
}

// numbers writes what lies between two numbers, or the one that both are.
func numbers(low, high int) string {
	if low == high {
		return fmt.Sprint(low)
	}
	return fmt.Sprintf("%d to %d", low, high)
}
