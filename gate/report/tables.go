package report

import (
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// measure is a column of a table of both sides: what a side has there, of which 0 means that it is not known, and how that is written.
type measure struct {
	key, title string
	of         func(result.Summary) float64
	write      func(float64) string
}

func (m measure) text(s *result.Summary) string {
	if s == nil || m.of(*s) <= 0 {
		return text.Blank
	}
	return m.write(m.of(*s))
}

// has says whether either side of a case has a value.
func (m measure) has(c result.Case) bool {
	return m.text(c.Base) != text.Blank || m.text(c.Head) != text.Blank
}

// rateTable is how much a case gets done in a second, where its adapter counts its work.
func rateTable(r *result.Result) Table {
	return bothSides("Rates", r.Cases, []measure{
		{"bandwidth", "GB/s", func(s result.Summary) float64 { return s.GBytesPerSec }, text.Number},
		{"flops", "GFLOP/s", func(s result.Summary) float64 { return s.GFlops }, text.Number},
		{"roofline", "of roofline", func(s result.Summary) float64 { return s.RooflineShare }, text.Percent},
	})
}

// spreadTable is how samples scatter within the processes, and processes among themselves.
func spreadTable(r *result.Result) Table {
	return bothSides("Variation", r.Cases, []measure{
		{"p90", "p90", func(s result.Summary) float64 { return s.P90NS }, text.Duration},
		{"p99", "p99", func(s result.Summary) float64 { return s.P99NS }, text.Duration},
		{"sample-cv", "CV of samples", func(s result.Summary) float64 { return s.SampleCV }, text.Percent},
		{"process-cv", "CV of processes", func(s result.Summary) float64 { return s.ProcessCV }, text.Percent},
	})
}

// bothSides is a table of cells like "1.24 → 1.23", base and head. Rows and columns without any value are left out.
func bothSides(title string, cases []result.Case, measures []measure) Table {
	cases = slices.DeleteFunc(sorted(cases), func(c result.Case) bool {
		return !slices.ContainsFunc(measures, func(m measure) bool { return m.has(c) })
	})
	var columns []column[result.Case]
	for _, m := range measures {
		if slices.ContainsFunc(cases, m.has) {
			columns = append(columns, numbersIn(m.key, m.title, 0, func(c result.Case) Cell { return cell(m.text(c.Base)+" → "+m.text(c.Head), Plain) }))
		}
	}
	t := tableBy("case, base → head", cases, func(_ int, c result.Case) Row { return Row{Name: nameOf(c), Rank: urgency(c)} }, columns...)
	t.Title = title
	return t
}

// leastPhaseS is a phase that is worth a line: what shows as more than nothing.
const leastPhaseS = 0.05

// phaseWords name what the processes of the rounds did.
var phaseWords = map[result.Phase]string{
	result.PhaseParity: "parity", result.PhaseStart: "starting processes", result.PhaseLoad: "loading code under test", result.PhaseProbe: "calibration", result.PhaseWarm: "warming up",
	result.PhaseBuffers: "making buffers", result.PhaseInputs: "filling inputs", result.PhaseSetup: "setup", result.PhaseFirst: "first launches",
	result.PhaseOutside: "checking for off-stream work", result.PhaseHost: "host time of launches", result.PhaseRecord: "capturing graphs",
	result.PhaseCanaries: "canaries", result.PhaseSamples: "samples", result.PhaseChecks: "checking timed outputs", result.PhaseGuards: "checking guard zones and inputs",
	result.PhaseChosen: "querying autotuners", result.PhaseExternal: "external timing checks", result.PhaseEnd: "ending processes",
}

// timingTable is where the wall time of the run went.
func timingTable(r *result.Result) Table {
	type part struct {
		name    string
		seconds float64
		tone    Tone
	}
	all := []part{{"compilers", r.Timings.CompileS, Plain}, {"harness processes", r.Timings.RunnersS, Plain}}
	for _, phase := range result.Phases {
		if seconds := r.Timings.Phases[phase]; seconds >= leastPhaseS {
			all = append(all, part{"  " + phaseWords[phase], seconds, Quiet})
		}
	}
	if r.Timings.WaitS > 0 {
		all = append(all, part{"waiting for the machine", r.Timings.WaitS, Plain})
	}
	all = append(all, part{"perfgate itself", r.Timings.OverheadS, Plain}, part{"in all", r.Timings.TotalS, Strong})
	t := tableBy("part", all, func(_ int, p part) Row {
		return Row{Name: Name{Full: p.name}, Drawn: bar(p.name, 0, p.seconds, StyleFirst)}
	},
		numbersIn("time", "time", 0, func(p part) Cell { return secondsCell(p.seconds, p.tone) }),
		numbersIn("share", "share", 0, func(p part) Cell {
			if r.Timings.TotalS <= 0 {
				return cell(text.Blank, Quiet)
			}
			return cell(text.Percent(p.seconds/r.Timings.TotalS), Quiet)
		}))
	t.Title = "Timings"
	return t.drawnOver(Figure{
		X: Axis{Title: "seconds", Quantity: QuantitySpan}, Caption: Say("Wall time of the run by what it was spent on."), Series: []Series{{Form: FormBars}},
	})
}
