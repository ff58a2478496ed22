package render

import (
	"testing"

	"github.com/org/perfgate/gate/report"
)

// What stands in parentheses is written alike: no code ends between the two.
func TestCodeEndsWithItsParenthesis(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"error 0.34 (2880400 ulp) against 0.1":         "error 0.34 `(2880400 ulp)` against 0.1",
		"launch of f<8>(int, long n) failed (code 7).": "launch of `f<8>(int, long n)` failed (code 7).",
		"an open (x_y and no end of it":                "an open `(x_y` and no end of it",
		"smile x_y:( and go on with the text":          "smile `x_y:(` and go on with the text",
	} {
		if got := Line(report.Say(text)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestInline(t *testing.T) {
	for _, c := range []struct {
		text report.Text
		want string
	}{
		{report.Say("it is 1.92x slower (+92.1 %), they say: side-by-side; don't"), "it is 1.92x slower (+92.1 %), they say: side-by-side; don't"},
		{report.Say("ask @octocat about #12"), "ask `@octocat` about `#12`"},
		{report.Say("two risky/words a_b in a row"), "two `risky/words a_b` in a row"},
		{report.Say("in y[0]: got NaN (Debian 12.2.0-14+deb12u1), want a_b."), "in `y[0]`: got NaN (Debian `12.2.0-14+deb12u1`), want `a_b`."},
		{report.Say("calls f(x) and (see g(y))"), "calls `f(x)` and (see `g(y)`)"},
		{report.Say("x_y: a_b: z"), "`x_y: a_b`: z"},
		{report.Say("@a: :@"), "`@a: :@`"},
		{report.Say("https://a: :tada:"), "`https://a: :tada`:"},
		{report.Text{report.Span{Text: "see a_b:"}, {Text: "tada:", Tone: report.Bad}}, "see `a_b:`**tada:**"},
		{report.Text{report.Span{Text: "verbatim:", Code: true}, report.Span{Text: " x"}}, "`verbatim:` x"},
		{report.Text{report.Span{Text: "a/B=1", Code: true}, report.Span{Text: ": x"}}, "`a/B=1`: x"},
		{report.Text{report.Span{Text: "a", Code: true}, report.Span{Text: "b", Code: true}}, "`ab`"},
		{report.Text{report.Span{Text: "plain", Code: true}}, "`plain`"},
		{report.Text{report.Span{Text: "tick`", Code: true}, report.Span{Text: " y"}}, "`` tick` `` y"},
		{report.Text{report.Span{Text: "a|b", Code: true}}, "`a∣b`"},
		{report.Say("1. first"), "`1.` first"},
		{report.Say("see deadbeef"), "see `deadbeef`"},
		{report.Text{report.Span{Text: "k", Code: true}, {Text: " is wrong", Tone: report.Bad}, report.Span{Text: " at 3"}}, "`k` **is wrong** at 3"},
		{report.Text{{Text: "k", Code: true, Tone: report.Strong}, {Text: ": no", Tone: report.Strong}}, "**`k`: no**"},
		{report.Say(""), ""},
	} {
		if got := Line(c.text); got != c.want {
			t.Errorf("%+v is %q, want %q", c.text, got, c.want)
		}
	}
}
