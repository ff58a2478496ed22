package history

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/result"
)

// year is a made-up past of one machine: a record a commit, four kernels of three cases. Sessions scatter by 0.4 %, of which the canary
// shows most; processes by 0.3 %.
type year struct {
	random  *rand.Rand
	commits int
	code    map[string]int     // version of a kernel's code
	level   map[string]float64 // ln of its time, against the first commit
	machine float64            // ln, of all kernels
	gpu     result.GPU
	noise   func(session float64) float64 // what is added to a session's scatter
	records []baseline.Found              // oldest first
	sizes   int                           // cases of a kernel
}

var kernelsOfYear = []string{"attention", "gemm", "softmax", "reduce"}

func newYear(seed uint64, commits int) *year {
	return &year{
		random: rand.New(rand.NewPCG(seed, 7)), commits: commits, code: map[string]int{}, level: map[string]float64{},
		gpu: result.GPU{UUID: "GPU-a", Driver: "570", CUDA: "12.8"}, noise: func(x float64) float64 { return x }, sizes: 3,
	}
}

func idOf(i int) string { return fmt.Sprintf("%040x", i+1) }

// run makes a record of every commit; event happens just before its measurement.
func (y *year) run(event func(i int)) baseline.History {
	for i := range y.commits {
		if y.random.Float64() < 0.2 { // code that changes and takes as long
			y.code[kernelsOfYear[y.random.IntN(4)]]++
		}
		event(i)
		y.records = append(y.records, baseline.Found{Record: y.record(i), Distance: y.commits - 1 - i})
	}
	slices.Reverse(y.records)
	return baseline.History{Found: y.records, Keys: len(y.records)}
}

func (y *year) record(i int) *baseline.Record {
	session := y.noise(0.004 * y.random.NormFloat64())
	gpu := y.gpu
	r := &baseline.Record{
		Commit: idOf(i), Time: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(i) * 48 * time.Hour),
		Machine: result.Machine{Key: "gpu", Device: "cuda", GPU: &gpu}, Toolchain: result.Toolchain{Compiler: "nvcc", Version: "12.8"},
	}
	canary := func() float64 { return 1e5 * math.Exp(0.9*session+0.0005*y.random.NormFloat64()) }
	for k, kernel := range kernelsOfYear {
		for n := range y.sizes {
			c := baseline.Case{
				Name: fmt.Sprintf("%s/n=%d", kernel, n), Kernel: kernel, ConfigHash: kernel, Fingerprint: fmt.Sprint(kernel, y.code[kernel]),
				Method: result.Method{Clock: "event", How: "single", Launches: 1}, Canaries: baseline.Canaries{ComputeNS: canary(), MemoryNS: canary()},
			}
			for p := range 8 {
				c.Rounds = append(c.Rounds, p/4)
				c.ValuesNS = append(c.ValuesNS, 1e5*float64(k+1)*float64(n+1)*math.Exp(y.level[kernel]+y.machine+session+0.003*y.random.NormFloat64()))
			}
			r.Cases = append(r.Cases, c)
		}
	}
	r.Canaries = r.Cases[0].Canaries
	return r
}

func (y *year) slower(kernel string, by float64) {
	y.code[kernel]++
	y.level[kernel] += math.Log1p(by)
}

// blamed are the changes of a history by cause, such as "attention/n=0@60".
func blamed(h History, cause result.LevelCause) []string {
	var out []string
	for _, c := range h.Cases {
		for _, change := range c.Changes {
			if change.Cause == cause {
				out = append(out, fmt.Sprintf("%s@%d", c.Name, h.To.Distance+h.Records-1-change.At.Distance))
			}
		}
	}
	slices.Sort(out)
	return out
}

// years is how many eventful years are looked at: the rules were adjusted on the first 30, and docs/measurements/history has what they do in 60 others.
var years = flag.Uint64("history.years", 4, "eventful years, each with luck of its own")

// TestYear: what the machine did is the machine's, what commits did is theirs, and bad days are neither.
func TestYear(t *testing.T) {
	t.Parallel()
	for seed := range *years {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { eventfulYear(t, seed+1) })
	}
}

