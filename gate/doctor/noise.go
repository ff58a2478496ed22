package doctor

import (
	"fmt"
	"slices"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/gate/text"
)

// noNoise says why nothing is known of the noise.
func noNoise(f Facts) Finding {
	if f.NoiseSkipped {
		return absent("not measured (--quick), so nothing is known of the noise", "leave out --quick: it is then measured against itself, in a few minutes at the most")
	}
	return unknown("could not be measured: "+f.NoiseTrouble, "help what stands above first; the cause may be the same")
}

func sandboxed(f Facts) Finding {
	if !f.Unsandboxed || f.NoiseTrouble != "" {
		return Finding{}
	}
	return warn("CUDA does not start in it with this driver: the canary ran outside, and so will kernels", "update the driver, or let this machine measure only code that you trust")
}

// overheated are clock reasons whose every sight is a fault; the hardware slowdown, which a mere change of clocks shows for a
// moment, voids a round where it is one.
var overheated = []result.ClockLimit{result.ClockThermal, result.ClockHardwareThermal, result.ClockPowerBrake}

// underLoad says how the GPU felt while the canary ran: idle, as the findings above have it, it is cool and runs free.
func underLoad(f Facts) Finding {
	g := f.Machine.GPU
	if g == nil || g.Watch == nil || f.NoiseSkipped {
		return Finding{}
	}
	w := g.Watch
	if w.Samples == 0 {
		return warn("clocks, power and temperature while the canary ran are not shown: a thermal slowdown would not be seen",
			"see nvidia-smi -q -d PERFORMANCE while something computes; where that is mute too, update the driver")
	}
	text := fmt.Sprintf("while the canary ran (%s): %s", text.Count(w.Samples, "sample"), report.PlainText(report.Watched(*g, nil)))
	if w.Blind {
		text += "; no process was shown, not even ours"
	}
	if slices.ContainsFunc(w.Clocks, func(c result.ClockReason) bool { return slices.Contains(overheated, c.Limit) }) {
		return warn(text, coolIt)
	}
	return fine(text)
}

func scatter(n Noise) Finding {
	said := fmt.Sprintf("%d processes of %s (%s a launch) vary by %s", n.Processes, n.Case, text.Duration(n.MedianNS), text.Percent(n.Scatter))
	if n.ComputeCV > 0 {
		said += fmt.Sprintf("; the harness's canaries: arithmetic %s", text.Percent(n.ComputeCV))
		if n.MemoryCV > 0 {
			said += ", memory " + text.Percent(n.MemoryCV)
		}
	}
	if n.Voided > 0 {
		return warn(fmt.Sprintf("%s; %s voided: %s", said, text.Count(n.Voided, "round"), n.VoidReason), "see that nothing else uses the GPU, and that it keeps cool")
	}
	return fine(said)
}

// sight weighs what the gate can see here against its default tolerance, as rule.Conclude does: a case whose smallest
// detectable effect is over twice the tolerance is never decided by its estimate.
func sight(n Noise) Finding {
	tolerance := rule.Default().Tolerance
	looks := rule.ScheduleOf(rule.Default()).Looks()
	first, last := looks[0], rule.LastLook(rule.Default())
	said := fmt.Sprintf("a slowdown of %s after %d rounds, of %s after %d", text.Percent(n.SeenFirst), first, text.Percent(n.SeenLast), last)
	quieten := "quieten the machine, or take one that does nothing else"
	switch {
	case n.SeenLast > 2*tolerance:
		return bad(fmt.Sprintf("%s: too noisy for the default tolerance of %s", said, text.Percent(tolerance)),
			fmt.Sprintf("%s; or set gate.tolerance to %s or more", quieten, text.Percent(n.SeenLast)))
	case n.Rounds == 0 || n.SeenLast > tolerance:
		return warn(fmt.Sprintf("%s: some changes of the size of the default tolerance, %s, stay inconclusive", said, text.Percent(tolerance)), quieten)
	}
	return fine(fmt.Sprintf("%s; of the default tolerance, %s, after %d", said, text.Percent(tolerance), n.Rounds))
}
