package measure

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/kernels"
)

var update = flag.Bool("update", false, "write testdata/rounds anew")

// What the rounds ask of processes, in which order, is kept in testdata/rounds for each of these: what is measured beside what, where it stands in a
// round, what is voided, asked once more, given up, and which processes start ahead. Time passes on the tape alone.
func TestRecordedRounds(t *testing.T) {
	for name, play := range scenarios {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				p := newTape()
				play(p, t, dir)
				synctest.Wait()
				if p.live != 0 {
					t.Errorf("%d processes were not closed", p.live)
				}
				compareTape(t, name, p.text())
			})
		})
	}
	kept, err := filepath.Glob("testdata/rounds/*.txt")
	if err != nil || len(kept) != len(scenarios) {
		t.Errorf("%d tapes are kept of %d scenarios, %v", len(kept), len(scenarios), err)
	}
}

type scenario func(p *tape, t *testing.T, dir string)

var (
	crash       = &kernels.RunnerError{Code: result.CodeCrashed, Message: "it crashed"}
	outsideWork = &kernels.RunnerError{Code: result.CodeOutsideWork, Message: "work went on elsewhere"}
)

// failing has an operation of a library fail from its nth time on, so many times.
func failing(op, library string, from, times int, err error) func(string, string, string, int) error {
	return func(o, l, _ string, nth int) error {
		if o == op && l == library && nth >= from && nth < from+times {
			return err
		}
		return nil
	}
}

// unwellAt are the questions that the machine's health is bad at.
func unwellAt(questions ...int) func(int) string {
	return func(q int) string {
		if slices.Contains(questions, q) {
			return "thermal slowdown"
		}
		return ""
	}
}

// gate measures head beside base.
func (p *tape) gate(ctx context.Context, all []Subject, change func(*Options)) {
	opt := p.options(len(all))
	if change != nil {
		change(&opt)
	}
	p.outcome(Rounds(ctx, all, opt))
}

func gateOf(n int, set func(*tape), change func(*Options)) scenario {
	return func(p *tape, t *testing.T, _ string) {
		if set != nil {
			set(p)
		}
		p.gate(t.Context(), subjects(n), change)
	}
}

// ahead lets so many processes wait.
func (p *tape) ahead(n int) func(*Options) {
	return func(o *Options) { o.StartAhead, o.Ahead = p.open, n }
}

func gateAhead(n, kernels int, waits, share bool, set func(*tape)) scenario {
	return func(p *tape, t *testing.T, _ string) {
		if set != nil {
			set(p)
		}
		p.gate(t.Context(), p.libraries(kernels, waits, share), p.ahead(n))
	}
}

// competitors stand beside a case: one that head is to be faster than, one without a question.
func competitors(p *tape, all []Subject) {
	p.levelNS["lib"], p.levelNS["old"] = 1.3e6, 2e6
	for i := range all {
		lib, old := competitor("lib"), competitor("old")
		lib.MinSpeedup, lib.Waits, old.Waits = 1.2, true, true
		all[i].Variants = append(all[i].Variants, lib, old)
	}
}

func gateBeside(set func(*tape), change func(*Options)) scenario {
	return func(p *tape, t *testing.T, _ string) {
		all := subjects(2)
		competitors(p, all)
		all[1].Variants = all[1].Variants[:3]
		if set != nil {
			set(p)
		}
		p.gate(t.Context(), all, func(o *Options) {
			o.Policy.MinSpeedups, o.Policy.Competitors = 2, 2
			if change != nil {
				change(o)
			}
		})
	}
}

// benchmarks are two cases of a program with a line for a competitor, and one of the harness.
func benchmarks(p *tape) []Subject {
	program := &tapedProgram{&program{rng: rand.New(rand.NewPCG(1, 1)), factor: 1.1, count: map[result.Side]int{}}, p}
	all := subjects(3)
	for i := range 2 {
		all[i].Benchmark, all[i].Row = program, all[i].Name
		noLine := &kernels.RunnerError{Code: result.CodeVanished, Message: "the benchmark has no such line at this point"}
		all[i].Variants = append(sidesOf("", ""), Variant{Variant: result.CompetitorNamed("cub"), Row: fmt.Sprintf("cub/n=%d", i)},
			Variant{Variant: result.CompetitorNamed("none"), Fault: noLine})
	}
	edit(all[2:], func(v *Variant) { v.Waits = true })
	return all
}

// judged has base's library say what timed outputs should be.
func judged(all []Subject, o *Options, dir string) {
	o.BaseOutputs, o.HeadOutputs = filepath.Join(dir, "given"), filepath.Join(dir, "made")
	os.Mkdir(o.BaseOutputs, 0o700)
	os.Mkdir(o.HeadOutputs, 0o700)
	edit(all, func(v *Variant) { v.Judge = "base" })
}

