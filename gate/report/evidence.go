package report

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// Evidence says why one case changed.
type Evidence struct {
	Case  Name
	Lead  Text  // the cause, or that there is none
	Table Table // what shows it, before and after
	More  []Text
}

// What a report shows of the evidence; result.json has all.
const (
	mostCauses      = 3
	mostChanges     = 4
	mostAdvice      = 2
	mostBriefCauses = 2
	mostFigures     = 2 // in one of them
	mostGaps        = 6
	mostScaling     = 4
	// Functions are listed apart from scaling: a change of the code must not take the place of what it does to growth.
	mostFunctions = 4
	// A label of the evidence table is short enough to stand beside its cells on the narrowest terminal, since there is no
	// shorter way to write it.
	longestLabel = 31
)

func evidence(r *result.Result) []Evidence {
	var out []Evidence
	for _, c := range sorted(r.Cases) {
		if c.Evidence != nil {
			out = append(out, caseEvidence(c))
		}
	}
	return out
}

func caseEvidence(c result.Case) Evidence {
	e := c.Evidence
	out := Evidence{Case: nameOf(c), Lead: lead(c), Table: evidenceTable(c)}
	for _, cause := range e.Causes[:min(len(e.Causes), mostCauses)] {
		for _, fact := range cause.Facts {
			out.More = append(out.More, Say(fact))
		}
		if e.Log > 0 && cause.Remedy != "" {
			out.More = append(out.More, Say("what helps: "+cause.Remedy))
		}
	}
	out.More = append(out.More, account(e)...)
	out.More = append(out.More, launchCounts(e)...)
	for _, a := range e.Advice[:min(len(e.Advice), mostAdvice)] {
		out.More = append(out.More, advice(a))
	}
	for _, at := range e.Roofline {
		if t := roofline(at); t != nil {
			out.More = append(out.More, t)
		}
	}
	for _, note := range e.Notes {
		out.More = append(out.More, Say(note))
	}
	if len(e.Missing) > 0 {
		out.More = append(out.More, Text{words(Count(len(e.Missing), "metric") + " that a profile lacks: "), code(strings.Join(e.Missing, ", "))})
	}
	if len(e.Reports) > 0 {
		out.More = append(out.More, Text{words("full profiles: "), code(strings.Join(e.Reports, ", "))})
	}
	return out
}

// lead is the answer: the named causes and how much of the change they cover.
func lead(c result.Case) Text {
	e := c.Evidence
	t := Text{code(nameOf(c).Full)}
	switch {
	case e.Nothing != "":
		return append(t, words(": "+e.Nothing))
	case e.Log > 0:
		t = append(t, words(" is slower because "))
	default:
		t = append(t, words(" was slower before because "))
	}
	if len(e.Causes) == 0 {
		t = Text{code(nameOf(c).Full), words(": "), Span{Text: "unexplained", Tone: Warn}, words(", no cause covers half of the change")}
		switch {
		case !notShown(e):
		case len(e.Launches) == 0: // on a CPU, where instructions are counted and nothing else
			t = append(t, words(fmt.Sprintf("; a launch executes %s instructions, so most of it is the time that each takes "+
				"(cache misses, dependency chains, width of vectors), which counting does not show", ratioWords(e.Profiled))))
		default:
			t = append(t, words(fmt.Sprintf("; the two profiles differ by %s only, so what changed is not within the kernels (launches, clocks) or does not show under a profiler", ratioWords(e.Profiled))))
		}
		return t
	}
	for i, cause := range e.Causes[:min(len(e.Causes), mostCauses)] {
		if i > 0 {
			t = append(t, words(", and "))
		}
		t = append(t, Span{Text: cause.Title, Tone: Strong}, words(" (explains "+shareWords(cause.Share)+")"))
	}
	return t
}

// figures are the first quantities of a cause, before and after; nil where it has none.
func figures(cause result.Cause) Text {
	var t Text
	for i, change := range cause.Changes[:min(len(cause.Changes), mostFigures)] {
		if i > 0 {
			t = append(t, words(", "))
		}
		t = append(t, code(Clip(Visible(change.Name), longestLabel)), words(" "+quantity(change.Base, change.Unit)+" → "+quantity(change.Head, change.Unit)))
	}
	return t
}

// notShown says whether two profiles show less than half of a change. What they differ in is then no part of an answer.
func notShown(e *result.CaseEvidence) bool {
	return e.Source != "" && math.Abs(e.Profiled) < math.Abs(e.Log)/2
}

// moreThanAll is the share from which on a cause covers more than the change: something else works against it.
const moreThanAll = 1.15

// shareWords is how much of a change a cause covers.
func shareWords(share float64) string {
	switch {
	case share > moreThanAll:
		return "all of it, and more"
	case share > 0.95:
		return "all of it"
	}
	return Percent(share)
}

func ratioWords(log float64) string { return Change(math.Expm1(log), 1) }

