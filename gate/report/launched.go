package report

import (
	"fmt"
	"slices"

	"github.com/ianlancetaylor/demangle"

	"github.com/org/perfgate/gate/result"
)

// mostLaunches bounds the lines on launches.
const mostLaunches = 4

// launchFacts say of cases that changed how what they launch changed: what shows a grid that is too small without a profiler.
func launchFacts(r *result.Result) []Text {
	sms := 0
	if r.Machine.GPU != nil {
		sms = r.Machine.GPU.SMs
	}
	var out []Text
	for _, c := range sorted(r.Cases) {
		if c.Launched == nil || !slices.Contains([]result.Verdict{result.Regression, result.Slower, result.Faster, result.Improvement}, c.Verdict) {
			continue
		}
		for _, text := range launchChanges(c.Launched, sms) {
			out = append(out, append(Text{code(nameOf(c).Full), words(": ")}, text...))
		}
	}
	return out[:min(len(out), mostLaunches)]
}

// launchChanges pairs launches by function and by their order among its own: no document says that a graph lists them as they
// were made. One that the other side does not have is counted.
func launchChanges(l *result.Launched, sms int) []Text {
	if len(l.Base) == 0 || len(l.Head) == 0 {
		return nil // one side's could not be recorded
	}
	var out []Text
	if len(l.Base) != len(l.Head) {
		out = append(out, Say(fmt.Sprintf("%d → %s launched", len(l.Base), Count(len(l.Head), "kernel"))))
	}
	left := slices.Clone(l.Base)
	for _, h := range l.Head {
		name := FunctionName(h.Function)
		i := slices.IndexFunc(left, func(b result.LaunchShape) bool { return FunctionName(b.Function) == name })
		if i < 0 {
			if len(l.Head) > 1 || len(l.Base) > 1 {
				continue // another function: the code that was compiled says which
			}
			i = 0 // the only one, renamed
		}
		if text := launchChange(left[i], h, sms); text != "" {
			out = append(out, Text{code(Clip(name, longest)), words(" is launched as " + text)})
		}
		left = slices.Delete(left, i, i+1)
	}
	return out
}

func launchChange(b, h result.LaunchShape, sms int) string {
	var c clauses
	blocks, before := product(h.Grid), product(b.Grid)
	threads, threadsBefore := product(h.Block), product(b.Block)
	c.when(blocks != before, "%s → %s", digits(before, 0), Count(int(blocks), "block"))
	c.when(threads != threadsBefore, "blocks of %s → %s threads", digits(threadsBefore, 0), digits(threads, 0))
	c.when(b.DynamicSharedBytes != h.DynamicSharedBytes, "%s → %s of dynamic shared memory a block",
		Bytes(int64(b.DynamicSharedBytes)), Bytes(int64(h.DynamicSharedBytes)))
	if len(c) == 0 {
		return ""
	}
	c.when(b.BlocksPerSM > 0 && h.BlocksPerSM > 0 && b.BlocksPerSM != h.BlocksPerSM, "of which %d → %d fit an SM", b.BlocksPerSM, h.BlocksPerSM)
	c.when(b.Waves > 0 && h.Waves > 0, "%s → %s waves", Number(b.Waves), Number(h.Waves))
	idle := sms - int(blocks)
	c.when(blocks >= 1 && blocks < before && idle > 0, "%d of %d SMs get none", idle, sms)
	return c.join(", ")
}

// product of the sizes of a grid or a block. They are the driver's on this machine, or anybody's in an artifact.
func product(dims []int) float64 {
	all := 1.0
	for _, d := range dims {
		all *= float64(max(d, 0))
	}
	return min(all, 1e15)
}

// FunctionName is the name of a function as its source has it, without parameters; what is no mangled name stays as it is.
func FunctionName(mangled string) string {
	return Visible(demangle.Filter(mangled, demangle.NoParams, demangle.NoClones))
}
