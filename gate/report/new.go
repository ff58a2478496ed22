package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/org/perfgate/gate/result"
)

// New works out everything that a report of r says. It is a pure function: equal results give equal documents.
func New(r *result.Result) Document {
	switch r.Kind {
	case result.KindVersus:
		return versusDocument(r)
	case result.KindTune:
		return tuneDocument(r)
	}
	r = withExcused(r)
	return runDocument(r, remarks(r), facts(r))
}

// answered is a document that has its verdict and its headline, and what belongs right under it.
func answered(r *result.Result) (d Document, also []Text) {
	verdict, known := verdictWords[r.Conclusion.Verdict]
	if !known {
		verdict = verdictWords[result.RunError]
	}
	d = Document{Verdict: verdict.words, Tone: verdict.tone}
	d.Headline, also = answer(r)
	return d, also
}

// briefRows is how many rows of a table a short layout shows.
const briefRows = 6

// runDocument has the parts of a run, the most important first.
func runDocument(r *result.Result, remarks []remark, facts []Item) Document {
	d, also := answered(r)
	wrong, parity := parityBlocks(r)
	repeatNow, repeatLater := repeatOf(Always, OwnCommand(r.Repro)), Block{}
	if r.Conclusion.Verdict == result.RunPassed {
		repeatNow, repeatLater = repeatLater, repeatNow
	}
	why, said := whyBlocks(r)
	all := []Block{pointsOf("against", Always, d.Tone, also), {Key: "why", Blocks: why}, pointsOf("gaps", gapsLayer(r), Warn, gaps(r))}
	all = append(append(all, wrong...), problems(r)...)
	all = append(all, tableOf("cases", Always, caseTable(r)), tableOf("epochs", Always, epochTable(r)))
	for i, t := range competitorTables(r) {
		t.Brief = briefRows
		all = append(all, tableOf(fmt.Sprintf("competitor-%d", i+1), Always, t))
	}
	all = append(all, pointsOf("competitor-notes", Always, Quiet, competitorNotes(r)), openRemarks(remarks), caseDetails(r, remarks, said), parityDetails(r),
		pointsOf("past", Always, Quiet, pastLines(r)), pointsOf("accepted", Always, Warn, accepted(r)),
		pointsOf("goals", Always, Plain, notesIn(r, "goals")),
		pointsOf("waivers", Always, Warn, waivers(r)), notesOf(notes(r)), repeatNow, parity)
	d.Blocks = filled(append(all, detailBlocks(r, remarks, facts, repeatLater)...)...)
	return d
}

// detailBlocks are what a reader asks for who wants to know how an answer came about.
func detailBlocks(r *result.Result, remarks []remark, facts []Item, repeat Block) []Block {
	code := pointsOf("code", Folded, Quiet, staticFacts(r))
	code.Title = Say("Compiled code and growth")
	allOpen := count(remarks, func(m remark) bool { return m.open }) <= mostOpen // or some of them are only here
	var about []Text
	for _, m := range remarks {
		if !m.open || !allOpen {
			about = append(about, m.line())
		}
	}
	remarked := pointsOf("remarks", Folded, Quiet, about)
	remarked.Title = Say("Remarks on single cases")
	ended := func(f Item) bool { return f.Label == "took" }
	all := []Block{
		code, codeDetails(r), remarked,
		factsOf(slices.DeleteFunc(slices.Clone(facts), ended), tableOf("rates", Always, rateTable(r)), tableOf("variation", Always, spreadTable(r)), repeat),
		tableOf("timings", Verbose, timingTable(r)),
	}
	all = append(all, group("run-figures", Full, Say("Sensitivity and machine"), figureBlocks("run", runFigures(r))...))
	if i := slices.IndexFunc(facts, ended); i >= 0 && len(facts[i].Text) > 0 {
		all = append(all, Block{Key: "took", List: facts[i : i+1]})
	}
	return all
}

// mostWhy is how many changed cases have their cause in the open.
const mostWhy = 3

