package search_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/render"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/gate/search"
)

// set makes one case of processes that scatter by sd about a level.
func set(name string, processes, samples int, level, sd float64, seed uint64) benchmark.Set {
	random := rand.New(rand.NewPCG(seed, 5))
	c := benchmark.Case{Name: name, Launches: 1}
	for i := range processes {
		p := benchmark.Process{ID: fmt.Sprint(i + 1)}
		center := level * math.Exp(sd*random.NormFloat64())
		for range samples {
			p.Samples = append(p.Samples, center*(1+0.01*random.NormFloat64()))
		}
		c.Processes = append(c.Processes, p)
	}
	return benchmark.Set{Path: name + ".csv", Format: "csv", Cases: []benchmark.Case{c}}
}

func compared(t *testing.T, base, head benchmark.Set, change func(*search.CompareOptions)) search.Comparison {
	t.Helper()
	o := search.CompareOptions{Policy: rule.Default()}
	if change != nil {
		change(&o)
	}
	d, err := search.CompareSets(base, head, o)
	must(t, err)
	return d
}

func TestVerdictsOfPlainCases(t *testing.T) {
	for _, tt := range []struct {
		factor float64
		want   result.Verdict
		exit   result.ExitCode
	}{
		{1, result.Same, 0}, {1.05, result.Regression, 1}, {0.96, result.Faster, 0}, {0.8, result.Improvement, 0}, {1.008, result.Slower, 0},
	} {
		base, head := set("k", 40, 20, 1e5, 0.003, 1), set("k", 40, 20, 1e5*tt.factor, 0.003, 2)
		d := compared(t, base, head, nil)
		if d.Rows[0].Verdict != tt.want || d.Conclusion.Exit != tt.exit {
			t.Errorf("factor %v: %s, exit %d; want %s, %d", tt.factor, d.Rows[0].Verdict, d.Conclusion.Exit, tt.want, tt.exit)
		}
	}
}

// Drift of 10 % over the files hides a shift of 3 % from the unpaired comparison and not from the paired one.
func TestPairingTakesDriftOut(t *testing.T) {
	base, head := set("k", 20, 20, 1e5, 0.001, 1), set("k", 20, 20, 1.03e5, 0.001, 2)
	for i := range base.Cases[0].Processes {
		for k := range base.Cases[0].Processes[i].Samples {
			drift := 1 + 0.1*float64(i)/20
			base.Cases[0].Processes[i].Samples[k] *= drift
			head.Cases[0].Processes[i].Samples[k] *= drift
		}
	}
	unpaired := compared(t, base, head, nil)
	paired := compared(t, base, head, func(o *search.CompareOptions) { o.Paired = true })
	if unpaired.Rows[0].Verdict == result.Regression || paired.Rows[0].Verdict != result.Regression {
		t.Errorf("unpaired %s, paired %s", unpaired.Rows[0].Verdict, paired.Rows[0].Verdict)
	}
}

func TestWhatCannotBeComparedIsNeverGreen(t *testing.T) {
	good := set("k", 8, 10, 1e5, 0.001, 1)
	broken := set("k", 8, 10, 1e5, 0.001, 1)
	broken.Cases[0].Failed = "crashed"
	constant := benchmark.Set{Cases: []benchmark.Case{{Name: "k", Launches: 1, Processes: slices.Repeat([]benchmark.Process{{ValueNS: 5}}, 6)}}}
	for _, tt := range []struct {
		name       string
		base, head benchmark.Set
		paired     bool
		exit       result.ExitCode
		says       string
	}{
		{"missing in NEW", good, set("other", 8, 10, 1e5, 0.001, 1), false, 1, "missing in NEW"},
		{"three processes", set("k", 3, 10, 1e5, 0.001, 1), good, false, 3, "at least 4"},
		{"one value a side", set("k", 1, 1, 1e5, 0, 1), set("k", 1, 1, 1e5, 0, 2), false, 3, "at least 4"},
		{"base failed", broken, good, false, 3, "crashed"},
		{"head failed", good, broken, false, 1, "crashed"},
		{"pairs that do not match", good, set("k", 7, 10, 1e5, 0.001, 1), true, 3, "cannot pair up"},
		{"nothing varies", constant, constant, false, 3, "do not vary"},
		{"nothing at all", benchmark.Set{}, benchmark.Set{}, false, 3, "nothing was measured"},
	} {
		d := compared(t, tt.base, tt.head, func(o *search.CompareOptions) { o.Paired = tt.paired })
		if d.Conclusion.Exit != tt.exit || !strings.Contains(strings.Join(report.Sentences(d.Conclusion.Findings), "\n"), tt.says) {
			t.Errorf("%s: exit %d, %q; want %d, %q", tt.name, d.Conclusion.Exit, report.Sentences(d.Conclusion.Findings), tt.exit, tt.says)
		}
	}
}

