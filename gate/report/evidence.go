package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

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
	// A label of the evidence table is short enough to stand next to its cells on the narrowest terminal, since there is no
	// shorter way to write it.
	longestLabel = 31
	// An account shows the terms that changed most, and none that changed by less than a hundredth of base's time.
	mostTerms = 3
	leastTerm = 0.01
)

// evidenceBlocks say why one case changed: the cause, or that there is none, what shows it, and what else is known. Of a case that is answered
// above, the cause and what helps are there. Keys are prefixed: a kernel may be called like a block.
func evidenceBlocks(c result.Case, isAnswered bool) []Block {
	e, key := c.Evidence, "evidence "+nameOf(c).Full
	var more phrases
	for i, cause := range e.Causes[:min(len(e.Causes), mostCauses)] {
		more = append(more, plainNotes(cause.Facts)...)
		more.when(e.Log > 0 && cause.Remedy != "" && !(isAnswered && i < mostBriefCauses), "what helps: %s", cause.Remedy)
	}
	more = append(more, account(e)...)
	more = append(more, launchCounts(e)...)
	more = append(more, transferCounts(e)...)
	for _, a := range e.Advice[:min(len(e.Advice), mostAdvice)] {
		more.say("Nsight says on head: `%s`[ (it estimates %s, %s)]", text.Brief(text.Visible(a.Text), LongestCode), either(a.Speedup > 0, text.Percent(a.Speedup), ""),
			cmp.Or(text.Visible(a.SpeedupType), "of the kernel"))
	}
	for _, at := range e.Roofline {
		more.when(at.Intensity > 0 && at.FlopRate > 0, "roofline: %s does %s at %s flop per byte %s[, %s of what this machine reached]",
			text.Visible(string(at.Side)), text.Scaled(at.FlopRate, "FLOP/s"), text.Number(at.Intensity),
			either(at.DRAMBytes <= 0, "that the adapter counts", "of DRAM"), either(at.ShareOfRoof > 0, text.Percent(at.ShareOfRoof), ""))
	}
	more = append(more, plainNotes(e.Notes)...)
	more.when(len(e.Missing) > 0, "%s that a profile lacks: `%s`", text.Count(len(e.Missing), "metric"), strings.Join(e.Missing, ", "))
	more.when(len(e.Reports) > 0, "full profiles: `%s`", strings.Join(e.Reports, ", "))
	answer := Block{Key: key}
	if !isAnswered {
		answer.Paragraphs = []Text{lead(c)}
	}
	return filled(answer, tableOf(key+" figures", Always, evidenceTable(c)), pointsOf(key+" more", Always, Quiet, more))
}

// lead is the answer: the named causes and how much of the change they cover.
func lead(c result.Case) Text {
	e, name := c.Evidence, nameOf(c).Full
	switch {
	case e.Nothing != "":
		return say("`%s`: %s", name, e.Nothing)
	case len(e.Causes) == 0:
		return say("`%s`: %v, no cause covers half of the change[; %s]", name, Say("unexplained").In(Warn), notShownWords(e))
	}
	var causes phrases
	for _, cause := range e.Causes[:min(len(e.Causes), mostCauses)] {
		causes.say("«%s» (explains %s)", cause.Title, shareWords(cause.Share))
	}
	return say("`%s` %s because %v", name, either(e.Log > 0, "is slower", "was slower before"), causes.joined(", and "))
}

// notShownWords say where a change is that the profiles do not show.
func notShownWords(e *result.CaseEvidence) string {
	switch by := ratioWords(e.Profiled); {
	case !notShown(e):
		return ""
	case len(e.Launches) == 0: // on a CPU, where instructions are counted and nothing else
		return fmt.Sprintf("a launch executes %s instructions, so most of it is the time that each takes "+
			"(cache misses, dependency chains, width of vectors), which counting does not show", by)
	default:
		return fmt.Sprintf("the two profiles differ by %s only, so what changed is not within the kernels (launches, clocks) or does not show under a profiler", by)
	}
}

