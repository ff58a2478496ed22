package doctor

import (
	"slices"

	"github.com/org/perfgate/gate/result"
)

// check is one line of the answer: what is looked at, and the finding that facts make of it. A finding without a status says nothing.
type check struct {
	group, name string
	find        func(Facts) Finding
}

var withoutAGPU = []check{
	{"GPU", "driver", noGPU},
	{"tools", "compiler", compiler}, // nvcc and ncu have nothing to work on
}

// checks are those that the facts are open to.
func checks(f Facts) []check {
	gpu := withoutAGPU
	switch {
	case f.Other:
		gpu = ofOther
	case f.Machine.GPU != nil:
		gpu = ofGPU
	}
	all := slices.Concat(ofMachine, ofSandbox, gpu, software)
	if f.NoiseSkipped || f.NoiseTrouble != "" {
		all = append(all, check{"A/A", "canary", noNoise})
	} else {
		for _, n := range f.Noise {
			all = append(all,
				check{"A/A", "noise", func(Facts) Finding { return scatter(n) }},
				check{"A/A", "MDE", func(Facts) Finding { return sight(n) }})
		}
	}
	for _, b := range f.Benchmarks {
		all = append(all,
			check{"bench", b.Kernel, func(Facts) Finding { return b.finding() }},
			check{"bench", b.Kernel, func(Facts) Finding { return b.filter() }})
	}
	return append(all, check{"A/A", "under load", underLoad}, check{"A/A", "sandbox", sandboxed})
}

// Examine turns facts into the report.
func Examine(f Facts) Report {
	r := Report{Schema: Schema, Noise: f.Noise, Machine: f.Machine}
	for _, c := range checks(f) {
		if found := c.find(f); found.Status != "" {
			found.Group, found.Name = c.group, c.name
			r.Findings = append(r.Findings, found)
		}
	}
	if r.Noise == nil {
		r.Noise = []Noise{} // an empty list, not null
	}
	switch {
	case r.Count(Bad) > 0:
		r.Verdict, r.Exit = Unfit, result.ExitFailed
	case r.Count(Unknown) > 0:
		r.Verdict, r.Exit = CantTell, result.ExitNotMeasurable
	default:
		r.Verdict, r.Exit = Fit, result.ExitPassed
	}
	return r
}

func fine(text string) Finding          { return Finding{Status: OK, Text: text} }
func warn(text, cure string) Finding    { return Finding{Status: Warn, Text: text, Cure: cure} }
func bad(text, cure string) Finding     { return Finding{Status: Bad, Text: text, Cure: cure} }
func unknown(text, cure string) Finding { return Finding{Status: Unknown, Text: text, Cure: cure} }
func absent(text, cure string) Finding  { return Finding{Status: Absent, Text: text, Cure: cure} }
