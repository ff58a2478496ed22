package text

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
		if Width(got) > n {
			t.Errorf("clipped to %d: %d columns", n, Width(got))
		}
		if n > 30 && n < 114 && !(strings.HasPrefix(got, "attention/") && strings.HasSuffix(got, "=end")) {
			t.Errorf("clipped to %d an end is gone: %q", n, got)
		}
	}
	if got := Clip("漢漢漢漢漢漢", 7); Width(got) > 7 || !strings.Contains(got, "…") {
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
		if got := Brief(c.text, 30); got != c.want || Width(got) > 30 {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
