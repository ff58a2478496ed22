package doctor

import (
	"io"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/saved"
	"github.com/org/perfgate/gate/text"
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

// JSON writes the report as one JSON document.
func (r Report) JSON(w io.Writer) error { return saved.Print(w, r) }

var tones = map[Status]report.Tone{OK: report.Good, Warn: report.Warn, Bad: report.Bad, Unknown: report.Warn, Absent: report.Quiet}

var verdicts = map[string]report.Document{
	Fit: {Verdict: "FIT", Tone: report.Good}, Unfit: {Verdict: "UNFIT", Tone: report.Bad}, CantTell: {Verdict: "UNKNOWN", Tone: report.Warn},
}

// Document is the report for people: the answer, and a line for each finding, with its cure beneath where there is something to cure.
func (r Report) Document() report.Document {
	d := verdicts[r.Verdict]
	d.Headline = report.Say(r.sentence())
	for _, f := range r.Findings {
		last := len(d.Blocks) - 1
		if last < 0 || d.Blocks[last].Key != f.Group {
			d.Blocks = append(d.Blocks, report.Block{Key: f.Group, Title: report.Say(f.Group)})
			last++
		}
		item := report.Item{Label: string(f.Status), Tone: tones[f.Status], Text: report.Text{{Text: f.Name, Tone: report.Strong}, {Text: ": " + f.Text}}}
		if f.Cure != "" {
			item.Next = report.Say(f.Cure)
		}
		d.Blocks[last].List = append(d.Blocks[last].List, item)
	}
	return d
}

// sentence says what the verdict rests on.
func (r Report) sentence() string {
	warnings := ""
	if n := r.Count(Warn); n > 0 {
		warnings = ", with " + text.Count(n, "warning")
	}
	switch r.Verdict {
	case Fit:
		return "this machine can measure" + warnings
	case Unfit:
		return "fix " + text.Count(r.Count(Bad), "problem") + " first" + warnings
	}
	return text.Count(r.Count(Unknown), "check") + " without a result" + warnings
}