// evidenceTable has a row for each quantity of the named causes; of the largest others if none is named and the profiles show
// the change.
func evidenceTable(c result.Case) Table {
	e := c.Evidence
	last := "cause"
	if e.Log < 0 {
		last = "fix, speedup"
	}
	t := Table{First: "what", Columns: []Column{
		{Key: "base", Title: "base", Align: Right}, {Key: "head", Title: "head", Align: Right}, {Key: "cause", Title: last},
	}}
	causes, tone := e.Causes, Bad
	if e.Log < 0 {
		tone = Good
	}
	if len(causes) == 0 && !notShown(e) {
		tone = Quiet
		for _, other := range e.Others {
			if other.Share > 0 {
				causes = append(causes, other)
			}
		}
	}
	for i, cause := range causes[:min(len(causes), mostCauses)] {
		for j, change := range cause.Changes[:min(len(cause.Changes), mostChanges)] {
			row := Row{Name: Name{Full: Clip(Visible(change.Name), longestLabel)}, Rank: i, Cells: Cells{
				"base": {Text: quantity(change.Base, change.Unit), Value: change.Base}, "head": {Text: quantity(change.Head, change.Unit), Value: change.Head}, "cause": {},
			}}
			if j == 0 {
				row.Cells["cause"] = cell(string(cause.ID)+", "+effect(e, cause), tone)
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// effect is the share of a regression that a cause covers, and the speedup of what was fixed. Neither is more than what was
// measured: what a cause predicts beyond it, something else took back.
func effect(e *result.CaseEvidence, cause result.Cause) string {
	switch {
	case e.Log < 0:
		return times(math.Exp(min(math.Max(-cause.Log, 0), -e.Log)))
	case cause.Share > moreThanAll:
		return "over 100 %"
	}
	return Percent(min(cause.Share, 1))
}

// quantity writes a value in its unit.
func quantity(x *float64, unit string) string {
	if x == nil {
		return blank
	}
	v := *x
	switch unit {
	case "%":
		return Percent(v)
	case "byte", "byte/block":
		return Scaled(v, "B")
	case "hz":
		return Scaled(v, "Hz")
	case "byte/second":
		return Scaled(v, "B/s")
	}
	switch {
	case math.Abs(v) >= 1e5:
		return Scaled(v, "")
	case v == math.Trunc(v) && math.Abs(v) < 1000:
		return digits(v, 0)
	}
	return Number(v)
}

// Scaled writes a quantity with a decimal prefix.
func Scaled(x float64, unit string) string {
	prefix := ""
	for _, p := range []string{"k", "M", "G", "T", "P"} {
		if math.Abs(x) < 999.5 {
			break
		}
		x /= 1000
		prefix = p
	}
	return strings.TrimSpace(digits(x, decimals(x)) + " " + prefix + unit)
}

// launchCounts says which kernels were launched where that is not one on both sides.
func launchCounts(e *result.CaseEvidence) []Text {
	if len(e.Launches) <= 1 {
		return nil
	}
	base, head := 0, 0
	for _, l := range e.Launches {
		if l.Base != nil {
			base++
		}
		if l.Head != nil {
			head++
		}
	}
	t := Say(fmt.Sprintf("kernels launched: %d on base, %d on head", base, head))
	if len(e.Causes) == 0 {
		return []Text{t}
	}
	if i := e.Causes[0].Launch; i >= 0 && i < len(e.Launches) && e.Launches[i].Head != nil {
		t = append(t, words("; the figures are of "), code(e.Launches[i].Head.Kernel))
	}
	return []Text{t}
}

// advice quotes the profiler's own rule.
func advice(a result.Advice) Text {
	t := Text{words("Nsight says on head: "), code(Brief(Visible(a.Text), longest))}
	if a.Speedup > 0 {
		t = append(t, words(fmt.Sprintf(" (it estimates %s, %s)", Percent(a.Speedup), cmp.Or(Visible(a.SpeedupType), "of the kernel"))))
	}
	return t
}

func roofline(at result.RooflineAt) Text {
	if at.Intensity <= 0 || at.FlopRate <= 0 {
		return nil
	}
	of := "of DRAM"
	if at.DRAMBytes <= 0 {
		of = "that the adapter counts"
	}
	t := fmt.Sprintf("roofline: %s does %s at %s flop per byte %s", Visible(string(at.Side)), Scaled(at.FlopRate, "FLOP/s"), Number(at.Intensity), of)
	if at.ShareOfRoof > 0 {
		t += fmt.Sprintf(", %s of what this machine reached", Percent(at.ShareOfRoof))
	}
	return Say(t)
}

// gaps are what no evidence could be had of, and what the code shows without running it.
func gaps(r *result.Result) []Text {
	if r.Evidence == nil {
		return nil
	}
	var out []Text
	all := r.Evidence.Gaps
	for _, g := range all[:min(len(all), mostGaps)] {
		out = append(out, gap(g))
	}
	if n := len(all) - mostGaps; n > 0 {
		out = append(out, Say(fmt.Sprintf("%d more in result.json", n)))
	}
	return out
}

func gap(g result.Gap) Text {
	what := "no profile"
	if g.Kind == result.GapNoDisassembly {
		what = "no machine code"
	}
	t := Text{{Text: what, Tone: Warn}}
	if g.Case != "" {
		t = append(t, words(" of "), code(g.Case))
	}
	if g.Side != "" {
		t = append(t, words(" on "+Visible(string(g.Side))))
	}
	t = append(t, words(": "+g.Text))
	if g.Message != "" {
		t = append(t, words(" ("), code(Brief(Visible(g.Message), longest)), words(")"))
	}
	if g.Cure != "" {
		t = append(t, words("; "+g.Cure))
	}
	return t
}
