package doctor

import (
	"slices"

	"github.com/org/perfgate/gate/result"
)

// Schema names the JSON form of a Report.
const Schema = "perfgate/doctor/v1"

// Status is how a finding bears on measuring.
type Status string

const (
	OK      Status = "ok"
	Warn    Status = "warn"    // measuring works, with less certainty, speed or evidence
	Bad     Status = "bad"     // what is measured here is wrong, or cannot be measured
	Unknown Status = "unknown" // nobody could tell
	Absent  Status = "absent"  // not here, and not needed unless a suite asks for it
)

// Finding is one line of the answer.
type Finding struct {
	Group  string `json:"group"`
	Name   string `json:"name"`
	Status Status `json:"status"`
	Text   string `json:"text"`
	Cure   string `json:"cure,omitempty"` // what helps, where something is to be helped
}

// Answers to the question.
const (
	Fit      = "fit"
	Unfit    = "unfit"
	CantTell = "unknown"
)

// Report is the answer with all that it rests on.
type Report struct {
	Schema   string          `json:"schema"`
	Verdict  string          `json:"verdict"` // fit, unfit or unknown
	Exit     result.ExitCode `json:"exit"`    // 0, 1 or 3
	Findings []Finding       `json:"findings"`
	Noise    []Noise         `json:"noise"`
	Machine  result.Machine  `json:"machine"`
}

// Examine turns facts into the report.
func Examine(f Facts) Report {
	r := Report{
		Schema:   Schema,
		Findings: slices.Concat(machineFindings(f), gpuFindings(f), toolFindings(f), noiseFindings(f)),
		Noise:    f.Noise,
		Machine:  f.Machine,
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

// Count is the number of findings with this status.
func (r Report) Count(s Status) int {
	n := 0
	for _, f := range r.Findings {
		if f.Status == s {
			n++
		}
	}
	return n
}

// group makes findings of one group.
type group string

func (g group) ok(name, text string) Finding { return Finding{string(g), name, OK, text, ""} }

func (g group) warn(name, text, cure string) Finding {
	return Finding{string(g), name, Warn, text, cure}
}

func (g group) bad(name, text, cure string) Finding { return Finding{string(g), name, Bad, text, cure} }

func (g group) unknown(name, text, cure string) Finding {
	return Finding{string(g), name, Unknown, text, cure}
}

func (g group) absent(name, text, cure string) Finding {
	return Finding{string(g), name, Absent, text, cure}
}
