package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

var attention = []shape{
	{"attention", "B=1,H=8,S=64,D=64,causal=0", 0.42e6, 0.004, 0.012, 0, 8.4e6, 5.2e5},
	{"attention", "B=1,H=8,S=128,D=64,causal=0", 1.71e6, 0.921, 0.014, 0, 3.4e7, 1.0e6},
	{"attention", "B=1,H=8,S=128,D=64,causal=1", 1.02e6, 0.312, 0.013, 0, 1.7e7, 1.0e6},
}

func with(shapes []shape, change func(i int, s *shape)) []shape {
	out := append([]shape{}, shapes...)
	for i := range out {
		change(i, &out[i])
	}
	return out
}

func add(tb testing.TB, r *result.Result, shapes ...shape) *result.Result {
	for _, s := range shapes {
		r.Cases = append(r.Cases, timed(tb, r.Policy, s))
	}
	return r
}

func compared(tb testing.TB, shapes []shape) *result.Result {
	r := blankSample()
	r.Kernels = []result.Kernel{kernel("attention", result.KernelCompared, passedParity(200))}
	return add(tb, r, shapes...)
}

func regressionSample(tb testing.TB) *result.Result {
	r := compared(tb, attention)
	r.Head.Flags = []string{"-DEXTRA_PASS=1"}
	r.Repro = "perfgate run --base base --head head --head-flags -DEXTRA_PASS=1 --seed 20260314"
	return conclude(r)
}

func passSample(tb testing.TB) *result.Result {
	return conclude(compared(tb, with(attention, func(i int, s *shape) { s.shift = 0.001 * float64(i) })))
}

func improvementSample(tb testing.TB) *result.Result {
	return conclude(compared(tb, with(attention, func(i int, s *shape) { s.shift = []float64{0, -0.384, -0.031}[i] })))
}

func slowerSample(tb testing.TB) *result.Result {
	r := conclude(compared(tb, with(attention, func(i int, s *shape) { s.shift, s.scatter = []float64{0, 0.022, 0}[i], 0.006 })))
	for _, c := range []int{0, 1} {
		r.Cases[c].Past = lost(4+float64(c), 0.009, 0.008, 0.011)
	}
	return r
}

// lost is the past of a case that lost a little again and again since a tag, five records a level.
func lost(ms float64, steps ...float64) *result.Past {
	p := &result.Past{Steps: steps, BestCommit: strings.Repeat("b5", 20), Since: "v1.2", Changes: []result.PastChange{}}
	ns := ms * 1e6
	for i, step := range append([]float64{0}, steps...) {
		ns *= 1 + step
		p.Levels = append(p.Levels, result.PastLevel{First: 5 * i, Count: 5, NS: ns})
		for n := range 5 {
			p.Points = append(p.Points, result.PastPoint{Commit: strings.Repeat(string(rune('a'+i))+string(rune('0'+n)), 20), NS: ns * (1 + 0.001*float64(n%3-1))})
		}
		if i > 0 {
			p.Changes = append(p.Changes, result.PastChange{Commit: p.Points[5*i].Commit, Ratio: 1 + step, Low: 1 + step - 0.002, High: 1 + step + 0.002, Cause: result.LevelByCommit})
		}
	}
	p.OverBest = ns/(ms*1e6) - 1
	return p
}

// catastropheSample is a launch with one block instead of hundreds.
func catastropheSample(tb testing.TB) *result.Result {
	return conclude(compared(tb, with(attention, func(i int, s *shape) { s.shift = []float64{0.01, 2600, 0}[i] })))
}

// lastRowWrong is the map of 12 wrong elements in the row after the last tile.
func lastRowWrong() *result.Map {
	m := &result.Map{Tensor: "o", Rows: result.Axis{Name: "s", Size: 65}, Columns: result.Axis{Name: "d", Size: 64}}
	for range result.MostMapRows - 1 {
		m.Levels = append(m.Levels, strings.Repeat("0", result.MostMapColumns))
	}
	m.Levels = append(m.Levels, strings.Repeat("3", 9)+strings.Repeat("0", result.MostMapColumns-9))
	return m
}