var recorded = result.Method{Clock: "thread", Launches: 7, Pool: 4, Samples: 11, Cache: "cold", LaunchNS: 1e6, LimitNS: 1e9, Oracle: "relaunch"}

// alone measures head in so many processes of each case.
func (p *tape) alone(ctx context.Context, all []Subject, method *result.Method, processes int, change func(*Options)) {
	opt := p.options(len(all))
	if change != nil {
		change(&opt)
	}
	for i := range all {
		all[i].Method, all[i].WarmUpNS = method, 5e7+float64((i+1)%len(all))
	}
	opt.Design, opt.Stop = Single, rule.Count(processes)
	out, err := Rounds(ctx, all, opt)
	out.Rounds = nil
	p.outcome(out, err)
}

func aloneOf(n int, method *result.Method, processes int, set func(*tape), change func(*Options)) scenario {
	return func(p *tape, t *testing.T, _ string) {
		if set != nil {
			set(p)
		}
		p.alone(t.Context(), subjects(n), method, processes, change)
	}
}

// configurationsOf are head and others, by their libraries.
func configurationsOf(libraries []string, like Variant) []Variant {
	out := []Variant{like.As(result.VariantHead, libraries[0])}
	for _, library := range slices.DeleteFunc(slices.Clone(libraries[1:]), func(library string) bool { return library == "" }) {
		out = append(out, like.As(result.ConfigurationNamed(library), library))
	}
	return out
}

// race measures configurations of all cases. drops are the configurations that are dropped after so many rounds.
func (p *tape) race(ctx context.Context, all []Subject, configurations []string, last int, drops map[int]int, change func(*Options)) {
	for i := range all {
		all[i].Variants = configurationsOf(configurations, all[i].Variants[0])
	}
	opt := p.options(len(all))
	opt.NoTimingCheck, opt.Design, opt.Stop = true, Mirrored, dropping{p, last, drops, map[result.Variant]bool{}}
	if change != nil {
		change(&opt)
	}
	out, err := Rounds(ctx, all, opt)
	rounds := 0
	for _, r := range out.Rounds {
		if r.Voided == "" {
			rounds++
		}
	}
	out.Rounds, out.Phases = nil, nil
	p.outcome(out, err)
	p.say("%d rounds, over %v, %.6f s needed", rounds, !out.BudgetGone && err == nil, out.NeededS)
}

// dropping drops configurations after so many rounds.
type dropping struct {
	tape  *tape
	last  int
	drops map[int]int

	dropped map[result.Variant]bool
}

func (d dropping) LooksAt(int) bool { return true }

func (d dropping) Last() int { return d.last }

func (d dropping) Look(rounds int, _ []*result.Case) (bool, error) {
	d.tape.say("look after %d rounds", rounds)
	for i, at := range d.drops {
		if at == rounds {
			d.dropped[variantTried(i)] = true
		}
	}
	return rounds == d.last, nil
}

func (d dropping) Wants(_ *result.Case, v result.Variant) bool { return !d.dropped[v] }

// variantTried is one of tried.
func variantTried(i int) result.Variant {
	if i == 0 {
		return result.VariantHead
	}
	return result.ConfigurationNamed(tried[i])
}

var tried = []string{"head", "head-64", "", "head-128", "head-256"}

func raceOf(n int, last int, drops map[int]int, set func(*tape), change func(*Options)) scenario {
	return func(p *tape, t *testing.T, _ string) {
		for i, library := range tried {
			p.levelNS[library] = 1e6 * (1 + float64(i)/10)
		}
		if set != nil {
			set(p)
		}
		p.race(t.Context(), subjects(n), tried, last, drops, change)
	}
}

func raceAhead(most int, share bool) scenario {
	return func(p *tape, t *testing.T, _ string) {
		all := waiting(2)
		edit(all, func(v *Variant) { v.Shares = share })
		for _, library := range tried {
			p.levelNS[library] = 1e6
		}
		p.race(t.Context(), all, tried, 3, map[int]int{3: 1}, p.ahead(most))
	}
}

func shifted(p *tape) { p.shift = map[string]float64{"k/n=1": 1.013, "k/n=2": 1.3} }

// bent has timing checks see so much of what head says.
func bent(truly float64) func(*tape) { return func(p *tape) { p.checked, p.truly = true, truly } }

func slowly(p *tape) { p.timing = 50 * time.Millisecond }

func slower(p *tape) { p.timing = 300 * time.Millisecond }

func within(budget time.Duration) func(*Options) { return func(o *Options) { o.Budget = budget } }
