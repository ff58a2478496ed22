package report

import (
	"fmt"
	"math"
	"net/url"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// accepted says of each accepted regression who took the responsibility for it, and how.
func accepted(r *result.Result) []Text {
	var out []Text
	for _, a := range r.Accepted {
		t := Text{words("all regressions of this run")}
		if a.Case != "" {
			t = Text{code(a.Case)}
		}
		t = append(t, words(" accepted by "), code(orElse(a.By, "nobody")))
		if a.How != "" {
			t = append(t, words(", "+a.How))
		}
		out = append(out, t)
	}
	return out
}

// acceptedText is the headline of a run that passes because somebody took the responsibility: how many regressions, whose word, and the
// worst of them.
func acceptedText(r *result.Result) Text {
	accepted := casesOf(r, r.Conclusion.With(result.EffectAccepted))
	var worst *result.Case
	for i, c := range accepted {
		if worst == nil || ratio(c) > ratio(*worst) {
			worst = &accepted[i]
		}
	}
	n := len(accepted)
	t := Text{{Text: Count(n, "regression") + " accepted by ", Tone: Warn}, code(orElse(r.Accepted[0].By, "nobody")), words(": ")}
	switch {
	case worst == nil:
		return Text{words("regressions accepted by "), code(orElse(r.Accepted[0].By, "nobody"))}
	case n > 1:
		t = append(t, words("the worst, "))
	}
	if worst.Compared == nil {
		return append(t, code(worst.Name), words(" is slower"))
	}
	return append(t, shiftText(r, *worst)...)
}

func (s *screen) accepted(d Document) {
	for _, t := range d.Accepted {
		s.bullet(Warn, t)
	}
}

func acceptedMarkdown(d Document, c cut) string {
	if len(d.Accepted) == 0 || c.items == 0 {
		return ""
	}
	return "**Accepted**\n\n" + list(lineItems(d.Accepted), c.items)
}

// cost words the minutes of the machine and what they are worth.
func cost(r *result.Result) Text {
	c := r.Cost
	if c == nil || c.HourPrice <= 0 {
		return nil
	}
	return Say(fmt.Sprintf("%s minutes of the machine, %s at %s an hour", number(c.Total/c.HourPrice*60), money(c.Total), money(c.HourPrice)))
}

// money writes an amount with at least two digits behind the point, and so many that a small one is not lost.
func money(amount float64) string {
	if amount <= 0 || amount >= 0.1 {
		return fmt.Sprintf("%.2f", amount)
	}
	places := min(9, 1-int(math.Floor(math.Log10(amount))))
	return fmt.Sprintf("%.*f", places, amount)
}

// moreMarkdown links the whole report under a table that lost rows.
func moreMarkdown(d Document, c cut) string {
	if len(d.Cases.Rows) <= c.rows || !isLink(c.report) {
		return ""
	}
	return "[The whole report](" + c.report + ") has them all.\n"
}

// isLink reports whether an address can stand in Markdown as it is.
func isLink(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil && !strings.ContainsAny(address, " ()<>[]\\`\"'|*~\t\r\n") && Visible(address) == address
}

// Line writes t as one line of Markdown in which nothing acts, as MarkdownWith does.
func Line(t Text) string { return inline(t) }

// PlainText is t without tones and mark-up, on one line.
func PlainText(t Text) string {
	var b strings.Builder
	for _, span := range t {
		b.WriteString(strings.ReplaceAll(span.Text, tie, " "))
	}
	return Visible(b.String())
}

// Link writes a link with a text of ours; "" if the address cannot stand in Markdown as it is.
func Link(text, address string) string {
	if !isLink(address) {
		return ""
	}
	return "[" + text + "](" + address + ")"
}

// MarkdownTimings writes where the wall time of the run went; "" if nobody knows.
func MarkdownTimings(d Document) string { return tableMarkdown(d.Timings, all) }
