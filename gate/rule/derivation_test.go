package rule

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/org/perfgate/stats"
)

// The numbers that docs/measurements/rule/derivation.md derives are those that the rule has: each line here stands in the page.
func TestDerivationHasTheRulesNumbers(t *testing.T) {
	data, err := os.ReadFile("../../docs/measurements/rule/derivation.md")
	must(t, err)
	page := strings.Join(strings.Fields(string(data)), " ")
	var want []string
	for _, rounds := range []int{2, 6, 10, 14, 34} {
		want = append(want, widthRow(t, "run", Schedule{}, rounds, 0))
	}
	want = append(want, widthRow(t, "2 + 2 from the start", Schedule{Even: true}, 3, 0), widthRow(t, "rule 2", Schedule{Even: true}, 4, 8))
	for _, opening := range openings {
		want = append(want, fmt.Sprintf("| `%s %s` | %s | %s |", opening[0], opening[1], afterHead(opening, 'B'), afterHead(opening, 'A')))
	}
	for _, wait := range []int{improvementRounds, suspectRounds} {
		base, head := sidesAfter(wait)
		want = append(want, fmt.Sprintf("%d rounds, head has %d processes and base %d", wait, head, base))
	}
	_, first := sidesAfter(MinRounds)
	_, followed := sidesAfter(suspectRounds)
	want = append(want, fmt.Sprintf("%d of head show none of them in %.0f %% of runs, %d in %.0f %%", first, 100*math.Pow(0.95, float64(first)), followed, 100*math.Pow(0.95, float64(followed))))
	for _, line := range want {
		if !strings.Contains(page, line) {
			t.Errorf("the page does not have: %s", line)
		}
	}
}

// widthRow is what rounds can tell: bounds of a run of 30 cases lie so many standard deviations of a process from the shift. planned are the looks of
// another rule than this one.
func widthRow(t *testing.T, schedule string, s Schedule, rounds, planned int) string {
	t.Helper()
	p := Default()
	p.Cases, p.PlannedLooks = 30, planned
	size, look := s.Size(rounds), 0
	for i, n := range s.Looks() {
		if n == rounds {
			look = i + 1
		}
	}
	passes := "-"
	if look > 0 || planned > 0 {
		passes = fmt.Sprintf("%.2f", halfWidth(t, size, passAlpha(p, look)))
	}
	return fmt.Sprintf("| %s | %d | %d | %.3f | %.0f | %.2f | %s |", schedule, s.Processes(rounds), rounds, size.Weight, size.DF, halfWidth(t, size, Alpha(p)), passes)
}

// halfWidth is t(1 - alpha, df)/√W: the distance of a bound where processes have a standard deviation of 1.
func halfWidth(t *testing.T, size stats.Size, alpha float64) float64 {
	t.Helper()
	// With power 1/2 the detectable effect is c·t, where c is near 1.
	mde, err := stats.MDE(1, size, alpha, 0.5)
	must(t, err)
	return mde / (1 - 1/(4*size.DF))
}

func sidesAfter(rounds int) (base, head int) {
	for round := range rounds {
		a, b := Schedule{}.Round(round)
		base, head = base+a, head+b
	}
	return base, head
}

// afterHead is how much of what a process of head leaves for the next one is in the shift of an opening; before is what ran before its first process.
func afterHead(opening [openingRounds]string, before rune) string {
	effect := 0.0
	for _, order := range opening {
		after, count := map[rune]float64{}, map[rune]float64{}
		for _, letter := range order {
			count[letter]++
			if before == 'B' {
				after[letter]++
			}
			before = letter
		}
		effect += (after['B']/count['B'] - after['A']/count['A']) / openingRounds
	}
	if effect == 0 {
		return "0"
	}
	return fmt.Sprintf("%+.3f", effect)
}
