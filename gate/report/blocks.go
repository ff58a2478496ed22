package report

import (
	"fmt"
	"slices"

	"github.com/org/perfgate/gate/result"
)

// blocks gathers the parts of a document; what has nothing to say is left out.
type blocks []Block

func (b *blocks) add(one Block) {
	if len(one.Paragraphs)+len(one.List)+len(one.Blocks) > 0 || one.Figure != nil || one.Table != nil && len(one.Table.Rows) > 0 ||
		one.Log != nil && (one.Log.Command != "" || len(one.Log.Lines) > 0) {
		*b = append(*b, one)
	}
}

// with are the blocks of a layer.
func (b blocks) with(layer Layer) []Block {
	return slices.DeleteFunc(slices.Clone(b), func(one Block) bool { return one.Layer != layer })
}

// pointsOf is a list of texts in one tone.
func pointsOf(key string, layer Layer, tone Tone, texts []Text) Block {
	b := Block{Key: key, Layer: layer}
	for _, t := range texts {
		b.List = append(b.List, Item{Text: t, Tone: tone})
	}
	return b
}

// tableOf is a table as a block.
func tableOf(key string, layer Layer, t Table) Block {
	b := Block{Key: key, Layer: layer, Table: &t}
	if t.Title != "" {
		b.Title = Say(t.Title)
	}
	return b
}

// notesOf are what something has to say about itself.
func notesOf(notes []Text) Block {
	b := Block{Key: "notes"}
	for _, n := range notes {
		b.List = append(b.List, Item{Label: "note", Text: n})
	}
	return b
}

// repeatOf is the command that does it again.
func repeatOf(layer Layer, command string) Block {
	return Block{Key: "repeat", Layer: layer, Title: Say("Repeat it with"), Log: &Log{Command: command}}
}

// factsOf are labelled lines on how something was measured.
func factsOf(all []Fact, more ...Block) Block {
	list := Block{Key: "facts"}
	for _, f := range all {
		list.List = append(list.List, Item{Label: f.Label, Text: f.Text})
	}
	var inner blocks
	for _, b := range append([]Block{list}, more...) {
		inner.add(b)
	}
	return Block{Key: "method", Layer: Folded, Title: Say("How this was measured"), Blocks: inner}
}

// briefRows is how many rows of a table a short layout shows.
const briefRows = 6

// runBlocks are the parts of a run, the most important first.
func runBlocks(r *result.Result, d parts) []Block {
	var all blocks
	all.add(pointsOf("against", Always, d.Tone, d.also))
	all.add(Block{Key: "why", Blocks: whyBlocks(r)})
	all.add(pointsOf("gaps", gapsLayer(r), Warn, d.gaps))
	checked := parityBlocks(d.parity)
	for _, b := range append(checked.with(Always), problemBlocks(d.problems, false)...) {
		all.add(b)
	}
	all.add(tableOf("cases", Always, d.cases))
	all.addEach(figureBlocks("cases", caseIntervals(r)))
	for i, t := range d.competitors {
		t.Brief = briefRows
		all.add(tableOf(fmt.Sprintf("competitor-%d", i+1), Always, t))
	}
	all.add(pointsOf("competitor-notes", Always, Quiet, d.beside))
	all.add(openRemarks(d.remarks))
	all.add(caseDetails(r, d))
	all.add(parityDetails(r))
	all.add(pointsOf("past", Always, Quiet, pastLines(d.pasts)))
	all.add(pointsOf("accepted", Always, Warn, d.accepted))
	all.add(notesOf(d.noted))
	if r.Conclusion.Verdict != result.RunPassed {
		all.add(repeatOf(Always, d.repro))
	}
	for _, b := range append(checked.with(Folded), detailBlocks(r, d)...) {
		all.add(b)
	}
	return all
}

