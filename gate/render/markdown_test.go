package render

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/text"
)

// TestMaxBytes cuts a report of many cases to ever less: it fits, says what is missing and keeps what matters most.
func TestMaxBytes(t *testing.T) {
	for _, name := range []string{"many", "base-no-build", "errors"} {
		d := report.New(load(t, name))
		for _, limit := range []int{65_536, 12_000, 6000, 3000, 2000, 1200} {
			text := markdownOf(t, d, MarkdownOptions{MaxBytes: limit})
			if len(text) > limit {
				t.Errorf("%s: %d bytes of %d", name, len(text), limit)
			}
			first, _, _ := strings.Cut(text, "\n")
			if !strings.HasPrefix(first, "### ") || !strings.Contains(first, d.Verdict) {
				t.Errorf("%s in %d bytes begins with %q", name, limit, first)
			}
			inspectMarkdown(t, fmt.Sprintf("%s in %d bytes", name, limit), d, limit)
		}
	}
}

func TestNoRoom(t *testing.T) {
	if err := Markdown(os.Stdout, report.New(load(t, "pass")), MarkdownOptions{MaxBytes: 20}); err == nil {
		t.Error("20 bytes are enough")
	}
}

func TestAlignedMarkdown(t *testing.T) {
	const want = "| noise     | rule | found  |\n| :--       | :--  | --:    |\n| µ∣.       | a    | 12.5 % |\n| plain one | bb   | 3 %    |\n"
	got := AlignedMarkdown([][]string{{"noise", "rule", "found"}, {"µ|\x1b[2J.", "a", "12.5 %"}, {"plain one", "bb", "3 %"}}, 2)
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestReportLink links the whole report exactly where rows were left out, and only to an address that can stand there.
func TestReportLink(t *testing.T) {
	d := report.New(load(t, "many"))
	whole := markdownOf(t, d, MarkdownOptions{ReportURL: "https://github.example/o/r/actions/runs/7"})
	if strings.Contains(whole, "https://") {
		t.Error("linked though nothing is missing")
	}
	for address, linked := range map[string]bool{
		"https://github.example/o/r/actions/runs/7": true, "javascript:alert(1)": false, "https://x/ @octocat": false,
		"https://x/)[y](z": false, "https://u:p@x/": false, "": false, "https://x/\u202e": false, "https://x/a|b": false,
	} {
		text := markdownOf(t, d, MarkdownOptions{MaxBytes: len(whole) / 4, ReportURL: address})
		if got := strings.Contains(text, "]("+address+")"); got != linked {
			t.Errorf("%q: linked is %v", address, got)
		}
		if !strings.Contains(text, "left out") {
			t.Errorf("nothing is left out of %d bytes", len(text))
		}
	}
}

// TestUnchangedCasesFold: many unchanged cases are a line that says how much they may hide; what did not pass never folds.
func TestUnchangedCasesFold(t *testing.T) {
	t.Parallel()
	table := func(same int, others ...string) report.Table {
		out := report.Table{First: "case", Columns: []report.Column{{Key: "change", Title: "change", Bar: true}, {Key: "verdict", Title: "verdict"}}}
		for _, verdict := range others {
			out.Rows = append(out.Rows, report.Row{Name: report.Name{Full: "k/" + verdict, Kernel: "k/" + verdict}, Cells: report.Cells{"verdict": {Text: verdict}}})
		}
		for i := range same {
			out.Rows = append(out.Rows, report.Row{
				Name: report.Name{Full: fmt.Sprint("s/", i), Kernel: fmt.Sprint("s/", i)}, Cells: report.Cells{"verdict": {Text: "same"}, "change": shifted(-0.001 * float64(i+1))}, Unchanged: true, Rank: 9,
			})
		}
		return out
	}
	for _, c := range []struct {
		same   int
		others []string
		folded string // "" for an open table
	}{
		{3, []string{"regression"}, ""},
		{3, nil, ""},
		{27, []string{"regression", "error"}, "27 cases same, largest change −2.7 %"},
		{30, nil, "30 cases same, largest change −3.0 %"},
	} {
		text := tableMarkdown(table(c.same, c.others...), all)
		before, after, found := strings.Cut(text, "<details>")
		if found != (c.folded != "") || !strings.Contains(after, c.folded) || strings.Count(text, "same") < c.same {
			t.Errorf("%d same and %q:\n%s", c.same, c.others, text)
		}
		for _, verdict := range c.others {
			if !strings.Contains(before, verdict) {
				t.Errorf("%s is folded away:\n%s", verdict, text)
			}
		}
	}
}

func shifted(by float64) report.Cell { return report.Cell{Text: text.Change(by, 1), Value: &by} }
