package render

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

const (
	advisory = "This verdict does not bind."
	link     = "https://github.example/o/r/actions/runs/7"
)

// noisyPass is a pass with a hundred competitors that do not build, and with each kind of reservation.
func noisyPass(t *testing.T) report.Document {
	t.Helper()
	r := load(t, "pass")
	first := r.Kernels[0]
	for i := range 100 {
		k := first
		k.Name = fmt.Sprintf("kernel%d", i)
		command := []string{"nvcc", strings.Repeat(fmt.Sprintf("-I/include/%d ", i), 200)}
		output := strings.Repeat(fmt.Sprintf("k%d.cu(1): error: ", i)+strings.Repeat("template ", 40)+"\n", 60)
		k.Competitors = []result.Competitor{{Name: "cublas", Status: result.CompetitorFailed, Build: &result.Build{Failed: true, Command: command, Output: output}}}
		r.Kernels = append(r.Kernels, k)
	}
	for _, kind := range []result.FindingKind{result.FindingNotCompared, result.FindingParitySkipped, result.FindingInconclusivePassed} {
		r.Conclusion.Findings = append(r.Conclusion.Findings, result.Finding{Kind: kind, Kernel: first.Name, Case: r.Cases[0].Name, Reason: result.Message("because " + string(kind))})
	}
	d := report.New(r)
	d.Note("the token may not write a status")
	publication := report.Block{Key: "publication", List: []report.Item{{Label: "advisory", Text: report.Say(advisory)}}}
	d.Blocks = append([]report.Block{publication}, d.Blocks...)
	return d
}

// allWrong is a failed run in which the output of a hundred kernels is wrong.
func allWrong(t *testing.T) report.Document {
	t.Helper()
	r := load(t, "pass")
	first := r.Kernels[0]
	r.Conclusion = result.Conclusion{Verdict: result.RunFailed}
	for i := range 100 {
		k := first
		k.Name = fmt.Sprintf("kernel%d", i)
		k.Parity = result.Parity{Status: result.ParityFailed, Run: 3, Planned: 9, Failure: &result.ParityFailure{
			Case: k.Name + "/n=65", Values: "zeros", Pattern: strings.Repeat(fmt.Sprintf("all of s >= %d ", i), 20),
			Repro: "perfgate parity" + strings.Repeat(" --case x", 200),
		}}
		r.Kernels = append(r.Kernels, k)
		r.Conclusion.Findings = append(r.Conclusion.Findings, result.Finding{
			Kind: result.FindingWrongOutput, Effect: result.EffectFails, Kernel: k.Name, Side: result.SideHead, Reason: result.Message("wrong in " + k.Name),
		})
	}
	return report.New(r)
}

// entriesOf are the texts of the blocks of a key, as Markdown has them.
func entriesOf(t *testing.T, d report.Document, key string) []string {
	t.Helper()
	i := slices.IndexFunc(d.Blocks, func(b report.Block) bool { return b.Key == key })
	if i < 0 {
		t.Fatalf("no block %s", key)
	}
	var out []string
	for _, item := range d.Blocks[i].List {
		out = append(out, Line(item.Text))
	}
	return out
}

// TestACutKeepsReservations: however much went wrong beside a pass, it never reads like a pass without reservations.
func TestACutKeepsReservations(t *testing.T) {
	t.Parallel()
	d := noisyPass(t)
	against := entriesOf(t, d, "against")
	if len(against) < 3 {
		t.Fatalf("%d reservations: %q", len(against), against)
	}
	for _, limit := range []int{65_000, 12_000, 4000, 2000} {
		text := markdownOf(t, d, MarkdownOptions{MaxBytes: limit, ReportURL: link})
		if len(text) > limit {
			t.Errorf("%d bytes of %d", len(text), limit)
		}
		for _, want := range append(slices.Clone(against), advisory, "the token may not write a status", "left out", "]("+link+")") {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in %d bytes:\n%s", want, limit, text)
			}
		}
		if limit == 65_000 && (!strings.Contains(text, "more that went wrong") || !strings.Contains(text, "cublas")) {
			t.Errorf("%d bytes do not count what went wrong:\n%s", limit, text)
		}
	}
}