// whyItems are the answer of a case, of a regression with the figures that show it best and what helps; each further cause is an item of its own.
func whyItems(c result.Case) []Item {
	out := []Item{{Text: lead(c), Tone: verdictTone[c.Verdict]}}
	if c.Evidence.Log <= 0 {
		return out
	}
	for i, cause := range c.Evidence.Causes[:min(len(c.Evidence.Causes), mostBriefCauses)] {
		var figures phrases
		for _, change := range cause.Changes[:min(len(cause.Changes), mostFigures)] {
			figures.say("`%s` %s → %s", text.Clip(text.Visible(change.Name), longestLabel), quantity(change.Base, change.Unit), quantity(change.Head, change.Unit))
		}
		if i > 0 {
			out = append(out, Item{Text: Say(cause.Title), Tone: Quiet})
		}
		last := &out[len(out)-1]
		if shown := figures.joined(", "); shown != nil {
			last.Text = say("%v: %v", last.Text, shown)
		}
		if cause.Remedy != "" {
			last.Next = Say(cause.Remedy)
		}
	}
	return out
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
	return text.Percent(share)
}

func ratioWords(log float64) string { return text.Change(math.Expm1(log), 1) }

// evidenceTable has a row for each quantity of the named causes; of the largest others if none is named and the profiles show
// the change.
func evidenceTable(c result.Case) Table {
	e := c.Evidence
	type shown struct {
		result.Change
		rank  int
		cause string
	}
	causes, tone, last := e.Causes, Bad, "cause"
	if e.Log < 0 {
		tone, last = Good, "fix, speedup"
	}
	if len(causes) == 0 && !notShown(e) {
		tone = Quiet
		causes = slices.DeleteFunc(slices.Clone(e.Others), func(other result.Cause) bool { return !(other.Share > 0) })
	}
	var all []shown
	for i, cause := range causes[:min(len(causes), mostCauses)] {
		for j, change := range cause.Changes[:min(len(cause.Changes), mostChanges)] {
			name := ""
			if j == 0 {
				name = string(cause.ID) + ", " + effect(e, cause)
			}
			all = append(all, shown{change, i, name})
		}
	}
	value := func(x *float64, unit string) Cell { return Cell{Text: quantity(x, unit), Value: x} }
	return tableBy("what", all, func(_ int, s shown) Row { return named(s.rank, text.Clip(text.Visible(s.Name), longestLabel)) },
		numbersIn("base", "base", 0, func(s shown) Cell { return value(s.Base, s.Unit) }),
		numbersIn("head", "head", 0, func(s shown) Cell { return value(s.Head, s.Unit) }),
		column[shown]{Column{Key: "cause", Title: last}, func(s shown) Cell {
			if s.cause == "" {
				return Cell{}
			}
			return cell(s.cause, tone)
		}})
}

// effect is the share of a regression that a cause covers, and the speedup of what was fixed. Neither is more than what was
// measured: what a cause predicts beyond it, something else took back.
func effect(e *result.CaseEvidence, cause result.Cause) string {
	switch {
	case e.Log < 0:
		return text.Times(math.Exp(min(math.Max(-cause.Log, 0), -e.Log)))
	case cause.Share > moreThanAll:
		return "over 100 %"
	}
	return text.Percent(min(cause.Share, 1))
}

// account says where the time of both sides goes, in shares of base's time: the terms that changed most, and the whole.
func account(e *result.CaseEvidence) []Text {
	changed := slices.DeleteFunc(slices.Clone(e.Account), func(t result.Term) bool { return math.Abs(t.Head-t.Base) < leastTerm })
	slices.SortStableFunc(changed, func(a, b result.Term) int { return cmp.Compare(math.Abs(b.Head-b.Base), math.Abs(a.Head-a.Base)) })
	if len(changed) == 0 {
		return nil
	}
	terms := ""
	for _, term := range changed[:min(len(changed), mostTerms)] {
		terms += text.Visible(term.Name) + " " + text.Percent(term.Base) + " → " + text.Percent(term.Head) + ", "
	}
	return []Text{say("of base's time: %sin all 100 %% → %s", terms, text.Percent(math.Exp(e.Log)))}
}

