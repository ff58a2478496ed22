package measure

import (
	"math"
	"strings"
	"testing"

	"github.com/org/perfgate/kernels"
)

// A clock that stood still once is no fault of the kernel, and no time either; one that mostly does measures nothing.
func TestSamplesOfAClockThatStoodStill(t *testing.T) {
	samples := func(n int, first ...float64) kernels.TimeReply {
		for len(first) < n {
			first = append(first, 20e3)
		}
		return kernels.TimeReply{Samples: first, Planned: n}
	}
	for name, c := range map[string]struct {
		reply kernels.TimeReply
		kept  int
		err   string
	}{
		"never":        {samples(20), 20, ""},
		"once":         {samples(20, 0), 19, ""},
		"twice in 20":  {samples(20, 0, 0), 18, ""},
		"thrice in 20": {samples(20, 0, 0, 0), 0, "3 of 20 samples are 0 ns: the clock is too coarse"},
		"always":       {samples(5, 0, 0, 0, 0, 0), 0, "5 of 5 samples are 0 ns"},
		"backwards":    {samples(20, -1), 0, "a sample of -1 ns"},
		"no number":    {samples(20, math.NaN()), 0, "a sample of NaN ns"},
		"no end":       {samples(20, math.Inf(1)), 0, "a sample of +Inf ns"},
		"no samples":   {samples(0), 0, "samples: "},
	} {
		p, err := summarise(c.reply)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %+v, %v; want %q", name, p, err, c.err)
			}
			continue
		}
		if err != nil || p.Samples != c.kept || p.ValueNS != 20e3 || p.Quantiles.Min != 20e3 {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
}
