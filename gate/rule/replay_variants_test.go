package rule

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// inRounds are processes of variants that each take factor[i] of a millisecond, twice in each round.
func inRounds(rounds int, variants []result.Variant, factor []float64) (out []result.Process) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range rounds {
		for place := range 2 * len(variants) {
			i := place % len(variants)
			ns := 1e6 * factor[i] * math.Exp(0.002*rng.NormFloat64())
			out = append(out, result.Process{
				Purpose: result.PurposeRounds, Variant: variants[i], Round: round, Position: place, ValueNS: ns, ElapsedNS: ns, Quantiles: result.Quantiles{Min: ns, P50: ns, Max: ns},
			})
		}
	}
	return out
}

// variantsOf are results of versus and of tune, with what their processes come to.
func variantsOf(t *testing.T) map[result.Kind]*result.Result {
	t.Helper()
	method, b, wide := &result.Method{QuantumNS: 1, Launches: 1, LaunchNS: 1e6, Clock: result.ClockBenchmark}, result.CompetitorNamed("b"), result.ConfigurationNamed("N=64")
	p := Default()
	p.Cases = 1
	versus := &result.Result{Kind: result.KindVersus, Policy: p, Kernels: []result.Kernel{{Name: "k"}}, Cases: []result.Case{{
		Name: "k/n=1", Kernel: "k", Method: method, Verdict: result.New, Competitors: []result.Versus{{Competitor: b.Name}},
		Processes: inRounds(4, []result.Variant{b, result.VariantHead}, []float64{1, 1.2}),
	}}}
	tune := &result.Result{Kind: result.KindTune, Policy: p, Kernels: []result.Kernel{{Name: "k", Configurations: []result.Configuration{{Name: wide.Name}}}}, Cases: []result.Case{{
		Name: "k/n=1", Kernel: "k", Method: method, Processes: inRounds(4, []result.Variant{wide, result.VariantHead}, []float64{0.8, 1}),
	}}}
	for _, err := range []error{DecideVersus(versus), DecideTune(tune, true, 0)} {
		must(t, err)
	}
	if q := versus.Cases[0].To(result.RoleCompetitor); q.RatioLow < 1.1 || versus.Conclusion.Exit != result.ExitPassed {
		t.Fatalf("versus: %+v", q)
	}
	if best, _ := result.Fastest(tune.Kernels[0].Comparisons); best != wide || tune.Cases[0].Verdict != result.Regression || tune.Conclusion.Exit != result.ExitFailed {
		t.Fatalf("tune: %+v", tune.Conclusion)
	}
	return map[result.Kind]*result.Result{result.KindVersus: versus, result.KindTune: tune}
}

// What versus and tune say follows from their processes: decided again it is the same, and one that was changed is seen.
func TestVariantsReplay(t *testing.T) {
	for kind, r := range variantsOf(t) {
		again := Replay(r, r.Policy)
		if err := again.Err(); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		if took := again.Take(*r); !slices.EqualFunc(took.Cases[0].Comparisons, r.Cases[0].Comparisons, func(a, b result.Comparison) bool { return a.To == b.To && a.Theta == b.Theta }) {
			t.Errorf("%s: %+v", kind, took.Cases[0].Comparisons)
		}
		for name, forge := range map[string]func(*result.Result){
			"processes": func(r *result.Result) {
				for i, p := range r.Cases[0].Processes {
					if p.Variant == result.VariantHead {
						ns := p.ValueNS * 0.5
						r.Cases[0].Processes[i].ValueNS, r.Cases[0].Processes[i].Quantiles = ns, result.Quantiles{Min: ns, P50: ns, Max: ns}
					}
				}
			},
			"one process": func(r *result.Result) {
				r.Cases[0].Processes[1].ValueNS *= 1.01
				r.Cases[0].Processes[1].Quantiles.Max *= 1.01
			},
			"a bound": func(r *result.Result) {
				r.Cases[0].Comparisons[0].Low, r.Cases[0].Comparisons[len(r.Cases[0].Comparisons)-1].High = -1, 1
			},
			"a verdict":  func(r *result.Result) { r.Cases[0].Verdict = result.Error },
			"exit":       func(r *result.Result) { r.Conclusion.Exit = result.ExitNotMeasurable },
			"no process": func(r *result.Result) { r.Cases[0].Processes = nil },
		} {
			forged := *r
			forged.Cases = slices.Clone(r.Cases)
			forged.Cases[0].Processes, forged.Cases[0].Comparisons = slices.Clone(r.Cases[0].Processes), slices.Clone(r.Cases[0].Comparisons)
			forge(&forged)
			found := Replay(&forged, r.Policy)
			if found.Err() == nil {
				t.Errorf("%s: %s: nothing is found", kind, name)
			}
			if name == "processes" && len(found.Cases) > 0 && strings.Contains(found.Err().Error(), "verdict") != (kind == result.KindTune) {
				t.Errorf("%s: %s: %v", kind, name, found.Err())
			}
			if name == "processes" && kind == result.KindVersus && found.Take(forged).Cases[0].To(result.RoleCompetitor).RatioHigh > 0.7 {
				t.Errorf("%s: the answer is not another", kind)
			}
		}
	}
}
