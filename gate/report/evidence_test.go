package report

import (
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/profile/explain"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// TestSpeedupIsNoMoreThanMeasured explains the recordings in the direction of the fix, at ratios that the cause alone exceeds
// by far: what was fixed is never credited with more than what was gained.
func TestSpeedupIsNoMoreThanMeasured(t *testing.T) {
	good, serial := recording(t, "attn_good"), recording(t, "attn_serial")
	for _, ratio := range []float64{0.1825, 0.5, 0.9} {
		log := math.Log(ratio)
		e := explain.Record(explain.Explain(explain.Input{Base: serial, Head: good, Measured: explain.Measured{Log: log, Low: log - 0.01, High: log + 0.01}}), "Nsight Compute")
		if len(e.Causes) == 0 {
			t.Fatalf("%v: nothing is named", ratio)
		}
		for _, row := range evidenceTable(result.Case{Name: "k", Evidence: e}).Rows {
			text := row.Cells["cause"].Text
			if text == "" {
				continue
			}
			_, figure, _ := strings.Cut(text, ", ")
			speedup, err := strconv.ParseFloat(strings.TrimSuffix(figure, "x"), 64)
			if err != nil || speedup > 1/ratio+0.006 || speedup < 1 {
				t.Errorf("%v: %q, measured %.2fx", ratio, text, 1/ratio)
			}
		}
	}
}

func recording(t *testing.T, name string) profile.Profile {
	t.Helper()
	p, err := profile.ReadFiles(filepath.Join("../../testdata/ncu/recorded", name+".raw.csv"), "")
	must(t, err)
	return p
}

func TestQuantity(t *testing.T) {
	for _, c := range []struct {
		x    float64
		unit string
		want string
	}{
		{0.015, "%", "1.5 %"}, {16384, "", "16 384"}, {1.98e9, "hz", "1.98 GHz"}, {5.036e7, "byte", "50.4 MB"}, {2730491904, "inst", "2.73 G"},
		{17408, "byte/block", "17.4 kB"}, {15.52, "", "15.5"}, {0, "", "0"},
	} {
		if got := quantity(&c.x, c.unit); got != c.want {
			t.Errorf("%v %s is %q, want %q", c.x, c.unit, got, c.want)
		}
	}
	if got := quantity(nil, "%"); got != text.Blank {
		t.Errorf("nothing is %q", got)
	}
}
