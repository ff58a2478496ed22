package rule

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// together makes one result of parts that fit, of a plan that so many machines measured each.
func together(parts []mergePart, on int, missing []string) *result.Result {
	first := parts[0].Result
	out := *first
	out.Shard, out.Seed = nil, planSeed(first)
	out.Kernels, out.Cases, out.Rounds, out.Notes = nil, nil, nil, nil
	out.Timings, out.Sandbox, out.Baseline, out.Evidence, out.Cost = result.Timings{}, nil, nil, nil, nil
	out.Accepted = nil        // what is accepted is accepted of the whole
	for _, p := range parts { // a waiver that has lapsed for one of them has lapsed
		out.Policy.Day = max(out.Policy.Day, p.Result.Policy.Day)
	}
	several := len(machines(parts)) > 1
	order := map[string]int{}
	for _, p := range parts {
		r := p.Result
		out.Merged = append(out.Merged, result.Part{
			Index: p.index, Of: p.of, Machine: p.machine, Key: r.Machine.Key, Seed: r.Seed, Verdict: p.replayed.Conclusion.Verdict,
			Cases: len(r.Cases), Rounds: len(r.Rounds), TotalS: r.Timings.TotalS,
		})
		for _, k := range r.Kernels {
			i, known := order[k.Name]
			if !known {
				order[k.Name] = len(out.Kernels)
				out.Kernels = append(out.Kernels, k)
				continue
			}
			out.Kernels[i] = worseKernel(out.Kernels[i], k)
		}
		for _, c := range r.Cases {
			if several {
				c.Machine = p.machine
			}
			out.Cases = append(out.Cases, c)
		}
		out.Rounds = append(out.Rounds, r.Rounds...)
		addRun(&out, r)
	}
	out.Notes = notesOf(parts)
	out.Uncompared = sharedByAll(measuredParts(parts, on))
	slices.SortStableFunc(out.Cases, func(a, b result.Case) int { return order[a.Kernel] - order[b.Kernel] })
	out.Notes = append(out.Notes, jointConfidence(parts, first.Policy)...)
	out.Conclusion = concludeMerged(parts, on, missing, out.Policy)
	return &out
}

// notesOf are the notes of all parts, each once and with the parts that have it, unless all do.
func notesOf(parts []mergePart) (notes []string) {
	labels := map[string][]string{}
	var order []string
	for _, p := range parts {
		for _, note := range union(p.Result.Notes, nil) {
			if labels[note] == nil {
				order = append(order, note)
			}
			labels[note] = append(labels[note], p.label())
		}
	}
	for _, note := range order {
		if len(parts) == 1 || len(labels[note]) < len(parts) {
			note = strings.Join(labels[note], ", ") + ": " + note
		}
		notes = append(notes, note)
	}
	return notes
}

// machines are the different ones, by key.
func machines(parts []mergePart) []string {
	var keys []string
	for _, p := range parts {
		if key := p.Result.Machine.Key; !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// jointConfidence says what the confidence of several machines comes to together: each held it for the plan.
func jointConfidence(parts []mergePart, p result.Policy) []string {
	sets := map[int]int{}
	most := 0
	for _, part := range parts {
		sets[part.index]++
		most = max(most, sets[part.index])
	}
	if most < 2 {
		return nil
	}
	return []string{fmt.Sprintf("the plan was measured on %d machines, with %.4g %% confidence on each: that none of them is red by chance is at least %.4g %% sure",
		most, 100*p.Confidence, 100*max(0, 1-float64(most)*(1-p.Confidence)))}
}

// concludeMerged sums up all parts as one run. What is missing speaks against a pass, and a no of the gate outweighs it.
func concludeMerged(parts []mergePart, on int, missing []string, policy result.Policy) result.Conclusion {
	var idle []result.Finding
	for _, p := range parts {
		if p.isIdle() {
			idle = append(idle, p.replayed.Conclusion.Findings...)
		}
	}
	all := measuredParts(parts, on)
	if len(all) == 0 {
		return withMissing(idleConclusion(idle), missing)
	}
	if none := len(parts) - len(all); none > 0 {
		missing = append(missing, fmt.Sprintf("%d of %d parts say that there was nothing to do, and the others measured", none, len(parts)))
	} else if len(missing) == 0 {
		missing = lacking(parts, on)
	}
	if len(missing) > 0 {
		policy.Suite, policy.Goals = result.Suite{}, nil // no word on all from some
	}
	return withMissing(concludeParts(all, policy), missing)
}

// isIdle says that a part had nothing to do.
func (p mergePart) isIdle() bool { return len(p.replayed.Cases)+len(p.replayed.Kernels) == 0 }

// measuredParts are those that had something to do, as they were decided again.
func measuredParts(parts []mergePart, on int) (all []Part) {
	several := len(machines(parts)) > 1
	for _, p := range parts {
		if p.isIdle() {
			continue
		}
		one := Part{Kernels: p.replayed.Kernels, Cases: p.replayed.Cases, Uncompared: p.replayed.Uncompared}
		if several {
			one.Machine = p.machine
		}
		if on > 1 {
			one.Plan = p.machine
		}
		all = append(all, one)
	}
	return all
}

// idleConclusion is the conclusion of parts that all had nothing to do.
func idleConclusion(found []result.Finding) result.Conclusion {
	c := Add(settled(nil, map[result.Verdict]int{}), found[0])
	for _, f := range found[1:] {
		if !reflect.DeepEqual(f, found[0]) {
			c = Add(c, f)
		}
	}
	return c
}

func withMissing(c result.Conclusion, missing []string) result.Conclusion {
	for _, what := range missing {
		c = Add(c, result.Finding{Kind: result.FindingMissing, Reason: result.Message(what)})
	}
	return c
}

// lacking says what of the plan is in no part, where so many machines measured all of it each.
func lacking(parts []mergePart, machines int) []string {
	times, cases, asked := map[string]int{}, 0, 0
	for _, p := range parts {
		for _, c := range p.Result.Cases {
			if times[c.Name]++; times[c.Name] <= machines {
				cases++
			}
		}
		asked += countSpeedups(p.Result.Kernels, p.Result.Cases, p.Result.Policy.Goals)
	}
	most, mostAsked := machines*parts[0].Result.Policy.Cases, machines*parts[0].Result.Policy.MinSpeedups
	switch {
	case cases < most:
		return []string{fmt.Sprintf("%d of the plan's %d cases are in no part", most-cases, most)}
	case asked != mostAsked:
		return []string{fmt.Sprintf("the parts ask %d times a minimum speedup over a competitor, and the plan %d times", asked, mostAsked)}
	}
	return nil
}
