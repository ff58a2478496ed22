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