func paritySample(tb testing.TB) *result.Result {
	r := blankSample()
	r.Kernels = []result.Kernel{
		kernel("attention", result.KernelFailed, result.Parity{Status: result.ParityFailed, Seed: "20260314", Oracle: "reference", Planned: 200, Run: 37,
			Failure: &result.ParityFailure{Case: "attention/B=1,H=1,S=65,D=64,causal=0", Values: "normal", Seed: "7", Code: "wrong-output",
				Message: "12 of 4160 elements are wrong; worst at o[b=0,h=0,s=64,d=0]: got 0.5, want 0.25, error 0.25 against a tolerance of 0.00225",
				Map:     lastRowWrong(),
				Repro:   "perfgate parity --kernel attention --param B=1,H=1,S=65,D=64,causal=0 --seed 7"}}),
		kernel("softmax", result.KernelCompared, passedParity(120)),
	}
	wrong := r.Kernels[0].Parity.Failure
	r.Kernels[0].Reason = result.Message(wrong.Case + ": " + wrong.Message)
	for _, c := range []string{"B=1,H=8,S=128,D=64,causal=0", "B=1,H=8,S=128,D=64,causal=1"} {
		r.Cases = append(r.Cases, untimed("attention", c, result.Skipped, result.MessageOf(r.Kernels[0].Reason)))
	}
	add(tb, r, shape{"softmax", "rows=4096,cols=1024", 3.1e6, 0, 0.012, 0, 2e7, 3.4e7})
	return conclude(r)
}

func untimed(kernel, params string, v result.Verdict, reason string) result.Case {
	c := result.Case{Name: kernel + "/" + params, Kernel: kernel, Verdict: v, Reason: result.Message(reason)}
	for part := range strings.SplitSeq(params, ",") {
		name, value, _ := strings.Cut(part, "=")
		c.Params = append(c.Params, result.Param{Name: name, Value: value})
	}
	return c
}

func paritySkippedSample(tb testing.TB) *result.Result {
	r := compared(tb, with(attention, func(_ int, s *shape) { s.shift = 0 })[:1])
	r.Kernels[0].Parity = result.Parity{Status: result.ParitySkipped, Planned: 200, Refused: 200, Reason: result.Message("the adapter refused all 200 drawn cases")}
	return conclude(r)
}

const compilerOutput = `attention: csrc/attention.cpp does not compile
csrc/attention.cpp: In function 'void attend(const float*, const float*, float*, int)':
csrc/attention.cpp:42:18: error: 'row_max' was not declared in this scope; did you mean 'fmax'?
   42 |     float scale = row_max / sqrtf(d);
      |                   ^~~~~~~
      |                   fmax
csrc/attention.cpp:57:5: error: expected ';' before '}' token
   56 |     out[i] = acc
      |                 ^
      |                 ;
   57 |     }
      |     ~
`

func headNoBuildSample(tb testing.TB) *result.Result {
	r := blankSample()
	k := kernel("attention", result.KernelFailed, result.Parity{Status: result.ParitySkipped})
	k.Head = &result.Build{Command: []string{"c++", "-std=c++17", "-O3", "-shared", "-fPIC", "-o", "attention.so", "bench/attention.pg.cpp", "csrc/attention.cpp"},
		Failed: true, Output: compilerOutput, Cause: result.CauseSources}
	k.Reason = result.Message("head does not build: attention: csrc/attention.cpp does not compile")
	r.Kernels = []result.Kernel{k}
	r.Cases = []result.Case{untimed("attention", "B=1,H=8,S=128,D=64,causal=0", result.Skipped, result.MessageOf(k.Reason))}
	return conclude(r)
}

func baseNoBuildSample(tb testing.TB) *result.Result {
	r := headNoBuildSample(tb)
	k := &r.Kernels[0]
	k.Base, k.Head = k.Head, k.Base
	k.Base.Output = strings.Repeat(k.Base.Output, 12)
	k.Status, k.Parity, k.Reason = result.KernelError, passedParity(200), result.Message("base does not build: attention: csrc/attention.cpp does not compile")
	r.Cases[0].Reason = k.Reason
	return conclude(r)
}

func inconclusiveSample(tb testing.TB) *result.Result {
	return conclude(compared(tb, with(attention[:2], func(i int, s *shape) { s.shift, s.scatter = []float64{0, 0.046}[i], 0.024 })))
}

func estimateSample(tb testing.TB) *result.Result {
	return conclude(compared(tb, with(attention[:2], func(i int, s *shape) { s.shift, s.scatter = []float64{0, 0.060}[i], 0.034 })))
}

