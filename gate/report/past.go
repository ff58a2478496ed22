package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// Past is what records tell of a case before head, for a chart, and the line that a comment has of it.
type Past struct {
	Case Name
	Text Text
	Of   result.Past
}

// pasts are the cases whose past is worth a word, those farthest over their best-known level first.
func pasts(r *result.Result) []Past {
	var out []Past
	for _, c := range r.Cases {
		if c.Past != nil {
			out = append(out, Past{nameOf(c), append(Text{code(nameOf(c).Full), words(": ")}, pastText(*c.Past)...), *c.Past})
		}
	}
	slices.SortStableFunc(out, func(a, b Past) int { return cmp.Compare(b.Of.OverBest, a.Of.OverBest) })
	return out
}

// pastText says by which steps a case came to where it stands, such as "3 changes since v1.2: +0.9, +0.8, +1.1 %; 2.8 % over best known".
func pastText(p result.Past) Text {
	var t Text
	if len(p.Steps) > 0 {
		const most = 6
		var steps []string
		for _, s := range p.Steps[max(0, len(p.Steps)-most):] {
			steps = append(steps, signed(s, 1))
		}
		if len(p.Steps) > most {
			steps[0] = "…, " + steps[0]
		}
		t = Text{words(Count(len(p.Steps), "change") + " since "), code(cmp.Or(p.Since, result.ShortID(p.BestCommit))), words(": " + tied(strings.Join(steps, ", ")+" %") + "; ")}
	}
	return append(t, Span{Text: tied(Percent(p.OverBest)) + " over best known", Tone: Warn}, words(" ("), code(result.ShortID(p.BestCommit)), words(")"))
}

// pastLines are the lines of a comment: the worst case of each of the first few kernels.
func pastLines(all []Past) []Text {
	cases := map[string]int{}
	var worst []Past
	for _, p := range all {
		if cases[p.Case.Kernel]++; cases[p.Case.Kernel] == 1 {
			worst = append(worst, p)
		}
	}
	const most = 3
	var out []Text
	for _, p := range worst[:min(most, len(worst))] {
		if more := cases[p.Case.Kernel] - 1; more > 0 {
			p.Text = append(slices.Clip(p.Text), words(fmt.Sprintf("; %s of this kernel like this one", Count(more, "case"))))
		}
		out = append(out, p.Text)
	}
	if more := len(worst) - most; more > 0 {
		out = append(out, Say(Count(more, "more kernel")+" like these"))
	}
	return out
}
