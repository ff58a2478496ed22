package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// recordsText says what stored records had to do with the run, and what each of the two comparisons took.
func recordsText(r *result.Result) Text {
	b := r.Baseline
	if b == nil {
		return nil
	}
	recorded := b.Commit != ""
	notBuilt := count(r.Kernels, func(k result.Kernel) bool { return k.Base != nil && k.Base.NotBuilt }) // nothing needed their base
	var p phrases
	for _, why := range b.Reason {
		p.say("%s", Reason(&why))
	}
	p.when(recorded, "nearest record `%s`, %s from base, of %s in `%s`", result.ShortID(b.Commit), text.Count(b.Distance, "commit"), text.Count(b.Records, "record"), b.Store)
	p.when(b.Screened > 0, "%s screened on head only in %s, %d decided", text.Count(b.Screened, "case"), text.Elapsed(b.ScreenS), b.Settled)
	p.when(b.RoundsS > 0 && recorded, "rounds side by side took %s", text.Elapsed(b.RoundsS))
	p.when(b.BestKnownS > 0, "rounds against best-known levels, their builds included, took %s", text.Elapsed(b.BestKnownS))
	p.when(b.Identical > 0 && len(r.Cases) > 0 && recorded, "%d of %s the same on both sides and not timed[, which saved %s at least]", b.Identical, text.Count(len(r.Cases), "case"),
		either(b.SavedS > 0, text.Elapsed(b.SavedS), ""))
	p.when(notBuilt > 0, "base of %s not compiled: records say what it would come to", text.Count(notBuilt, "kernel"))
	p = slices.Concat(p, recordsSaid(r), unsettled(r), cumulativeWarnings(r))
	for _, bad := range b.PassedOver {
		key, fault, _ := strings.Cut(bad, ": ")
		p.say("%v`%s` (%s)", Say("skipped ").In(Warn), key, fault)
	}
	return p.joined("; ")
}

// cumulativeWarnings say which cases have lost more than allowed since their best-known level, and what rounds against that level made of it.
func cumulativeWarnings(r *result.Result) []Text {
	var out []Text
	for _, c := range r.CumulativeRegressions() {
		s := c.Stored
		warning := fmt.Sprintf("%s is %.1f %% slower than its best-known level (%s up to %.12s), more than the %.3g %% that baseline.cumulative-tolerance allows",
			c.Name, 100*s.CumulativeShift, text.Count(s.BestRecords, "record"), s.BestCommit, 100*s.CumulativeLimit)
		if best := c.To(result.RoleBestKnown); best != nil && (best.Verdict != "" || Reason(best.Reason) != "") {
			warning += "; this change is slower itself, " + againstBest(best)
		}
		out = append(out, Say(warning).In(Warn))
	}
	for _, c := range r.Cases {
		if c.Stored != nil && c.Stored.TimedOtherwise > 0 {
			warning := fmt.Sprintf("%s was not compared with its best-known level: its timing method differs from that of the %s", c.Name, text.Count(c.Stored.TimedOtherwise, "record"))
			out = append(out, Say(warning).In(Warn))
		}
	}
	return out
}

// againstBest says what rounds against the best-known level came to, where they do not confirm what the records say.
func againstBest(c *result.Comparison) string {
	if c.Verdict == "" || c.Verdict == result.Error || !c.HasNumbers() {
		return "which was not measured against a build of that commit: " + cmp.Or(Reason(c.Reason), "no round was complete")
	}
	return "and measured against a build of that commit it is " + shifted(result.Shift{Ratio: c.Ratio, Low: math.Exp(c.Low), High: math.Exp(c.High)}) + ", which does not significantly exceed that"
}

// mostRecords is how many cases, and how many reasons, the line on records names.
const mostRecords = 3

// recordsSaid words the comparison with records of cases that it did not settle, the largest change first: what settled a case
// is in the table.
func recordsSaid(r *result.Result) phrases {
	open := slices.DeleteFunc(slices.Clone(r.Cases), func(c result.Case) bool {
		return c.Stored == nil || c.To(result.RoleRecord) == nil || len(c.For(result.PurposeRounds)) == 0
	})
	size := func(c result.Case) float64 { return math.Abs(c.To(result.RoleRecord).Theta) }
	slices.SortStableFunc(open, func(a, b result.Case) int { return cmp.Compare(size(b), size(a)) })
	var out phrases
	for _, c := range open {
		q := c.To(result.RoleRecord)
		out.say("`%s` against %s: %s, δ %s: %s, so it was measured side by side",
			c.Name, text.Count(c.Stored.Sessions, "stored session"), shifted(shiftOf(q)), text.SignedDelta(q.Delta), q.Verdict)
	}
	return capped(out, mostRecords, like("more case"))
}

