package doctor

import (
	"fmt"

	"github.com/org/perfgate/gate"
)

const inNoise group = "A/A"

// noiseFindings say what measuring the same code against itself showed.
func noiseFindings(f Facts) []Finding {
	switch {
	case f.NoiseSkipped:
		return []Finding{inNoise.absent("canary", "not measured (--quick), so nothing is known of the noise", "")}
	case f.NoiseTrouble != "":
		return []Finding{inNoise.unknown("canary", "could not be measured: "+f.NoiseTrouble, "help what stands above first; the cause may be the same")}
	}
	var found []Finding
	for _, n := range f.Noise {
		found = append(found, scatter(n), sight(n))
	}
	return found
}

func scatter(n Noise) Finding {
	text := fmt.Sprintf("%d processes of %s (%s a launch) scatter by %s", n.Processes, n.Case, duration(n.MedianNS), percent(n.Scatter))
	if n.ComputeCV > 0 {
		text += fmt.Sprintf("; the harness's canaries: arithmetic %s", percent(n.ComputeCV))
		if n.MemoryCV > 0 {
			text += ", memory " + percent(n.MemoryCV)
		}
	}
	if n.Voided > 0 {
		return inNoise.warn("noise", fmt.Sprintf("%s; %s voided: %s", text, plural(n.Voided, "round"), n.VoidReason), "see that nothing else uses the GPU, and that it keeps cool")
	}
	return inNoise.ok("noise", text)
}

// sight weighs what the gate can see here against its default tolerance, as gate.Conclude does: a case whose smallest
// detectable effect is over twice the tolerance is never decided by its estimate.
func sight(n Noise) Finding {
	tolerance := gate.Default().Tolerance
	first, last := gate.Looks[0], gate.Looks[len(gate.Looks)-1]
	text := fmt.Sprintf("a slowdown of %s after %d rounds, of %s after %d", percent(n.SeenFirst), first, percent(n.SeenLast), last)
	quieten := "quieten the machine, or take one that does nothing else"
	switch {
	case n.SeenLast > 2*tolerance:
		return inNoise.bad("detects", fmt.Sprintf("%s: too noisy for the default tolerance of %s", text, percent(tolerance)),
			fmt.Sprintf("%s; or set gate.tolerance to %s or more", quieten, percent(n.SeenLast)))
	case n.Rounds == 0 || n.SeenLast > tolerance:
		return inNoise.warn("detects", fmt.Sprintf("%s: some changes of the size of the default tolerance, %s, stay open", text, percent(tolerance)), quieten)
	}
	return inNoise.ok("detects", fmt.Sprintf("%s; of the default tolerance, %s, after %d", text, percent(tolerance), n.Rounds))
}