// detailBlocks are what a reader asks for who wants to know how an answer came about.
func detailBlocks(r *result.Result, d parts) []Block {
	var all blocks
	all.add(Block{Key: "evidence", Layer: Folded, Title: Say("All figures"), Blocks: evidenceBlocks(d.evidence)})
	code := pointsOf("code", Folded, Quiet, d.static)
	code.Title = Say("Compiled code and growth")
	all.add(code)
	all.add(codeDetails(r))
	shown := len(openRemarks(d.remarks).List) <= mostOpen // or some of them are only here
	var remarks []Text
	for _, remark := range d.remarks {
		if !remark.Open || !shown {
			remarks = append(remarks, remark.line())
		}
	}
	about := pointsOf("remarks", Folded, Quiet, remarks)
	about.Title = Say("Remarks on single cases")
	all.add(about)
	var repeat []Block
	if d.repro != "" && r.Conclusion.Verdict == result.RunPassed {
		repeat = []Block{repeatOf(Always, d.repro)}
	}
	ended := func(f Fact) bool { return f.Label == "took" }
	all.add(factsOf(slices.DeleteFunc(slices.Clone(d.facts), ended), append([]Block{tableOf("rates", Always, d.rates), tableOf("variation", Always, d.spread)}, repeat...)...))
	all.add(tableOf("timings", Verbose, d.timings))
	all.addEach(figureBlocks("timings", timeShares(d.timings)))
	all.add(Block{Key: "run-figures", Title: Say("Sensitivity and machine"), Layer: Full, Blocks: figureBlocks("run", runFigures(r))})
	for _, f := range d.facts {
		if ended(f) {
			all.add(Block{Key: "took", List: []Item{{Label: f.Label, Text: f.Text}}})
		}
	}
	return all
}

// Saved is the last line of what a command prints: where all of it is.
func Saved(path string) Block {
	return Block{Key: "saved", List: []Item{{Label: "report", Text: Text{code(path)}}}}
}

// line is a remark with the name of its case.
func (r Remark) line() Text { return append(Text{code(r.Case.Full), words(": ")}, r.Text...) }

// mostOpen is how many inconclusive cases have a line each: a noisy machine leaves all of them so, for one reason.
const mostOpen = 3

// openRemarks say of the first inconclusive cases what an answer would take.
func openRemarks(remarks []Remark) Block {
	var open []Text
	for _, r := range remarks {
		if r.Open {
			open = append(open, r.line())
		}
	}
	if more := len(open) - mostOpen; more > 0 {
		open = append(open[:mostOpen:mostOpen], Say(Count(more, "more inconclusive case")+"; the HTML report says what each would take"))
	}
	return pointsOf("open", Always, Quiet, open)
}

// mostWhy is how many changed cases have their cause in the open.
const mostWhy = 3

// whyBlocks say why cases changed: of a regression with the figures that show it and what helps.
func whyBlocks(r *result.Result) []Block {
	var all blocks
	cases := sorted(r.Cases)
	slices.SortStableFunc(cases, func(a, b result.Case) int { return urgency(a) - urgency(b) })
	for _, c := range cases {
		if c.Evidence == nil || len(all) == mostWhy {
			continue
		}
		why := Block{Key: "why " + nameOf(c).Full, List: []Item{{Text: lead(c), Tone: verdictTone[c.Verdict]}}}
		if c.Evidence.Log > 0 {
			why.List = append(why.List, causeItems(c.Evidence)...)
		}
		all.add(why)
	}
	return all
}

// causeItems have for each named cause the figures that show it best, and what helps.
func causeItems(e *result.CaseEvidence) []Item {
	var out []Item
	for _, cause := range e.Causes[:min(len(e.Causes), mostBriefCauses)] {
		i := Item{Text: figures(cause), Tone: Quiet}
		if i.Text == nil {
			i.Text = Say(cause.Title)
		}
		if cause.Remedy != "" {
			i.Next = Say(cause.Remedy)
		}
		out = append(out, i)
	}
	return out
}

// gapsLayer is where it is said which evidence is missing: in the open only where a regression has no cause for it.
func gapsLayer(r *result.Result) Layer {
	if slices.ContainsFunc(r.Cases, func(c result.Case) bool {
		return c.Verdict == result.Regression && (c.Evidence == nil || len(c.Evidence.Causes) == 0)
	}) {
		return Always
	}
	return Folded
}

