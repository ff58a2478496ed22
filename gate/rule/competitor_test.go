package rule

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// Every place of a round is had by every competitor and by both sides equally often at every look at competitors, and by base and head at every
// look at them.
func TestOrdersWithCompetitorsAreBalanced(t *testing.T) {
	for competitors := range result.MaxCompetitors + 1 {
		rng := rand.New(rand.NewPCG(uint64(competitors), 1))
		o := Orders{Schedule: Schedule{Even: true}, Competitors: competitors}
		letters := "ABRST"[:2+competitors]
		places := map[rune][]int{}
		for _, l := range letters {
			places[l] = make([]int, 2*len(letters))
		}
		for round := range mostRounds {
			order := o.Of(round, func() bool { return rng.IntN(2) == 1 })
			if len(order) != 2*len(letters) || order != reversed(order) {
				t.Fatalf("%d competitors: order %s", competitors, order)
			}
			for place, l := range order {
				places[l][place]++
			}
			if slices.Contains(Schedule{Even: true}.Looks(), round+1) && !slices.Equal(places['A'], places['B']) {
				t.Errorf("%d competitors, %d rounds: base in places %v, head in %v", competitors, round+1, places['A'], places['B'])
			}
			if slices.Contains(CompetitorLooks(competitors), round+1) {
				for _, l := range letters {
					if !slices.Equal(places[l], places['A']) {
						t.Errorf("%d competitors, %d rounds: %c in places %v, base in %v", competitors, round+1, l, places[l], places['A'])
					}
				}
			}
		}
	}
}

// beside makes a case of rounds with a competitor: levels are ln of the time, sd the scatter of processes, drift a step from each process to
// the next, and middle what the places 2 and 3 of a round add.
type beside struct {
	head, competitor, sd, drift, middle float64
}

func (b beside) rounds(rng *rand.Rand, rounds int) (ofCase, ofCompetitor []result.Process) {
	o := Orders{Schedule: Schedule{Even: true}, Competitors: 1}
	level := 0.0
	for round := range rounds {
		for place, letter := range o.Of(round, func() bool { return rng.IntN(2) == 1 }) {
			level += b.drift
			y := level + b.sd*rng.NormFloat64()
			if place == 2 || place == 3 {
				y += b.middle
			}
			p := result.Process{Round: round, Position: place}
			switch letter {
			case 'A':
				p.Variant = result.VariantBase
			case 'B':
				p.Variant, y = result.VariantHead, y+b.head
			default:
				p.Variant, y = result.CompetitorNamed("lib"), y+b.competitor
			}
			p.ValueNS = 1e5 * math.Exp(y)
			p.ElapsedNS = p.ValueNS
			p.Quantiles = result.Quantiles{Min: p.ValueNS, Max: p.ValueNS}
			if p.Variant.Role == result.RoleCompetitor {
				ofCompetitor = append(ofCompetitor, p)
			} else {
				ofCase = append(ofCase, p)
			}
		}
	}
	return ofCase, ofCompetitor
}

var besideTiming = Timing{QuantumNS: 1, Launches: 1, MedianNS: 1e5}

func besidePolicy() result.Policy {
	p := Default()
	p.Cases, p.MinSpeedups, p.Competitors = 5, 5, 1
	return p
}

// decided takes the looks at the competitor of a case, as a run does.
func (b beside) decided(t *testing.T, rng *rand.Rand, keep float64) result.Comparison {
	t.Helper()
	ofCase, ofCompetitor := b.rounds(rng, 36)
	return lookedAt(t, ofCase, ofCompetitor, keep, besidePolicy())
}

// lookedAt takes the looks at one competitor of a case until nothing more is wanted.
func lookedAt(t *testing.T, ofCase, ofCompetitor []result.Process, keep float64, p result.Policy) result.Comparison {
	t.Helper()
	v := ToCompetitor("lib", keep)
	for look := range CompetitorLooks(1) {
		if !CompetitorWanted(v, p) {
			break
		}
		var err error
		if v, _, err = LookAtCompetitor(v, slices.Concat(ofCase, ofCompetitor), look+1, besideTiming, p); err != nil {
			t.Fatal(err)
		}
	}
	return v
}

// Exactly at what is to be kept, neither answer comes more often than its chance of error; a disturbed place of every round must not
// make it so.
func TestKeepAtTheEdge(t *testing.T) {
	for name, noise := range map[string]beside{"usual": {sd: 0.006}, "middle slow": {sd: 0.002, middle: 0.02}, "drift": {sd: 0.002, drift: 0.002}} {
		noise.competitor = math.Log(1.2)
		wrong := map[result.Verdict]int{}
		for run := range uint64(40) {
			wrong[noise.decided(t, rand.New(rand.NewPCG(run, 5)), 1.2).Verdict]++
		}
		// The chance of missed is 0.1 % of a question in a family of ten, of held 1 %.
		if wrong[result.Missed] > 1 || wrong[result.Met] > 3 {
			t.Errorf("%s: %v of 40", name, wrong)
		}
	}
}

