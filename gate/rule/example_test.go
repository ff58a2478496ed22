package rule_test

import (
	"fmt"
	"math"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/stats"
)

// rounds are four complete rounds of a kernel of 100 µs whose processes scatter by 0.2 %, slower in head by a factor.
func rounds(slower float64) []stats.Round {
	level := math.Log(100_000)
	head := level + math.Log(slower)
	var out []stats.Round
	for _, noise := range [][4]float64{{0, 0.003, -0.002, 0.001}, {0.002, -0.001, 0.001, -0.003}, {-0.002, 0, 0.003, 0.001}, {0.001, -0.002, 0, 0.002}} {
		out = append(out, stats.Round{
			Base: []float64{level + noise[0], level + noise[1]},
			Head: []float64{head + noise[2], head + noise[3]},
		})
	}
	return out
}

// timing is of samples of 250 launches, by a clock with a step of 32 ns.
var timing = rule.Timing{QuantumNS: 32, Launches: 250, MedianNS: 100_000}

// From the samples of a case to its verdict, at the first look and a tolerance of 1.5 %. What the bounds do not settle asks
// for more rounds; after the last look it is open.
func ExampleDecide() {
	policy := rule.Default()
	for _, slower := range []float64{1.10, 1.015, 1.009, 1.001, 0.98, 0.80} {
		c, err := rule.Compare(rounds(slower), 1, timing, policy)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%+5.1f %% (%+.1f … %+.1f %%): %s, %s at the last look\n", percent(c.Ratio), percent(c.RatioLow), percent(c.RatioHigh),
			rule.Decide(c, policy, false), rule.Decide(c, policy, true))
	}
	// Output:
	// +10.0 % (+9.5 … +10.5 %): regression, regression at the last look
	//  +1.5 % (+1.1 … +2.0 %): undecided, inconclusive at the last look
	//  +0.9 % (+0.5 … +1.4 %): slower, slower at the last look
	//  +0.1 % (-0.3 … +0.6 %): same, same at the last look
	//  -2.0 % (-2.4 … -1.5 %): faster, faster at the last look
	// -20.0 % (-20.4 … -19.6 %): improvement, improvement at the last look
}

// What a comparison says beside the verdict: what these rounds could have seen, and what it would take to tell the estimate
// from the tolerance.
func ExampleCompare() {
	c, err := rule.Compare(rounds(1.009), 1, timing, rule.Default())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("detects %.1f %%, needs %d rounds, δ %+.2f\n", 100*c.MDE, c.RoundsNeeded, c.Delta)

	_, err = rule.Compare(rounds(1), 1, timing, result.Policy{Tolerance: 0.015, Improvement: 0.1, Confidence: 99, OnInconclusive: "stop", Cases: 1})
	fmt.Println(err)
	// Output:
	// detects 0.9 %, needs 4 rounds, δ +1.00
	// compare: confidence is 99, must be at least 0.5 (50 %) and below 1
}

// Every case and every look has its share of the chance of error, so more cases take wider bounds.
func ExampleAlpha() {
	policy := rule.Default()
	for _, cases := range []int{1, 30} {
		policy.Cases = cases
		fmt.Printf("%2d cases: %.6f\n", cases, rule.Alpha(policy))
	}
	// Output:
	//  1 cases: 0.000529
	// 30 cases: 0.000018
}

// A run is as bad as the worst that was found: what the gate says no to (exit 1) wins over what could not be measured
// (exit 3). Green takes every case, and at least one.
func ExampleConclude() {
	same := result.Case{Kernel: "gemm", Name: "gemm/n=64", Verdict: result.Same}
	slower := result.Case{Kernel: "gemm", Name: "gemm/n=128", Verdict: result.Regression}
	crashed := result.Case{Kernel: "gemm", Name: "gemm/n=256", Verdict: result.Error, ErrorSide: result.SideBase, Reason: result.Message("base crashed")}
	for _, cases := range [][]result.Case{{same}, {same, crashed}, {same, crashed, slower}, {}} {
		c := rule.Conclude(cases, nil, rule.Default())
		fmt.Println("exit", c.Exit, kinds(c))
	}
	// Output:
	// exit 0 []
	// exit 3 [case-error unmeasured]
	// exit 1 [regression fails case-error unmeasured]
	// exit 3 [nothing-measured unmeasured]
}

// Only head can be at fault for head. The same finding on another side leaves nothing to compare with.
func ExampleEffectOf() {
	for _, side := range []result.Side{result.SideHead, result.SideBase, result.SideBoth} {
		fmt.Println(side, rule.EffectOf(result.FindingBuild, side))
	}
	// Output:
	// head fails
	// base unmeasured
	// both unmeasured
}

// A person may take the responsibility for a slower case, and for nothing else: a kernel of which nothing shows that it is
// right stays what it is, also where its name fits what was accepted.
func ExampleAccept() {
	kernel := result.Kernel{Name: "saxpy", Base: &result.Build{}, Head: &result.Build{}, Parity: result.Parity{Status: result.ParitySkipped}}
	slower := result.Case{Kernel: "saxpy", Name: "saxpy", Verdict: result.Regression}
	accepted := func(f result.Finding) bool { return f.Kernel == "saxpy" }

	c := rule.Accept(rule.Conclude([]result.Case{slower}, nil, rule.Default()), accepted)
	fmt.Println("exit", c.Exit, kinds(c))
	c = rule.Accept(rule.Conclude([]result.Case{slower}, []result.Kernel{kernel}, rule.Default()), accepted)
	fmt.Println("exit", c.Exit, kinds(c))
	// Output:
	// exit 0 [regression accepted]
	// exit 3 [parity-skipped unmeasured regression accepted]
}

// kinds words the findings of a run.
func kinds(c result.Conclusion) []string {
	var out []string
	for _, f := range c.Findings {
		out = append(out, fmt.Sprintf("%s %s", f.Kind, f.Effect))
	}
	return out
}

// percent is a ratio of latencies as a change in per cent.
func percent(ratio float64) float64 { return 100 * (ratio - 1) }
