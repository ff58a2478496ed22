package page

import (
	"html/template"
	"math"

	"github.com/org/perfgate/gate/page/plot"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// evidence says why a case changed.
type evidence struct {
	Lead    template.HTML
	Terms   []term // from base to head
	Table   table
	More    []template.HTML
	Caption string
}

// term is one step of the account.
type term struct {
	Name   string
	Effect string
	Figure template.HTML
	Named  bool // it is the cause, or one of them
	Total  bool
}

func caseEvidence(c result.Case, d report.Document) *evidence {
	for _, e := range d.Evidence {
		if c.Evidence == nil || e.Case.Full != fullName(c) {
			continue
		}
		out := &evidence{Lead: prose(e.Lead), More: proses(e.More), Terms: account(c.Evidence)}
		if len(e.Table.Rows) > 0 {
			out.Table = tableOf(e.Table)
		}
		if len(out.Terms) > 0 {
			out.Caption = "How the time of base becomes that of head: each bar begins where the one above it ends."
		}
		return out
	}
	return nil
}

// smallestTerm is the part of a change, in ln units, from which on a term has a bar of its own.
const smallestTerm = 0.003

// account is the waterfall from base to head: the named causes, the others, and what none of them covers.
func account(e *result.CaseEvidence) []term {
	type step struct {
		name  string
		log   float64
		named bool
	}
	var steps []step
	rest := e.Log
	for i, causes := range [][]result.Cause{e.Causes, e.Others} {
		for _, cause := range causes {
			if math.Abs(cause.Log) >= smallestTerm {
				steps = append(steps, step{cause.Title, cause.Log, i == 0})
				rest -= cause.Log
			}
		}
	}
	if len(steps) == 0 {
		return nil
	}
	if math.Abs(rest) >= smallestTerm {
		steps = append(steps, step{"not accounted for", rest, false})
	}
	reach := []float64{1, math.Exp(e.Log)}
	at := 0.0
	for _, s := range steps {
		at += s.log
		reach = append(reach, math.Exp(at))
	}
	scale := plot.Logarithmic(reach, 1.05, 4, stripWidth-4)
	var out []term
	at = 0
	for _, s := range steps {
		class := "rest"
		switch {
		case s.named && s.log > 0:
			class = "worse"
		case s.named:
			class = "better"
		}
		out = append(out, term{Name: report.Visible(s.name), Effect: effect(s.log), Named: s.named, Figure: bar(scale, class, at, at+s.log)})
		at += s.log
	}
	return append(out, term{Name: "head, measured", Effect: effect(e.Log), Total: true, Figure: bar(scale, "total", 0, e.Log)})
}

// effect words a step, as a factor where it is a large one.
func effect(log float64) string {
	if ratio := math.Exp(log); ratio >= 3 {
		return report.Number(ratio) + "x"
	}
	return report.Change(math.Expm1(log), 1)
}

// bar is a step of the waterfall, in ln units.
func bar(s plot.Scale, class string, from, to float64) template.HTML {
	const height = 18.0
	c := plot.New(stripWidth, height)
	c.Line("even", plot.Point{X: s.At(1), Y: 0}, plot.Point{X: s.At(1), Y: height})
	a, b := s.At(math.Exp(from)), s.At(math.Exp(to))
	c.Rect("step "+class, plot.Point{X: a, Y: 4}, plot.Point{X: b, Y: height - 4})
	c.Line("joint", plot.Point{X: b, Y: 4}, plot.Point{X: b, Y: height})
	return c.SVG("")
}
