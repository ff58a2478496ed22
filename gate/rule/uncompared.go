package rule

import (
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
func sharedByAll(parts []Part) (out []result.Uncompared) {
	if len(parts) == 0 {
		return nil
	}
	for _, u := range parts[0].Uncompared {
		for _, p := range parts[1:] {
			u = sharedByBoth(u, p.Uncompared)
		}
		if u.Reason.Count > 0 && (u.Reason.Kind != result.ReasonUnbuilt || u.Reason.Name != "") {
			out = append(out, u)
		}
	}
	return out
}

// sharedByBoth is what of a part is in another part too: the files that both name. None are left where that has no such part.
func sharedByBoth(u result.Uncompared, others []result.Uncompared) result.Uncompared {
	i := slices.IndexFunc(others, func(other result.Uncompared) bool { return other.Reason.Kind == u.Reason.Kind })
	if i < 0 {
		return result.Uncompared{Reason: result.Reason{Kind: u.Reason.Kind}}
	}
	other := others[i]
	u.Only, u.Approved = u.Only && other.Only, u.Approved && other.Approved
	if u.Reason.Name == "" || other.Reason.Name != "" && other.Reason.Name < u.Reason.Name {
		u.Reason.Name = other.Reason.Name
	}
	if u.Reason.Count != other.Reason.Count || !slices.Equal(u.Reason.Names, other.Reason.Names) { // of long lists only the first names are known
		u.Reason.Names = slices.DeleteFunc(slices.Clone(u.Reason.Names), func(name string) bool { return !slices.Contains(other.Reason.Names, name) })
		u.Reason.Count = len(u.Reason.Names)
	}
	return u
}
