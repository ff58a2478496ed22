package rule

import (
	"github.com/org/perfgate/gate/result"
)

// isWaived says whether a waiver without a tolerance lets a finding pass: it is about the time of a case, which was measured. A waiver with a tolerance
// is one for the rounds: a case beyond it fails as any other.
func isWaived(p result.Policy, f result.Finding) bool {
	if !Acceptable(f) {
		return false
	}
	w := p.WaiverOf(f.Case)
	return w != nil && w.Tolerance == 0
}

// waivers keeps a run from passing in which every case that was timed has a waiver, and says which waivers are of no use.
func (v *collector) waivers(parts []Part) {
	var names []string
	timed, waived, unneeded := 0, 0, map[string]bool{}
	for _, part := range parts {
		for _, c := range part.Cases {
			names = append(names, c.Name)
			stored := c.Stored
			unneeded[c.Name] = stored != nil && stored.WithinBest
			if c.Compared() == nil && byRecord(c) == "" {
				continue
			}
			timed++
			if v.run.WaiverOf(c.Name) != nil {
				waived++
			}
		}
	}
	if timed > 0 && waived == timed {
		v.add(result.Finding{Kind: result.FindingNothingCompared, Side: result.SideBoth, Reason: &result.Reason{Kind: result.ReasonAllWaived, Count: timed}})
	}
	for _, f := range UselessWaivers(v.run, names, func(name string) bool { return unneeded[name] }) {
		v.add(f)
	}
}

// UselessWaivers are findings on the waivers of a policy that do not do what they are there for: they have lapsed, match none of the cases, or each case
// that has them is fine without.
func UselessWaivers(p result.Policy, names []string, isFine func(name string) bool) (out []result.Finding) {
	for i := range p.Waivers {
		w := &p.Waivers[i]
		matched, held, needed := false, false, false
		for _, name := range names {
			if !result.CaseMatches(w.Cases, result.ParseCaseID(name).Kernel, name) {
				continue
			}
			matched = true
			if p.WaiverOf(name) == w {
				held, needed = true, needed || !isFine(name)
			}
		}
		f := result.Finding{Waiver: w}
		switch {
		case p.HasLapsed(*w):
			f.Kind = result.FindingWaiverLapsed
		case !matched:
			f.Kind = result.FindingWaiverUnmatched
		case held && !needed:
			f.Kind = result.FindingWaiverUnneeded
		default:
			continue
		}
		f.Effect = EffectOf(f.Kind, f.Side)
		out = append(out, f)
	}
	return out
}
