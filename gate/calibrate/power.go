package calibrate

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// PowerTolerances are the tolerances of the table of power.
var PowerTolerances = []float64{0.005, 0.01, 0.015}

// PowerOptions says what to draw from streams.
type PowerOptions struct {
	Seed    uint64
	Runs    int // drawn for every case, dose and tolerance
	Policy  result.Policy
	Exact   bool // scale head so that the planted shift is the dose
	Observe func(done string)
}

// PowerReport is how often the gate finds what was planted in the code of streams.
type PowerReport struct {
	Options PowerOptions
	Streams []Stream
	Cells   []PowerCell
}

// PowerCell is one case at one dose and tolerance.
type PowerCell struct {
	Case      string
	Dose      int // percent; 0 is unchanged code
	Tolerance float64
	Red       []int // runs that had called it a regression by each look
	Runs      int
	Rounds    float64 // mean, until the case was decided or all looks were done
	Failed    Rate    // runs that fail by it, the policy for open cases included
}

// ByLook is the share of runs in which the case is a regression by the given look, from 0.
func (c PowerCell) ByLook(look int) Rate { return Rate{c.Red[look], c.Runs} }

// Power lets the gate decide on rounds drawn from the streams, all of which count as cases of one run. Equal options give
// equal numbers.
func Power(streams []Stream, o PowerOptions) (PowerReport, error) {
	o.Policy.Cases = len(streams)
	if err := o.Policy.Validate(); err != nil {
		return PowerReport{}, err
	}
	r := PowerReport{Options: o, Streams: streams}
	for _, s := range streams {
		for _, dose := range append([]int{0}, s.Doses()...) {
			for _, tolerance := range PowerTolerances {
				r.Cells = append(r.Cells, o.cell(s, dose, tolerance))
			}
		}
		if o.Observe != nil {
			o.Observe(s.Case)
		}
	}
	return r, nil
}

func (o PowerOptions) cell(s Stream, dose int, tolerance float64) PowerCell {
	p := o.Policy
	p.Tolerance = tolerance
	looks := rule.ScheduleOf(p).Looks()
	w := dosed{s, dose, o.Exact && dose > 0}
	outcomes := parallel(o.Runs, func(i int) outcome { return gateCase(newTrial(w, 0, o.Seed, i), w.Timing(), p) })
	cell := PowerCell{Case: s.Case, Dose: dose, Tolerance: tolerance, Red: make([]int, len(looks)), Runs: o.Runs, Rounds: meanRounds(outcomes)}
	for _, out := range outcomes {
		cell.Failed.add(out.red)
		for look, rounds := range looks {
			if out.verdict == result.Regression && out.rounds <= rounds {
				cell.Red[look]++
			}
		}
	}
	return cell
}

// Cell is that of a case, dose and tolerance.
func (r PowerReport) Cell(name string, dose int, tolerance float64) (PowerCell, bool) {
	for _, c := range r.Cells {
		if c.Case == name && c.Dose == dose && c.Tolerance == tolerance {
			return c, true
		}
	}
	return PowerCell{}, false
}

// Render writes the report as Markdown tables.
func (r PowerReport) Render(w io.Writer) error {
	var b strings.Builder
	planted := "what is planted is what was measured (the shifts of the table)"
	if r.Options.Exact {
		planted = "head scaled so that what is planted is the percentage itself"
	}
	fmt.Fprintf(&b, "Confidence %.4g %% over a run of %d cases, seed %d, %d runs a number; %s. All rates in %%.\n\n",
		100*r.Options.Policy.Confidence, len(r.Streams), r.Options.Seed, r.Options.Runs, planted)
	r.shifts(&b)
	r.byTime(&b)
	r.byCase(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

// doses are those of all streams.
func (r PowerReport) doses() []int {
	var doses []int
	for _, s := range r.Streams {
		for _, d := range s.Doses() {
			if !slices.Contains(doses, d) {
				doses = append(doses, d)
			}
		}
	}
	slices.Sort(doses)
	return doses
}

func (r PowerReport) shifts(b *strings.Builder) {
	b.WriteString("### What was recorded\n\n")
	header := []string{"case", "launch, µs", "scatter of a process"}
	for _, d := range r.doses() {
		header = append(header, fmt.Sprintf("+%d %% of work", d))
	}
	t := table{append(header, "processes")}
	for _, s := range r.Streams {
		line := []string{s.Case, fmt.Sprintf("%.4g", s.Median()/1e3), fmt.Sprintf("%.3f", 100*s.Scatter())}
		count := len(s.Values[0])
		for _, d := range r.doses() {
			count += len(s.Values[d])
			line = append(line, fmt.Sprintf("%+.2f", 100*s.Shift(d)))
		}
		t = append(t, append(line, fmt.Sprint(count)))
	}
	t.write(b, 1)
}

// byTime is the power over all cases against the rounds that were spent.
func (r PowerReport) byTime(b *strings.Builder) {
	b.WriteString("### Cases found to be a regression, by rounds spent\n\n")
	header := []string{"tolerance, %", "planted, %"}
	looks := rule.ScheduleOf(r.Options.Policy).Looks()
	for _, rounds := range looks {
		header = append(header, fmt.Sprintf("%d rounds", rounds))
	}
	t := table{header}
	for _, tolerance := range PowerTolerances {
		for _, dose := range append([]int{0}, r.doses()...) {
			line := []string{fmt.Sprintf("%.1f", 100*tolerance), fmt.Sprintf("+%d", dose)}
			for look := range looks {
				var all Rate
				for _, c := range r.Cells {
					if c.Dose == dose && c.Tolerance == tolerance {
						all.Hits, all.Trials = all.Hits+c.Red[look], all.Trials+c.Runs
					}
				}
				line = append(line, all.String())
			}
			t = append(t, line)
		}
	}
	t.write(b, 2)
}

func (r PowerReport) byCase(b *strings.Builder) {
	b.WriteString("### By case: found after all looks, and mean rounds until decided\n\n")
	header := []string{"case"}
	for _, tolerance := range PowerTolerances {
		for _, dose := range append([]int{0}, r.doses()...) {
			header = append(header, fmt.Sprintf("+%d at %.1f", dose, 100*tolerance))
		}
	}
	t := table{header}
	for _, s := range r.Streams {
		line := []string{s.Case}
		for _, tolerance := range PowerTolerances {
			for _, dose := range append([]int{0}, r.doses()...) {
				c, ok := r.Cell(s.Case, dose, tolerance)
				if !ok {
					line = append(line, "-")
					continue
				}
				line = append(line, fmt.Sprintf("%s (%.1f)", c.ByLook(len(c.Red)-1), c.Rounds))
			}
		}
		t = append(t, line)
	}
	t.write(b, 1)
}
