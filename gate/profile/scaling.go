package profile

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/org/perfgate/gate/result"
)

// Scaling compares the cases of each kernel that differ in one integer parameter only: how many times the work the larger
// one has, and how many times as long it takes on each side. It needs nothing but what was measured.
func Scaling(cases []result.Case) []result.Scaling {
	var out []result.Scaling
	for i, a := range cases {
		for _, b := range cases[i+1:] {
			if s, ok := compared(a, b); ok {
				out = append(out, s)
			}
		}
	}
	return out
}

func compared(a, b result.Case) (result.Scaling, bool) {
	at, ok := differs(a, b)
	if !ok {
		return result.Scaling{}, false
	}
	if value(a, at) > value(b, at) {
		a, b = b, a
	}
	s := result.Scaling{Kernel: a.Kernel, Param: a.Params[at].Name, From: a.Name, To: b.Name, Work: work(a, b)}
	if s.Work == 0 {
		s.Work = value(b, at) / value(a, at) // no counted work: as if it were proportional to the parameter
	}
	s.Base, s.Head = growth(a.Base, b.Base), growth(a.Head, b.Head)
	if s.Base == 0 && s.Head == 0 || !(s.Work >= 2) {
		return s, false
	}
	s.Text = remark(s)
	return s, true
}

// differs returns the only parameter in which two cases of one kernel differ, if it is one that counts something.
func differs(a, b result.Case) (at int, ok bool) {
	if a.Kernel != b.Kernel || len(a.Params) != len(b.Params) {
		return 0, false
	}
	at = -1
	for i := range a.Params {
		if a.Params[i] == b.Params[i] {
			continue
		}
		if at >= 0 || a.Params[i].Name != b.Params[i].Name {
			return 0, false
		}
		at = i
	}
	if at < 0 || value(a, at) < 1 || value(b, at) < 1 {
		return 0, false
	}
	return at, true
}

// value is an integer parameter, 0 for another one.
func value(c result.Case, at int) float64 {
	n, err := strconv.ParseInt(c.Params[at].Value, 10, 64)
	if err != nil {
		return 0
	}
	return float64(n)
}

func work(a, b result.Case) float64 {
	switch {
	case a.Flops > 0 && b.Flops > 0:
		return b.Flops / a.Flops
	case a.Bytes > 0 && b.Bytes > 0:
		return b.Bytes / a.Bytes
	}
	return 0
}

func growth(a, b *result.Summary) float64 {
	if a == nil || b == nil || a.MedianNS <= 0 {
		return 0
	}
	return b.MedianNS / a.MedianNS
}

// serial is the exponent of time over work from which on more work finds no more parallel hardware; parallel is one that
// does. A kernel that fills the machine at the smaller case already scales like the serial one: only the other side's
// smaller exponent tells that there was room.
const (
	serial   = 0.95
	parallel = 0.85
)

// remark says which side does not parallelise over the parameter, where the other one does.
func remark(s result.Scaling) string {
	if s.Base <= 0 || s.Head <= 0 {
		return ""
	}
	base, head := math.Log(s.Base)/math.Log(s.Work), math.Log(s.Head)/math.Log(s.Work)
	bad := ""
	switch {
	case head >= serial && base <= parallel:
		bad = "head"
	case base >= serial && head <= parallel:
		bad = "base"
	default:
		return ""
	}
	return fmt.Sprintf("%.3g times the work along %s takes %.3g times as long on head and %.3g times on base: %s does not parallelise over %s",
		s.Work, s.Param, s.Head, s.Base, bad, s.Param)
}

// mostScaling is how many comparisons a result keeps, the remarkable ones first.
const mostScaling = 40

// Remarkable puts what says something first and keeps a bounded number.
func Remarkable(all []result.Scaling) []result.Scaling {
	slices.SortStableFunc(all, func(a, b result.Scaling) int {
		return boolInt(b.Text != "") - boolInt(a.Text != "")
	})
	return all[:min(len(all), mostScaling)]
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