// evidenceBlocks are all that shows the cause of each changed case.
func evidenceBlocks(all []Evidence) []Block {
	var out blocks
	for _, e := range all {
		var inner blocks
		key := "evidence " + e.Case.Full // prefixed: a kernel may be called like a block
		inner.add(Block{Key: key + " lead", Paragraphs: []Text{e.Lead}})
		inner.add(Block{Key: key + " figures", Table: &e.Table})
		inner.add(pointsOf(key+" more", Always, Quiet, e.More))
		out.add(Block{Key: key, Blocks: inner})
	}
	return out
}

// parityBlocks are the kernels that are wrong, each with what reproduces it, and the others.
func parityBlocks(checks []Check) blocks {
	var out blocks
	others := Block{Key: "parity", Layer: Folded, Title: Say("Parity")}
	for _, c := range alikeChecks(checks) {
		text := append(c.about(": "), c.Text...)
		if c.Repro == "" && c.Tone != Bad {
			others.List = append(others.List, Item{Label: c.Status, Text: text, Tone: c.Tone})
			continue
		}
		var wrong blocks
		wrong.add(Block{Key: c.Kernel + " failure", List: []Item{{Label: c.Status, Text: text, Tone: c.Tone}}})
		wrong.add(Block{Key: c.Kernel + " repeat", Log: &Log{Command: c.Repro}})
		wrong.add(Block{Key: c.Kernel + " map", Log: &Log{Lines: c.Map, Whole: true}})
		out.add(Block{Key: "parity " + c.Kernel, Tone: Bad, Blocks: wrong})
	}
	out.add(others)
	return out
}

// problemBlocks are what tools said where something went wrong. whole is for a command that writes no other file with the lines.
func problemBlocks(problems []Problem, whole bool) []Block {
	var out blocks
	for i, p := range problems {
		b := Block{Key: fmt.Sprintf("problem-%d", i+1), Title: p.Title, Tone: p.Tone, Log: &Log{Command: p.Command, Lines: p.Output, Whole: whole}}
		if p.Command == "" && len(p.Output) == 0 {
			b.Title, b.Log, b.List = nil, nil, []Item{{Text: p.Title, Tone: p.Tone}}
		}
		out.add(b)
	}
	return out
}

// Parity is whether head is right, the parity of each kernel and what went wrong, and nothing of speed.
func Parity(r *result.Result) Document {
	d := gather(r)
	d.Kind = "parity"
	var all blocks
	all.add(pointsOf("against", Always, d.Tone, d.also))
	for _, b := range append(parityBlocks(d.parity), problemBlocks(d.problems, true)...) {
		b.Layer = Always
		if b.Key == "parity" {
			b.Title = nil
		}
		all.add(b)
	}
	d.Blocks = all
	return d.Document
}

// Note adds what whoever publishes a document has to say about it.
func (d *Document) Note(note string) {
	text := Say(note)
	d.Blocks = slices.Clone(d.Blocks)
	if i := slices.IndexFunc(d.Blocks, func(b Block) bool { return b.Key == "notes" }); i >= 0 {
		d.Blocks[i].List = append(slices.Clip(d.Blocks[i].List), notesOf([]Text{text}).List...)
		return
	}
	i := slices.IndexFunc(d.Blocks, func(b Block) bool { return b.Layer != Always })
	if i < 0 {
		i = len(d.Blocks)
	}
	d.Blocks = slices.Insert(d.Blocks, i, notesOf([]Text{text}))
}

// Repeat puts another command in the place of the one that does it again.
func (d *Document) Repeat(command string) {
	blocks, found := repeated(d.Blocks, command)
	if !found {
		blocks = append(blocks, repeatOf(Always, command))
	}
	d.Blocks = blocks
}

func repeated(blocks []Block, command string) (out []Block, found bool) {
	out = slices.Clone(blocks)
	for i, b := range out {
		if b.Key == "repeat" {
			out[i].Log, found = &Log{Command: command}, true
			continue
		}
		inner, within := repeated(b.Blocks, command)
		out[i].Blocks, found = inner, found || within
	}
	return out, found
}
