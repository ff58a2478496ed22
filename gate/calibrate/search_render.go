package calibrate

import (
	"fmt"
	"io"
	"strings"

	"github.com/org/perfgate/gate/result"
)

func isFaster(c outcome) bool { return c.verdict == result.Faster || c.verdict == result.Improvement }

// Render writes the report as Markdown tables.
func (r SearchReport) Render(w io.Writer) error {
	o := r.Options
	var b strings.Builder
	fmt.Fprintf(&b, "Confidence %.4g %% over a search, gain %.3g %%, seed %d, %d searches a number. Rates in %%.\n\n", 100*o.Confidence, 100*o.Gain, o.Seed, o.Searches)
	fmt.Fprintf(&b, "### %d candidates that are base itself\n\n", o.Candidates)
	r.equalTable(&b)
	fmt.Fprintf(&b, "\n### One improvement among %d candidates\n\n", o.Hidden)
	r.hiddenTable(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func (r SearchReport) equalTable(b *strings.Builder) {
	t := table{{"noise", "judge: searches with any `better`", "(at most)", "requests a search", "candidates called worse", "processes a candidate",
		"mean below base's: candidates", "searches with any", "the fastest reading claims"}}
	for _, row := range r.Equal {
		t = append(t, []string{row.World, row.Better.String(), row.Better.upper(), fmt.Sprintf("%.1f", row.Requests), row.Worse.String(), fmt.Sprintf("%.1f", row.Processes),
			row.MeanFaster.String(), row.MeanSearch.String(), fmt.Sprintf("+%.1f", 100*row.Fastest)})
	}
	t.write(b, 1)
}

func (r SearchReport) hiddenTable(b *strings.Builder) {
	t := table{{"noise", "the others", "hidden", "judge: found", "another one `better`", "processes a search", "gate for each: found", "another one faster", "processes"}}
	for _, row := range r.Hidden {
		t = append(t, []string{row.World, row.Others, fmt.Sprintf("%.0f", 100*row.Gain), row.Found.String(), row.False.String(), fmt.Sprintf("%.0f", row.Processes),
			row.GateFound.String(), row.GateFalse.String(), fmt.Sprintf("%.0f", row.GateProcs)})
	}
	t.write(b, 2)
}