func TestConcludeKeeps(t *testing.T) {
	to := func(name string, v result.Verdict, q result.Comparison) []result.Comparison {
		q.Verdict = v
		return []result.Comparison{q.Between(result.VariantHead, result.CompetitorNamed(name))}
	}
	unsure := func(theta, mde float64) result.Comparison {
		return result.Comparison{Theta: theta, Low: theta - 0.1, PassHigh: theta + 0.1, MDE: mde, Ratio: math.Exp(theta), RatioLow: 0.5, RatioHigh: 2}
	}
	estimate := func(theta, mde float64) result.Comparison {
		c := unsure(theta, mde)
		c.Low = theta - 0.001
		return c
	}
	held, slow := -math.Log(1.25), -math.Log(1.15)
	for name, tt := range map[string]struct {
		competitor result.Competitor
		kernel     result.KernelStatus // default compared
		versus     []result.Comparison
		on         result.OnInconclusive
		exit       result.ExitCode
		kind       result.FindingKind // "" for none
	}{
		"held":                       {versus: to("lib", result.Met, result.Comparison{})},
		"missed":                     {versus: to("lib", result.Missed, result.Comparison{}), exit: 1, kind: result.FindingSpeedupMissed},
		"not in the case":            {exit: 3, kind: result.FindingSpeedupUnmeasured},
		"of another competitor":      {versus: to("other", result.Met, result.Comparison{}), exit: 3, kind: result.FindingSpeedupUnmeasured},
		"unmeasured":                 {versus: to("lib", result.Unmeasured, result.Comparison{}), exit: 3, kind: result.FindingSpeedupUnmeasured},
		"cut short":                  {versus: to("lib", result.Undecided, result.Comparison{BudgetGone: true}), exit: 3, kind: result.FindingSpeedupUnmeasured},
		"cut short, policy pass":     {versus: to("lib", result.Undecided, result.Comparison{}), on: "pass", exit: 3, kind: result.FindingSpeedupUnmeasured},
		"nothing said":               {versus: to("lib", "", result.Comparison{}), exit: 3, kind: result.FindingSpeedupUnmeasured},
		"open, estimate above":       {versus: to("lib", result.Inconclusive, estimate(held, 0.01)), exit: 3, kind: result.FindingSpeedupInconclusive},
		"open, estimate below":       {versus: to("lib", result.Inconclusive, estimate(slow, 0.01)), exit: 1, kind: result.FindingSpeedupEstimateBelow},
		"open, below by chance":      {versus: to("lib", result.Inconclusive, unsure(slow, 0.01)), exit: 3, kind: result.FindingSpeedupInconclusive},
		"open, noisy":                {versus: to("lib", result.Inconclusive, estimate(slow, 0.1)), exit: 3, kind: result.FindingSpeedupInconclusive},
		"open, pass":                 {versus: to("lib", result.Inconclusive, estimate(slow, 0.1)), on: "pass", kind: result.FindingSpeedupInconclusivePassed},
		"open, fail":                 {versus: to("lib", result.Inconclusive, estimate(held, 0.01)), on: "fail", exit: 1, kind: result.FindingSpeedupInconclusiveFailed},
		"open without a comparison":  {versus: to("lib", result.Inconclusive, result.Comparison{}), on: "pass", exit: 3, kind: result.FindingSpeedupUnmeasured},
		"does not build":             {competitor: result.Competitor{Status: result.CompetitorFailed}, exit: 3, kind: result.FindingSpeedupUnmeasured},
		"no rounds":                  {competitor: result.Competitor{Status: result.CompetitorNoRounds}, exit: 3, kind: result.FindingSpeedupUnmeasured},
		"no rounds, new":             {competitor: result.Competitor{Status: result.CompetitorNoRounds}, kernel: result.KernelNew, exit: 3, kind: result.FindingSpeedupUnmeasured},
		"no rounds, the same code":   {competitor: result.Competitor{Status: result.CompetitorNoRounds}, kernel: result.KernelIdentical, kind: result.FindingCompetitorUnmeasured},
		"not asked":                  {competitor: result.Competitor{Status: result.CompetitorNotAsked}},
		"nothing to keep, failed":    {competitor: result.Competitor{Status: result.CompetitorFailed, MinSpeedup: -1}, kind: result.FindingCompetitorUnmeasured},
		"nothing to keep, no answer": {competitor: result.Competitor{MinSpeedup: -1}, versus: to("lib", result.Unmeasured, result.Comparison{}), kind: result.FindingCompetitorUnmeasured},
	} {
		r := tt.competitor
		r.Name = "lib"
		if r.Status == "" {
			r.Status = result.CompetitorMeasured
		}
		if r.MinSpeedup = r.MinSpeedup + 1.2; r.MinSpeedup < 1 {
			r.MinSpeedup = 0
		}
		p := besidePolicy()
		if tt.on != "" {
			p.OnInconclusive = tt.on
		}
		c := verdict(result.Same)
		c.Comparisons = tt.versus
		k := result.Kernel{Name: "k", Status: cmp.Or(tt.kernel, result.KernelCompared), Base: &result.Build{}, Head: &result.Build{}, Parity: result.Parity{Status: result.ParityPassed}, Competitors: []result.Competitor{r}}
		got := Conclude([]result.Case{c}, []result.Kernel{k}, p)
		for _, f := range got.Findings {
			if f.Kind != result.FindingSpeedupInconclusive {
				continue
			}
			if q := c.Comparisons[0]; decideSpeedup(q, f.MetBelow-1e-9, true) != result.Met || decideSpeedup(q, f.MetBelow+1e-9, true) == result.Met {
				t.Errorf("%s: met below %g", name, f.MetBelow)
			}
		}
		var kinds []string
		for _, f := range got.Findings {
			kinds = append(kinds, string(f.Kind))
		}
		if got.Exit != tt.exit || strings.Join(kinds, " ") != string(tt.kind) {
			t.Errorf("%s: exit %d and %v, want %d and %q", name, got.Exit, kinds, tt.exit, tt.kind)
		}
	}
}