func TestCasesSkippedOnBothSidesAreLeftOut(t *testing.T) {
	skipping := func(s benchmark.Set) benchmark.Set {
		s.Cases = append(s.Cases, benchmark.Case{Name: "huge", Failed: "nvbench skipped it", Skipped: true})
		return s
	}
	base, head := set("k", 8, 10, 1e5, 0.001, 1), set("k", 8, 10, 1e5, 0.001, 2)
	d := compared(t, skipping(base), skipping(head), nil)
	if d.Conclusion.Exit != 0 || len(d.Rows) != 1 || !strings.Contains(strings.Join(d.Notes, "\n"), "1 case that") {
		t.Errorf("skipped by both: exit %d, %q", d.Conclusion.Exit, d.Notes)
	}
	broken := set("huge", 8, 10, 1e5, 0.001, 1)
	base.Cases = append(base.Cases, broken.Cases...)
	if d := compared(t, base, skipping(head), nil); d.Conclusion.Exit != result.ExitFailed {
		t.Errorf("skipped by NEW alone: exit %d", d.Conclusion.Exit)
	}
}

func TestNewCaseThatFailsIsHeadsFailure(t *testing.T) {
	head := set("k", 8, 10, 1e5, 0.001, 2)
	head.Cases = append(head.Cases, benchmark.Case{Name: "fresh", Failed: "crashed"})
	d := compared(t, set("k", 8, 10, 1e5, 0.001, 1), head, nil)
	if d.Conclusion.Exit != result.ExitFailed || d.Rows[1].Verdict != result.Error {
		t.Errorf("exit %d, %+v", d.Conclusion.Exit, d.Rows[1])
	}
}

func TestNewCasesPass(t *testing.T) {
	head := set("k", 8, 10, 1e5, 0.001, 2)
	head.Cases = append(head.Cases, set("fresh", 8, 10, 1e5, 0.001, 3).Cases...)
	d := compared(t, set("k", 8, 10, 1e5, 0.001, 1), head, nil)
	if d.Conclusion.Exit != 0 || d.Rows[1].Verdict != result.New || d.Policy.Cases != 1 {
		t.Errorf("exit %d, %+v, K = %d", d.Conclusion.Exit, d.Rows[1], d.Policy.Cases)
	}
}

// Two processes of unchanged code differ by their luck. A thousand launches each must not turn that into a verdict.
func TestOneProcessASideIsNotTrusted(t *testing.T) {
	red := 0
	for seed := range uint64(50) {
		d := compared(t, set("k", 1, 1000, 1e5, 0.01, 2*seed), set("k", 1, 1000, 1e5, 0.01, 2*seed+1), nil)
		if d.Conclusion.Exit == result.ExitFailed {
			red++
		}
		if d.SessionSD != search.AssumedProcessSD || !strings.Contains(strings.Join(d.Notes, "\n"), "between processes is assumed") {
			t.Fatalf("assumption %v is not said: %q", d.SessionSD, d.Notes)
		}
	}
	if red > 2 {
		t.Errorf("%d of 50 pairs of unchanged code are red", red)
	}
	d := compared(t, set("k", 1, 1000, 1e5, 0.01, 1), set("k", 1, 1000, 1.3e5, 0.01, 2), nil)
	if d.Rows[0].Verdict != result.Regression {
		t.Errorf("+30 %% between single processes is %s", d.Rows[0].Verdict)
	}
}

func TestSessionScatterWidensTheBounds(t *testing.T) {
	base, head := set("k", 30, 20, 1e5, 0.002, 1), set("k", 30, 20, 1.03e5, 0.002, 2)
	sd := 0.01
	d := compared(t, base, head, func(o *search.CompareOptions) { o.SessionSD = &sd })
	if plain := compared(t, base, head, nil); plain.Rows[0].Verdict != result.Regression {
		t.Errorf("+3 %% in one session is %s", plain.Rows[0].Verdict)
	}
	if d.Rows[0].Verdict == result.Regression {
		t.Error("+3 % is called a regression although sessions scatter by 1 %")
	}
}

