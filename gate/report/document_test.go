package report

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

func load(t *testing.T, name string) *result.Result {
	t.Helper()
	r, err := result.ReadFile(filepath.Join(samplesDir, name, "result.json"))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func plain(t Text) string {
	var b strings.Builder
	for _, span := range t {
		b.WriteString(span.Text)
	}
	return strings.ReplaceAll(b.String(), tie, " ")
}

// TestHeadlines reads the first line of every kind of run: verdict, worst case, by how much, how sure, why.
func TestHeadlines(t *testing.T) {
	for name, want := range map[string][]string{
		"regression":     {"FAIL", "attention/B=1,H=8,S=128,D=64,causal=0 is 1.95x slower (+94.9 %, 99 % interval", "5 % is tolerated"},
		"pass":           {"PASS", "3 cases: none slower by more than 3.9 % (99 % confidence, tolerance 5 %)"},
		"improvement":    {"PASS", "is 1.62x faster (−38.2 %", "none slower by more than 3.9 % (99 % confidence, tolerance 5 %)"},
		"catastrophe":    {"FAIL", "is 2610x slower (99 % interval 2488x … 2737x)"},
		"parity":         {"FAIL", "attention computes the wrong result at B=1,H=1,S=65,D=64,causal=0: 12 of 4160"},
		"head-no-build":  {"FAIL", "attention: head does not build: csrc/attention.cpp:42:18: error:"},
		"base-no-build":  {"COULD NOT MEASURE", "attention: base does not build, so head has nothing to be compared with"},
		"budget":         {"COULD NOT MEASURE", "the time budget of 1 min was exhausted; all looks need about 4 min 25 s: --budget 5m"},
		"noisy":          {"COULD NOT MEASURE", "too noisy for a tolerance of 1.5 %"},
		"estimate":       {"FAIL", "is 5.5 % slower (99 % interval +3.4 … +7.5 %)", "though not significantly"},
		"inconclusive":   {"COULD NOT MEASURE", "inconclusive after all looks; at a tolerance over 6.2 % it would have passed, and the minimum detectable effect is 2.5 %"},
		"identical":      {"PASS", "identical code (3 cases): nothing to time"},
		"new":            {"PASS", "2 new cases with nothing on base to compare with"},
		"errors":         {"FAIL", "copy breaks a resource limit: spill-bytes"},
		"parity-skipped": {"COULD NOT MEASURE", "attention: parity was skipped, so nothing shows that head computes the right thing"},
	} {
		d := made(load(t, name))
		got := d.Verdict + " " + plain(d.Headline)
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: %q has no %q", name, got, w)
			}
		}
	}
}

// TestSkippedIsNeverPassed looks at every way in which parity can be missing, one of which claims that it passed.
func TestSkippedIsNeverPassed(t *testing.T) {
	for _, p := range []result.Parity{
		{Status: result.ParitySkipped}, {Status: result.ParityPassed, Planned: 200, Refused: 200}, {Status: result.ParityOff},
		{Status: result.ParityError}, {Status: ""},
	} {
		r := load(t, "pass")
		r.Kernels[0].Parity = p
		d := made(r)
		if c := d.parity[0]; c.Status == "passed" || c.Tone == Good {
			t.Errorf("%+v is reported as %+v", p, c)
		}
		terminal, markdown := rendered(t, d.Document)
		for _, text := range []string{terminal, markdown} {
			if strings.Contains(text, "passed") {
				t.Errorf("%+v is reported as passed:\n%s", p, text)
			}
		}
	}
}

// TestUnmeasuredIsNeverPassed: a case without a comparison gets no numbers and no good tone, whatever its verdict.
func TestUnmeasuredIsNeverPassed(t *testing.T) {
	for _, v := range []result.Verdict{result.Error, result.Skipped, result.New, result.Inconclusive, result.Undecided, "fine"} {
		r := load(t, "pass")
		r.Cases[0].Verdict, r.Cases[0].Base, r.Cases[0].Head = v, nil, nil
		r.Cases[0].SetComparison(result.VariantHead, result.VariantBase, nil)
		d := made(r)
		for _, row := range d.cases.Rows {
			last := row.Cells["verdict"]
			if row.Name.Full == r.Cases[0].Name && (row.Instead.Text == "" || last.Tone == Good) {
				t.Errorf("%s: %+v", v, row)
			}
		}
		if strings.HasPrefix(plain(d.Headline), "3 cases") {
			t.Errorf("%s counts as bounded: %s", v, plain(d.Headline))
		}
	}
}