// The minimum speedups of a plan are asked by all of its shards together, on whichever machines they run, and by each machine that measures all of it.
func TestSpeedupsOfShards(t *testing.T) {
	p := besidePolicy()
	p.Cases, p.MinSpeedups = 2, 2
	shard := func(machine, name string) mergePart {
		k := result.Kernel{Name: "k", Competitors: []result.Competitor{{Name: "lib", MinSpeedup: 1.2, Status: result.CompetitorMeasured}}}
		r := &result.Result{Policy: p, Machine: result.Machine{Key: machine}, Kernels: []result.Kernel{k}, Cases: []result.Case{{Name: name, Kernel: "k"}}}
		return mergePart{MergeInput: MergeInput{Result: r}}
	}
	a, b := []mergePart{shard("A", "k/n=1"), shard("A", "k/n=2")}, []mergePart{shard("B", "k/n=1"), shard("B", "k/n=2")}
	silent := shard("B", "k/n=2")
	silent.Result.Kernels = []result.Kernel{{Name: "k"}}
	for name, tt := range map[string]struct {
		parts    []mergePart
		machines int
		lacks    bool
	}{
		"one machine": {a, 1, false}, "two machines": {[]mergePart{a[0], b[1]}, 1, false}, "all on each": {slices.Concat(a, b), 2, false},
		"one does not ask": {[]mergePart{a[0], silent}, 1, true}, "one on one machine does not ask": {[]mergePart{a[0], a[1], b[0], silent}, 2, true},
		"a case for another": {[]mergePart{a[0], b[0]}, 1, true},
	} {
		if lacks := lacking(tt.parts, tt.machines); (lacks != nil) != tt.lacks {
			t.Errorf("%s: %q", name, lacks)
		}
	}
}