func eventfulYear(t *testing.T, seed uint64) {
	y := newYear(seed, 150)
	found := y.run(func(i int) {
		switch {
		case i == 40:
			y.gpu.Driver, y.machine = "580", y.machine+math.Log1p(0.011)
		case i == 60:
			y.slower("attention", 0.04)
		case i >= 70 && i < 130 && i%6 == 0: // ten commits of 0.8 %
			y.slower("gemm", 0.008)
		case i == 100:
			y.gpu.Driver, y.machine = "590", y.machine+math.Log1p(-0.012)
		case i == 121:
			y.slower("softmax", 0.05)
		case i == 136:
			y.gpu.UUID, y.machine = "GPU-b", y.machine+math.Log1p(0.015)
		}
	})
	asked := func(after, upTo string) []baseline.Acceptance {
		if after < idOf(121) && upTo >= idOf(121) {
			return []baseline.Acceptance{{Commit: idOf(121), Pattern: "softmax/**", Reason: "needed for determinism"}}
		}
		return nil
	}
	h := Of("gpu", found, asked)
	checkMoves(t, h)
	for _, b := range blamed(h, result.LevelByCommit) {
		kernel, _, _ := strings.Cut(b, "/")
		if kernel == "reduce" {
			t.Errorf("%s is blamed on a commit; its code never got slower", b)
		}
	}
	for _, want := range []string{"attention/n=0@60", "attention/n=1@60", "attention/n=2@60", "softmax/n=0@121", "softmax/n=1@121", "softmax/n=2@121"} {
		if !slices.Contains(blamed(h, result.LevelByCommit), want) {
			t.Errorf("%s is not blamed on its commit, only %q", want, blamed(h, result.LevelByCommit))
		}
	}
	for _, c := range h.Cases {
		over := map[string][2]float64{"attention": {0.03, 0.05}, "gemm": {0.06, 0.095}, "softmax": {0.04, 0.06}, "reduce": {0, 0.004}}[c.Kernel]
		if c.OverBest < over[0] || c.OverBest > over[1] {
			t.Errorf("%s stands %.2f %% over its best level, want %.1f to %.1f %%", c.Name, 100*c.OverBest, 100*over[0], 100*over[1])
		}
		for _, change := range c.Changes {
			if want := c.Kernel == "softmax" && change.At.ID == idOf(121); want != (len(change.Accepted) > 0) {
				t.Errorf("%s at %s: accepted %v", c.Name, change.At.ID, change.Accepted)
			}
		}
	}
	if h.Cases[0].Kernel != "gemm" {
		t.Errorf("%s stands first, want the worst", h.Cases[0].Name)
	}
}

func checkMoves(t *testing.T, h History) {
	t.Helper()
	want := map[string]struct {
		what  baseline.State
		ratio float64
	}{idOf(40): {baseline.StateDriver, 1.011}, idOf(100): {baseline.StateDriver, 0.988}, idOf(136): {baseline.StateGPU, 1.015}}
	for _, m := range h.Moves {
		w, ok := want[m.At.ID]
		if !ok {
			t.Errorf("the machine is said to have moved %q by %.4f at %s", m.Moved, m.Ratio, m.At.ID)
			continue
		}
		delete(want, m.At.ID)
		if len(m.Moved) < 9 || m.Measured != 12 || math.Abs(m.Ratio-w.ratio) > 0.003 {
			t.Errorf("at %s %d of %d moved by %.4f, want most of 12 by %.4f", m.At.ID, len(m.Moved), m.Measured, m.Ratio, w.ratio)
		}
		if !slices.ContainsFunc(m.Beside, func(c baseline.StateChange) bool { return c.What == w.what }) {
			t.Errorf("at %s beside it %v, want %s", m.At.ID, m.Beside, w.what)
		}
	}
	if len(want) > 0 {
		t.Errorf("not found: what the machine did at %v", want)
	}
}

// TestMonthOfSpikes: sessions that are slow alone, however many in a month, are hardly ever anybody's change.
func TestMonthOfSpikes(t *testing.T) {
	t.Parallel()
	const years = 5
	changed, cases := 0, 0
	for seed := range uint64(years) {
		y := newYear(50+seed, 100)
		day := 0
		y.noise = func(session float64) float64 {
			if day >= 40 && day < 56 && day%3 == 0 { // a record every other day: a month
				return session + math.Log1p(0.05)
			}
			return session
		}
		for _, c := range Of("gpu", y.run(func(i int) { day = i }), nil).Cases {
			cases++
			if len(c.Changes) > 0 {
				changed++
			}
		}
	}
	t.Logf("%d of %d cases have a change in %d years with a month of spikes", changed, cases, years)
	if float64(changed) > 0.05*float64(cases) {
		t.Errorf("%d of %d cases have a change", changed, cases)
	}
}

// TestQuietYears: without any event nothing has a change, whatever sessions are like. A case in some years may.
func TestQuietYears(t *testing.T) {
	t.Parallel()
	const years = 6
	for name, noise := range map[string]func(*year) func(float64) float64{
		"calm": func(*year) func(float64) float64 { return func(x float64) float64 { return x } },
		"a session of twenty is slow by 5 %": func(y *year) func(float64) float64 {
			return func(x float64) float64 {
				if y.random.Float64() < 0.05 {
					return x + 0.05
				}
				return x
			}
		},
	} {
		changes, cases := 0, 0
		for seed := range uint64(years) {
			y := newYear(seed+10, 100)
			y.noise = noise(y)
			for _, c := range Of("gpu", y.run(func(int) {}), nil).Cases {
				changes += len(c.Changes)
				cases++
			}
		}
		t.Logf("%s: %d changes in %d cases of %d years", name, changes, cases, years)
		if float64(changes) > 0.05*float64(cases) {
			t.Errorf("%s: %d changes in %d cases of %d quiet years", name, changes, cases, years)
		}
	}
}