// TestNothingIsLost finds every case, reason and note of every sample in both renderings, and the worst ones first.
func TestNothingIsLost(t *testing.T) {
	for name := range samples {
		r := load(t, name)
		d := made(r)
		if len(d.cases.Rows) != len(r.Cases) {
			t.Errorf("%s: %d rows for %d cases", name, len(d.cases.Rows), len(r.Cases))
		}
		terminal, markdown := rendered(t, d.Document)
		for _, text := range []string{terminal, markdown} {
			flat := strings.Join(strings.Fields(text), " ")
			for _, note := range append([]string{r.Repro}, r.Notes...) {
				if !strings.Contains(flat, note) {
					t.Errorf("%s: %q is missing", name, note)
				}
			}
			for _, k := range r.Kernels {
				if f := k.Parity.Failure; f != nil && !strings.Contains(flat, f.Repro) {
					t.Errorf("%s: %q is missing", name, f.Repro)
				}
			}
		}
	}
}

func TestFindingsOfOthersAreKept(t *testing.T) {
	r := load(t, "pass")
	r.Conclusion = result.Conclusion{Verdict: result.RunError, Exit: result.ExitNotMeasurable, Findings: []result.Finding{
		{Kind: result.FindingMissing, Effect: result.EffectUnmeasured, Reason: result.Message("interrupted by the user")},
	}}
	d := made(r)
	if got := plain(d.Headline); got != "interrupted by the user" {
		t.Errorf("headline %q", got)
	}
	r.Conclusion.Findings = nil
	if got := plain(New(r).Headline); got != "no reason is given" {
		t.Errorf("headline %q", got)
	}
}

func rendered(t *testing.T, d Document) (terminal, markdown string) {
	t.Helper()
	return flat(d), flat(d)
}

// TestNewIsPure: the result is not touched, and equal results give equal documents.
func TestNewIsPure(t *testing.T) {
	for name := range samples {
		r, untouched := load(t, name), load(t, name)
		if !reflect.DeepEqual(New(r), New(r)) {
			t.Errorf("%s: two documents differ", name)
		}
		if !reflect.DeepEqual(r, untouched) {
			t.Errorf("%s: New changes the result", name)
		}
	}
}

// TestEmptyResult renders a result that has nothing in it.
func TestEmptyResult(t *testing.T) {
	d := made(&result.Result{})
	if d.Verdict != "COULD NOT MEASURE" {
		t.Errorf("verdict %q", d.Verdict)
	}
	rendered(t, d.Document)
}

// Cases whose budget ended before the first look: the headline says it of all of them, and no row repeats it.
func TestBudgetGoneBeforeTheFirstLook(t *testing.T) {
	t.Parallel()
	r := blankSample()
	r.Kernels = []result.Kernel{kernel("attention", result.KernelCompared, passedParity(200))}
	for _, params := range []string{"S=1", "S=2"} {
		c := untimed("attention", params, result.Inconclusive, "")
		c.BudgetGone, c.BudgetNeededS, c.Reason = true, 90, &result.Reason{Kind: result.ReasonBudgetSpent}
		r.Cases = append(r.Cases, c)
	}
	d := made(conclude(r))
	if got := PlainText(d.Headline); !strings.HasPrefix(strings.ReplaceAll(got, "\u00a0", " "), "2 cases: still undecided after 0 rounds of at least 2, when the time budget") {
		t.Errorf("headline %q", got)
	}
	if len(d.remarks) > 0 {
		t.Errorf("remarks %+v", d.remarks)
	}
}

// A plan that did not start names how many cases the budget holds, and the cures.
func TestBudgetHoldsFewerCases(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		holds int
		shard *result.Shard
		want  string
	}{
		{3, nil, "10 cases: not started, since a budget of 5 min holds a first look of about 3 at this machine's speed: fewer cases: (or --case), --shard I/4 on more machines or days, or --budget 16m"},
		{3, &result.Shard{Index: 2, Of: 5}, "--shard I/20 on"},
		{0, nil, "10 cases: not started, since a budget of 5 min holds no first look at this machine's speed: --budget 16m"},
	} {
		r := blankSample()
		r.BudgetS, r.Shard = 300, tt.shard
		r.Kernels = []result.Kernel{kernel("attention", result.KernelCompared, passedParity(200))}
		for i := range 10 {
			c := untimed("attention", fmt.Sprintf("S=%d", i), result.Inconclusive, "")
			c.BudgetGone, c.BudgetNeededS, c.Reason = true, 9*1195, &result.Reason{Kind: result.ReasonBudgetShort, Count: tt.holds}
			r.Cases = append(r.Cases, c)
		}
		r = conclude(r)
		d := made(r)
		if got := strings.ReplaceAll(PlainText(d.Headline), "\u00a0", " "); !strings.Contains(got, tt.want) || r.Conclusion.Exit != result.ExitNotMeasurable {
			t.Errorf("exit %d, headline %q\nwant %q", r.Conclusion.Exit, got, tt.want)
		}
		if len(d.remarks) > 0 {
			t.Errorf("remarks %+v", d.remarks)
		}
	}
}
