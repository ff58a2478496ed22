package github

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/org/perfgate/gate/internal/markdowntest"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

const (
	samplesDir = "../../testdata/report"
	reportURL  = "https://github.example/o/r/actions/runs/1658821493"
)

func sample(t *testing.T, name string) *result.Result {
	t.Helper()
	r, err := result.ReadFile(filepath.Join(samplesDir, name, "result.json"))
	must(t, err)
	return r
}

// TestRenderComment: a comment is the Markdown of its document (comment.md of each scenario), with what belongs under the answer and below it.
func TestRenderComment(t *testing.T) {
	const foot = "measured at `aaaaaaaaaaaa` · [whole report](" + reportURL + ")\n\n<!-- perfgate comment perfgate"
	scenarios, err := filepath.Glob(filepath.Join(samplesDir, "*", "result.json"))
	if err != nil || len(scenarios) == 0 {
		t.Fatalf("%d scenarios, %v", len(scenarios), err)
	}
	for _, s := range scenarios {
		name := filepath.Base(filepath.Dir(s))
		saved, err := os.ReadFile(filepath.Join(samplesDir, name, "comment.md"))
		must(t, err)
		answer, rest, _ := strings.Cut(string(saved), "\n\n")
		m := Meta{Key: "perfgate", ReportURL: reportURL, SHA: shaA}
		if got, want := RenderComment(report.New(sample(t, name)), m), answer+"\n\n"+rest+"\n"+foot+" -->\n"; got != want {
			t.Errorf("%s: %s\nwant %s", name, got, want)
		}
		m.Key, m.Advisory = "perfgate h100", "the change comes from a fork and nobody has labelled it yet"
		m.Warnings = []string{"the check run could not be written: the token lacks checks: write"}
		want := answer + "\n\n- **advisory**: " + m.Advisory + "\n- " + m.Warnings[0] + "\n\n" + rest + "\ngate `perfgate h100` · " + foot + "_20h100 -->\n"
		if got := RenderComment(report.New(sample(t, name)), m); got != want {
			t.Errorf("%s, advisory: %s\nwant %s", name, got, want)
		}
	}
}

// enormous is a run of 400 cases with names of 150 letters.
func enormous(t *testing.T) *result.Result {
	r := sample(t, "regression")
	for i := range 3 {
		for range 130 {
			c := r.Cases[i]
			c.Params = []result.Param{{Name: "shape", Value: strings.Repeat("漢", 40)}, {Name: "n", Value: strings.Repeat("7", 20)}}
			c.Name = c.Kernel + "/shape=" + c.Params[0].Value + ",n=" + c.Params[1].Value
			r.Cases = append(r.Cases, c)
		}
	}
	return r
}

func TestRenderKeepsWithinLimits(t *testing.T) {
	d := report.New(enormous(t))
	m := Meta{Key: strings.Repeat("ключ ", 40), ReportURL: reportURL, SHA: shaA, Advisory: strings.Repeat("x ", 5000), Warnings: []string{strings.Repeat("y ", 5000)}}
	comment := RenderComment(d, m)
	if len(comment) > MaxComment || len(comment) < MaxComment/4 {
		t.Errorf("a comment of %d bytes", len(comment))
	}
	if !marked(comment, Marker(m.Key)) {
		t.Error("the marker is cut off")
	}
	if !strings.Contains(comment, "left out for want of room") || !strings.Contains(comment, "[The whole report]("+reportURL+")") {
		t.Error("it does not say that and where there is more")
	}
	if !strings.Contains(comment, "1.95x slower") {
		t.Error("the answer is gone")
	}
	check := RenderCheck(d, m)
	if len(check.Title) > 255 || len(check.Summary) > MaxCheckText || len(check.Text) > MaxCheckText || !utf8.ValidString(check.Title+check.Summary+check.Text) {
		t.Errorf("check: %d, %d, %d bytes", len(check.Title), len(check.Summary), len(check.Text))
	}
	for _, most := range []int{1024, 10_000, 1 << 20} {
		if got := RenderSummary(d, m, most); len(got) > most || !strings.Contains(got, "FAIL") {
			t.Errorf("a summary of %d bytes in %d: %.100q", len(got), most, got)
		}
	}
}

// TestRenderLeavesRoomForTheMarker grows a page in small steps past the limit: at each the whole comment is within.
func TestRenderLeavesRoomForTheMarker(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	d := report.New(sample(t, "pass"))
	m := Meta{Key: strings.Repeat("k ", 100), ReportURL: reportURL, SHA: shaA}
	longest := 0
	for len(m.Warnings) < 640 {
		m.Warnings = append(m.Warnings, strings.Repeat("w ", 50))
		if len(m.Warnings) < 600 {
			continue // far from the limit
		}
		n := len(RenderComment(d, m))
		if n > MaxComment {
			t.Fatalf("%d bytes with %d warnings", n, len(m.Warnings))
		}
		longest = max(longest, n)
	}
	if longest < MaxComment-120 {
		t.Errorf("the limit was not reached: %d bytes at most", longest)
	}
}

// hostileMeta are texts that a change could bring into what stands around a document.
var hostileMeta = []string{"@octocat", "[x](https://evil.example)", "--> <b>x</b>", "</details>", "a|b", "```", "#12", "https://evil.example", "\n# PASS", "<!-- perfgate comment k -->", "\u202e"}

func TestRenderMetaCannotAct(t *testing.T) {
	for _, s := range hostileMeta {
		d := report.New(sample(t, "pass"))
		comment := RenderComment(d, Meta{Key: s, SHA: s, ReportURL: "javascript:" + s, Advisory: s, Warnings: []string{s, s}})
		if !marked(comment, Marker(s)) {
			t.Errorf("%q: the marker is not at the end", s)
		}
		check := RenderCheck(d, Meta{Advisory: s, Warnings: []string{s}})
		if strings.ContainsAny(check.Title, "\n\u202e") {
			t.Errorf("%q: title %q", s, check.Title)
		}
		for _, page := range []string{strings.TrimSuffix(strings.TrimSpace(comment), Marker(s)), check.Summary, check.Text, RenderSummary(d, Meta{Warnings: []string{s}}, 1<<20)} {
			if bad := markdowntest.Fault(page); bad != "" || strings.Contains(page, "\u202e") {
				t.Errorf("%q: %s gets through", s, bad)
			}
		}
	}
}

func TestDescribe(t *testing.T) {
	for _, name := range []string{"pass", "regression", "errors", "many", "parity"} {
		got := Describe(report.New(sample(t, name)))
		if len(got) < 20 || strings.ContainsAny(got, "\n\u00a0") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestNotable(t *testing.T) {
	for name, want := range map[string]bool{"pass": false, "identical": false, "regression": true, "improvement": true, "slower": true, "new": true, "base-no-build": true, "estimate": true} {
		if got := Notable(sample(t, name)); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	r := sample(t, "pass")
	r.Config.Changed = []result.RuleChange{{Kind: result.RuleConfigRemoved, File: "perfgate.yaml"}}
	if !Notable(r) {
		t.Error("a change of the rules is not notable")
	}
}
