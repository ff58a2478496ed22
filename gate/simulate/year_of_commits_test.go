package simulate

import (
	"flag"
	"testing"

	"github.com/org/perfgate/gate/baseline"
)

// The tests of this file send a simulated year of commits through the stored baseline: sessions of a machine whose level changes from day to day
// (year_sessions_test.go), perfgate with its store (year_perfgate_test.go) and rounds on each of the same commits, and what the year came to under
// both (year_totals_test.go).

// partOfYear is as much of it as a saving of five times takes to show: the sessions from which variation is estimated cost the same in a shorter one.
func partOfYear() yearOptions {
	o := documentedYear()
	o.Commits, o.DriverAt, o.CorruptAt, o.Regressions = 160, 110, 80, map[int]float64{60: 0.04, 110: 0.10, 150: 0.02}
	return o
}

var (
	wholeYear = flag.Bool("year.whole", false, "TestYear is the whole year of docs/measurements/history, which takes many seconds")
	seeds     = flag.Int("seeds", 1, "TestYear is of so many years")
)

// TestYear is a part of the year of docs/measurements/history, on a directory.
func TestYear(t *testing.T) {
	t.Parallel()
	for seed := 1; seed <= *seeds; seed++ {
		o := partOfYear()
		if *wholeYear {
			o = documentedYear()
		}
		o.Seed = uint64(seed)
		dir := t.TempDir()
		open := func() *baseline.Store { return baseline.OpenFolder(dir) }
		y, err := simulateYear(t.Context(), o, open, func(key string) error { return cutRecord(t, open(), key) })
		must(t, err)
		s, times := y.Stored, y.Paired.Seconds/y.Stored.Seconds
		t.Logf("seed %d: %+v; always side by side %+v; %.2f times fewer minutes", seed, s, y.Paired, times)
		if s.FalseReds > 0 || s.Missed > 0 || s.Found != len(o.Regressions) {
			t.Errorf("seed %d: %d false reds, %d of %d regressions found", seed, s.FalseReds, s.Found, len(o.Regressions))
		}
		if times < 4 {
			t.Errorf("seed %d: %.1f times fewer minutes than always side by side, want at least 4", seed, times)
		}
		if s.PassedOver == 0 {
			t.Error("the corrupt record was not noticed")
		}
		if s.Settled == 0 {
			t.Error("screening decided nothing")
		}
	}
}

// cutRecord leaves the first part of a record.
func cutRecord(t *testing.T, s *baseline.Store, key string) error {
	data, err := s.Get(t.Context(), key)
	if err != nil {
		return err
	}
	return s.Put(t.Context(), key, data[:200])
}
