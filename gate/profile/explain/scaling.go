package explain

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/result"
)

// Scaling compares the cases of each kernel that differ in one integer parameter only: how many times the work the larger
// one has, and how many times as long it takes on each side. It needs nothing but what was measured; sms, how many
// multiprocessors the GPU has, tells a grid that leaves some of them without work (0: not known, or no GPU).
func Scaling(cases []result.Case, sms int) []result.Scaling {
	var out []result.Scaling
	for i, a := range cases {
		for _, b := range cases[i+1:] {
			if s, ok := compared(a, b, sms); ok {
				out = append(out, s)
			}
		}
	}
	sayOnce(out)
	return out
}

// sayOnce keeps of several remarks on one parameter of a kernel that on the largest step.
func sayOnce(all []result.Scaling) {
	type subject struct{ kernel, param string }
	largest := map[subject]int{}
	for i, s := range all {
		if s.Text == "" {
			continue
		}
		at := subject{s.Kernel, s.Param}
		best, known := largest[at]
		if known && s.Work <= all[best].Work {
			all[i].Text = ""
			continue
		}
		if known {
			all[best].Text = ""
		}
		largest[at] = i
	}
}

func compared(a, b result.Case, sms int) (result.Scaling, bool) {
	at, ok := differs(a, b)
	if !ok {
		return result.Scaling{}, false
	}
	if value(a, at) > value(b, at) {
		a, b = b, a
	}
	s := result.Scaling{Kernel: a.Kernel, Param: a.Params[at].Name, From: a.Name, To: b.Name, Work: value(b, at) / value(a, at)}
	switch { // without counted work, it is as if it were proportional to the parameter
	case a.Flops > 0 && b.Flops > 0:
		s.Work = b.Flops / a.Flops
	case a.Bytes > 0 && b.Bytes > 0:
		s.Work = b.Bytes / a.Bytes
	}
	s.Base, s.Head = timeRatio(a.Base, b.Base), timeRatio(a.Head, b.Head)
	if s.Base == 0 && s.Head == 0 || !(s.Work >= 2) {
		return s, false
	}
	if s.Text = remark(s); s.Text == "" {
		s.Text = remarkAlone(s, a, b, sms)
	}
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

func timeRatio(a, b *result.Summary) float64 {
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

// littleRoof is the share of the roofline below which a kernel leaves so much of a GPU unused that it cannot be full.
const littleRoof = 0.1

// remarkAlone says of head, whatever base does, that it grows like a loop while the GPU is not filled: for sure where the
// grids of the larger case leave SMs without a block, perhaps where the grid is not known and the smaller case reaches next
// to nothing of the machine. Growth alone says nothing: a kernel that fills the GPU grows like that too.
func remarkAlone(s result.Scaling, a, b result.Case, sms int) string {
	exponent := func(growth float64) float64 { return math.Log(growth) / math.Log(s.Work) }
	if s.Head <= 0 || exponent(s.Head) < serial {
		return ""
	}
	blocks, known := mostBlocks(b, result.SideHead)
	switch {
	case known && sms > 0 && blocks < sms:
		who, times := "head does not parallelise", fmt.Sprintf("%.3g times as long on head", s.Head)
		if other, ok := mostBlocks(b, result.SideBase); ok && other < sms && s.Base > 0 && exponent(s.Base) >= serial {
			who, times = "neither side parallelises", times+fmt.Sprintf(" and %.3g times on base", s.Base)
		}
		return fmt.Sprintf("%.3g times the work along %s takes %s, and head's grid of %d blocks leaves %d of %d SMs without any: %s over %s",
			s.Work, s.Param, times, blocks, sms-blocks, sms, who, s.Param)
	case !known && a.Head.RooflineShare > 0 && a.Head.RooflineShare < littleRoof:
		return fmt.Sprintf("%.3g times the work along %s takes %.3g times as long on head, though %s reaches %.2g %% of the roofline only: head may not parallelise over %s",
			s.Work, s.Param, s.Head, a.Name, 100*a.Head.RooflineShare, s.Param)
	}
	return ""
}

// mostBlocks is the largest grid that a side launches for a case; known is false where nothing tells.
func mostBlocks(c result.Case, side result.Side) (blocks int, known bool) {
	all := profile.Launches(c, side)
	for _, l := range all {
		if l.Blocks <= 0 {
			return 0, false
		}
		blocks = max(blocks, l.Blocks)
	}
	return blocks, len(all) > 0
}

// mostScaling is how many comparisons a result keeps, the remarkable ones first.
const mostScaling = 40

// Remarkable puts what says something first and keeps a bounded number.
func Remarkable(all []result.Scaling) []result.Scaling {
	said := slices.DeleteFunc(slices.Clone(all), func(s result.Scaling) bool { return s.Text == "" })
	mute := slices.DeleteFunc(slices.Clone(all), func(s result.Scaling) bool { return s.Text != "" })
	return append(said, mute...)[:min(len(all), mostScaling)]
}
