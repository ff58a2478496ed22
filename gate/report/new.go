package report

import (
	"github.com/org/perfgate/gate"
	"github.com/org/perfgate/gate/result"
)

// New works out everything that a report of r says. It is a pure function: equal results give equal documents.
func New(r *result.Result) Document {
	verdict, known := verdictWords[r.Conclusion.Verdict]
	if !known {
		verdict = verdictWords[gate.RunError]
	}
	headline, also := answer(r)
	return Document{
		Verdict:  verdict.words,
		Tone:     verdict.tone,
		Headline: headline,
		Also:     also,
		Cases:    caseTable(r),
		Remarks:  remarks(r),
		Accepted: accepted(r),
		Evidence: evidence(r),
		Gaps:     gaps(r),
		Static:   staticFacts(r),
		Parity:   checks(r),
		Problems: problems(r),
		Rates:    rateTable(r),
		Spread:   spreadTable(r),
		Facts:    facts(r),
		Notes:    notes(r),
		Repro:    r.Repro,
		Timings:  timingTable(r),
	}
}

// notes are what the run said about itself and no other part of the document says.
func notes(r *result.Result) []Text {
	var out []Text
	if len(r.Config.Changed) > 0 {
		whose := "the change's own version"
		if r.Config.Trust == "base" {
			whose = "base's version"
		}
		t := say("this change touches what the gate is ruled by, and " + whose + " was used: ")
		for i, path := range r.Config.Changed {
			if i > 0 {
				t = append(t, words(", "))
			}
			t = append(t, code(path))
		}
		out = append(out, t)
	}
	for _, k := range r.Kernels {
		if k.Skipped {
			out = append(out, Text{code(k.Name), words(" was left out of this run" + because(k.Reason))})
		}
	}
	names := map[string]bool{}
	for _, k := range r.Kernels {
		names[k.Name] = true
	}
	for _, c := range r.Cases {
		names[c.Name] = true
	}
	for _, n := range r.Conclusion.Notes {
		if !about(names, n) { // the others are lines of parity and remarks here
			out = append(out, say(n))
		}
	}
	for _, n := range r.Notes {
		out = append(out, say(n))
	}
	return out
}
