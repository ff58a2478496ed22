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
		if u.Reason.Kind == result.ReasonUnbuilt || u.Reason.Kind == result.ReasonUnread {
			continue
		}
		for _, p := range parts[1:] {
			u = sharedByBoth(u, p.Uncompared)
		}
		if u.Reason.Count > 0 {
			out = append(out, u)
		}
	}
	return append(out, unbuiltInAll(parts)...)
}

// unbuiltInAll are the sources that no part read, and for which at least one loaded a stand-in: others may have loaded none, or one of other sources.
func unbuiltInAll(parts []Part) []result.Uncompared {
	var all []result.Uncompared
	for _, p := range parts {
		all = append(all, ofKind(p.Uncompared, result.ReasonUnbuilt)...)
	}
	if len(all) == 0 {
		return nil
	}
	out := all[0]
	var names []string
	for _, u := range all {
		out.Approved = out.Approved && u.Approved
		out.Reason.Name = min(out.Reason.Name, u.Reason.Name)
		out.Reason.Count = max(out.Reason.Count, u.Reason.Count)
		names = append(names, u.Reason.Names...)
	}
	slices.Sort(names)
	isWhole := true
	out.Reason.Names = slices.DeleteFunc(slices.Compact(names), func(name string) bool {
		isUnread := !slices.ContainsFunc(parts, func(p Part) bool { return !isUnreadIn(p, name) })
		isWhole = isWhole && isUnread
		return !isUnread
	})
	if !isWhole || out.Reason.Count < len(out.Reason.Names) {
		out.Reason.Count = len(out.Reason.Names)
	}
	out.Only = !slices.ContainsFunc(parts, func(p Part) bool { return !readsNothing(p) })
	if len(out.Reason.Names) == 0 {
		return nil
	}
	return []result.Uncompared{out}
}

func ofKind(all []result.Uncompared, kinds ...result.ReasonKind) []result.Uncompared {
	return slices.DeleteFunc(slices.Clone(all), func(u result.Uncompared) bool { return !slices.Contains(kinds, u.Reason.Kind) })
}

// isUnreadIn says whether a part read nothing of a file. Of long lists only the first names are known, so the note on a file may be lost, and no answer of a
// run is: a part that read nothing of the change says that of all files.
func isUnreadIn(p Part, file string) bool {
	return readsNothing(p) || slices.ContainsFunc(ofKind(p.Uncompared, result.ReasonUnbuilt, result.ReasonUnread), func(u result.Uncompared) bool {
		return slices.Contains(u.Reason.Names, file)
	})
}

// readsNothing says that a part read nothing that head changes.
func readsNothing(p Part) bool {
	return slices.ContainsFunc(ofKind(p.Uncompared, result.ReasonUnbuilt, result.ReasonUnread), func(u result.Uncompared) bool { return u.Only })
}

// sharedByBoth is what of a part is in another part too: the files that both name. None are left where that has no such part.
func sharedByBoth(u result.Uncompared, others []result.Uncompared) result.Uncompared {
	i := slices.IndexFunc(others, func(other result.Uncompared) bool { return other.Reason.Kind == u.Reason.Kind })
	if i < 0 {
		return result.Uncompared{Reason: result.Reason{Kind: u.Reason.Kind}}
	}
	other := others[i]
	u.Only, u.Approved = u.Only && other.Only, u.Approved && other.Approved
	if u.Reason.Count != other.Reason.Count || !slices.Equal(u.Reason.Names, other.Reason.Names) { // of long lists only the first names are known
		u.Reason.Names = slices.DeleteFunc(slices.Clone(u.Reason.Names), func(name string) bool { return !slices.Contains(other.Reason.Names, name) })
		u.Reason.Count = len(u.Reason.Names)
	}
	return u
}
