package report

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// Of every sample that passes, the headline's bound is one of those that the table shows, and none of the table's is larger.
func TestPassAgreesWithTheTable(t *testing.T) {
	t.Parallel()
	for _, name := range samples {
		r := load(t, name)
		n := tally(r)
		if r.Conclusion.Verdict != result.RunPassed || n.bounded == 0 {
			continue
		}
		bound, shown := upperBound(n.worst)
		found := bound <= 0
		for _, c := range r.Cases {
			if c.Compared() == nil || c.Verdict == result.Inconclusive || c.Verdict == result.Regression {
				continue
			}
			own, text := upperBound(deciding(c))
			found = found || text == shown
			if own > bound {
				t.Errorf("%s: %s may be %s slower, and the headline says %s", name, c.Name, text, shown)
			}
		}
		if headline := PlainText(New(r).Headline); !found || bound > 0 && !strings.Contains(headline, "slower by more than "+shown) {
			t.Errorf("%s: %q, and the largest bound is %s", name, headline, shown)
		}
	}
}

// A commit that was measured very often has the newest attempts in words, and a count of the others.
func TestEarlierAttempts(t *testing.T) {
	t.Parallel()
	all := make([]result.RunVerdict, 25)
	all[24] = result.RunPassed
	text := EarlierAttempts(all)
	if !strings.HasPrefix(text, "25 earlier attempts") || !strings.HasSuffix(text, ", PASS, and 5 more before these") || strings.Count(text, "fail-on") != 19 {
		t.Error(text)
	}
	if text := EarlierAttempts(all[24:]); text != "1 earlier attempt at this head: PASS" {
		t.Error(text)
	}
}
