package search

import (
	"context"
	"errors"
	"testing"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/history"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
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

// TestUselessWaivers: what a drift check fails for is a waiver that has lapsed or is of no case; which rows a benchmark has is not known before its
// first record.
func TestUselessWaivers(t *testing.T) {
	t.Parallel()
	cfg, err := config.Parse("perfgate.yaml", []byte("version: 1\nkernels:\n  - {name: k, adapter: k.pg.cc, params: {n: {values: [1, 2]}}}\n  - {name: b, bench: {command: ./b, format: csv}}\n"))
	must(t, err)
	row := history.Case{Name: "b/sum", Kernel: "b"}
	for name, tt := range map[string]struct {
		cases, until string
		past         history.History
		kind         result.FindingKind
	}{
		"holds":                   {"k/n=1", "2027-01-31", history.History{}, ""},
		"lapsed":                  {"k/n=1", "2027-01-30", history.History{}, result.FindingWaiverLapsed},
		"of no case":              {"k/n=3", "2027-01-31", history.History{}, result.FindingWaiverUnmatched},
		"of a row, perhaps":       {"b/sum", "2027-01-31", history.History{}, ""},
		"of a row":                {"b/sum", "2027-01-31", history.History{Records: 1, Cases: []history.Case{row}}, ""},
		"of a row that is not":    {"b/copy", "2027-01-31", history.History{Records: 1, Cases: []history.Case{row}}, result.FindingWaiverUnmatched},
		"of a case that was once": {"k/n=3", "2027-01-31", history.History{Records: 1, Cases: []history.Case{{Name: "k/n=3", Kernel: "k"}}}, result.FindingWaiverUnmatched},
	} {
		p := result.Policy{Tolerance: 0.015, Day: "2027-01-31", Waivers: []result.Waiver{{Cases: tt.cases, Until: tt.until, Reason: "r", Owner: "o"}}}
		found, err := uselessWaivers(cfg, p, tt.past)
		if err != nil || (tt.kind == "") != (len(found) == 0) || len(found) > 0 && (found[0].Kind != tt.kind || found[0].Effect != result.EffectFails) {
			t.Errorf("%s: %+v, %v", name, found, err)
		}
	}
}
