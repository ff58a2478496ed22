package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

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
				return timeCell(ns, Plain)
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
				return changeCell(c.Head.MedianNS/best-1, 1, Plain)
			}
			return cell(text.Blank, Quiet)
		}))
	t.Brief = briefRows
	return t
}
