package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// addEach adds blocks one by one.
func (b *blocks) addEach(all []Block) {
	for _, one := range all {
		b.add(one)
	}
}

// mostDetailed is how many cases have figures: those that come first, which are the worst. Of the others, result.json has the samples.
const mostDetailed = 200

// figureBlocks are figures as blocks, one after the other. prefix keeps their keys apart from those of other cases.
func figureBlocks(prefix string, all []Figure) []Block {
	out := make([]Block, len(all))
	for i := range all {
		out[i] = Block{Key: prefix + "/" + all[i].Key + fmt.Sprint(i), Layer: Full, Figure: &all[i]}
	}
	return out
}

// CaseKey is the key of the block with the details of a case, by its full name.
func CaseKey(name string) string { return "case " + name }

// caseDetails has a block a case: what is said of it, its figures and its numbers.
func caseDetails(r *result.Result, d parts) Block {
	out := Block{Key: "case-details", Title: Say("Case by case"), Layer: Full}
	kernels, remarked := byName(r.Kernels), map[string][]Text{}
	for _, remark := range d.remarks {
		remarked[remark.Case.Full] = append(remarked[remark.Case.Full], remark.Text)
	}
	for i, c := range sorted(r.Cases) {
		said := saidOf(kernels[c.Kernel], c, remarked[nameOf(c).Full])
		if b := caseDetail(r, said, c, i < mostDetailed); len(b.Blocks) > 0 {
			out.Blocks = append(out.Blocks, b)
		}
	}
	return out
}

func caseDetail(r *result.Result, said Block, c result.Case, withFigures bool) Block {
	name := nameOf(c).Full
	out := Block{Key: CaseKey(name), Title: caseTitle(c), Layer: Full}
	if c.Verdict != result.Same && c.Verdict != result.New {
		out.Tone = verdictTone[c.Verdict]
	}
	if len(said.Paragraphs) > 0 {
		out.Blocks = append(out.Blocks, said)
	}
	if c.Evidence != nil {
		out.Blocks = append(out.Blocks, causeBlocks(c)...)
	}
	if withFigures {
		out.Blocks = append(out.Blocks, figureBlocks(name, caseFigures(r, c))...)
	}
	if t := processTable(c); withFigures && len(t.Rows) > 0 {
		out.Blocks = append(out.Blocks, Block{Key: name + "/processes", Title: Say("All processes"), Layer: Full, Table: &t})
	}
	if command := repeatCase(r, c); command != "" {
		out.Blocks = append(out.Blocks, Block{Key: name + "/repeat", Title: Say("Measure this case only"), Layer: Full, Log: &Log{Command: command}})
	}
	return out
}

// saidOf is why a case came out as it did, and the remarks on it.
func saidOf(k result.Kernel, c result.Case, remarks []Text) Block {
	out := Block{Key: nameOf(c).Full + "/said", Layer: Full}
	if c.Verdict != result.Same && !remarksReason(k, c) && c.Reason != nil {
		out.Paragraphs = append(out.Paragraphs, Say(Reason(c.Reason)))
	}
	out.Paragraphs = append(out.Paragraphs, remarks...)
	return out
}

// caseTitle is a case with its verdict and its change.
func caseTitle(c result.Case) Text {
	tone := verdictTone[c.Verdict]
	if tone == Plain {
		tone = Quiet
	}
	t := Text{code(nameOf(c).Full), words(" "), Span{Text: string(c.Verdict), Tone: tone}}
	if c.Compared() != nil {
		change, interval := changeOf(deciding(c))
		t = append(t, words(" "+tied(change)), Span{Text: tied(" (" + interval + ")"), Tone: Quiet})
	}
	return t
}

// processTable is every process of a case.
func processTable(c result.Case) Table {
	t := Table{First: "process", Columns: []Column{
		{Key: "side", Title: "side"}, {Key: "value", Title: "trimmed mean", Unit: "ns", Align: Right}, {Key: "samples", Title: "samples", Unit: "1", Align: Right},
		{Key: "min", Title: "min", Unit: "ns", Align: Right}, {Key: "median", Title: "median", Unit: "ns", Align: Right}, {Key: "p90", Title: "p90", Unit: "ns", Align: Right},
		{Key: "max", Title: "max", Unit: "ns", Align: Right}, {Key: "cv", Title: "CV", Unit: "ratio", Align: Right},
	}}
	for _, p := range withTime(c.Sides()) {
		q := p.Quantiles
		t.Rows = append(t.Rows, Row{Name: Name{Full: fmt.Sprintf("round %d, process %d", p.Round+1, p.Position+1)}, Cells: Cells{
			"side": cell(p.Variant.String(), Plain), "value": timeCell(p.ValueNS, Plain), "samples": countCell(p.Samples, Plain), "min": timeCell(q.Min, Plain),
			"median": timeCell(q.P50, Plain), "p90": timeCell(q.P90, Plain), "max": timeCell(q.Max, Plain), "cv": number(Percent(p.CV), p.CV, Plain),
		}})
	}
	return t
}

