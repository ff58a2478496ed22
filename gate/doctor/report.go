package doctor

import (
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
	Unknown Status = "unknown" // the check gave no result
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
