package rule

import (
	"reflect"
	"slices"

	"github.com/org/perfgate/gate/result"
)

// uncompared adds what of head's change was not compared: of a kernel, or of none. Where nothing else differs, the kernel's verdicts are of two equal sides.
func (v *collector) uncompared(kernel string, parts []result.Uncompared) {
	for _, u := range parts {
		f := result.Finding{Kind: result.FindingNotCompared, Kernel: kernel, Side: result.SideHead, Reason: &u.Reason}
		switch {
		case u.Reason.Kind == result.ReasonEpoch && u.Approved:
			f.Kind, f.Side = result.FindingMeaningChanged, result.SideNone
		case u.Reason.Kind == result.ReasonEpoch:
			f.Kind = result.FindingMeaningChanged
		case u.LeavesNothing():
			f.Kind = result.FindingNothingCompared
		}
		v.add(f)
	}
}

// sharedByAll is what all parts of a run say of no kernel: what one of them compared was compared.
func sharedByAll(parts []Part) []result.Uncompared {
	if len(parts) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(parts[0].Uncompared), func(u result.Uncompared) bool {
		return slices.ContainsFunc(parts, func(p Part) bool {
			return !slices.ContainsFunc(p.Uncompared, func(other result.Uncompared) bool { return reflect.DeepEqual(u, other) })
		})
	})
}
