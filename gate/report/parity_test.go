package report

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

func spoken(t Text) string {
	var out strings.Builder
	for _, s := range t {
		out.WriteString(s.Text)
	}
	return strings.ReplaceAll(out.String(), "\u00a0", " ")
}

func TestPassedParitySaysHowExactAndWhatElse(t *testing.T) {
	p := result.Parity{Status: result.ParityPassed, Oracle: "reference and base", Planned: 9, Run: 8, MaxRatio: 0.5, BaseMax: 0.2,
		ULP: []int64{9990, 5, 5, 0, 0, 0, 0, 0}, Warnings: []string{"head's worst error is larger than base's"}, Reason: result.Message("the time limit ended it")}
	got := spoken(passedText(p))
	for _, want := range []string{"8 of 9 cases", "and base", "base's 20 %", "99.9 % of the elements within 1 ulp", "the time limit ended it", "larger than base's"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	p.ULP = []int64{999_999, 0, 1}
	if got := spoken(passedText(p)); strings.Contains(got, "100 %") {
		t.Errorf("rounded up to all: %q", got)
	}
}

// Units in the last place are a word about floats.
func TestExactnessOfIntegers(t *testing.T) {
	for want, p := range map[string]result.Parity{
		"every element exact":                          {Elements: 10, Oracle: "reference"},
		"every floating element within 1 ulp":          {Elements: 10, MaxRatio: 0.1, ULP: []int64{2, 3}},
		"every element within 1 ulp":                   {Elements: 5, MaxRatio: 0.1, ULP: []int64{2, 3}},
		"50.0 % of the floating elements within 1 ulp": {Elements: 10, MaxRatio: 0.1, ULP: []int64{1, 2, 3}},
		"60.0 % of the elements within 1 ulp":          {Elements: 5, Oracle: "reference", ULP: []int64{2, 1, 2}}, // no error was held against all that it may be
		"":                                             {Elements: 10, MaxRatio: 0.1},
	} {
		if got := strings.TrimPrefix(spoken(Say(exactness(p))), "; "); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestFailedParityShowsThePattern(t *testing.T) {
	k := result.Kernel{Name: "k", Parity: result.Parity{Status: result.ParityFailed, Run: 3, Planned: 9, Failure: &result.ParityFailure{
		Case: "k/n=65", Values: "zeros", Pattern: "all of s >= 64", First: "k/n=300, normal inputs"}}}
	got := spoken(failedText(k))
	for _, want := range []string{"n=65", "wrong in all of s >= 64", "first seen as n=300, normal inputs", "after 3 of 9 cases"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
}

// Only what the adapter refused was: cases that no memory holds are another matter.
func TestRefusedAreNotThoseTooLarge(t *testing.T) {
	p := result.Parity{Status: result.ParityPassed, Planned: 20, Run: 10, Refused: 10, TooLarge: 8}
	if got := spoken(passedText(p)); !strings.Contains(got, "(2 refused by the adapter)") {
		t.Errorf("two refused: %q", got)
	}
	p.Refused = 8
	if got := spoken(passedText(p)); strings.Contains(got, "refused") {
		t.Errorf("none refused: %q", got)
	}
}

func TestEveryParityLineHasItsSeed(t *testing.T) {
	for _, status := range []result.ParityStatus{result.ParityPassed, result.ParityError, result.ParitySkipped} {
		k := result.Kernel{Name: "k", Parity: result.Parity{Status: status, Planned: 9, Run: 8, Seed: "4711"}}
		if got := spoken(check(k).Text); !strings.Contains(got, "seed 4711") {
			t.Errorf("%s: %q", status, got)
		}
	}
}

// The worst case of a numerics regression is none that was shrunk.
func TestYardstickNamesTheWorstCase(t *testing.T) {
	k := result.Kernel{Name: "k", Parity: result.Parity{Status: result.ParityFailed, Run: 9, Planned: 9, Failure: &result.ParityFailure{Case: "k/n=65", Code: result.CodeYardstick}}}
	if got := spoken(failedText(k)); !strings.HasPrefix(got, "worst case n=65") {
		t.Errorf("%q", got)
	}
}
