package report

import (
	"slices"

	"github.com/org/perfgate/gate/result"
)

// New works out everything that a report of r says. It is a pure function: equal results give equal documents.
func New(r *result.Result) Document {
	d := gather(r)
	d.Blocks = runBlocks(r, d)
	return d.Document
}

// gather finds out what there is to say of a run.
func gather(r *result.Result) parts {
	verdict, known := verdictWords[r.Conclusion.Verdict]
	if !known {
		verdict = verdictWords[result.RunError]
	}
	headline, also := answer(r)
	d := parts{
		Document:    Document{Kind: "run", Verdict: verdict.words, Tone: verdict.tone, Headline: headline},
		also:        also,
		cases:       caseTable(r),
		competitors: competitorTables(r),
		beside:      besideNotes(r),
		remarks:     remarks(r),
		pasts:       pasts(r),
		accepted:    accepted(r),
		evidence:    evidence(r),
		gaps:        gaps(r),
		static:      staticFacts(r),
		parity:      checks(r),
		problems:    problems(r),
		rates:       rateTable(r),
		spread:      spreadTable(r),
		facts:       facts(r),
		noted:       notes(r),
		repro:       OwnCommand(r.Repro),
		timings:     timingTable(r),
	}
	return d
}

// FromFiles is the document of a comparison of saved samples, which has no rounds: method says how many processes there are, and no
// inconclusive case is told how many rounds it would take.
func FromFiles(r *result.Result, method string) Document {
	d := gather(r)
	d.Kind = "comparison"
	d.remarks = slices.DeleteFunc(d.remarks, func(m Remark) bool { return m.Open })
	d.facts = slices.DeleteFunc(d.facts, func(f Fact) bool { return f.Label == labelColumns })
	d.facts = append(d.facts, Fact{Label: labelColumns, Text: Say("base and head are geometric means over processes; " + columnsLegend)}, Fact{Label: "method", Text: Say(method)})
	d.Blocks = runBlocks(r, d)
	return d.Document
}

// ruledBy says whose configuration and adapters were used, where that is a question.
func ruledBy(r *result.Result) []Text {
	var out []Text
	var theirs []string // kernels that head's build files build
	whose := "the change's own version was used"
	if r.Config.Trust == "base" {
		whose = "base's version was used"
		for _, k := range r.Kernels {
			if byCommand(k) {
				theirs = append(theirs, k.Name)
			}
		}
	}
	if len(theirs) > 0 {
		whose += ", but for adapters that head's build files compile"
	}
	if len(r.Config.Changed) > 0 {
		out = append(out, append(Say("this change touches the policy of the gate, and "+whose+": "), codes(ruleChanges(r.Config.Changed))...))
	}
	if len(theirs) > 0 {
		out = append(out, append(codes(theirs), words(": built by head's build files, so its adapter is head's")))
	}
	return out
}

// byCommand says whether a build command of the configuration made head's library, of whatever files it chose.
func byCommand(k result.Kernel) bool {
	return k.Head != nil && len(k.Head.Command) > 1 && k.Head.Command[0] == "sh" && k.Head.Command[1] == "-c"
}

func codes(list []string) Text {
	var t Text
	for i, one := range list {
		if i > 0 {
			t = append(t, words(", "))
		}
		t = append(t, code(one))
	}
	return t
}

// notes are what the run said about itself and no other part of the document says.
func notes(r *result.Result) []Text {
	out := ruledBy(r)
	for _, k := range r.Kernels {
		if k.Skipped {
			out = append(out, Text{code(k.Name), words(" was left out of this run" + because(Reason(k.Reason)))})
		}
	}
	for _, f := range ofKinds(r, result.FindingNothingToDo) {
		out = append(out, Say(detail(f)))
	}
	for _, f := range ofKinds(r, result.FindingInteraction) {
		out = append(out, Say(SentenceOf(r, f)))
	}
	for _, n := range r.Notes {
		out = append(out, Say(n))
	}
	return out
}
