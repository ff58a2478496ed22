package report

import (
	"strings"
	"testing"
)

// What is shown of a long log is its first error and its end, in order and without a line twice.
func TestExcerptOfALongLog(t *testing.T) {
	noise := strings.Split(strings.Repeat("building\n", 50), "\n")[:50]
	log := append(append(append([]string{"make"}, noise...), "in function f:", "a.cc:1:2: error: bad", "  1 | x"), append(noise, "make: *** Error 1")...)
	got := strings.Join(Excerpt(log, 16), "\n")
	for _, want := range []string{"in function f:\na.cc:1:2: error: bad\n  1 | x", "make: *** Error 1"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "\n") + 1; n > 18 {
		t.Errorf("%d lines", n)
	}
	for _, most := range []int{2, 4, 8, 16, 32} {
		for at := range 40 {
			lines := make([]string, 40)
			lines[at] = "error: this"
			lines[39] = lines[39] + "end"
			text := strings.Join(Excerpt(lines, most), "\n")
			if strings.Count(text, "error: this") != 1 || !strings.HasSuffix(text, "end") {
				t.Errorf("error at %d, %d lines:\n%s", at, most, text)
			}
		}
	}
}
