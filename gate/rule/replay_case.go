package rule

import (
	"fmt"
	"math"
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/stats"
)

// oneCase decides a case again: the case as it is, with the verdict that was found, which is the stated one where nothing
// differs.
func (d *Replayed) oneCase(at string, c result.Case, k result.Kernel, p result.Policy) result.Case {
	p = p.OfCase(c)
	o := c
	o.Reason = clippedReason(c.Reason)
	unproven := Unproven{Kernel: c.Kernel, Case: c.Name, Machine: c.Machine}
	switch {
	case c.Verdict == result.Error || c.Verdict == result.Skipped:
		o.SetComparison(result.VariantHead, result.VariantBase, nil)
	case c.Verdict == result.New:
		if k.Base != nil && k.Benchmark == nil {
			d.differ(at+".verdict", "new", "its kernel has a base")
			o.Verdict = result.Error
		}
		d.unproven(Unproven{Kind: UnprovenNew, Kernel: c.Kernel})
	case len(c.Looks) > 0 || len(c.For(result.PurposeRounds)) > 0:
		d.rounds(at, c, p, &o)
	case byRecord(c) != "":
		unproven.Kind = UnprovenStored
		if by := byRecord(c); c.Verdict != by {
			d.differ(at+".verdict", string(c.Verdict), "stored records said %s", by)
			o.Verdict = result.Error
			break
		}
		d.unproven(unproven)
	case c.Verdict == result.Same && identical(k):
		unproven.Kind = UnprovenIdentical
		d.unproven(unproven)
	default:
		d.differ(at+".verdict", string(c.Verdict), "there is nothing that it could come from")
		o.Verdict = result.Error
	}
	d.bestKnown(at, &o, p)
	d.competitors(at, c, k, p, &o)
	summarizeAgain(&o)
	return o
}

func identical(k result.Kernel) bool {
	return k.Status == result.KernelIdentical && k.Base != nil && k.Head != nil && !k.Base.Failed && !k.Head.Failed &&
		k.Head.Fingerprint != "" && (k.Reason.Is(result.ReasonSameFiles) || k.Base.Fingerprint == k.Head.Fingerprint)
}

// rounds decides a case again from its processes, look by look: a verdict between the looks, or after one that had decided
// otherwise, is none.
func (d *Replayed) rounds(at string, c result.Case, p result.Policy, o *result.Case) {
	if c.Reason.Is(result.ReasonByRecords) {
		d.differ(at+".reason", "records decided it", "it has rounds")
	}
	again, err := gateAgain(c, result.VariantBase, c.Sides(), p)
	if err != nil {
		d.differ(at+".processes", "rounds", "%v", err)
		o.Verdict = result.Error
		o.SetComparison(result.VariantHead, result.VariantBase, nil)
		return
	}
	found, last, looks := again.Verdict, again.To(result.RoleBase), again.Looks
	if found == result.Undecided && (c.BudgetGone || c.Verdict == result.Inconclusive) {
		found = result.Inconclusive // the rounds ended before the looks did
	}
	o.Looks = looks
	o.SetComparison(result.VariantHead, result.VariantBase, last)
	if found != c.Verdict {
		d.differ(at+".verdict", string(c.Verdict), "its samples come to %s%s", found, inWords(last))
		o.Verdict = found
	}
	if q := c.To(result.RoleBase); last != nil && q != nil && q.Verdict != "" && q.Verdict != last.Verdict && q.Verdict != found {
		d.differ(at+".comparison", quote(q.Verdict), "its samples come to %s", found)
	}
	if len(c.Looks) != len(looks) {
		d.differ(at+".looks", fmt.Sprintf("%d looks", len(c.Looks)), "its samples come to %d", len(looks))
	}
	if last != nil && (c.Compared() == nil || !agree(*c.Compared(), *last)) {
		d.differ(at+".comparison", inWords(c.Compared()), "its samples come to%s", inWords(last))
	}
}

// agree says whether two comparisons have the same tolerance, shifts and bounds.
func agree(a, b result.Comparison) bool {
	if (a.Elapsed == nil) != (b.Elapsed == nil) {
		return false
	}
	same := a.Tolerance == b.Tolerance && close(a.Theta, b.Theta) && close(a.Low, b.Low) && close(a.High, b.High)
	if a.Elapsed == nil {
		return same
	}
	return same && close(a.Elapsed.Theta, b.Elapsed.Theta) && close(a.Elapsed.Low, b.Elapsed.Low)
}

// close allows for what another processor makes of the same arithmetic.
func close(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b)) }

