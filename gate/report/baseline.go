package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// recordsText says what stored records had to do with the run, and what each of the two comparisons took.
func recordsText(r *result.Result) Text {
	b := r.Baseline
	if b == nil {
		return nil
	}
	var p phrases
	recorded := b.Commit != ""
	for _, why := range b.Reason {
		p.when(true, words(Reason(&why)))
	}
	p.when(recorded, words("nearest record "), code(result.ShortID(b.Commit)),
		words(fmt.Sprintf(", %s from base, of %s in ", Count(b.Distance, "commit"), Count(b.Records, "record"))), code(b.Store))
	p.when(b.Screened > 0, words(fmt.Sprintf("%s screened on head only in %s, %d decided", Count(b.Screened, "case"), Elapsed(b.ScreenS), b.Settled)))
	p.when(b.RoundsS > 0 && recorded, words("rounds side by side took "+Elapsed(b.RoundsS)))
	p.when(b.BestKnownS > 0, words("rounds against best-known levels, their builds included, took "+Elapsed(b.BestKnownS)))
	saved := ""
	if b.SavedS > 0 {
		saved = ", which saved " + Elapsed(b.SavedS) + " at least"
	}
	p.when(b.Identical > 0 && len(r.Cases) > 0 && recorded,
		words(fmt.Sprintf("%d of %s the same on both sides and not timed%s", b.Identical, Count(len(r.Cases), "case"), saved)))
	notBuilt := notBuilt(r)
	p.when(notBuilt > 0, words(fmt.Sprintf("base of %s not compiled: records say what it would come to", Count(notBuilt, "kernel"))))
	p = append(p, recordsSaid(r)...)
	p = append(p, unsettled(r)...)
	for _, warning := range cumulativeWarnings(r) {
		p.when(true, Span{Text: warning, Tone: Warn})
	}
	for _, bad := range b.PassedOver {
		key, fault, _ := strings.Cut(bad, ": ")
		p.when(true, Span{Text: "skipped ", Tone: Warn}, code(key), words(" ("+fault+")"))
	}
	return p.joined("; ")
}

// cumulativeWarnings say which cases have lost more than allowed since their best-known level, and what rounds beside that level made of it.
func cumulativeWarnings(r *result.Result) []string {
	var out []string
	for _, c := range r.CumulativeRegressions() {
		s := c.Stored
		warning := fmt.Sprintf("%s is %.1f %% slower than its best-known level (%s up to %.12s), more than the %.3g %% that baseline.cumulative-tolerance allows",
			c.Name, 100*s.CumulativeShift, Count(s.BestRecords, "record"), s.BestCommit, 100*s.CumulativeLimit)
		if best := c.To(result.RoleBestKnown); best != nil && (best.Verdict != "" || Reason(best.Reason) != "") {
			warning += "; this change is slower itself, " + besideBest(best)
		}
		out = append(out, warning)
	}
	for _, c := range r.Cases {
		if c.Stored != nil && c.Stored.TimedOtherwise > 0 {
			out = append(out, fmt.Sprintf("%s was not compared with its best-known level: its timing method differs from that of the %s", c.Name, Count(c.Stored.TimedOtherwise, "record")))
		}
	}
	return out
}

// besideBest says what rounds against the best-known level came to, where they do not confirm what the records say.
func besideBest(c *result.Comparison) string {
	if c.Verdict == "" || c.Verdict == result.Error || !c.HasNumbers() {
		return "which was not measured against a build of that commit: " + cmp.Or(Reason(c.Reason), "no round was complete")
	}
	return fmt.Sprintf("and measured against a build of that commit it is between %+.1f %% and %+.1f %%, which does not significantly exceed that",
		100*math.Expm1(c.Low), 100*math.Expm1(c.High))
}

// notBuilt counts kernels whose base nothing needed.
func notBuilt(r *result.Result) int {
	n := 0
	for _, k := range r.Kernels {
		if k.Base != nil && k.Base.NotBuilt {
			n++
		}
	}
	return n
}

// recordsSaid words the comparison with records of cases that it did not settle, the largest change first: what settled a case
// is in the table.
func recordsSaid(r *result.Result) []Text {
	var open []result.Case
	for _, c := range r.Cases {
		if c.Stored != nil && c.To(result.RoleRecord) != nil && len(c.For(result.PurposeRounds)) > 0 {
			open = append(open, c)
		}
	}
	slices.SortStableFunc(open, func(a, b result.Case) int {
		return cmp.Compare(math.Abs(b.To(result.RoleRecord).Theta), math.Abs(a.To(result.RoleRecord).Theta))
	})
	const most = 3
	var out []Text
	for _, c := range open[:min(most, len(open))] {
		change, interval := changeOf(c.To(result.RoleRecord))
		out = append(out, Text{code(c.Name), words(fmt.Sprintf(" against %s: %s (%s), δ %s: %s, so it was measured side by side",
			Count(c.Stored.Sessions, "stored session"), change, interval, signedDelta(c.To(result.RoleRecord).Delta), c.To(result.RoleRecord).Verdict))})
	}
	if more := len(open) - most; more > 0 {
		out = append(out, Say(fmt.Sprintf("%s like these", Count(more, "more case"))))
	}
	return out
}

// modeStored is the word of the configuration for going by records alone.
const modeStored = "stored"

// unsettled says why cases went to rounds, each reason once.
func unsettled(r *result.Result) []Text {
	if r.Baseline.Mode == modeStored {
		return nil // nothing goes to rounds, and cases without a record say so themselves
	}
	n := map[string]int{}
	var order []string
	for _, c := range r.Cases {
		if c.Stored == nil {
			continue
		}
		reason := Reason(c.Stored.Reason)
		if reason == "" {
			continue
		}
		if n[reason] == 0 {
			order = append(order, reason)
		}
		n[reason]++
	}
	const most = 3
	var out []Text
	for _, reason := range order[:min(most, len(order))] {
		out = append(out, Say(fmt.Sprintf("%s side by side: %s", Count(n[reason], "case"), reason)))
	}
	return out
}