// repeatCase is the command line that measures a case only; "" where the run cannot be narrowed down.
func repeatCase(r *result.Result, c result.Case) string {
	if OwnCommand(r.Repro) == "" || len(r.Merged) > 0 || c.Compared() == nil {
		return ""
	}
	return r.Repro + " --case='" + strings.ReplaceAll(c.Name, "'", `'\''`) + "'"
}

// parityDetails show where outputs are wrong and how far they are off, kernel by kernel.
func parityDetails(r *result.Result) Block {
	out := Block{Key: "outputs", Title: Say("Outputs"), Layer: Full}
	for _, k := range r.Kernels {
		if figures := parityFigures(k.Parity); len(figures) > 0 {
			out.Blocks = append(out.Blocks, Block{Key: "outputs " + k.Name, Title: Text{code(k.Name)}, Blocks: figureBlocks("outputs "+k.Name, figures)})
		}
	}
	return out
}

// causeBlocks are why a case changed, and the way from base to head where its causes are known.
func causeBlocks(c result.Case) []Block {
	name := nameOf(c).Full
	out := []Block{{Key: name + "/why", Layer: Full, Paragraphs: []Text{lead(c)}}}
	if t, f := causeShares(c.Evidence); len(t.Rows) > 0 {
		out = append(append(out, Block{Key: name + "/causes", Layer: Full, Table: &t}), figureBlocks(name+"/causes", []Figure{f})...)
	}
	return out
}

// mostFunctionRows bounds the functions of a kernel that are shown: a library of templates has thousands.
const mostFunctionRows = 40

// codeDetails are what the compiled code of each kernel needs, base and head; functions that did not change are left out.
func codeDetails(r *result.Result) Block {
	out := Block{Key: "functions", Title: Say("Functions that changed"), Layer: Full}
	if r.Evidence == nil {
		return out
	}
	for _, k := range r.Evidence.Kernels {
		t := Table{Title: k.Kernel, First: "function", Columns: []Column{{Key: "side", Title: "side"}}}
		for _, q := range codeQuantities {
			t.Columns = append(t.Columns, Column{Key: q.key, Title: q.key, Align: Right})
		}
		for _, f := range k.Functions {
			if base, head := codeRow(f, result.SideBase, f.Base, f.Head), codeRow(f, result.SideHead, f.Head, f.Base); len(t.Rows) < 2*mostFunctionRows && (base.Changed || head.Changed) {
				t.Rows = append(t.Rows, base, head)
			}
		}
		if len(t.Rows) > 0 {
			out.Blocks = append(out.Blocks, Block{Key: "functions " + k.Kernel, Title: Text{code(k.Kernel)}, Table: &t})
		}
	}
	return out
}

var codeQuantities = []struct {
	key  string
	of   func(*result.FunctionCode) float64
	text func(float64) string
}{
	{"registers", func(f *result.FunctionCode) float64 { return float64(f.Registers) }, whole},
	{"shared", func(f *result.FunctionCode) float64 { return float64(f.SharedBytes) }, bytesOf},
	{"spilled", func(f *result.FunctionCode) float64 { return float64(f.SpillBytes) }, bytesOf},
	{"stack", func(f *result.FunctionCode) float64 { return float64(f.StackBytes) }, bytesOf},
	{"occupancy", func(f *result.FunctionCode) float64 { return f.Occupancy }, Percent},
	{"instructions", func(f *result.FunctionCode) float64 {
		n := 0
		for _, class := range f.Instructions {
			n += class.Count
		}
		return float64(n)
	}, whole},
}

func whole(n float64) string { return strconv.Itoa(int(n)) }

func bytesOf(n float64) string { return Bytes(int64(n)) }

// codeRow is one side of a function; what the other side has different stands out.
func codeRow(f result.FunctionPair, side result.Side, of, other *result.FunctionCode) Row {
	row := Row{Name: Name{Full: FunctionName(f.Function)}, Cells: Cells{"side": cell(string(side), Plain)}, Changed: (of == nil) != (other == nil)}
	for _, q := range codeQuantities {
		if of == nil {
			row.Cells[q.key] = cell(blank, Quiet)
			continue
		}
		c := number(q.text(q.of(of)), q.of(of), Plain)
		if other != nil && q.of(of) != q.of(other) {
			c.Tone, row.Changed = Strong, true
		}
		row.Cells[q.key] = c
	}
	return row
}
