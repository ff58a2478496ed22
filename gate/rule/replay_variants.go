package rule

import (
	"fmt"
	"slices"

	"github.com/org/perfgate/gate/result"
)

// DecideVersus makes of a result of versus what its processes come to: head's comparison with the competitor of each case, and the conclusion. Nothing is
// decided by it: a case that has an answer is new.
func DecideVersus(r *result.Result) error {
	for i := range r.Cases {
		c := &r.Cases[i]
		if len(c.Competitors) != 1 {
			return fmt.Errorf("%.60q has %d competitors, and versus has one", c.Name, len(c.Competitors))
		}
		to := result.CompetitorNamed(c.Competitors[0].Competitor)
		q := result.Comparison{Verdict: result.Unmeasured, Reason: c.Reason}
		if c.Verdict != result.Error {
			c.Verdict = result.New
			again, err := gateAgain(*c, to, c.Pair(to), r.Policy)
			if err != nil {
				return fmt.Errorf("compare %.60q with %.60q: %w", c.Name, to.Name, err)
			}
			if found := again.Comparison(result.VariantHead, to); found != nil {
				q = *found
				q.Verdict, q.Tolerance, q.RoundsNeeded, q.Suspect = "", 0, 0, nil // are about a tolerance
			}
		}
		c.Comparisons = []result.Comparison{q.Between(result.VariantHead, to)}
	}
	r.Conclusion = concludeVersus(r.Cases)
	return nil
}

// DecideTune makes of a result of tune what its processes come to: each variant's comparison with the fastest, in each case and over all, and the conclusion.
// A variant that a case says could not be measured is taken at that word. check and neededS are those of concludeTune.
func DecideTune(r *result.Result, check bool, neededS float64) error {
	if len(r.Kernels) != 1 {
		return fmt.Errorf("it has %d kernels, and tune is of one", len(r.Kernels))
	}
	k := &r.Kernels[0]
	s, err := eliminateAgain(EliminationOf(r.Policy, k.Configurations, len(r.Cases)), r.Cases)
	if err != nil {
		return err
	}
	failedAny := map[result.Variant]*result.Reason{}
	for i := range r.Cases {
		c, failed := &r.Cases[i], map[result.Variant]*result.Reason{}
		for _, q := range c.Comparisons {
			if q.Verdict == result.Unmeasured && q.Reason != nil {
				failed[q.Of], failedAny[q.Of] = q.Reason, result.Message(c.Name+": "+result.MessageOf(q.Reason))
			}
		}
		c.Comparisons = s.Standings(i, failed)
		if c.Verdict = result.Standing(c.Comparisons, result.VariantHead).Verdict; c.Verdict == result.Unmeasured { // it is about what is shipped
			c.Verdict = result.Error
		}
	}
	k.Comparisons = s.Standings(len(r.Cases), failedAny)
	r.Conclusion = concludeTune(*k, r.Cases, r.Policy.Tolerance, check, neededS)
	return nil
}

// variants decides a result of versus or of tune again. Whether tune was to check what is shipped is the user's question, which is not saved: its
// conclusion may be that of either.
func (d *Replayed) variants(r *result.Result) {
	found := *r
	again := func(check bool) (err error) {
		found.Cases, found.Kernels = slices.Clone(r.Cases), slices.Clone(r.Kernels)
		if r.Kind == result.KindVersus {
			return DecideVersus(&found)
		}
		needed := 0.0
		for _, f := range r.Conclusion.Findings {
			needed = max(needed, f.BudgetNeededS)
		}
		return DecideTune(&found, check, needed)
	}
	err := again(false)
	if err == nil && r.Kind == result.KindTune && found.Conclusion.Exit != r.Conclusion.Exit {
		err = again(true)
	}
	if err != nil {
		d.differ("processes", "rounds", "%v", err)
		return
	}
	for i, c := range found.Cases {
		at, was := fmt.Sprintf("cases[%d]", i), r.Cases[i]
		d.verdict(at, was.Verdict, c.Verdict)
		d.standings(at, was.Comparisons, c.Comparisons)
		c.Competitors = slices.Clone(c.Competitors)
		summarizeAgain(&c)
		d.Cases = append(d.Cases, c)
	}
	for i, k := range found.Kernels {
		d.standings(fmt.Sprintf("kernels[%d]", i), r.Kernels[i].Comparisons, k.Comparisons)
	}
	d.Kernels, d.Conclusion = found.Kernels, found.Conclusion
	d.sameExit(r.Conclusion)
}

// standings compares what is said of variants with what their processes come to.
func (d *Replayed) standings(at string, says, found []result.Comparison) {
	if len(says) != len(found) {
		d.differ(at+".comparisons", fmt.Sprintf("%d comparisons", len(says)), "its samples come to %d", len(found))
		return
	}
	for i, q := range found {
		where, was := fmt.Sprintf("%s.comparisons[%d]", at, i), says[i]
		if was.Of != q.Of || was.To != q.To {
			d.differ(where, quote(was.Of.String()), "by its samples %s stands here", quote(q.Of.String()))
		} else if d.verdict(where, was.Verdict, q.Verdict) {
			d.numbers(where, &was, &q)
		}
	}
}

// verdict says whether a verdict is the one that samples come to.
func (d *Replayed) verdict(at string, says, found result.Verdict) bool {
	if says != found {
		d.differ(at+".verdict", quote(says), "its samples come to %s", quote(found))
	}
	return says == found
}

// numbers says whether those of a comparison are the ones that samples come to.
func (d *Replayed) numbers(at string, says, found *result.Comparison) bool {
	same := sameNumbers(says, found)
	if !same {
		d.differ(at, inWords(says), "its samples come to%s", inWords(found))
	}
	return same
}
