package report

import (
	"strings"
	"testing"
)

func TestVisible(t *testing.T) {
	for s, want := range map[string]string{
		"plain":                         "plain",
		"µs … δ":                        "µs … δ",
		"漢字":                            "漢字",
		"\x1b[1;31merror\x1b[0m: no":    "error: no",
		"\x1b]8;;https://x\x1b\\y":      "y",
		"\x1b]0;title\x07y":             "y",
		"a\x1b":                         `a\x1b`,
		"FAIL\rPASS":                    "FAIL PASS",
		"a\nb\tc":                       "a b c",
		"a\x00\x7f":                     `a\x00\x7f`,
		"\u202egnp":                     `\u202egnp`,
		"a\u200bb":                      `a\u200bb`,
		"a\u00a0b":                      "a b",
		"\u009b31m":                     `\u009b31m`,
		"\xff":                          `\xff`,
		"\U000e0041":                    `\U000e0041`,
		"\u3164":                        `\u3164`,
		"\x1b[2J\x1b[H" + "\x1b[3;4Hok": "ok",
	} {
		if got := Visible(s); got != want {
			t.Errorf("%q shows as %q, want %q", s, got, want)
		}
	}
}

func TestClip(t *testing.T) {
	long := "attention/" + strings.Repeat("x", 100) + "=end"
	for n := range 120 {
		got := Clip(long, n)
		if width(got) > n {
			t.Errorf("clipped to %d: %d columns", n, width(got))
		}
		if n > 30 && n < 114 && !(strings.HasPrefix(got, "attention/") && strings.HasSuffix(got, "=end")) {
			t.Errorf("clipped to %d an end is gone: %q", n, got)
		}
	}
	if got := Clip("漢漢漢漢漢漢", 7); width(got) > 7 || !strings.Contains(got, "…") {
		t.Errorf("wide letters: %q", got)
	}
}

func TestBrief(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"short", "short"},
		{"head does not build: smooth: src/smooth.cc does not compile", "head does not build: smooth…"},
		{"attention/B=1,H=8,S=512,D=64,causal=0", Clip("attention/B=1,H=8,S=512,D=64,causal=0", 30)},
		{"averyveryveryverylongwordindeedthatgoeson and on", "averyveryveryverylongwordinde…"},
	} {
		if got := Brief(c.text, 30); got != c.want || width(got) > 30 {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestInline(t *testing.T) {
	for _, c := range []struct {
		text Text
		want string
	}{
		{Say("it is 1.92x slower (+92.1 %), they say: side-by-side; don't"), "it is 1.92x slower (+92.1 %), they say: side-by-side; don't"},
		{Say("ask @octocat about #12"), "ask `@octocat` about `#12`"},
		{Say("two risky/words a_b in a row"), "two `risky/words a_b` in a row"},
		{Say("in y[0]: got NaN (Debian 12.2.0-14+deb12u1), want a_b."), "in `y[0]`: got NaN (Debian `12.2.0-14+deb12u1`), want `a_b`."},
		{Say("calls f(x) and (see g(y))"), "calls `f(x)` and (see `g(y)`)"},
		{Say("x_y: a_b: z"), "`x_y: a_b`: z"},
		{Say("@a: :@"), "`@a: :@`"},
		{Say("https://a: :tada:"), "`https://a: :tada`:"},
		{Text{words("see a_b:"), {Text: "tada:", Tone: Bad}}, "see `a_b:`**tada:**"},
		{Text{code("verbatim:"), words(" x")}, "`verbatim:` x"},
		{Text{code("a/B=1"), words(": x")}, "`a/B=1`: x"},
		{Text{code("a"), code("b")}, "`ab`"},
		{Text{code("plain")}, "`plain`"},
		{Text{code("tick`"), words(" y")}, "`` tick` `` y"},
		{Text{code("a|b")}, "`a∣b`"},
		{Say("1. first"), "`1.` first"},
		{Say("see deadbeef"), "see `deadbeef`"},
		{Text{code("k"), {Text: " is wrong", Tone: Bad}, words(" at 3")}, "`k` **is wrong** at 3"},
		{Text{{Text: "k", Code: true, Tone: Strong}, {Text: ": no", Tone: Strong}}, "**`k`: no**"},
		{Say(""), ""},
	} {
		if got := inline(c.text); got != c.want {
			t.Errorf("%+v is %q, want %q", c.text, got, c.want)
		}
	}
}
