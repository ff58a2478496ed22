package report

import "testing"

// What stands in parentheses is written alike: no code ends between the two.
func TestCodeEndsWithItsParenthesis(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"error 0.34 (2880400 ulp) against 0.1":         "error 0.34 `(2880400 ulp)` against 0.1",
		"launch of f<8>(int, long n) failed (code 7).": "launch of `f<8>(int, long n)` failed (code 7).",
		"an open (x_y and no end of it":                "an open `(x_y` and no end of it",
		"smile x_y:( and go on with the text":          "smile `x_y:(` and go on with the text",
	} {
		if got := Line(Say(text)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
