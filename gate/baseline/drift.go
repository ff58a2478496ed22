package baseline

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/org/perfgate/stats"
)

// The drift check compares a session's canaries with those of the latest sessions on its machine.
const (
	driftSessions = 20   // at most; older ones say little of how the machine is now
	driftLeast    = 3    // fewer have no usual level
	driftShift    = 0.02 // a shift below is never worth a word
	driftSpread   = 4    // times the usual spread
)

// CanaryDrift is a canary that is off its usual level on its machine: the machine has changed, whatever the code did.
type CanaryDrift struct {
	Canary   Steady  `json:"canary"`
	Ratio    float64 `json:"ratio"`    // its time over the median of the sessions before
	Spread   float64 `json:"spread"`   // usual standard deviation of a session, in log units
	Sessions int     `json:"sessions"` // that it was held against
}

// String words the drift.
func (d CanaryDrift) String() string {
	return fmt.Sprintf("the %s canary takes %+.1f %% against the median of the last %d sessions on this machine (usual spread %.1f %%): the machine has changed, not the code",
		d.Canary, 100*(d.Ratio-1), d.Sessions, 100*d.Spread)
}

// Drift says which canaries of a record are off their usual level among the latest records of its machine. Too few records to know
// the level say nothing.
func Drift(ctx context.Context, store *Store, rec *Record) ([]CanaryDrift, error) {
	keys, err := store.List(ctx, rec.Machine.Key+"/")
	if err != nil {
		return nil, err
	}
	var earlier []*Record
	err = readRecords(ctx, store, keys, func(key string, r *Record, problem error) {
		if problem == nil && key != rec.Key() { // damaged ones are named by every run of the gate
			earlier = append(earlier, r)
		}
	})
	if err != nil {
		return nil, err
	}
	return DriftAmong(earlier, rec), nil
}

// DriftAmong is Drift against the latest of some records, in any order.
func DriftAmong(records []*Record, rec *Record) (out []CanaryDrift) {
	records = slices.Clone(records)
	slices.SortFunc(records, func(a, b *Record) int { return b.Time.Compare(a.Time) })
	records = records[:min(len(records), driftSessions)]
	for _, canary := range BothCanaries {
		var logs []float64
		for _, r := range records {
			if ns := r.Canaries.Of(canary); ns > 0 {
				logs = append(logs, math.Log(ns))
			}
		}
		ns := rec.Canaries.Of(canary)
		if ns <= 0 || len(logs) < driftLeast {
			continue
		}
		level, spread := stats.MedianAndSpread(logs)
		if shift := math.Log(ns) - level; math.Abs(shift) >= max(driftShift, driftSpread*spread) {
			out = append(out, CanaryDrift{Canary: canary, Ratio: math.Exp(shift), Spread: spread, Sessions: len(logs)})
		}
	}
	return out
}