// modeStored is the word of the configuration for going by records alone.
const modeStored = "stored"

// unsettled says why cases went to rounds, each reason once.
func unsettled(r *result.Result) phrases {
	if r.Baseline.Mode == modeStored {
		return nil // nothing goes to rounds, and cases without a record say so themselves
	}
	var out phrases
	for _, alike := range grouped(r.Cases, func(c result.Case) string { return Reason(cmp.Or(c.Stored, &result.Stored{}).Reason) }) {
		reason := Reason(cmp.Or(alike[0].Stored, &result.Stored{}).Reason)
		out.when(reason != "", "%s side by side: %s", text.Count(len(alike), "case"), reason)
	}
	return out[:min(mostRecords, len(out))]
}

// mostPast is how many kernels, and mostSteps how many changes, the lines on the past name.
const (
	mostPast  = 3
	mostSteps = 6
)

// pastLines say by which steps cases came to where they stand: of each of the first few kernels the one farthest over its best-known level.
func pastLines(r *result.Result) []Text {
	cases := slices.DeleteFunc(slices.Clone(r.Cases), func(c result.Case) bool { return c.Past == nil || c.Past.OverBest == 0 })
	slices.SortStableFunc(cases, func(a, b result.Case) int { return cmp.Compare(b.Past.OverBest, a.Past.OverBest) })
	more := map[string]int{}
	worst := slices.DeleteFunc(cases, func(c result.Case) bool { more[c.Kernel]++; return more[c.Kernel] > 1 })
	var out phrases
	for _, c := range worst {
		out.say("`%s`: %v[; %s of this kernel like this one]", nameOf(c).Full, pastText(*c.Past), some(more[c.Kernel]-1, "case"))
	}
	return capped(out, mostPast, like("more kernel"))
}

// pastText says by which steps a case came to where it stands, such as "3 changes since v1.2: +0.9, +0.8, +1.1 %; 2.8 % over best known".
func pastText(p result.Past) Text {
	over := say("%v (`%s`)", Say(tied(text.Percent(p.OverBest))+" over best known").In(Warn), result.ShortID(p.BestCommit))
	if len(p.Steps) == 0 {
		return over
	}
	var steps []string
	for _, s := range p.Steps[max(0, len(p.Steps)-mostSteps):] {
		steps = append(steps, text.Signed(s, 1))
	}
	if len(p.Steps) > mostSteps {
		steps[0] = "…, " + steps[0]
	}
	since := cmp.Or(p.Since, result.ShortID(p.BestCommit))
	return say("%s since `%s`: %s; %v", text.Count(len(p.Steps), "change"), since, tied(strings.Join(steps, ", ")+" %"), over)
}

// epochTable has the level of each case before a new epoch, by the records that no later session is compared with, and what head takes.
func epochTable(r *result.Result) Table {
	kernels := byName(r.Kernels)
	cases := slices.DeleteFunc(sorted(r.Cases), func(c result.Case) bool {
		return !slices.ContainsFunc(kernels[c.Kernel].Uncompared, func(u result.Uncompared) bool { return u.Reason.Kind == result.ReasonEpoch })
	})
	// newest is the last level of a case before, best the best-known one.
	level := func(c result.Case) (newest, best float64) {
		if c.Past == nil || len(c.Past.Levels) == 0 {
			return 0, 0
		}
		newest = c.Past.Levels[len(c.Past.Levels)-1].NS
		return newest, newest / (1 + c.Past.OverBest)
	}
	before := func(key, title string, pick func(newest, best float64) float64) column[result.Case] {
		return numbersIn(key, title, 0, func(c result.Case) Cell {
			if ns := pick(level(c)); ns > 0 {
				return timeCell(ns)
			}
			return cell("no record", Quiet)
		})
	}
	t := tableBy("new epoch", cases, func(i int, c result.Case) Row { return Row{Name: nameOf(c), Rank: i} },
		before("best", "best known before", func(_, best float64) float64 { return best }),
		before("newest", "newest before", func(newest, _ float64) float64 { return newest }),
		numbersIn("head", "head", 0, func(c result.Case) Cell { _, head := medians(c); return head }),
		numbersIn("change", "over best", 0, func(c result.Case) Cell {
			if _, best := level(c); best > 0 && c.Head != nil {
				return changeCell(c.Head.MedianNS/best-1, Plain)
			}
			return cell(text.Blank, Quiet)
		}))
	t.Brief = briefRows
	return t
}
