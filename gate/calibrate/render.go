package calibrate

import (
	"fmt"
	"io"
	"strings"

	"github.com/org/perfgate/gate/render"
)

// Render writes the report as Markdown tables, which are also easy to read as they are.
func (r Report) Render(w io.Writer) error {
	var b strings.Builder
	p := r.Options.Policy
	fmt.Fprintf(&b, "Tolerance %.3g %%, confidence %.4g %% over suites of %d cases, seed %d: %d suites and %d cases a number. All rates in %%.\n\n",
		100*p.Tolerance, 100*p.Confidence, r.Options.SuiteCases, r.Options.Seed, r.Options.Suites, r.Options.Cases)
	r.errors(&b)
	r.power(&b)
	r.mde(&b)
	r.peers(&b)
	r.curves(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func (r Report) errors(b *strings.Builder) {
	b.WriteString("### How often it is wrong\n\n")
	t := table{{
		"noise", "A/A suites with a regression", "(at most)", "A/A suites red", "at the tolerance: suites with a regression", "(at most)",
		"at the tolerance: cases passed", "98 % bounds cover, 2 / 8 / 34 rounds", "bar",
	}}
	for _, row := range r.Rows {
		var coverage []string
		for _, c := range row.Coverage {
			coverage = append(coverage, fmt.Sprintf("%.1f", 100*c.Value()))
		}
		t = append(t, []string{
			row.World, row.FalseSuites.String(), row.FalseSuites.upper(), row.RedSuites.String(), row.Edge.String(), row.Edge.upper(),
			row.EdgePass.String(), strings.Join(coverage, " / "), barWords(row.Misses),
		})
	}
	t.write(b, 1)
}

// barWords words what became of the bar of a world.
func barWords(misses []string) string {
	if len(misses) == 0 {
		return "holds"
	}
	return "missed: " + strings.Join(misses, "; ")
}

func (r Report) power(b *strings.Builder) {
	b.WriteString("### What it finds, and how long it takes\n\n")
	header := []string{"noise"}
	for _, s := range Shifts {
		header = append(header, fmt.Sprintf("regression at %+g %%", 100*s))
	}
	t := table{append(header, "same at +3 %", "rounds at 0", "rounds at +3 %", "rounds at the tolerance", "A/A cases open")}
	for _, row := range r.Rows {
		line := []string{row.World}
		for _, p := range row.Power {
			line = append(line, p.String())
		}
		t = append(t, append(line, row.WrongSame.String(), fmt.Sprintf("%.1f", row.Rounds), fmt.Sprintf("%.1f", row.RoundsAt3),
			fmt.Sprintf("%.1f", row.RoundsEdge), row.Open.String()))
	}
	t.write(b, 1)
}

func (r Report) mde(b *strings.Builder) {
	b.WriteString("### The minimum detectable effect, in %\n\n")
	header := []string{"noise"}
	for _, rounds := range CoverageRounds {
		header = append(header, fmt.Sprintf("after %d rounds", rounds))
	}
	t := table{header}
	for _, row := range r.Rows {
		line := []string{row.World}
		for _, mde := range row.MDE {
			line = append(line, fmt.Sprintf("%.2f", 100*mde))
		}
		t = append(t, line)
	}
	t.write(b, 1)
}

func (r Report) peers(b *strings.Builder) {
	if len(r.Peers) == 0 {
		return
	}
	b.WriteString("### Beside other rules, on the same samples\n\n")
	header := []string{"noise", "rule", "A/A suites red"}
	for _, s := range Shifts {
		header = append(header, fmt.Sprintf("red at %+g %%", 100*s))
	}
	t := table{header}
	for _, row := range r.Peers {
		line := []string{row.World, row.Rule, row.Suites.String()}
		for _, p := range row.Power {
			line = append(line, p.String())
		}
		t = append(t, line)
	}
	t.write(b, 2)
}

func (r Report) curves(b *strings.Builder) {
	for _, c := range r.Curves {
		fmt.Fprintf(b, "### Chance of each verdict, %s\n\n", c.World)
		header := []string{"true shift"}
		for _, v := range stackOrder {
			header = append(header, string(v))
		}
		t := table{append(header, "rounds")}
		for _, p := range c.Points {
			line := []string{fmt.Sprintf("%+.2f", 100*p.Shift)}
			for _, v := range stackOrder {
				line = append(line, fmt.Sprintf("%.1f", 100*p.Share[v]))
			}
			t = append(t, append(line, fmt.Sprintf("%.1f", p.Rounds)))
		}
		t.write(b, 1)
	}
}

// table is a header with rows; its first few columns are texts.
type table [][]string

func (t table) write(b *strings.Builder, texts int) {
	b.WriteString(render.AlignedMarkdown(t, texts) + "\n")
}
