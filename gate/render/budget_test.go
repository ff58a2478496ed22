package render

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// runOf is a run of n cases like the first of a sample, of which the first few are regressions with a cause.
func runOf(t testing.TB, name string, n, slow int) *result.Result {
	t.Helper()
	r := load(t, name)
	of := func(v result.Verdict) result.Case {
		return r.Cases[max(0, slices.IndexFunc(r.Cases, func(c result.Case) bool { return c.Verdict == v }))]
	}
	same, bad := of(result.Same), of(result.Regression)
	evidence := load(t, "evidence").Cases[0].Evidence
	r.Cases = nil
	for i := range n {
		c := same
		if i < slow {
			c = bad
			c.Evidence = evidence
		}
		c.Params = append(slices.Clone(c.Params), result.Param{Name: "n", Value: fmt.Sprint(i)})
		c.Name = fmt.Sprintf("%s,n=%d", c.Name, i)
		shifted := *c.Compared()
		shifted.Ratio += 1e-5 * float64(i%7)
		c.SetComparison(result.VariantHead, result.VariantBase, &shifted)
		c.Processes = nil
		r.Cases = append(r.Cases, c)
	}
	r.Conclusion = rule.Conclude(r.Cases, r.Kernels, r.Policy)
	return r
}

// TestAPassIsShort: a passed run of many cases fits a small window, and what is left out is counted.
func TestAPassIsShort(t *testing.T) {
	for _, n := range []int{28, 200, 1500} {
		d := report.New(runOf(t, "pass", n, 0))
		d.Blocks = append(d.Blocks, report.Saved("perfgate-out/report.html"))
		text := terminalOf(t, d, TerminalOptions{})
		if lines := strings.Count(text, "\n"); lines > 12 || !strings.HasPrefix(text, "PASS") {
			t.Errorf("%d lines:\n%s", lines, text)
		}
		for _, want := range []string{fmt.Sprintf("%d more within the tolerance", n-6), "took", "perfgate-out/report.html", "MDE"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
		if verbose := terminalOf(t, d, TerminalOptions{Verbose: true}); strings.Count(verbose, "same") < n || !strings.Contains(verbose, "compiler") {
			t.Errorf("-v leaves out:\n%s", verbose)
		}
	}
}

// TestACommentIsShort counts the lines that a reader sees without a click.
func TestACommentIsShort(t *testing.T) {
	for _, c := range []struct{ cases, slow, most int }{{28, 0, 25}, {28, 3, 45}, {1500, 0, 25}} {
		name := map[bool]string{true: "pass", false: "regression"}[c.slow == 0]
		r := runOf(t, name, c.cases, c.slow)
		text := markdownOf(t, report.New(r), MarkdownOptions{})
		if lines := open(text); len(lines) > c.most {
			t.Errorf("%d of %d cases slower: %d lines, want %d:\n%s", c.slow, c.cases, len(lines), c.most, strings.Join(lines, "\n"))
		}
		if c.slow > 0 && strings.Count(strings.Join(open(text), "\n"), "because") != c.slow {
			t.Errorf("not every regression has its cause in the open:\n%s", text)
		}
	}
}

// open are the lines outside of what is folded, the line of its summary included.
func open(markdown string) []string {
	var out []string
	depth := 0
	for line := range strings.Lines(markdown) {
		line = strings.TrimSuffix(line, "\n")
		if depth == 0 {
			out = append(out, line)
		}
		depth += strings.Count(line, "<details>") - strings.Count(line, "</details>")
	}
	return out
}

// TestTheWorstCasesFit: a comment stays under GitHub's limit, and a smaller text under its own, and keeps the worst.
func TestTheWorstCasesFit(t *testing.T) {
	for _, c := range []struct {
		r           *result.Result
		bytes, slow int
	}{{runOf(t, "regression", 2000, 5), 65_000, 5}, {load(t, "many"), 2000, 3}} {
		text := markdownOf(t, report.New(c.r), MarkdownOptions{MaxBytes: c.bytes})
		if n := strings.Count(text, "**regression**"); len(text) > c.bytes || n != c.slow {
			t.Errorf("%d of %d bytes, %d of %d regressions", len(text), c.bytes, n, c.slow)
		}
		if !strings.Contains(text, "left out for want of room") {
			t.Error("it is not said that rows are missing")
		}
	}
}

// BenchmarkTwoThousandCases makes and lays out the report of 2,000 cases: all formats take under a second.
func BenchmarkTwoThousandCases(b *testing.B) {
	r := runOf(b, "regression", 2000, 5)
	for b.Loop() {
		d := report.New(r)
		terminalOf(b, d, TerminalOptions{Verbose: true})
		markdownOf(b, d, MarkdownOptions{MaxBytes: 65_000})
		htmlOf(b, d)
	}
}

// TestACauseIsSaidOnce: the sentence on a cause, and what helps, stand once in each format, also of cases beyond those that are answered first.
func TestACauseIsSaidOnce(t *testing.T) {
	r := runOf(t, "regression", 5, 5)
	d := report.New(r)
	for format, text := range map[string]string{
		"terminal": terminalOf(t, d, TerminalOptions{Verbose: true}), "comment": markdownOf(t, d, MarkdownOptions{}), "page": textOf(inspected(t, "causes", d)),
	} {
		text = strings.Join(strings.Fields(text), " ")
		if said, helps := strings.Count(text, "is slower because"), strings.Count(text, "launch more blocks"); said != 5 || helps != 5 {
			t.Errorf("%s: five causes are said %d times, what helps %d times", format, said, helps)
		}
	}
}
