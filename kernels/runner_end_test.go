package kernels

import (
	"context"
	"testing"
	"time"
)

// A process that obeys may take its time to end, as under a profiler: it is not killed for that, and ends well.
func TestEndWaitsForAProcessThatObeys(t *testing.T) {
	r := newRig(t)
	runner, err := r.start(r.adapter("bad/slow_to_end.cc"))
	must(t, err)
	if _, err := runner.time(time.Minute, 10, "reference"); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if out, err := runner.End(context.Background(), time.Minute); err != nil {
		t.Errorf("it ended with %v after %s, and printed %q", err, time.Since(start), out.Stderr)
	}
}
