package calibrate

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/baseline"
)

var seeds = flag.Int("seeds", 1, "last seed of TestSeeds, which begins with 2: the first is TestYear")

// TestSeeds is the year of docs/baseline.md under other luck: the claim is about all of them.
func TestSeeds(t *testing.T) {
	t.Parallel()
	if *seeds < 2 {
		t.Skip("a year takes many seconds: -seeds says how many")
	}
	var table strings.Builder
	fmt.Fprintln(&table, "| seed | false reds | found | missed | screened | settled | records measured | minutes | side by side | times fewer |\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
	for seed := 2; seed <= *seeds; seed++ {
		dir := t.TempDir()
		open := func() *baseline.Store { return baseline.OpenFolder(dir) }
		o := documentedYear()
		o.Seed = uint64(seed)
		y, err := simulateYear(t.Context(), o, open, func(key string) error { return cutRecord(t, open(), key) })
		if err != nil {
			t.Fatal(err)
		}
		s, times := y.Stored, y.Paired.Seconds/y.Stored.Seconds
		fmt.Fprintf(&table, "| %d | %d | %d | %d | %d | %d | %d | %.1f | %.1f | %.2f |\n", o.Seed, s.FalseReds, s.Found, s.Missed, s.Screened, s.Settled, s.Recorded, s.Seconds/60, y.Paired.Seconds/60, times)
		if s.FalseReds > 0 || s.Missed > 0 || times < 4 {
			t.Errorf("seed %d: %d false reds, %d missed, %.2f times fewer minutes (want at least 4)", o.Seed, s.FalseReds, s.Missed, times)
		}
	}
	t.Log("\n" + table.String())
}
