package baseline

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

// driftSession is a record with canaries, the day-th of its machine.
func driftSession(t *testing.T, store *Store, day int, compute, memory float64) *Record {
	t.Helper()
	r := sampleRecord(day, 2)
	r.Time, r.Canaries = time.Date(2026, 1, 1+day, 0, 0, 0, 0, time.UTC), Canaries{ComputeNS: compute, MemoryNS: memory}
	must(t, Save(context.Background(), store, r))
	return r
}

func TestDrift(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sessions        int
		compute, memory float64 // of the last session; before it 1000 and 2000, within a thousandth
		says            string
	}{
		"as usual":        {6, 1001, 2001, ""},
		"slower memory":   {6, 1000, 2300, "memory canary takes +15.0 %"},
		"faster compute":  {6, 800, 2000, "compute canary takes -20.0 %"},
		"a small shift":   {6, 1015, 2000, ""},
		"too few to know": {2, 5000, 9000, ""},
		"no canary":       {6, 0, 2000, ""},
	} {
		store := OpenFolder(t.TempDir())
		for day := range c.sessions {
			driftSession(t, store, day, 1000+float64(day%2), 2000-float64(day%2))
		}
		notes, err := Drift(context.Background(), store, driftSession(t, store, c.sessions, c.compute, c.memory))
		if err != nil || (len(notes) > 0) != (c.says != "") || !strings.Contains(fmt.Sprint(notes), c.says) {
			t.Errorf("%s: %q, %v; want %q", name, notes, err, c.says)
		}
	}
}
