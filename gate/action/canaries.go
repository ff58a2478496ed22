package action

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/stats"
)

// The watch compares a session's canaries with those of the latest sessions on its machine.
const (
	watchSessions = 20   // at most; older ones say little of how the machine is now
	watchLeast    = 3    // fewer have no usual level
	watchShift    = 0.02 // a shift below is never worth a word
	watchSpread   = 4    // times the usual spread
)

// CanaryWatch says which canaries of a record are off their usual level on its machine: the machine has changed, whatever
// the code did. Too few records to know the level say nothing.
func CanaryWatch(ctx context.Context, store baseline.Store, rec *baseline.Record) ([]string, error) {
	earlier, err := latest(ctx, store, rec)
	if err != nil || len(earlier) < watchLeast {
		return nil, err
	}
	var notes []string
	for _, canary := range []struct {
		name string
		of   func(baseline.Canaries) float64
	}{
		{"compute", func(c baseline.Canaries) float64 { return c.ComputeNS }},
		{"memory", func(c baseline.Canaries) float64 { return c.MemoryNS }},
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

// latest reads the last records of rec's machine, other than rec's own.
func latest(ctx context.Context, store baseline.Store, rec *baseline.Record) ([]*baseline.Record, error) {
	keys, err := store.List(ctx, rec.Machine.Key+"/")
	if err != nil {
		return nil, err
	}
	var records []*baseline.Record
	for _, key := range keys {
		if r, err := baseline.Load(ctx, store, key); err == nil && key != rec.Key() { // damaged ones are named by every run of the gate
			records = append(records, r)
		}
	}
	slices.SortFunc(records, func(a, b *baseline.Record) int { return b.Time.Compare(a.Time) })
	return records[:min(len(records), watchSessions)], nil
}

// offLevel words how far ns is from the median of logs (of ns), "" where that is usual.
func offLevel(name string, ns float64, logs []float64) string {
	if ns <= 0 || len(logs) < watchLeast {
		return ""
	}
	level, _ := stats.Median(logs) // of at least watchLeast
	deviations := make([]float64, len(logs))
	for i, l := range logs {
		deviations[i] = math.Abs(l - level)
	}
	const toSD = 1.4826 // of the median absolute deviation of a normal distribution
	middle, _ := stats.Median(deviations)
	spread := toSD * middle
	shift := math.Log(ns) - level
	if math.Abs(shift) < max(watchShift, watchSpread*spread) {
		return ""
	}
	return fmt.Sprintf("the %s canary takes %+.1f %% against the median of the last %d sessions on this machine (usual spread %.1f %%): the machine has changed, not the code",
		name, 100*math.Expm1(shift), len(logs), 100*spread)
}
