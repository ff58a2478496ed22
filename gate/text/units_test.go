package text

import "testing"

func TestDuration(t *testing.T) {
	for ns, want := range map[float64]string{
		0.95: "0.95 ns", 1: "1.00 ns", 12.34: "12.3 ns", 999.4: "999 ns", 999.6: "1.00 µs", 4850: "4.85 µs", 812345: "812 µs",
		999.6e3: "1.00 ms", 1.5634e6: "1.56 ms", 9.996e6: "10.0 ms", 99.96e6: "100 ms", 1.2e9: "1.20 s", 1234e9: "1234 s", 0: "0.00 ns",
	} {
		if got := Duration(ns); got != want {
			t.Errorf("%v ns is %q, want %q", ns, got, want)
		}
	}
}

func TestDurations(t *testing.T) {
	for _, c := range []struct {
		a, b         float64
		wantA, wantB string
	}{
		{812e3, 1563e3, "812 µs", "1563 µs"},
		{1563e3, 812e3, "1563 µs", "812 µs"},
		{1.71e6, 3.3e6, "1.71 ms", "3.30 ms"},
		{0.579e6, 1.51e9, "579 µs", "1.51 s"},
		{0, 5e3, "0.00 ns", "5.00 µs"},
	} {
		if a, b := Durations(c.a, c.b); a != c.wantA || b != c.wantB {
			t.Errorf("%v and %v are %q and %q, want %q and %q", c.a, c.b, a, b, c.wantA, c.wantB)
		}
	}
}

func TestNumbers(t *testing.T) {
	for got, want := range map[string]string{
		Number(12345.6):    "12 346",
		Number(1234):       "1234",
		Number(99.96):      "100",
		Number(0.0635):     "0.0635",
		Number(0.0001):     "<0.01",
		Number(0):          "0",
		Percent(0.0123):    "1.2 %",
		Percent(0.00434):   "0.43 %",
		Percent(0.314):     "31 %",
		Percent(0):         "0 %",
		Limit(0.015):       "1.5 %",
		Limit(0.9999):      "99.99 %",
		Limit(0.05):        "5 %",
		Times(1.9249):      "1.92x",
		Times(2604.4):      "2604x",
		Bytes(64 << 20):    "64 MiB",
		Bytes(25234567):    "24.1 MiB",
		Bytes(512):         "512 B",
		Elapsed(0.04):      "0.0 s",
		Elapsed(9.96):      "10 s",
		Elapsed(59.6):      "1 min",
		Elapsed(133):       "2 min 13 s",
		Elapsed(3600):      "1 h",
		Elapsed(3900):      "1 h 5 min",
		Signed(0.921, 1):   "+92.1",
		Signed(-0.0004, 1): "+0.0",
		Signed(-0.031, 1):  "−3.1",
		SignedDelta(-1):    "−1.00",
		Count(1, "case"):   "1 case",
		Count(0, "case"):   "0 cases",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
