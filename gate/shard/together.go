package shard

import (
	"fmt"
	"math"
	"slices"

	"github.com/org/perfgate/gate"
	"github.com/org/perfgate/gate/result"
)

// together makes one result of parts that fit.
func together(parts []part, missing []string) *result.Result {
	first := parts[0].Result
	out := *first
	out.Shard, out.Seed = nil, seedOf(first)
	out.Kernels, out.Cases, out.Rounds, out.Notes = nil, nil, nil, nil
	out.Timings, out.Sandbox, out.Baseline, out.Evidence, out.Cost = result.Timings{}, nil, nil, nil, nil
	out.Accepted = nil // what is accepted is accepted of the whole
	several := len(machines(parts)) > 1
	kernels := map[string]int{}
	for _, p := range parts {
		r := p.Result
		out.Merged = append(out.Merged, result.Part{
			Index: p.index, Of: p.of, Machine: machineName(r), Key: r.Machine.Key, Seed: r.Seed, Verdict: p.judged.Conclusion.Verdict,
			Cases: len(r.Cases), Rounds: len(r.Rounds), TotalS: r.Timings.TotalS,
		})
		for _, k := range r.Kernels {
			at, known := kernels[k.Name]
			if !known {
				kernels[k.Name] = len(out.Kernels)
				out.Kernels = append(out.Kernels, k)
				continue
			}
			out.Kernels[at] = worseKernel(out.Kernels[at], k)
		}
		for _, c := range r.Cases {
			if several {
				c.Machine = machineName(r)
			}
			out.Cases = append(out.Cases, c)
		}
		out.Rounds = append(out.Rounds, r.Rounds...)
		for _, note := range r.Notes {
			out.Notes = append(out.Notes, p.label()+": "+note)
		}
		if r.Started.Before(out.Started) {
			out.Started = r.Started
		}
		addTimings(&out.Timings, r.Timings)
		out.Sandbox = weakerSandbox(out.Sandbox, r.Sandbox, out.Merged)
		out.Baseline = bothBaselines(out.Baseline, r.Baseline)
		out.Evidence = bothEvidence(out.Evidence, r.Evidence)
		out.Cost = bothCosts(out.Cost, r.Cost)
		out.WarmUp.NS = max(out.WarmUp.NS, r.WarmUp.NS)
	}
	slices.SortStableFunc(out.Cases, func(a, b result.Case) int { return kernels[a.Kernel] - kernels[b.Kernel] })
	out.Notes = append(out.Notes, combined(parts, first.Policy)...)
	out.Conclusion = conclude(parts, several, missing)
	return &out
}

// machines are the different ones, by key.
func machines(parts []part) []string {
	var keys []string
	for _, p := range parts {
		if key := p.Result.Machine.Key; !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// combined says what the confidence of several machines comes to together: each held it for the plan.
func combined(parts []part, p result.Policy) []string {
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
		most, 100*p.Confidence, 100*math.Max(0, 1-float64(most)*(1-p.Confidence)))}
}

// conclude sums up all parts as one run. What is missing speaks against a pass, and a no of the gate outweighs it.
func conclude(parts []part, several bool, missing []string) result.Conclusion {
	var all []gate.Part
	var idle []result.Finding
	for _, p := range parts {
		if len(p.judged.Cases)+len(p.judged.Kernels) == 0 {
			idle = append(idle, p.judged.Conclusion.Findings...)
			continue
		}
		one := gate.Part{Kernels: p.judged.Kernels, Cases: p.judged.Cases}
		if several {
			one.Machine = machineName(p.Result)
		}
		all = append(all, one)
	}
	if len(all) == 0 {
		return withMissing(idleOf(idle), missing)
	}
	if left := len(parts) - len(all); left > 0 {
		missing = append(missing, fmt.Sprintf("%d of %d parts say that there was nothing to do, and the others measured", left, len(parts)))
	} else if n, most := planned(parts); n < most && len(missing) == 0 {
		missing = append(missing, fmt.Sprintf("%d of the plan's %d cases are in no part", most-n, most))
	}
	return withMissing(gate.ConcludeParts(all, parts[0].Result.Policy), missing)
}

// idleOf is the conclusion of parts that all had nothing to do.
func idleOf(found []result.Finding) result.Conclusion {
	c := gate.NothingToDo(found[0].Detail)
	for _, f := range found[1:] {
		if f.Detail != found[0].Detail {
			c = gate.Add(c, f)
		}
	}
	return c
}

func withMissing(c result.Conclusion, missing []string) result.Conclusion {
	for _, what := range missing {
		c = gate.Add(c, result.Finding{Kind: result.FindingMissing, Detail: what})
	}
	return c
}

// planned is how many different cases there are, and how many the plan had.
func planned(parts []part) (n, most int) {
	names := map[string]bool{}
	for _, p := range parts {
		for _, c := range p.Result.Cases {
			names[c.Name] = true
		}
	}
	return len(names), parts[0].Result.Policy.Cases
}
