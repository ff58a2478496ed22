package report

import (
	"slices"

	"github.com/org/perfgate/gate/result"
)

// measure is a column of a table of both sides: its title and what a side has there.
type measure struct {
	key, title string
	of         func(result.Summary) string
}

// rateTable is how much a case gets done in a second, where its adapter counts its work.
func rateTable(r *result.Result) Table {
	return bothSides("Rates", r.Cases, []measure{
		{"bandwidth", "GB/s", func(s result.Summary) string { return positive(s.GBytesPerSec, Number) }},
		{"flops", "GFLOP/s", func(s result.Summary) string { return positive(s.GFlops, Number) }},
		{"roofline", "of roofline", func(s result.Summary) string { return positive(s.RooflineShare, Percent) }},
	})
}

// spreadTable is how samples scatter within the processes, and processes among themselves.
func spreadTable(r *result.Result) Table {
	return bothSides("Variation", r.Cases, []measure{
		{"p90", "p90", func(s result.Summary) string { return positive(s.P90NS, Duration) }},
		{"p99", "p99", func(s result.Summary) string { return positive(s.P99NS, Duration) }},
		{"sample-cv", "CV of samples", func(s result.Summary) string { return positive(s.SampleCV, Percent) }},
		{"process-cv", "CV of processes", func(s result.Summary) string { return positive(s.ProcessCV, Percent) }},
	})
}

// positive writes x, of which 0 means that it is not known.
func positive(x float64, write func(float64) string) string {
	if x <= 0 {
		return blank
	}
	return write(x)
}

// bothSides is a table of cells like "1.24 → 1.23", base and head. Rows and columns without any value are left out.
func bothSides(title string, cases []result.Case, measures []measure) Table {
	t := Table{Title: title, First: "case, base → head"}
	cases = sorted(cases)
	measures = slices.DeleteFunc(measures, func(m measure) bool {
		return !slices.ContainsFunc(cases, func(c result.Case) bool { return has(c, m) })
	})
	for _, m := range measures {
		t.Columns = append(t.Columns, Column{Key: m.key, Title: m.title, Align: Right})
	}
	for _, c := range cases {
		if !slices.ContainsFunc(measures, func(m measure) bool { return has(c, m) }) {
			continue
		}
		row := Row{Name: nameOf(c), Rank: urgency(c), Cells: Cells{}}
		for _, m := range measures {
			row.Cells[m.key] = cell(valueOf(c.Base, m)+" → "+valueOf(c.Head, m), Plain)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func has(c result.Case, m measure) bool {
	return valueOf(c.Base, m) != blank || valueOf(c.Head, m) != blank
}

func valueOf(s *result.Summary, m measure) string {
	if s == nil {
		return blank
	}
	return m.of(*s)
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
	t := Table{Title: "Timings", First: "part", Columns: []Column{
		{Key: "time", Title: "time", Unit: "s", Align: Right}, {Key: "share", Title: "share", Align: Right},
	}}
	add := func(name string, seconds float64, tone Tone) {
		share := blank
		if r.Timings.TotalS > 0 {
			share = Percent(seconds / r.Timings.TotalS)
		}
		t.Rows = append(t.Rows, Row{Name: Name{Full: name}, Cells: Cells{"time": secondsCell(seconds, tone), "share": cell(share, Quiet)}})
	}
	add("compilers", r.Timings.CompileS, Plain)
	add("harness processes", r.Timings.RunnersS, Plain)
	for _, phase := range result.Phases {
		if seconds := r.Timings.Phases[phase]; seconds >= leastPhaseS {
			add("  "+phaseWords[phase], seconds, Quiet)
		}
	}
	if r.Timings.WaitS > 0 {
		add("waiting for the machine", r.Timings.WaitS, Plain)
	}
	add("perfgate itself", r.Timings.OverheadS, Plain)
	add("in all", r.Timings.TotalS, Strong)
	return t
}
