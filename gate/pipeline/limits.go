package pipeline

import (
	"context"
	"fmt"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// limits holds head's builds against the resource limits of the configuration, and refuses what cannot be measured here. It
// comes before everything else on the device, so that kernels which are not timed, because they are new or the same as base's,
// are held against them too.
func (r *run) limits(context.Context) error {
	for _, k := range r.kernels {
		if k.record.Status != "" && k.record.Status != result.KernelNew {
			continue
		}
		k.judgeLimits(r.device.target)
		if err := k.refuseSeveralGPUs(); err != nil {
			return err
		}
	}
	return nil
}

// refuseSeveralGPUs leaves a kernel alone that wants more than the one GPU that is measured on.
func (k *kernelRun) refuseSeveralGPUs() error {
	name, err := kernels.NeedsSeveralGPUs(k.head.Path)
	if err == nil && name != "" {
		k.record.Status = result.KernelError
		k.record.Reason = fmt.Sprintf("head needs %s: a kernel that spreads over several GPUs can be neither checked nor measured, since it is shown one", name)
	}
	return err
}

// judgeLimits notes what head exceeds. A limit that cannot be checked leaves the kernel unmeasured: it must not look kept.
func (k *kernelRun) judgeLimits(target kernels.Target) {
	over, unknown := overLimits(k.plan.Kernel.Resources, underTest(forTarget(k.head.Resources, target.Arch)))
	k.record.Limits = over
	if unknown != "" {
		k.record.Status, k.record.Reason = result.KernelError, "resources cannot be checked: "+unknown
	}
}

// forTarget are the reports on code for one architecture. A library that somebody else built may hold several; where none is
// the device's, whose code the driver then makes from another, all count.
func forTarget(all []kernels.Resource, arch string) []kernels.Resource {
	var own []kernels.Resource
	for _, r := range all {
		if r.Arch == arch {
			own = append(own, r)
		}
	}
	if len(own) == 0 {
		return all
	}
	return own
}

// underTest leaves out the kernels of the adapter's own file, such as a float64 reference, unless there are no others.
func underTest(all []kernels.Resource) []kernels.Resource {
	var sources []kernels.Resource
	for _, r := range all {
		if !r.Adapter {
			sources = append(sources, r)
		}
	}
	if len(sources) == 0 {
		return all
	}
	return sources
}

// limit is one key of resources: what it allows, and what a kernel needs.
type limit struct {
	key   string
	most  *int64
	unit  string
	needs func(kernels.Resource) int64
}

// overLimits returns a phrase for each limit that some kernel exceeds, of the kernel that exceeds it most; and why limits
// cannot be checked, if they cannot.
func overLimits(want config.Resources, reported []kernels.Resource) (over []string, unknown string) {
	for _, l := range []limit{
		{"registers", want.Registers, " a thread", func(r kernels.Resource) int64 { return int64(r.Registers) }},
		{"spill-bytes", want.SpillBytes, " a thread", spills},
		{"shared-bytes", want.SharedBytes, " a block", func(r kernels.Resource) int64 { return int64(r.SharedBytes) }},
	} {
		switch {
		case l.most == nil:
		case len(reported) == 0:
			return nil, l.key + " is limited, but no compiler reported on a kernel (it must be CUDA, and the library of a build command needs cuobjdump beside nvcc)"
		case l.key == "spill-bytes" && !spillsKnown(reported):
			unknown = "spill-bytes is limited, and the finished library of a build command does not tell spills: leave spill-bytes out, or let perfgate compile the sources"
		default:
			if phrase := l.broken(reported); phrase != "" {
				over = append(over, phrase)
			}
		}
	}
	return over, unknown
}

// broken names the kernel that exceeds a limit most, and how many more do; "" where none does.
func (l limit) broken(reported []kernels.Resource) string {
	worst, count := reported[0], 0
	for _, r := range reported {
		if l.needs(r) > *l.most {
			count++
		}
		if l.needs(r) > l.needs(worst) {
			worst = r
		}
	}
	if count == 0 {
		return ""
	}
	others := ""
	if count > 1 {
		others = fmt.Sprintf(" (%d kernels are over it)", count)
	}
	return fmt.Sprintf("%s: %s needs %d%s, the limit is %d%s", l.key, kernels.ShortName(worst.Function), l.needs(worst), l.unit, *l.most, others)
}

// spills are what is stored or loaded, whichever is more: a value may be stored once and loaded often.
func spills(r kernels.Resource) int64 { return int64(max(r.SpillStoreBytes, r.SpillLoadBytes)) }

func spillsKnown(reported []kernels.Resource) bool {
	for _, r := range reported {
		if !r.SpillsKnown {
			return false
		}
	}
	return true
}
