package run

import (
	"slices"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// withinLimits compares head's build with the resource limits of the configuration, and refuses what cannot be measured here. It
// comes before everything else on the device, so that kernels which are not timed, because they are new or the same as base's,
// are compared with them too. A limit that cannot be checked leaves the kernel unmeasured: it must not look kept.
func withinLimits(target kernels.Target) func(Kernel) (Kernel, *result.Kernel, error) {
	return func(k Kernel) (Kernel, *result.Kernel, error) {
		if k.Plan.Kernel.HidesTensors() {
			return k, nil, nil
		}
		over, unknown := overLimits(k.Plan.Kernel.Resources, underTest(forTarget(k.Head.Library.Resources, target.Arch)))
		k.Limits = over
		several, err := severalGPUs(k)
		switch {
		case err != nil:
			return k, nil, err
		case several != nil:
			return k, k.end(result.KernelError, several), nil
		case unknown != nil:
			return k, k.end(result.KernelError, unknown), nil
		}
		return k, nil, nil
	}
}

// checkable refuses the kernels that a run refuses as well: shown one GPU, what wants several would only look wrong.
func checkable(k Kernel) (Kernel, *result.Kernel, error) {
	if k.Plan.Kernel.HidesTensors() {
		k.Parity = result.Parity{Status: result.ParitySkipped, Reason: &result.Reason{Kind: result.ReasonHidden}}
		return k, k.end(result.KernelCompared, nil), nil
	}
	several, err := severalGPUs(k)
	if err != nil || several == nil {
		return k, nil, err
	}
	k.Parity = result.Parity{Status: result.ParityError, ErrorSide: result.SideBoth, Reason: several}
	return k, k.end(result.KernelError, several), nil
}

// severalGPUs says why a kernel that wants more than the one GPU that is measured on is refused; nil where none is.
func severalGPUs(k Kernel) (*result.Reason, error) {
	name, err := kernels.NeedsSeveralGPUs(k.Head.Library.Path)
	if err != nil || name == "" {
		return nil, err
	}
	return &result.Reason{Kind: result.ReasonSeveralGPUs, Name: name}, nil
}

// forTarget are the reports on code for one architecture. The library of a build command may hold several; where none is
// the device's, whose code the driver then makes from another, all count.
func forTarget(all []kernels.Resource, arch string) []kernels.Resource {
	return preferred(all, func(r kernels.Resource) bool { return r.Arch == arch })
}

// underTest leaves out the kernels of the adapter's own file, such as a float64 reference, unless there are no others.
func underTest(all []kernels.Resource) []kernels.Resource {
	return preferred(all, func(r kernels.Resource) bool { return !r.Adapter })
}

// preferred are those that are wanted, or all where none is.
func preferred(all []kernels.Resource, wanted func(kernels.Resource) bool) []kernels.Resource {
	if some := slices.DeleteFunc(slices.Clone(all), func(r kernels.Resource) bool { return !wanted(r) }); len(some) > 0 {
		return some
	}
	return all
}

// overLimits are the limits that some kernel exceeds, each with the function that exceeds it most; and why limits cannot be checked, if they cannot.
func overLimits(want config.Resources, reported []kernels.Resource) (over []result.OverLimit, unknown *result.Reason) {
	const spills = "spill-bytes"
	for _, l := range []struct {
		key   string
		most  *int64
		needs func(kernels.Resource) int64
	}{
		{"registers", want.Registers, func(r kernels.Resource) int64 { return int64(r.Registers) }},
		// A value may be stored once and loaded often.
		{spills, want.SpillBytes, func(r kernels.Resource) int64 { return int64(max(r.SpillStoreBytes, r.SpillLoadBytes)) }},
		{"shared-bytes", want.SharedBytes, func(r kernels.Resource) int64 { return int64(r.SharedBytes) }},
	} {
		switch {
		case l.most == nil:
			continue
		case len(reported) == 0:
			return nil, &result.Reason{Kind: result.ReasonNoReport, Name: l.key}
		case l.key == spills && slices.ContainsFunc(reported, func(r kernels.Resource) bool { return !r.SpillsKnown }):
			unknown = &result.Reason{Kind: result.ReasonNoSpills}
			continue
		}
		o := result.OverLimit{Key: l.key, Limit: *l.most}
		for _, r := range reported {
			if n := l.needs(r); n > o.Limit {
				o.Over++
				if n > o.Needs {
					o.Needs, o.Function = n, r.Function
				}
			}
		}
		if o.Over > 0 {
			over = append(over, o)
		}
	}
	return over, unknown
}
