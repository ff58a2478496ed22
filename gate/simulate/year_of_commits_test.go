package simulate

import (
	"flag"
	"testing"

	"github.com/org/perfgate/gate/baseline"
)

// The tests of this file send a simulated year of commits through the stored baseline: sessions of a machine whose level changes from day to day
// (year_sessions_test.go), perfgate with its store (year_perfgate_test.go) and other gates (year_other_gates_test.go) on the same commits, and what
// the year came to under each (year_totals_test.go).

// partOfYear is as much of it as a saving of five times takes to show: the sessions from which variation is estimated cost the same in a shorter one.
func partOfYear() yearOptions {
	o := documentedYear()
	o.Commits, o.DriverAt, o.CorruptAt, o.Regressions = 160, 110, 80, map[int]float64{60: 0.04, 110: 0.10, 150: 0.02}
	return o
}

var wholeYear = flag.Bool("year.whole", false, "TestYear is the whole year of docs/measurements/history, which takes many seconds")

// TestYear is a part of the year of docs/measurements/history, on a directory.
func TestYear(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	open := func() *baseline.Store {
		s, err := baseline.Open("dir:records", dir)
		if err != nil {
			t.Error(err)
		}
		return s
	}
	cut := func(key string) error { return cutRecord(t, open(), key) }
	o := partOfYear()
	if *wholeYear {
		o = documentedYear()
	}
	y, err := simulateYear(t.Context(), o, open, cut)
	must(t, err)
	t.Log("\n" + y.render())
	s := y.Stored
	if s.FalseReds > 0 || s.Missed > 0 || s.Found != len(o.Regressions) {
		t.Errorf("%d false reds, %d of %d regressions found", s.FalseReds, s.Found, len(o.Regressions))
	}
	if !testing.Short() && y.Paired.Seconds < 4*s.Seconds {
		t.Errorf("%.1f times fewer minutes than always side by side, want at least 4", y.Paired.Seconds/s.Seconds)
	}
	if s.PassedOver == 0 {
		t.Error("the corrupt record was not noticed")
	}
	if !testing.Short() && s.Settled == 0 { // in a short year sessions are few until its end
		t.Error("screening decided nothing")
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

var seeds = flag.Int("seeds", 1, "last seed of TestYearSeeds, which begins with 2: the first is TestYear")

// TestYearSeeds is the year of docs/measurements/history with other random numbers. The page says for which seeds it was run.
func TestYearSeeds(t *testing.T) {
	t.Parallel()
	if *seeds < 2 {
		t.Skip("a year takes many seconds: -seeds says how many")
	}
	t.Log("| seed | false reds | found | missed | screened | settled | records measured | minutes | side by side | times fewer |\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
	for seed := 2; seed <= *seeds; seed++ {
		dir := t.TempDir()
		open := func() *baseline.Store { return baseline.OpenFolder(dir) }
		o := documentedYear()
		o.Seed = uint64(seed)
		y, err := simulateYear(t.Context(), o, open, func(key string) error { return cutRecord(t, open(), key) })
		must(t, err)
		s, times := y.Stored, y.Paired.Seconds/y.Stored.Seconds
		t.Logf("| %d | %d | %d | %d | %d | %d | %d | %.1f | %.1f | %.2f |", o.Seed, s.FalseReds, s.Found, s.Missed, s.Screened, s.Settled, s.Recorded, s.Seconds/60, y.Paired.Seconds/60, times)
		if s.FalseReds > 0 || s.Missed > 0 || times < 4 {
			t.Errorf("seed %d: %d false reds, %d missed, %.2f times fewer minutes (want at least 4)", o.Seed, s.FalseReds, s.Missed, times)
		}
	}
}