// A result that claims what its samples do not say, leaves a question out or brings rounds that are none is found out.
func TestReplayKeeps(t *testing.T) {
	p := besidePolicy()
	p.Cases, p.MinSpeedups = 1, 1
	noise := beside{competitor: math.Log(1.1), sd: 0.003} // 1.2x is missed
	ofCase, ofCompetitor := noise.rounds(rand.New(rand.NewPCG(3, 3)), 6)
	v, ofBase, err := LookAtCompetitor(ToCompetitor("lib", 1.2), slices.Concat(ofCase, ofCompetitor), 1, besideTiming, p)
	if err != nil || v.Verdict != result.Missed {
		t.Fatal(v.Verdict, err)
	}
	make := func() *result.Result {
		c := result.Case{Name: "k", Kernel: "k", Processes: append(slices.Clone(ofCase), ofCompetitor...), Method: &result.Method{QuantumNS: 1, Launches: 1, LaunchNS: 1e5}, Comparisons: []result.Comparison{v}}
		compared, err := CompareProcesses(ofCase[:16], 1, *c.Method, p)
		must(t, err)
		c.Verdict = Decide(compared, p, false)
		c.SetComparison(result.VariantHead, result.VariantBase, &compared)
		c.Comparisons = append(c.Comparisons, ofBase)
		c.Looks = looks(1)
		k := result.Kernel{Name: "k", Status: result.KernelCompared, Base: &result.Build{}, Head: &result.Build{}, Parity: result.Parity{Status: result.ParityPassed},
			Competitors: []result.Competitor{{Name: "manual", Status: result.CompetitorNotAsked}, {Name: "lib", MinSpeedup: 1.2, Status: result.CompetitorMeasured}}}
		r := &result.Result{Schema: result.Schema, Policy: p, Cases: []result.Case{c}, Kernels: []result.Kernel{k}}
		r.Conclusion = Conclude(r.Cases, r.Kernels, p)
		return r
	}
	if d := Replay(make(), p); d.Err() != nil || d.Conclusion.Exit != result.ExitFailed {
		t.Fatalf("as it was measured: exit %d, %v", d.Conclusion.Exit, d.Err())
	}
	for _, status := range competitorOrder { // of another shard, which does not speak for this one
		r, k := make(), make().Kernels[0]
		k.Competitors[1].Status = status
		if c := concludeParts([]Part{{Kernels: r.Kernels, Cases: r.Cases}, {Kernels: []result.Kernel{k}}}, p); c.Exit != result.ExitFailed {
			t.Errorf("beside a shard in which the competitor is %s: exit %d, %v", status, c.Exit, c.Findings)
		}
	}
	for name, forge := range map[string]func(*result.Result){
		"held": func(r *result.Result) { r.Cases[0].Comparisons[0].Verdict = result.Met },
		"another keep": func(r *result.Result) {
			r.Cases[0].Comparisons[0].MinSpeedup, r.Kernels[0].Competitors[1].MinSpeedup = 1.01, 1.01
		},
		"none of the kernel": func(r *result.Result) { r.Cases[0].Comparisons[0].To.Name = "other" },
		"no question": func(r *result.Result) {
			r.Kernels[0].Competitors, r.Cases[0].Comparisons = nil, r.Cases[0].Comparisons[1:]
		},
		"nothing to keep":              func(r *result.Result) { r.Kernels[0].Competitors[1].MinSpeedup = 0 },
		"not asked":                    func(r *result.Result) { r.Kernels[0].Competitors[1].Status = result.CompetitorNotAsked },
		"the competitor left out":      func(r *result.Result) { r.Cases[0].Comparisons = r.Cases[0].Comparisons[1:] },
		"rounds of one":                func(r *result.Result) { r.Cases[0].Processes = append(slices.Clone(ofCase), ofCompetitor[1:]...) },
		"a side that it does not have": func(r *result.Result) { r.Cases[0].Processes[len(ofCase)].Variant.Name = "other" },
		"another's negative round": func(r *result.Result) {
			r.Cases[0].Processes = append(r.Cases[0].Processes, result.Process{Round: -1, Variant: result.CompetitorNamed("manual"), ValueNS: 1})
		},
		"another comparison": func(r *result.Result) { r.Cases[0].Comparisons[0].Theta++ },
	} {
		r := make()
		r.Cases[0].Comparisons = slices.Clone(r.Cases[0].Comparisons)
		forge(r)
		r.Conclusion = Conclude(r.Cases, r.Kernels, r.Policy)
		if d := Replay(r, p); d.Err() == nil && d.Conclusion.Exit == result.ExitPassed {
			t.Errorf("%s: passed", name)
		} else if name == "held" && d.Err() == nil {
			t.Errorf("%s: no difference", name)
		}
	}
	for want, forge := range map[string]func(*result.Case){
		"cases[0].comparisons[0] of base: it says":     func(c *result.Case) { c.Comparisons[2].Theta++ },
		"it says  no comparison":                       func(c *result.Case) { c.Comparisons = c.Comparisons[:2] },
		"head is not compared with it":                 func(c *result.Case) { c.Comparisons = c.Comparisons[1:] },
		"cases[0].comparisons[0].to: it says":          func(c *result.Case) { c.Comparisons[0].To.Name = "other" },
		"competitors[0].competitor: it says \"other\"": func(c *result.Case) { c.Competitors = []result.Versus{{Competitor: "other"}} },
		"processes[0].variant: it says \"manual\"": func(c *result.Case) {
			c.Processes[0].Variant = result.CompetitorNamed("manual")
		},
		"its samples come to no comparison": func(c *result.Case) {
			c.Comparisons[0].Verdict = result.Unmeasured // with numbers all the same
		},
		"cases[0].comparison: it says \"met\"": func(c *result.Case) { c.Compared().Verdict = result.Met },
	} {
		r := make()
		r.Cases[0].Comparisons = slices.Clone(r.Cases[0].Comparisons)
		forge(&r.Cases[0])
		var all []string
		for _, d := range Replay(r, p).Differences {
			all = append(all, d.String())
		}
		if !strings.Contains(strings.Join(all, "\n"), want) {
			t.Errorf("want %q among:\n%s", want, strings.Join(all, "\n"))
		}
	}
}
