package doctor

import (
	"io"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/saved"
	"github.com/org/perfgate/gate/text"
)

// JSON writes the report as one JSON document.
func (r Report) JSON(w io.Writer) error { return saved.Print(w, r) }

var tones = map[Status]report.Tone{OK: report.Good, Warn: report.Warn, Bad: report.Bad, Unknown: report.Warn, Absent: report.Quiet}

// Document is the report for people: a line for each finding, with its cure beneath where there is something to cure.
func (r Report) Document() report.Document {
	var entries []report.Entry
	for _, f := range r.Findings {
		entries = append(entries, report.Entry{Group: f.Group, State: string(f.Status), Name: f.Name, Text: f.Text, Cure: f.Cure, Tone: tones[f.Status]})
	}
	tone := map[string]report.Tone{Fit: report.Good, Unfit: report.Bad, CantTell: report.Warn}[r.Verdict]
	return report.Checklist(entries, report.Text{{Text: r.Verdict, Tone: tone}, {Text: r.sentence()}})
}

// sentence says what the verdict rests on.
func (r Report) sentence() string {
	warnings := ""
	if n := r.Count(Warn); n > 0 {
		warnings = ", with " + text.Count(n, "warning")
	}
	switch r.Verdict {
	case Fit:
		return ": this machine can measure" + warnings
	case Unfit:
		return ": " + text.Count(r.Count(Bad), "thing has to be helped", "things have to be helped") + " first" + warnings
	}
	return ": " + text.Count(r.Count(Unknown), "thing") + " could not be told" + warnings
}
