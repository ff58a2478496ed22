package rule

import (
	"reflect"
	"slices"

	"github.com/org/perfgate/gate/result"
)

// Orders of bad news, worst first.
var (
	statusOrder = []result.KernelStatus{result.KernelFailed, result.KernelError, result.KernelNew, result.KernelCompared, result.KernelIdentical}
	parityOrder = []result.ParityStatus{result.ParityFailed, result.ParityError, result.ParitySkipped, result.ParityOff, result.ParityHidden, result.ParityPassed}
)

// worse is the one of a and b whose word comes first in an order of bad news; a of two that are equal.
func worse[T any, W comparable](order []W, a, b T, word func(T) W) T {
	if slices.Index(order, word(b)) < slices.Index(order, word(a)) {
		return b
	}
	return a
}

// worseKernel is one kernel in two parts: what was worse of each, and what was checked in both together.
func worseKernel(a, b result.Kernel) result.Kernel {
	out := worse(statusOrder, a, b, func(k result.Kernel) result.KernelStatus { return k.Status })
	out.Parity = bothParities(a.Parity, b.Parity)
	out.Base, out.Head = worseBuild(a.Base, b.Base), worseBuild(a.Head, b.Head)
	out.Limits = union(a.Limits, b.Limits)
	out.Competitors = worseCompetitors(a.Competitors, b.Competitors)
	out.Uncompared = unlike(a.Uncompared, b.Uncompared)
	return out
}

// competitorOrder has the worst news first.
var competitorOrder = []result.CompetitorStatus{result.CompetitorFailed, result.CompetitorMeasured, result.CompetitorNoRounds, result.CompetitorNotAsked}

// worseCompetitors are the competitors of a kernel in two parts: one that failed in either counts as failed, and what only one part has stays.
func worseCompetitors(a, b []result.Competitor) []result.Competitor {
	out := slices.Clone(a)
	for _, r := range b {
		i := slices.IndexFunc(out, func(other result.Competitor) bool { return other.Name == r.Name })
		if i < 0 {
			out = append(out, r)
			continue
		}
		out[i] = worse(competitorOrder, out[i], r, func(r result.Competitor) result.CompetitorStatus { return r.Status })
	}
	return out
}

func worseBuild(a, b *result.Build) *result.Build {
	if a == nil || (b != nil && b.Failed && !a.Failed) {
		return b
	}
	return a
}

func bothParities(a, b result.Parity) result.Parity {
	out := worse(parityOrder, a, b, func(p result.Parity) result.ParityStatus { return p.Status })
	out.Planned, out.Run = a.Planned+b.Planned, a.Run+b.Run
	out.Refused, out.TooLarge = a.Refused+b.Refused, a.TooLarge+b.TooLarge
	out.Elements, out.Differing = a.Elements+b.Elements, a.Differing+b.Differing
	out.MaxRatio, out.BaseMax = max(a.MaxRatio, b.MaxRatio), max(a.BaseMax, b.BaseMax)
	out.Warnings = union(a.Warnings, b.Warnings)
	out.Seconds = a.Seconds + b.Seconds
	out.ULP = sum(a.ULP, b.ULP)
	return out
}

// sum adds histograms; they have as many steps wherever they are from.
func sum(a, b []int64) []int64 {
	if len(a) < len(b) {
		a, b = b, a
	}
	out := slices.Clone(a)
	for i := range b {
		out[i] += b[i]
	}
	return out
}

// union has what is in a or b, each once.
func union[T comparable](a, b []T) []T {
	var out []T
	seen := map[T]bool{}
	for _, s := range slices.Concat(a, b) {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

// unlike is a with what of b is not in it: on one machine every shard sees the same code.
func unlike[T any](a, b []T) []T {
	out := slices.Clone(a)
	for _, x := range b {
		if !slices.ContainsFunc(out, func(y T) bool { return reflect.DeepEqual(x, y) }) {
			out = append(out, x)
		}
	}
	return out
}

// addRun adds to a merged result what a run says of itself as a whole.
func addRun(to *result.Result, r *result.Result) {
	if r.Started.Before(to.Started) {
		to.Started = r.Started
	}
	to.WarmUp.NS = max(to.WarmUp.NS, r.WarmUp.NS)
	to.Timings.TotalS += r.Timings.TotalS
	to.Timings.CompileS += r.Timings.CompileS
	to.Timings.RunnersS += r.Timings.RunnersS
	to.Timings.OverheadS += r.Timings.OverheadS
	to.Timings.WaitS += r.Timings.WaitS
	to.Timings.Phases = to.Timings.Phases.Plus(r.Timings.Phases)
	if len(to.Merged) == 1 {
		to.Sandbox = r.Sandbox
	} else {
		to.Sandbox = weakerSandbox(to.Sandbox, r.Sandbox)
	}
	to.Baseline = both(to.Baseline, r.Baseline, bothBaselines)
	to.Evidence = both(to.Evidence, r.Evidence, bothEvidence)
	to.Cost = both(to.Cost, r.Cost, func(a, b result.Cost) result.Cost {
		return result.Cost{HourPrice: max(a.HourPrice, b.HourPrice), Total: a.Total + b.Total}
	})
}

// weakerSandbox is what both parts had: one that had none leaves none, and every gap counts.
func weakerSandbox(a, b *result.Sandbox) *result.Sandbox {
	switch {
	case a == nil || b == nil:
		return nil
	case a.Mode == "off" || b.Mode == "off":
		return &result.Sandbox{Mode: "off"}
	}
	return &result.Sandbox{
		Mode: a.Mode, Landlock: min(a.Landlock, b.Landlock), Seccomp: a.Seccomp && b.Seccomp, Commands: a.Commands && b.Commands,
		Kernels: a.Kernels && b.Kernels, Gaps: union(a.Gaps, b.Gaps),
	}
}

// both puts together what two parts have; what only one has stays as it is.
func both[T any](a, b *T, add func(a, b T) T) *T {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	out := add(*a, *b)
	return &out
}

func bothBaselines(a, b result.Baseline) result.Baseline {
	out := a
	out.Screened, out.Settled, out.Identical = a.Screened+b.Screened, a.Settled+b.Settled, a.Identical+b.Identical
	out.ScreenS, out.RoundsS, out.BestKnownS, out.SavedS = a.ScreenS+b.ScreenS, a.RoundsS+b.RoundsS, a.BestKnownS+b.BestKnownS, a.SavedS+b.SavedS
	out.PassedOver = union(a.PassedOver, b.PassedOver)
	out.Reason = unlike(a.Reason, b.Reason)
	return out
}

func bothEvidence(a, b result.Evidence) result.Evidence {
	out := a
	out.Seconds += b.Seconds
	out.Gaps = unlike(a.Gaps, b.Gaps)
	out.Kernels = unlike(a.Kernels, b.Kernels)
	out.Scaling = unlike(a.Scaling, b.Scaling)
	return out
}