// TestACutCountsReservations: where no reservation has room, it is still said that there are some.
func TestACutCountsReservations(t *testing.T) {
	t.Parallel()
	text := markdownOf(t, noisyPass(t), MarkdownOptions{MaxBytes: 300})
	if !strings.HasPrefix(text, "### ✅ PASS") || !strings.Contains(text, "… and 3 more") || !strings.Contains(text, "left out") {
		t.Errorf("got\n%s", text)
	}
}

// TestACutCountsWrongKernels: some wrong kernels are shown, and the others are counted.
func TestACutCountsWrongKernels(t *testing.T) {
	t.Parallel()
	d := allWrong(t)
	text := markdownOf(t, d, MarkdownOptions{MaxBytes: 65_000})
	if len(text) > 65_000 {
		t.Errorf("%d bytes", len(text))
	}
	shown := strings.Count(text, "perfgate parity --case")
	if shown == 0 || !strings.Contains(text, fmt.Sprintf("… and %d more that went wrong", 100-shown)) {
		t.Errorf("%d of 100 wrong kernels are shown, and not said that there are more:\n%s", shown, text)
	}
	if small := markdownOf(t, d, MarkdownOptions{MaxBytes: 1500}); !strings.HasPrefix(small, "### ❌ FAIL") || !strings.Contains(small, "left out") {
		t.Errorf("a small text:\n%s", small)
	}
}

// TestACutKeepsWhatFails: what fails a run is shown before what only could not be measured.
func TestACutKeepsWhatFails(t *testing.T) {
	t.Parallel()
	var d report.Document
	for i := range 30 {
		d.Blocks = append(d.Blocks, report.Block{Title: report.Say(fmt.Sprint("warned ", i)), Tone: report.Warn, Log: &report.Log{Command: "true"}})
	}
	d.Blocks = append(d.Blocks, report.Block{Title: report.Say("failed"), Tone: report.Bad, Log: &report.Log{Command: "false"}})
	text := markdownOf(t, d, MarkdownOptions{MaxBytes: 600})
	if !strings.Contains(text, "failed") || !strings.Contains(text, "warned 0") || !strings.Contains(text, "more that went wrong") {
		t.Errorf("got\n%s", text)
	}
}

// TestFoldedPartsAreMissed: a text without its folded parts says that it is not all.
func TestFoldedPartsAreMissed(t *testing.T) {
	t.Parallel()
	d := report.Document{Verdict: "PASS", Blocks: []report.Block{{Key: "x", Layer: report.Folded, Paragraphs: []report.Text{report.Say(strings.Repeat("word ", 100))}}}}
	if whole := markdownOf(t, d, MarkdownOptions{MaxBytes: 2000}); strings.Contains(whole, "left out") {
		t.Errorf("nothing is missing of\n%s", whole)
	}
	if text := markdownOf(t, d, MarkdownOptions{MaxBytes: 300}); !strings.Contains(text, "left out for want of room. result.json") {
		t.Errorf("got\n%s", text)
	}
}

// TestWholeLogs: lines that no other file has are all there.
func TestWholeLogs(t *testing.T) {
	t.Parallel()
	lines := slices.Repeat([]string{"a line"}, 5*mostOutput)
	for _, whole := range []bool{true, false} {
		d := report.Document{Blocks: []report.Block{{Log: &report.Log{Lines: lines, Whole: whole}}}}
		text := markdownOf(t, d, MarkdownOptions{})
		if got := strings.Count(text, "a line") == len(lines); got != whole {
			t.Errorf("whole is %v: all lines are there is %v", whole, got)
		}
	}
}