// whyBlocks say why the cases changed that matter most, and which cases these are: of a regression with the figures that show it and what
// helps.
func whyBlocks(r *result.Result) (all []Block, said map[string]bool) {
	said = map[string]bool{}
	cases := sorted(r.Cases)
	slices.SortStableFunc(cases, func(a, b result.Case) int { return urgency(a) - urgency(b) })
	for _, c := range cases {
		if c.Evidence == nil || len(all) == mostWhy {
			continue
		}
		name := nameOf(c).Full
		all, said[name] = append(all, Block{Key: "why " + name, List: whyItems(c)}), true
	}
	return all, said
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

// mostDetailed is how many cases have figures: those that come first, which are the worst. Of the others, result.json has the samples.
const mostDetailed = 200

// CaseKey is the key of the block with the details of a case, by its full name.
func CaseKey(name string) string { return "case " + name }

// caseDetails has a block a case: what is known of its cause, which all but the shortest layouts show, what is said of it, its figures and its
// numbers. answered are the cases whose cause stands above.
func caseDetails(r *result.Result, remarks []remark, answered map[string]bool) Block {
	kernels, remarked := byName(r.Kernels), map[string][]Text{}
	for _, m := range remarks {
		remarked[m.of.Full] = append(remarked[m.of.Full], m.text)
	}
	var all []Block
	for i, c := range sorted(r.Cases) {
		name := nameOf(c).Full
		said := Block{Key: name + "/said", Layer: Full}
		if c.Verdict != result.Same && !remarksReason(kernels[c.Kernel], c) && c.Reason != nil {
			said.Paragraphs = []Text{Say(Reason(c.Reason))}
		}
		said.Paragraphs = append(said.Paragraphs, remarked[name]...)
		all = append(all, caseDetail(r, said, c, answered[name], i < mostDetailed))
	}
	return group("case-details", Folded, Say("Case by case"), all...)
}

func caseDetail(r *result.Result, said Block, c result.Case, isAnswered, withFigures bool) Block {
	name, layer := nameOf(c).Full, Full
	inner := []Block{said}
	if c.Evidence != nil {
		layer = Always
		inner = append(inner, evidenceBlocks(c, isAnswered)...)
		inner = append(inner, tableOf(name+"/causes", Full, causeShares(c.Evidence)))
	}
	if withFigures {
		figures := slices.Concat(distribution(c, "base", "head"), runOrder(r, c), narrowing(r, c), rooflineFigure(c), levelsFigure(c.Past))
		inner = append(inner, figureBlocks(name, figures)...)
		processes := tableOf(name+"/processes", Full, processTable(c))
		processes.Title = Say("All processes")
		inner = append(inner, processes)
	}
	again := repeatOf(Full, repeatCase(r, c))
	again.Key, again.Title = name+"/repeat", Say("Measure this case only")
	out := group(CaseKey(name), layer, caseTitle(c), append(inner, again)...)
	if c.Verdict != result.Same && c.Verdict != result.New {
		out.Tone = verdictTone[c.Verdict]
	}
	return out
}

// caseTitle is a case with its verdict and its change.
func caseTitle(c result.Case) Text {
	tone := verdictTone[c.Verdict]
	if tone == Plain {
		tone = Quiet
	}
	t := say("`%s` %v", nameOf(c).Full, Say(verdictText(c)).In(tone))
	if c.Compared() != nil {
		change, interval := changeOf(shiftOf(deciding(c)))
		t = say("%v %s%v", t, tied(change), Say(tied(" ("+interval+")")).In(Quiet))
	}
	return t
}

// ruledBy says whose configuration and adapters were used, where that is a question.
func ruledBy(r *result.Result) []Text {
	var out, changes phrases
	var adapters, benchmarks []string // of kernels that head's build files build
	whose := "the change's own version was used"
	if r.Config.Trust == "base" {
		whose = "base's version was used"
		for _, k := range r.Kernels {
			switch {
			case !byCommand(k):
			case k.Benchmark != nil:
				benchmarks = append(benchmarks, k.Name)
			default:
				adapters = append(adapters, k.Name)
			}
		}
	}
	switch {
	case len(adapters) > 0:
		whose += ", but for adapters that head's build files compile"
	case len(benchmarks) > 0:
		whose += ", but for benchmarks that head's build files compile"
	}
	for _, c := range r.Config.Changed {
		change := slots{"file": c.File, "detail": c.Detail}.fill(cmp.Or(ruleWords[c.Kind], "{file}{detail}"))
		changes = append(changes, code(PlainText(change)))
	}
	out.when(len(changes) > 0, "this change touches the policy of the gate, and %s: %v", whose, changes.joined(", "))
	out.when(len(adapters) > 0, "%v: built by head's build files, so its adapter is head's", codes(adapters))
	out.when(len(benchmarks) > 0, "%v: built by head's build files, so its benchmark is head's", codes(benchmarks))
	return out
}

// byCommand says whether a build command of the configuration made head's library, of whatever files it chose.
func byCommand(k result.Kernel) bool {
	return k.Head != nil && len(k.Head.Command) > 1 && k.Head.Command[0] == "sh" && k.Head.Command[1] == "-c"
}

// notes are what the run said about itself and no other part of the document says.
func notes(r *result.Result) []Text {
	out := phrases(ruledBy(r))
	for _, k := range r.Kernels {
		out.when(k.Skipped, "`%s` was left out of this run%s", k.Name, because(Reason(k.Reason)))
	}
	idle := ofKinds(r, result.FindingNothingToDo)
	if isIdle(r) {
		idle = idle[1:] // the headline has the first
	}
	for _, f := range idle {
		out = append(out, Say(detail(f)))
	}
	return slices.Concat(out, notesIn(r, "notes"), plainNotes(r.Notes))
}