// launchCounts says which kernels were launched where that is not one on both sides.
func launchCounts(e *result.CaseEvidence) []Text {
	if len(e.Launches) <= 1 {
		return nil
	}
	base := count(e.Launches, func(l result.LaunchPair) bool { return l.Base != nil })
	head := count(e.Launches, func(l result.LaunchPair) bool { return l.Head != nil })
	of := ""
	if len(e.Causes) > 0 {
		if i := e.Causes[0].Launch; i >= 0 && i < len(e.Launches) && e.Launches[i].Head != nil {
			of = e.Launches[i].Head.Kernel
		}
	}
	return []Text{say("kernels launched: %d on base, %d on head[; the figures are of `%s`]", base, head, of)}
}

// transferCounts says what was copied and filled besides, where anything was.
func transferCounts(e *result.CaseEvidence) []Text {
	if e.Work == nil || e.Work.Base == nil || e.Work.Head == nil || len(e.Work.Base.Transfers)+len(e.Work.Head.Transfers) == 0 {
		return nil
	}
	return []Text{say("copies and fills%s: %s on base, %s on head", either(e.Work.Head.Process, " of the whole process", ""), transferWords(e.Work.Base), transferWords(e.Work.Head))}
}

func transferWords(w *result.DeviceWork) string {
	var kinds []string
	bytes := 0.0
	for _, t := range w.Transfers {
		if words := t.Kind.Words(t.Count); words != "" && t.Count > 0 {
			kinds, bytes = append(kinds, text.Digits(float64(t.Count), 0)+" "+words), bytes+float64(t.Bytes)
		}
	}
	if len(kinds) == 0 {
		return "none"
	}
	seconds := w.TransferSeconds()
	return fmt.Sprintf("%s (%s, %s of the time on the GPU)", strings.Join(kinds, ", "), text.Scaled(bytes, "B"), text.Percent(seconds/(seconds+max(w.KernelSeconds, 0))))
}

// gaps are what no evidence could be had of, and what the code shows without running it.
func gaps(r *result.Result) []Text {
	if r.Evidence == nil {
		return nil
	}
	var out phrases
	for _, g := range r.Evidence.Gaps {
		out = append(out, gap(g))
	}
	return capped(out, mostGaps, func(more int) string { return fmt.Sprintf("%d more in result.json", more) })
}

func gap(g result.Gap) Text {
	what := Say(either(g.Kind == result.GapNoDisassembly, "no machine code", "no profile")).In(Warn)
	return say("%v[ of `%s`][ on %s]: %s[ (`%s`)][; %s]", what, g.Case, text.Visible(string(g.Side)), g.Text, text.Brief(text.Visible(g.Message), LongestCode), g.Cure)
}

// quantity writes a value in its unit.
func quantity(x *float64, unit string) string {
	if x == nil {
		return text.Blank
	}
	v := *x
	switch scaled := map[string]string{"byte": "B", "byte/block": "B", "hz": "Hz", "byte/second": "B/s"}[unit]; {
	case unit == "%":
		return text.Percent(v)
	case scaled != "":
		return text.Scaled(v, scaled)
	case math.Abs(v) >= 1e5:
		return text.Scaled(v, "")
	case v == math.Trunc(v) && math.Abs(v) < 1000:
		return text.Digits(v, 0)
	}
	return text.Number(v)
}

// longestKernel is how much of a kernel's name stands in a line.
const longestKernel = 80

// Limits is what limits the kernels of one profile.
func Limits(name string, all []result.KernelLimit) Document {
	var out []Block
	for i, k := range all {
		var terms []string
		for _, t := range k.Terms[:min(len(k.Terms), mostTerms)] {
			terms = append(terms, text.Visible(t.Name)+" "+text.Percent(t.Share))
		}
		key := fmt.Sprintf("%s %d", name, i+1)
		lead := say("`%s` has %s of the time[, grid %s, block %s][: %s]", text.Clip(text.Visible(cmp.Or(k.Launch.Kernel, "a kernel")), longestKernel), text.Percent(k.Share),
			text.Visible(k.Launch.Grid), text.Visible(k.Launch.Block), strings.Join(terms, ", "))
		out = append(out, filled(Block{Key: key, Paragraphs: []Text{lead}}, pointsOf(key+" more", Always, Quiet, plainNotes(k.Facts)))...)
	}
	return Document{Blocks: out}
}

// Explanation is why one case changed, where there is no run.
func Explanation(c result.Case) Document {
	return Document{Blocks: evidenceBlocks(c, false)}
}
