package report

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/internal/ruletest"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/stats"
)

// samples are the runs that the golden files show, made by simulation. They are written to testdata/report only with
// -update; the tests read them from there as a report job would.
var samples = map[string]func(testing.TB) *result.Result{
	"regression":     regressionSample,
	"pass":           passSample,
	"improvement":    improvementSample,
	"slower":         slowerSample,
	"catastrophe":    catastropheSample,
	"parity":         paritySample,
	"parity-skipped": paritySkippedSample,
	"head-no-build":  headNoBuildSample,
	"base-no-build":  baseNoBuildSample,
	"inconclusive":   inconclusiveSample,
	"estimate":       estimateSample,
	"noisy":          noisySample,
	"budget":         budgetSample,
	"new":            newSample,
	"identical":      identicalSample,
	"errors":         errorsSample,
	"many":           manySample,
	"gpu":            gpuSample,
	"evidence":       evidenceSample,
	"competitors":    competitorsSample,
}

// shape is one simulated case.
type shape struct {
	kernel  string
	params  string  // B=1,S=64
	ns      float64 // base's launch
	shift   float64 // head over base, as a fraction: 0.92 is 92 % slower
	scatter float64 // of processes
	rounds  int
	flops   float64
	bytes   float64
}

func blankSample() *result.Result {
	return &result.Result{
		Schema:  result.Schema,
		Tool:    result.Tool{Name: "perfgate", Version: "1.0.0"},
		Started: time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC),
		Repro:   "perfgate run --base base --head head --seed 20260314",
		Seed:    "20260314",
		Policy: result.Policy{Tolerance: 0.05, Improvement: 0.10, Confidence: 0.99,
			OnInconclusive: result.OnInconclusiveStop, Cases: 3},
		BudgetS: 300,
		Config:  result.Config{File: "perfgate.yaml", SHA256: strings.Repeat("5f", 32), Trust: "worktree"},
		Base:    result.Version{Kind: result.KindDirectory, Label: "base"},
		Head:    result.Version{Kind: result.KindDirectory, Label: "head"},
		Machine: result.Machine{
			Key: "cpu-amd-epyc-7b13-2", Device: "cpu", Model: "AMD EPYC 7B13", Cores: 2, MemoryBytes: 8 << 30,
			CacheBytes: 32 << 20, OS: "linux", Kernel: "6.1.0", Arch: "amd64", Virtual: true, LoadBefore: 0.31, LoadAfter: 1.12,
		},
		Toolchain: result.Toolchain{Compiler: "c++", Version: "g++ 12.2.0", Harness: "9c1e77ab03d4"},
		WarmUp:    result.WarmUp{NS: 3.1e8, Held: true},
		Timings:   result.Timings{TotalS: 48.3, CompileS: 6.2, RunnersS: 41.4, OverheadS: 0.7},
	}
}

func passedParity(n int) result.Parity {
	return result.Parity{Status: result.ParityPassed, Seed: "7", Oracle: "reference", Planned: n, Run: n,
		Elements: 4_718_592, MaxRatio: 0.0832, Seconds: 4.1}
}

func kernel(name string, status result.KernelStatus, parity result.Parity) result.Kernel {
	command := []string{"c++", "-O3", "-shared", "-o", name + ".so", name + ".pg.cpp"}
	return result.Kernel{
		Name: name, Status: status, Parity: parity,
		Base: &result.Build{Fingerprint: "a01f", Command: command, Seconds: 2.9},
		Head: &result.Build{Fingerprint: "b77c", Command: command, Seconds: 3.3},
	}
}

// timed simulates the processes of a case and decides it as the gate would.
func timed(tb testing.TB, p result.Policy, s shape) result.Case {
	tb.Helper()
	rng := rand.New(rand.NewPCG(uint64(len(s.params)), math.Float64bits(s.ns+s.shift)))
	c := result.Case{Name: s.kernel + "/" + s.params, Kernel: s.kernel, Flops: s.flops, Bytes: s.bytes}
	for part := range strings.SplitSeq(s.params, ",") {
		name, value, _ := strings.Cut(part, "=")
		c.Params = append(c.Params, result.Param{Name: name, Value: value})
	}
	c.Method = &result.Method{Clock: "thread", Launches: launches(s.ns), Pool: 4, Samples: 16, Cache: "cold", Pin: true,
		LaunchNS: s.ns, QuantumNS: 1, FlushBytes: 64 << 20, LimitNS: 1.5e9, Oracle: "reference"}
	var all []stats.Round
	err := ruletest.Decide(&c, rule.Timing{QuantumNS: 1, Launches: 1, MedianNS: s.ns}, p, func(rounds int) []stats.Round {
		if s.rounds > 0 && rounds > s.rounds {
			return nil
		}
		for len(all) < rounds {
			all = append(all, simulateRound(&c, rng, p, s, len(all)))
		}
		return all
	})
	if err != nil {
		tb.Fatal(err)
	}
	if !c.Verdict.Decided() {
		c.Verdict = result.Inconclusive
		c.Looks[len(c.Looks)-1].Verdict = result.Inconclusive
	}
	processes := map[result.Variant]int{}
	for _, p := range c.Processes {
		processes[p.Variant]++
	}
	c.Base, c.Head = summary(s, s.ns, processes[result.VariantBase]), summary(s, s.ns*math.Exp(c.Compared().Theta), processes[result.VariantHead])
	return c
}

func launches(ns float64) int {
	if ns > 2e4 {
		return 1
	}
	return int(math.Ceil(250e3 / ns))
}

func summary(s shape, ns float64, processes int) *result.Summary {
	out := &result.Summary{MedianNS: ns, P90NS: ns * 1.02, P99NS: ns * 1.061, ProcessCV: s.scatter, SampleCV: 2.2 * s.scatter, Processes: processes}
	if s.flops > 0 {
		out.GFlops, out.GBytesPerSec = s.flops/ns, s.bytes/ns
	}
	return out
}

func simulateRound(c *result.Case, rng *rand.Rand, p result.Policy, s shape, index int) stats.Round {
	var r stats.Round
	drift := 0.01 * rng.NormFloat64()
	for position, letter := range ruletest.Order(p, index) {
		side, shift := result.SideBase, 0.0
		if letter == 'B' {
			side, shift = result.SideHead, math.Log1p(s.shift)
		}
		y := math.Log(s.ns) + drift + shift + s.scatter*rng.NormFloat64()
		if letter == 'A' {
			r.Base = append(r.Base, y)
		} else {
			r.Head = append(r.Head, y)
		}
		v := math.Exp(y)
		c.Processes = append(c.Processes, result.Process{Round: index, Position: position, Variant: side.Variant(), ValueNS: v,
			Samples: 16, Planned: 16, CV: 2 * s.scatter, Checks: 2,
			Quantiles: result.Quantiles{Min: v * 0.98, P25: v * 0.99, P50: v, P75: v * 1.01, P90: v * 1.02, P99: v * 1.06, Max: v * 1.09}})
	}
	return r
}

// conclude fills in what follows from the cases: kernels that are not there yet, rounds and the conclusion.
func conclude(r *result.Result) *result.Result {
	most := 0
	for _, c := range r.Cases {
		if c.Compared() != nil {
			most = max(most, c.Compared().Rounds)
		}
	}
	for i := range most {
		r.Rounds = append(r.Rounds, result.Round{Index: i, Order: ruletest.Order(r.Policy, i), Seconds: 6.8})
	}
	r.Conclusion = rule.Conclude(r.Cases, r.Kernels, r.Policy)
	return r
}
