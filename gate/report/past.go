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
	cases := slices.DeleteFunc(slices.Clone(r.Cases), func(c result.Case) bool { return c.Past == nil })
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