func inWords(c *result.Comparison) string {
	if !c.HasNumbers() {
		return " no comparison"
	}
	return fmt.Sprintf(" %+.2f %% (%+.2f … %+.2f %%) after %d rounds, tolerance %g %%",
		100*math.Expm1(c.Theta), 100*math.Expm1(c.Low), 100*math.Expm1(c.High), c.Rounds, 100*c.Tolerance)
}

// arranged puts processes into rounds, each with two to four of a side, and refuses what are none: looks go by how many processes there
// are, so rounds of all such sizes can be decided. The numbers are not trusted: they are looked at before they say where something goes.
func arranged(processes []result.Process, policy result.Policy) ([]stats.Round, error) {
	places := max(mostOfSide+fewestOfSide, 2*(2+policy.Competitors))
	for _, p := range processes {
		if p.Round < 0 || p.Round >= mostRounds || p.Position < 0 || p.Position >= places {
			return nil, fmt.Errorf("a process of %s is in place %d of round %d, and there are places 0 to %d of base and head and rounds 0 to %d", p.Variant, p.Position, p.Round, places-1, mostRounds-1)
		}
		if !isTime(p) {
			return nil, fmt.Errorf("a process of round %d took %v ns by samples of %v to %v ns", p.Round, p.ValueNS, p.Quantiles.Min, p.Quantiles.Max)
		}
	}
	rounds := Rounds(processes)
	for i, r := range rounds {
		if min(len(r.Base), len(r.Head)) < fewestOfSide || max(len(r.Base), len(r.Head)) > mostOfSide {
			return nil, fmt.Errorf("round %d has %d processes of base and %d of head, and should have %d to %d of each", i, len(r.Base), len(r.Head), fewestOfSide, mostOfSide)
		}
	}
	return rounds, nil
}

func isTime(p result.Process) bool { return p.ValueNS > 0 && !math.IsInf(p.ValueNS, 0) && inside(p) }

// inside says whether the trimmed mean of samples lies among them, but for rounding.
func inside(p result.Process) bool {
	return p.ValueNS >= p.Quantiles.Min*(1-1e-9) && p.ValueNS <= p.Quantiles.Max*(1+1e-9)
}

// byRecord is what the comparison with stored records says of a case; "" without one.
func byRecord(c result.Case) result.Verdict {
	if q := c.To(result.RoleRecord); q != nil {
		return q.Verdict
	}
	return ""
}

// bestKnown compares head with the best-known level again, from the processes of both, or from those of base where that is the same build. Numbers that
// come from no processes go. The verdict may turn to a regression, and only there: the limit is of records.
func (d *Replayed) bestKnown(at string, c *result.Case, p result.Policy) {
	q := c.To(result.RoleBestKnown)
	if q == nil {
		return
	}
	var found *result.Comparison
	limit := CumulativePolicy(p, c.Stored.CumulativeLimit) // Result.Check: the commit is of the case's records
	processes := c.For(result.PurposeBestKnown)
	if len(processes) == 0 && sameNumbers(q, c.To(result.RoleBase)) {
		found = c.To(result.RoleBase)
	}
	if len(processes) > 0 {
		if again, err := gateAgain(*c, q.To, processes, limit); err != nil {
			d.differ(at+".processes", "rounds against the best-known level", "%v", err)
		} else {
			found = again.Comparison(q.Of, q.To)
		}
	}
	var out result.Comparison
	if found.HasNumbers() {
		out = *found
	}
	out.Tolerance, out.Verdict, out.Reason, out.BudgetGone = q.Tolerance, q.Verdict, clippedReason(q.Reason), q.BudgetGone
	for _, one := range []*result.Comparison{q, found} {
		if q.Verdict != "" && one.HasNumbers() && Decide(*one, limit, true) == result.Regression {
			out.Verdict = result.Regression
		}
	}
	c.SetComparison(q.Of, q.To, &out)
}

// UnprovenNumbers are what a result shows and its samples do not give. Nothing is decided by it, so Replay does not have it.
func UnprovenNumbers(r *result.Result) (out []Unproven) {
	isPast := func(c result.Case) bool {
		moved := slices.ContainsFunc(c.Competitors, func(v result.Versus) bool { return v.Moved != nil })
		return moved || c.Past != nil || c.To(result.RoleRecord) != nil || c.Stored != nil && (c.Stored.BestCommit != "" || c.Stored.TimedOtherwise > 0)
	}
	if slices.ContainsFunc(r.Cases, isPast) {
		out = append(out, Unproven{Kind: UnprovenPast})
	}
	if slices.ContainsFunc(r.Cases, func(c result.Case) bool { return c.Flops > 0 || c.Bytes > 0 }) {
		out = append(out, Unproven{Kind: UnprovenWork})
	}
	return out
}
