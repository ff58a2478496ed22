package report

import (
	"fmt"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// mostClockReasons bounds what a line says of clocks; the driver has eight reasons.
const mostClockReasons = 8

// gpuMachine words a machine that was measured on by its GPU: what it is, how it felt, and what it sits in.
func gpuMachine(m result.Machine) Text {
	g := m.GPU
	parts := []string{orElse(m.Model, m.Key)}
	if g.ComputeCapability != "" {
		parts = append(parts, "sm_"+strings.ReplaceAll(g.ComputeCapability, ".", ""))
	}
	if g.SMs > 0 {
		parts = append(parts, Count(g.SMs, "SM"))
	}
	if g.L2Bytes > 0 {
		parts = append(parts, Bytes(g.L2Bytes)+" L2")
	}
	if g.MemoryBytes > 0 {
		parts = append(parts, Bytes(g.MemoryBytes)+" memory")
	}
	parts = append(parts, fmt.Sprintf("driver %s for CUDA up to %s", orElse(g.Driver, "unknown"), orElse(g.CUDA, "unknown")))
	parts = append(parts, gpuSettings(g)...)
	t := Say(strings.Join(parts, ", "))
	t = append(t, gpuWatch(g)...)
	host := []string{orElse(m.Processor, "unknown processor"), Count(m.Cores, "core"), strings.TrimSpace(m.OS + " " + m.Arch)}
	return append(t, words("; in "+strings.TrimSuffix(strings.Join(host, ", "), ", ")))
}

// gpuSettings are those that another machine of the same key may have otherwise.
func gpuSettings(g *result.GPU) []string {
	var parts []string
	if g.PowerLimitW > 0 {
		parts = append(parts, fmt.Sprintf("power cap %.0f W", g.PowerLimitW))
	}
	switch g.LockedClock {
	case "":
	case "base":
		parts = append(parts, "clocks locked to base")
	default:
		parts = append(parts, "clocks locked to "+g.LockedClock+" MHz")
	}
	if g.ECC {
		parts = append(parts, "ECC")
	}
	if !g.Persistence {
		parts = append(parts, "no persistence")
	}
	if g.VGPU {
		parts = append(parts, "a vGPU")
	}
	return parts
}

// gpuWatch says how the GPU felt while kernels ran.
func gpuWatch(g *result.GPU) Text {
	w := g.Watch
	if w == nil || w.Samples == 0 {
		return nil
	}
	var parts []string
	if w.MaxSMClockMHz > 0 {
		parts = append(parts, fmt.Sprintf("SMs at %s of %d MHz", span(w.MinSMClockMHz, w.MaxSMClockMHz), g.MaxSMClockMHz))
	}
	if w.TemperatureC > 0 {
		parts = append(parts, fmt.Sprintf("up to %d °C", w.TemperatureC))
	}
	if w.PowerW > 0 {
		parts = append(parts, fmt.Sprintf("up to %.0f W", w.PowerW))
	}
	for _, c := range w.Clocks[:min(mostClockReasons, len(w.Clocks))] {
		parts = append(parts, fmt.Sprintf("%s %s of the time", c.Reason, Percent(c.Share)))
	}
	t := Say("; while kernels ran: " + strings.Join(parts, ", "))
	if w.Blind {
		t = append(t, Span{Text: "; the driver shows no processes here, so one beside ours would not have been seen", Tone: Warn})
	}
	return t
}

// span writes what lies between two numbers, or the one that both are.
func span(low, high int) string {
	if low == high {
		return fmt.Sprint(low)
	}
	return fmt.Sprintf("%d to %d", low, high)
}