func noisySample(tb testing.TB) *result.Result {
	r := compared(tb, nil)
	r.Policy.Tolerance = 0.015
	return conclude(add(tb, r, with(attention[:2], func(i int, s *shape) { s.shift, s.scatter = 0.004*float64(i), 0.045 })...))
}

func budgetSample(tb testing.TB) *result.Result {
	r := compared(tb, nil)
	r.Policy.Tolerance, r.BudgetS = 0.015, 60
	add(tb, r, with(attention, func(i int, s *shape) { s.shift, s.scatter, s.rounds = 0.01, []float64{0.003, 0.02, 0.02}[i], 8 })...)
	for i := range r.Cases {
		c := &r.Cases[i]
		if c.Verdict == result.Inconclusive {
			c.BudgetGone, c.BudgetNeededS, c.Reason = true, 265, &result.Reason{Kind: result.ReasonBudgetSpent}
		}
	}
	return conclude(r)
}

func newSample(tb testing.TB) *result.Result {
	r := compared(tb, with(attention[:1], func(_ int, s *shape) { s.shift = 0 }))
	k := kernel("softmax", result.KernelNew, passedParity(120))
	k.Base = nil
	r.Kernels = append(r.Kernels, k)
	c := untimed("softmax", "rows=4096,cols=1024", result.New, "")
	s := shape{"softmax", "", 3.1e6, 0, 0.012, 0, 2e7, 3.4e7}
	c.Head = summary(s, s.ns, 4)
	unmeasured := untimed("softmax", "rows=8192,cols=1024", result.New, "base has none of csrc/softmax.cpp")
	r.Cases = append(r.Cases, c, unmeasured)
	return conclude(r)
}

func identicalSample(tb testing.TB) *result.Result {
	r := blankSample()
	r.Kernels = []result.Kernel{kernel("attention", result.KernelIdentical, passedParity(200))}
	r.Kernels[0].Head.Fingerprint = r.Kernels[0].Base.Fingerprint
	for _, s := range attention {
		r.Cases = append(r.Cases, untimed(s.kernel, s.params, result.Same, ""))
	}
	r.WarmUp, r.Timings = result.WarmUp{}, result.Timings{TotalS: 7.9, CompileS: 3.1, RunnersS: 4.2, OverheadS: 0.6}
	return conclude(r)
}

func errorsSample(tb testing.TB) *result.Result {
	r := compared(tb, with(attention[:1], func(_ int, s *shape) { s.shift = 0 }))
	for i, side := range []result.Side{result.SideHead, result.SideBase, result.SideBoth, ""} {
		c := untimed("attention", fmt.Sprintf("B=%d,H=8,S=128,D=64,causal=0", 2<<i), result.Error, "launch-failed: pg_launch returned 7 (out of shared memory)")
		c.ErrorSide = side
		r.Cases = append(r.Cases, c)
	}
	r.Cases[2].Reason = result.Message("crashed with signal 11 (segmentation fault); the last it printed was\nattend: tile 3\nattend: tile 4")
	k := kernel("gelu", result.KernelError, result.Parity{Status: result.ParityError, Oracle: "reference", Reason: result.Message("reference-failed: pg_reference returned 1")})
	off := kernel("copy", result.KernelCompared, result.Parity{Status: result.ParityOff})
	off.Limits = []result.OverLimit{{Key: "spill-bytes", Function: "copy", Needs: 48}}
	r.Kernels = append(r.Kernels, k, off)
	r.Notes = []string{"round 3 was repeated: another process used half of a core"}
	return conclude(r)
}

// manySample is a suite of 36 cases with names that do not fit.
func manySample(tb testing.TB) *result.Result {
	r := blankSample()
	r.Policy.Cases = 36
	for i, name := range []string{"flash_attention_forward", "paged_attention_decode"} {
		r.Kernels = append(r.Kernels, kernel(name, result.KernelCompared, passedParity(200)))
		for j := range 18 {
			params := fmt.Sprintf("batch=%d,heads=16,sequence=%d,head_dim=64,causal=%d,dtype=bf16", 1+j%3, 64<<(j/6), j/3%2)
			shift := 0.0
			if i == 1 && j%7 == 3 {
				shift = 0.1 + 0.1*float64(j)
			}
			c := timed(tb, r.Policy, shape{name, params, 4e5 * float64(j+1), shift, 0.012, 0, 0, 0})
			c.Processes = nil // no report shows them, and they would fill the file
			r.Cases = append(r.Cases, c)
		}
	}
	return conclude(r)
}
