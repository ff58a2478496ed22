package shard

import (
	"reflect"
	"slices"

	"github.com/org/perfgate/gate/result"
)

// Orders of bad news, worst first.
var (
	statusOrder = []string{result.KernelFailed, result.KernelError, result.KernelNew, result.KernelCompared, result.KernelIdentical}
	parityOrder = []string{result.ParityFailed, result.ParityError, result.ParitySkipped, result.ParityOff, result.ParityPassed}
)

// worseKernel is one kernel in two parts: what was worse of each, and what was checked in both together.
func worseKernel(a, b result.Kernel) result.Kernel {
	out := a
	if slices.Index(statusOrder, b.Status) < slices.Index(statusOrder, a.Status) {
		out = b
	}
	out.Parity = bothParities(a.Parity, b.Parity)
	out.Base, out.Head = worseBuild(a.Base, b.Base), worseBuild(a.Head, b.Head)
	out.Limits = union(a.Limits, b.Limits)
	return out
}

func worseBuild(a, b *result.Build) *result.Build {
	if a == nil || (b != nil && b.Failed && !a.Failed) {
		return b
	}
	return a
}

func bothParities(a, b result.Parity) result.Parity {
	out := a
	if slices.Index(parityOrder, b.Status) < slices.Index(parityOrder, a.Status) {
		out = b
	}
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

func union(a, b []string) []string {
	var out []string
	for _, s := range slices.Concat(a, b) {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func addTimings(to *result.Timings, t result.Timings) {
	to.TotalS += t.TotalS
	to.CompileS += t.CompileS
	to.RunnersS += t.RunnersS
	to.OverheadS += t.OverheadS
	to.WaitS += t.WaitS
}

// weakerSandbox is what all parts had: one that had none leaves none, and every gap counts.
func weakerSandbox(a, b *result.Sandbox, done []result.Part) *result.Sandbox {
	switch {
	case len(done) == 1:
		return b
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

func bothBaselines(a, b *result.Baseline) *result.Baseline {
	if a == nil || b == nil {
		if a == nil {
			return b
		}
		return a
	}
	out := *a
	out.Screened, out.Settled, out.Identical = a.Screened+b.Screened, a.Settled+b.Settled, a.Identical+b.Identical
	out.ScreenS, out.RoundsS, out.CreepS, out.SavedS = a.ScreenS+b.ScreenS, a.RoundsS+b.RoundsS, a.CreepS+b.CreepS, a.SavedS+b.SavedS
	out.Warnings, out.PassedOver = union(a.Warnings, b.Warnings), union(a.PassedOver, b.PassedOver)
	if b.Note != "" && b.Note != a.Note {
		if a.Note != "" {
			out.Note += "; "
		}
		out.Note += b.Note
	}
	return &out
}

func bothEvidence(a, b *result.Evidence) *result.Evidence {
	if a == nil || b == nil {
		if a == nil {
			return b
		}
		return a
	}
	out := *a
	out.Seconds += b.Seconds
	out.Gaps = unlike(a.Gaps, b.Gaps)
	out.Kernels = unlike(a.Kernels, b.Kernels) // on one machine every shard sees the same code
	out.Scaling = unlike(a.Scaling, b.Scaling)
	return &out
}

// unlike is a with what of b is not in it.
func unlike[T any](a, b []T) []T {
	out := slices.Clone(a)
	for _, x := range b {
		if !slices.ContainsFunc(out, func(y T) bool { return reflect.DeepEqual(x, y) }) {
			out = append(out, x)
		}
	}
	return out
}

func bothCosts(a, b *result.Cost) *result.Cost {
	if a == nil || b == nil {
		if a == nil {
			return b
		}
		return a
	}
	return &result.Cost{HourPrice: max(a.HourPrice, b.HourPrice), Total: a.Total + b.Total}
}
