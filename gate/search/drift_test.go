package search

import (
	"context"
	"errors"
	"testing"

	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/run"
)

// TestTurns: runs in a row see every part once, whatever number they begin at, and never more parts than cases.
func TestTurns(t *testing.T) {
	t.Parallel()
	stop := errors.New("measured")
	for spread, parts := range map[int]int{3: 3, 7: 5} { // of five cases
		seen := map[int]int{}
		for turn := 41; turn < 41+parts; turn++ {
			var opt run.Options
			_, err := Drift{Of: spread, Turn: turn, Measure: func(_ context.Context, opt run.Options) (done run.Recorded, _ error) {
				if opt.Shard.Of > 5 {
					return done, &plan.ShardError{Shard: *opt.Shard, Cases: 5}
				}
				return done, stop
			}}.session(t.Context(), &opt)
			if !errors.Is(err, stop) || opt.Shard.Of != parts {
				t.Fatalf("spread %d: %v, %+v", spread, err, opt.Shard)
			}
			seen[opt.Shard.Index]++
		}
		if len(seen) != parts {
			t.Errorf("spread %d: parts %v in %d turns", spread, seen, parts)
		}
	}
}