func TestResultsCompareTheirHeads(t *testing.T) {
	run := func(base, head float64, seed uint64) benchmark.Set {
		random := rand.New(rand.NewPCG(seed, 9))
		c := result.Case{Name: "k/S=1", Kernel: "k", Verdict: result.Same, Method: &result.Method{QuantumNS: 1, Launches: 10}}
		var rounds []result.Round
		for i := range 10 {
			rounds = append(rounds, result.Round{Index: i + 1, Order: "ABBA"})
			for position, side := range []result.Side{"base", "head", "head", "base"} {
				ns := map[result.Side]float64{"base": base, "head": head}[side] * math.Exp(0.002*random.NormFloat64())
				c.Processes = append(c.Processes, result.Process{Round: i + 1, Position: position, Variant: side.Variant(), ValueNS: ns, Samples: 50})
			}
		}
		rounds[3].Voided = "too hot"
		r := &result.Result{Schema: result.Schema, Cases: []result.Case{c}, Rounds: rounds}
		r.Conclusion.Verdict = result.RunPassed
		r.Base.Kind, r.Head.Kind = "directory", "directory"
		return headSet(t, r)
	}
	old, fresh := run(1000, 2000, 1), run(5000, 2100, 2)
	if n := len(old.Cases[0].Processes); n != 18 {
		t.Errorf("%d processes of head, want 18 without the voided round", n)
	}
	d := compared(t, old, fresh, nil)
	if got := d.Rows[0].Comparison.Ratio; math.Abs(got-1.05) > 0.005 || d.Rows[0].Verdict != result.Regression {
		t.Errorf("heads of 2000 and 2100 ns: ratio %v, %s", got, d.Rows[0].Verdict)
	}
}

// headSet writes a result and reads it as compare does.
func headSet(t *testing.T, r *result.Result) benchmark.Set {
	t.Helper()
	r.Policy.Rule = result.RuleVersion
	data, err := json.Marshal(r)
	must(t, err)
	s, err := search.ReadResult("result.json", data)
	must(t, err)
	return s
}

func TestCompareDoesNotDependOnTheOrderOfWork(t *testing.T) {
	base, head := set("k", 10, 10, 1e5, 0.01, 1), set("k", 10, 10, 1e5, 0.01, 2)
	for i := range 20 {
		more := set(fmt.Sprintf("k%d", i), 10, 10, 1e5, 0.01, uint64(i+10))
		base.Cases = append(base.Cases, more.Cases...)
		head.Cases = append(head.Cases, more.Cases...)
	}
	first, second := written(t, compared(t, base, head, nil), "json", render.TerminalOptions{}), written(t, compared(t, base, head, nil), "json", render.TerminalOptions{})
	if first != second {
		t.Error("two comparisons of the same files differ")
	}
}

func TestFormats(t *testing.T) {
	base, head := set("k|x", 10, 10, 1e5, 0.001, 1), set("k|x", 10, 10, 1.1e5, 0.001, 2)
	head.Cases = append(head.Cases, set("e\x1b[31mvil\n<b>@me", 10, 10, 1, 0.1, 3).Cases...)
	d := compared(t, base, head, nil)
	out := map[string]string{}
	for _, format := range formats {
		out[format] = written(t, d, format, render.TerminalOptions{})
	}
	if strings.ContainsRune(out["text"], '\x1b') || !strings.Contains(out["text"], "regression") || !strings.Contains(out["text"], "10.2 % slower") {
		t.Errorf("text:\n%s", out["text"])
	}
	bare := regexp.MustCompile("`[^`]*`").ReplaceAllString(out["markdown"], "")
	for _, bad := range []string{"<b>", "@me", "k|x", "\x1b"} {
		if strings.Contains(bare, bad) {
			t.Errorf("Markdown lets %q through:\n%s", bad, out["markdown"])
		}
	}
	rows, err := csv.NewReader(strings.NewReader(out["csv"])).ReadAll()
	if err != nil || len(rows) != 3 || len(rows[1]) != len(rows[0]) {
		t.Errorf("CSV of %d rows: %v", len(rows), err)
	}
	var back search.Comparison
	if err := json.Unmarshal([]byte(out["json"]), &back); err != nil || back.Schema != search.CompareSchema || back.Rows[0].Comparison == nil {
		t.Errorf("JSON: %v, %+v", err, back)
	}
}

// One value a side is no comparison: its change is shown as an estimate, without a bound and without a verdict.
func TestOneValueASideIsAnEstimate(t *testing.T) {
	set := func(ns float64) benchmark.Set {
		return benchmark.Set{Path: "f", Format: "csv", Cases: []benchmark.Case{{Name: "k/n=1", Launches: 1, Processes: []benchmark.Process{{ID: "1", Samples: []float64{ns}}}}}}
	}
	d, err := search.CompareSets(set(1000), set(1020), search.CompareOptions{Policy: rule.Default()})
	must(t, err)
	text, table := written(t, d, "text", render.TerminalOptions{Width: 120}), written(t, d, "csv", render.TerminalOptions{})
	if d.Conclusion.Exit != result.ExitNotMeasurable || d.Rows[0].Comparison != nil {
		t.Errorf("%+v", d)
	}
	if !strings.Contains(text, "+2.0 %") || !strings.Contains(text, "estimates without a bound") || !strings.Contains(table, ",1000,1020,1.02,,") {
		t.Errorf("%s\n%s", text, table)
	}
}
