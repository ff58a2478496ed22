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

// Drift says which canaries of a record are off their usual level on its machine: the machine has changed, whatever
// the code did. Too few records to know the level say nothing.
func Drift(ctx context.Context, store Store, rec *Record) ([]string, error) {
	earlier, err := latestRecords(ctx, store, rec)
	if err != nil || len(earlier) < driftLeast {
		return nil, err
	}
	var notes []string
	for _, canary := range []struct {
		name string
		of   func(Canaries) float64
	}{
		{"compute", func(c Canaries) float64 { return c.ComputeNS }},
		{"memory", func(c Canaries) float64 { return c.MemoryNS }},
	} {
		var logs []float64
		for _, r := range earlier {
			if ns := canary.of(r.Canaries); ns > 0 {
				logs = append(logs, math.Log(ns))
			}
		}
		if note := offLevel(canary.name, canary.of(rec.Canaries), logs); note != "" {
			notes = append(notes, note)
		}
	}
	return notes, nil
}

// latestRecords reads the last records of rec's machine, other than rec's own.
func latestRecords(ctx context.Context, store Store, rec *Record) ([]*Record, error) {
	keys, err := store.List(ctx, rec.Machine.Key+"/")
	if err != nil {
		return nil, err
	}
	var records []*Record
	for _, key := range keys {
		if r, err := Load(ctx, store, key); err == nil && key != rec.Key() { // damaged ones are named by every run of the gate
			records = append(records, r)
		}
	}
	slices.SortFunc(records, func(a, b *Record) int { return b.Time.Compare(a.Time) })
	return records[:min(len(records), driftSessions)], nil
}

// offLevel words how far ns is from the median of logs (of ns), "" where that is usual.
func offLevel(name string, ns float64, logs []float64) string {
	if ns <= 0 || len(logs) < driftLeast {
		return ""
	}
	level, _ := stats.Median(logs) // of at least driftLeast
	deviations := make([]float64, len(logs))
	for i, l := range logs {
		deviations[i] = math.Abs(l - level)
	}
	const toSD = 1.4826 // of the median absolute deviation of a normal distribution
	middle, _ := stats.Median(deviations)
	spread := toSD * middle
	shift := math.Log(ns) - level
	if math.Abs(shift) < max(driftShift, driftSpread*spread) {
		return ""
	}
	return fmt.Sprintf("the %s canary takes %+.1f %% against the median of the last %d sessions on this machine (usual spread %.1f %%): the machine has changed, not the code",
		name, 100*math.Expm1(shift), len(logs), 100*spread)
}
