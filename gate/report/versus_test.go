package report

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

func TestVersusShowsWhereOneOvertakesTheOther(t *testing.T) {
	old := result.CompetitorNamed("old")
	d := &result.Result{
		Kind: result.KindVersus, Head: result.Version{Label: "new\x1b[31m"}, Kernels: []result.Kernel{{Name: "k", Competitors: []result.Competitor{{Name: old.Name}}}},
	}
	for i, theta := range []float64{0.4, 0.1, -0.2, -0.5} {
		c := result.Case{
			Name: fmt.Sprintf("k/S=%d,D=64", 64<<i), Params: []result.Param{{Name: "S", Value: fmt.Sprint(64 << i)}, {Name: "D", Value: "64"}},
			Head: &result.Summary{MedianNS: 1e5 * math.Exp(theta)}, Competitors: []result.Versus{{Competitor: old.Name, Summary: &result.Summary{MedianNS: 1e5}}},
			Comparisons: []result.Comparison{{
				Of: result.VariantHead, To: old,
				Theta: theta, Low: theta - 0.15, High: theta + 0.15, Ratio: math.Exp(theta), RatioLow: math.Exp(theta - 0.15), RatioHigh: math.Exp(theta + 0.15),
			}},
		}
		d.Cases = append(d.Cases, c)
	}
	d.Cases = append(d.Cases, result.Case{Name: "k/S=9,D=1", Params: []result.Param{{Name: "S", Value: "9"}, {Name: "D", Value: "1"}}, Reason: result.Message("crashed")})
	text := flat(New(d))
	for _, want := range []string{"0.67x", "0.58 … 0.78x", "1.65x", "inconclusive", "could not be measured: crashed", "Along S with D=64", "they cross between S=128 and 256"} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "\x1b") || strings.Count(text, "Along ") != 1 {
		t.Errorf("%q", text)
	}
}
