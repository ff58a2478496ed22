package page_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/org/perfgate/gate/drift"
	"github.com/org/perfgate/gate/page"
	"github.com/org/perfgate/gate/result"
)

func inspectText(t *testing.T, name, text string) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	inspect(t, name, root)
	return textOf(root)
}

// aVersus has cases along a parameter, and one that crashed.
func aVersus() *result.VersusResult {
	d := &result.VersusResult{A: "<b>new</b>", B: "torch:sdpa", Machine: result.Machine{Model: "a machine"}}
	for i, theta := range []float64{0.4, -0.2, -0.5} {
		n := fmt.Sprint(64 << i)
		c := result.Case{
			Name: "k/S=" + n, Params: []result.Param{{Name: "S", Value: n}}, Head: &result.Summary{MedianNS: 1e5 * math.Exp(theta)}, Base: &result.Summary{MedianNS: 1e5},
			Compared: &result.Comparison{Theta: theta, Low: theta - 0.1, High: theta + 0.1, Ratio: math.Exp(theta), RatioLow: math.Exp(theta - 0.1), RatioHigh: math.Exp(theta + 0.1)},
		}
		for j := range 4 {
			c.Processes = append(c.Processes, result.Process{Round: j / 2, Position: j, Side: []result.Side{result.SideBase, result.SideHead}[j%2], ValueNS: 1e5 + float64(j)})
		}
		d.Cases = append(d.Cases, c)
	}
	d.Cases = append(d.Cases, result.Case{Name: "k/S=9", Params: []result.Param{{Name: "S", Value: "9"}}, Reason: result.Message("crashed")})
	return d
}

// A versus result has a page: all cases, the course along a parameter with the place where the one overtakes the other, and each distribution, under
// names that are no markup.
func TestVersusPage(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	if err := page.WriteVersus(&b, aVersus(), page.Options{}); err != nil {
		t.Fatal(err)
	}
	text := inspectText(t, "versus", b.String())
	for _, want := range []string{"<b>new</b> is faster in 2 of 4 cases", "torch:sdpa in 1", "1 could not be measured", "they cross between S=64 and 128", "Along S", "Distribution: k/S=256", "could not be measured: crashed"} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q in\n%s", want, text)
		}
	}
}

// Above the cases stands what they come to together, where that is more than reading two lines.
func TestAllCasesTogether(t *testing.T) {
	t.Parallel()
	text := textOf(pageOf(t, read(t, "improvement")))
	if !strings.Contains(text, "All 3 cases together: −") || !strings.Contains(text, "in the geometric mean, from −38") {
		t.Error(text[:600])
	}
	if strings.Contains(textOf(pageOf(t, read(t, "parity"))), "cases together") {
		t.Error("one case is no crowd")
	}
}

func aWatch() *drift.Report {
	return &drift.Report{Cases: []drift.Case{
		{Name: "k/n=1", Kernel: "k", NS: 1.1e5, UsualNS: 1e5, Ratio: 1.1, Low: 1.05, High: 1.15, Records: 9}, {Name: "k/n=2", Kernel: "k", NS: 1e5},
	}}
}

// A watch has one too.
func TestWatchPage(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	if err := page.WriteWatch(&b, aWatch(), page.Options{}); err != nil {
		t.Fatal(err)
	}
	if text := inspectText(t, "watch", b.String()); !strings.Contains(text, "time over the usual one") || !strings.Contains(text, "n=2") {
		t.Error(text)
	}
}
