package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// Steadier is what a benchmark can detect on this machine, by a run of unchanged code, and what would make it detect less of a change.
// cpuStep is by how much the clock of the CPU moves at once.
func Steadier(r *result.Result, cpuStep time.Duration) Document {
	var d Document
	for _, k := range r.Kernels {
		cases := slices.DeleteFunc(slices.Clone(r.Cases), func(c result.Case) bool { return c.Kernel != k.Name || c.Compared() == nil || c.Method == nil })
		slices.SortStableFunc(cases, func(a, b result.Case) int { return cmp.Compare(b.Compared().MDE, a.Compared().MDE) }) // those that detect least first
		if k.Benchmark != nil && len(cases) > 0 {
			d.Blocks = append(d.Blocks, filled(Block{Key: k.Name, Paragraphs: []Text{detects(r, k.Name, cases)}},
				pointsOf(k.Name+" advice", Always, Plain, steadier(*k.Benchmark, cases, r, cpuStep)))...)
		}
	}
	return d
}

// detects says how small a change is seen, at best and at worst.
func detects(r *result.Result, kernel string, cases []result.Case) Text {
	mde, p := statedMDE(r), r.Policy
	worst, best := cases[0], cases[len(cases)-1]
	if !(mde(best) > 0) {
		return say("`%s` on this machine: its noise is unsteady in %d rounds, so the minimum detectable effect is not stated.", kernel, worst.Compared().Rounds)
	}
	seen := count(cases, func(c result.Case) bool { return mde(c) <= p.OfCase(c).Tolerance })
	held := strings.ReplaceAll(text.Limit(math.Ceil(mde(worst)*100)/100), " ", "")
	return say("`%s` on this machine: after %d rounds it detects a change of %s[ in its most stable case and of %s in `%s`] with 90 %% power. "+
		"The tolerance is %s: %d of %s would show a change of that size.[ All would with `gate: {tolerance: %s}`.]", kernel, worst.Compared().Rounds,
		text.Percent(mde(best)), either(len(cases) > 1, text.Percent(mde(worst)), ""), worst.Name,
		text.Limit(p.Tolerance), seen, text.Count(len(cases), "case"), either(seen < len(cases), held, ""))
}

// What a process and its samples should be like, so that its value is more than chance.
const (
	enoughSamples = 5
	shortLaunchNS = 20e3 // below it a single launch measures how it is launched
	muchMore      = 3.0  // scatter of processes over what their samples explain
	leastScatter  = 0.002
	coarse        = 100 // steps of a clock that a launch has to take, for it to be advised
)

// steadier is what would help, for all cases together.
func steadier(b result.Benchmark, cases []result.Case, r *result.Result, cpuStep time.Duration) []Text {
	var out phrases
	known := advices[b.Format]
	add := func(affected int, say string) { out.when(affected > 0, "%s: %s", text.Count(affected, "case"), say) }
	add(count(cases, func(c result.Case) bool { return typicalSamples(c) < enoughSamples }), "too few samples in a process, so that its value is hardly more than one run: "+known.samples)
	if !b.OurClock {
		short := count(cases, func(c result.Case) bool { return c.Method.Launches == 1 && typicalValue(c) < shortLaunchNS })
		add(short, fmt.Sprintf("takes less than %s; where the program times single launches, let it time many in a row and divide", text.Duration(shortLaunchNS)))
		out.say("%s", known.cache)
	}
	if known.clock != "" && r.Machine.GPU == nil && b.Time != "cpu" {
		add(count(cases, func(c result.Case) bool {
			return c.Compared().MDE > r.Policy.OfCase(c).Tolerance && typicalValue(c) >= coarse*float64(cpuStep)
		}), known.clock)
	}
	if known.batches && b.Time != "batch" {
		out.say("%s", "Batches are not read with time: cold. --no-batch in the command leaves them out, where this nvbench has it, and a process takes a fraction of its time.")
	}
	add(count(cases, restless), "processes differ by far more than the samples within one: clocks, placement or other work on this machine; "+
		"perfgate doctor finds what can be done about it")
	return out
}

// restless says whether processes scatter far more than a mean of so many samples would.
func restless(c result.Case) bool {
	n := typicalSamples(c)
	if n < enoughSamples || c.Compared().S < leastScatter {
		return false
	}
	cv := typical(c, func(p result.Process) float64 { return p.CV })
	return c.Compared().S > muchMore*cv/math.Sqrt(n)
}

func typicalSamples(c result.Case) float64 {
	return typical(c, func(p result.Process) float64 { return float64(p.Samples) })
}

func typicalValue(c result.Case) float64 {
	return typical(c, func(p result.Process) float64 { return p.ValueNS })
}

// typical is the middle of what the processes of a case have.
func typical(c result.Case, of func(result.Process) float64) float64 {
	var all []float64
	for _, p := range c.Sides() {
		all = append(all, of(p))
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// formatAdvice is what is said of a format of benchmarks.
type formatAdvice struct {
	samples string // how it takes more of them
	cache   string // what is known of the cache in front of a launch; "" where perfgate's own methods time
	clock   string // how it leaves out, on a CPU, what other work on the machine takes
	batches bool   // it measures batches beside what rules, unless it is told not to
}

var nvbenchAdvice = formatAdvice{
	samples: "add --min-samples 50 to the command", batches: true,
	cache: "nvbench flushes the cache for its cold times and not for its batches; time: says which rule.",
}

// advices has every format, which TestEveryFormatHasAdvice sees to.
var advices = map[string]formatAdvice{
	"criterion": {
		samples: "raise sample_size, or give it less to measure at once",
		cache:   "Criterion does not flush caches: a function that reads memory is timed warm.",
	},
	"cuda.bench": nvbenchAdvice,
	"go": {
		samples: "add -count=10 to the command",
		cache:   "Go does not flush caches: a function that reads memory is timed warm.",
	},
	"csv": {
		samples: "let it print several lines for a case",
		cache:   "Whether the program flushes the cache before a launch is unknown: warm, a kernel that reads memory seems faster and steadier than it is.",
		clock:   "if the program reads the wall clock, other work on the machine is in its times: the clock of its thread leaves that out",
	},
	"google-benchmark": {
		samples: "add --benchmark_repetitions=10 to the command",
		cache:   "Google Benchmark does not flush caches: a kernel that reads memory is timed warm unless the benchmark does so itself.",
		clock:   "its times are those of the wall clock, with other work on the machine in them: time: cpu leaves that out",
	},
	"hyperfine": {
		samples: "add --runs 20 to the command",
		cache:   "hyperfine times whole processes, start and end included: a small change of a kernel is a smaller one of its program.",
	},
	"nvbench": nvbenchAdvice,
	"pytest-benchmark": {
		samples: "add --benchmark-min-rounds=20 to the command",
		cache:   "pytest-benchmark does not flush caches: a kernel that reads memory is timed warm unless the test does so itself.",
		clock:   "where its times are those of the wall clock, --benchmark-timer=time.process_time leaves out other work on the machine",
	},
	"triton": {samples: "the launch is long: choose smaller points with cases"},
}
