package calibrate

import (
	"fmt"
	"math"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// What a run costs, in seconds, as measured on one H200: starting and warming up a process, and a case in it.
const (
	processSeconds = 0.45
	caseSeconds    = 0.16
)

// VersionRow is what one version of the rule does in one world.
type VersionRow struct {
	World    string
	Version  int
	Red      Rate    // suites of unchanged code that fail, the policy for open cases included
	Same     Rate    // unchanged cases called same
	Suspect  Rate    // unchanged cases that had a process far outside of all others
	Edge     Rate    // suites exactly at the tolerance that have a regression
	EdgePass Rate    // cases exactly at the tolerance that are called same or slower
	Power    []Rate  // cases of Shifts found to be a regression
	Rounds   float64 // mean, of an unchanged case
	Seconds  float64 // mean, of an unchanged suite, modelled
}

// versions lets every version of the rule decide in every world.
func (o Options) versions() []VersionRow {
	var rows []VersionRow
	for _, w := range o.Worlds {
		for version := 1; version <= result.CurrentRule; version++ {
			of := o
			of.Policy.Rule = version
			rows = append(rows, of.version(w))
		}
		o.observe(w.Name() + ", versions of the rule")
	}
	return rows
}

func (o Options) version(w World) VersionRow {
	unchanged := o.suites(w, 0)
	edge := o.suites(w, math.Log1p(o.Policy.Tolerance))
	row := VersionRow{
		World: w.Name(), Version: o.Policy.Rule,
		Red:      suitesWith(unchanged, isRed),
		Same:     casesWith(unchanged, func(c outcome) bool { return c.verdict == result.Same }),
		Suspect:  casesWith(unchanged, func(c outcome) bool { return c.suspect }),
		Edge:     suitesWith(edge, isRegression),
		EdgePass: casesWith(edge, passes),
		Rounds:   meanRounds(unchanged),
	}
	for _, s := range Shifts {
		row.Power = append(row.Power, casesWith(o.cases(w, math.Log1p(s), o.Cases), isRegression))
	}
	for start := 0; start+SuiteCases <= len(unchanged); start += SuiteCases {
		row.Seconds += suiteSeconds(unchanged[start:start+SuiteCases]) / float64(o.Suites)
	}
	return row
}

// suiteSeconds models what the rounds of a suite take: a round has four processes, and each measures the cases that are still open.
func suiteSeconds(suite []outcome) float64 {
	seconds := 0.0
	for round := 1; ; round++ {
		open := 0
		for _, c := range suite {
			if c.rounds >= round {
				open++
			}
		}
		if open == 0 {
			return seconds
		}
		seconds += 4 * (processSeconds + caseSeconds*float64(open))
	}
}

func (r Report) versions(b *strings.Builder) {
	if len(r.Versions) == 0 {
		return
	}
	fmt.Fprintf(b, "### The versions of the rule side by side\n\nSeconds are modelled: %.2f s a process and %.2f s a case in it.\n\n", processSeconds, caseSeconds)
	header := []string{"noise", "rule", "A/A suites red", "A/A cases same", "suspect", "at the tolerance: suites with a regression", "cases passed"}
	for _, s := range Shifts {
		header = append(header, fmt.Sprintf("found at %+g %%", 100*s))
	}
	t := table{append(header, "rounds at 0", "seconds a suite")}
	for _, row := range r.Versions {
		line := []string{
			row.World, fmt.Sprint(row.Version), row.Red.String(), row.Same.String(), row.Suspect.String(), row.Edge.String(), row.EdgePass.String(),
		}
		for _, p := range row.Power {
			line = append(line, p.String())
		}
		t = append(t, append(line, fmt.Sprintf("%.1f", row.Rounds), fmt.Sprintf("%.0f", row.Seconds)))
	}
	t.write(b, 1)
}
