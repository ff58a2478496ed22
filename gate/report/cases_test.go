package report

import (
	"testing"

	"github.com/org/perfgate/gate/result"
)

// TestChange holds the words for a change to what they mean: head over base, less 1.
func TestChange(t *testing.T) {
	for _, c := range []struct {
		ratio, low, high float64
		change, interval string
	}{
		{1.921, 1.912, 1.930, "+92.1 %", "+91.2 … +93.0 %"},
		{0.763, 0.75, 0.776, "−23.7 %", "−25.0 … −22.4 %"},
		{1.0021, 0.9993, 1.0049, "+0.21 %", "−0.07 … +0.49 %"},
		{4.2, 4.1, 4.3, "+320 %", "+310 … +330 %"},
		{2604, 2521, 2691, "2604x", "2521x … 2691x"},
	} {
		change, interval := changeOf(shiftOf(&result.Comparison{Ratio: c.ratio, RatioLow: c.low, RatioHigh: c.high}))
		if change != c.change || interval != c.interval {
			t.Errorf("%v: %q, %q, want %q, %q", c.ratio, change, interval, c.change, c.interval)
		}
	}
}

// A case of the host has the parameters of the case that it is of, and its row says which it is.
func TestRowsOfHostAreNamedApart(t *testing.T) {
	of, host := caseName("k/n=1"), caseName("k/n=1/host")
	if len(host.Params) != len(of.Params)+1 || host.Params[1].String() != "host" {
		t.Errorf("%+v beside %+v", host, of)
	}
}
