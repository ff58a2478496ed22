package rule_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/org/perfgate/gate/rule"
)

func TestEnoughSamples(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	noise := func(n int, sd float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = 1e5 * math.Exp(sd*random.NormFloat64())
		}
		return out
	}
	warming := noise(300, 0.001) // 1 % slower until a third of them are taken
	for i := range warming[:100] {
		warming[i] *= 1.01
	}
	for name, c := range map[string]struct {
		pilot       []float64
		tolerance   float64
		least, most int
	}{
		"quiet":                    {noise(300, 0.001), 0.015, 50, 50},
		"quiet and few":            {noise(30, 0.0001), 0.015, 10, 10},
		"noisy":                    {noise(300, 0.01), 0.015, 50, 150},
		"noisy for this tolerance": {noise(300, 0.01), 0.003, 300, 300},
		"hopeless":                 {noise(300, 0.5), 0.015, 300, 300},
		"the first ones differ":    {warming, 0.015, 150, 300},
		"too few to tell":          {noise(12, 0.001), 0.015, 12, 12},
		"a clock that stood still": {append(noise(299, 0.001), 0), 0.015, 300, 300},
	} {
		if n := rule.EnoughSamples(c.pilot, c.tolerance); n < c.least || n > c.most {
			t.Errorf("%s: %d of %d samples, want %d to %d", name, n, len(c.pilot), c.least, c.most)
		}
	}
}
