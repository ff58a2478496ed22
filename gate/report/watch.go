package report

import (
	"fmt"

	"github.com/org/perfgate/gate/drift"
	"github.com/org/perfgate/gate/result"
)

// WatchDocument is a watch of the default branch as its reader meets it.
func WatchDocument(r *drift.Report) Document {
	d := parts{Document: Document{Kind: "drift", Verdict: "PASS", Tone: Good}, repro: r.Repro}
	var against, notes []Text
	for _, b := range r.Broken {
		if b.Against() {
			against = append(against, Say(Sentence(b)))
		}
	}
	for _, f := range r.Findings {
		if f.Effect == result.EffectFails || f.Effect == result.EffectUnmeasured {
			against = append(against, watchSentence(f))
		} else {
			notes = append(notes, watchSentence(f))
		}
	}
	switch r.Conclude() {
	case result.ExitFailed:
		d.Verdict, d.Tone = "FAIL", Bad
	case result.ExitNotMeasurable:
		d.Verdict, d.Tone = "CHECK THE MACHINE", Warn
		if !r.OfMachine() {
			d.Verdict = "COULD NOT MEASURE"
		}
	}
	d.Headline = watchPassed(r)
	if len(against) > 0 {
		d.Headline, d.also = against[0], against[1:]
	}
	d.noted = append(notes, watchNotes(r)...)
	d.cases = watchTable(r)
	d.facts = watchFacts(r)
	d.cases.Brief = briefRows
	d.Blocks = searchBlocks(d, driftIntervals(r)...)
	return d.Document
}

// watchPassed is the answer where nothing speaks against a pass: what was compared, and what was not.
func watchPassed(r *drift.Report) Text {
	compared := 0
	for _, c := range r.Cases {
		if c.Ratio > 0 {
			compared++
		}
	}
	text := fmt.Sprintf("%d of %s as records have it, and so is the machine", compared, Count(len(r.Cases), "case"))
	if rest := len(r.Cases) - compared; rest > 0 {
		text += fmt.Sprintf("; %d not compared, since there are too few records of them", rest)
	}
	return Say(text)
}

// watchSentence words a finding.
func watchSentence(f drift.Finding) Text {
	t := watchWords(f)
	if f.Passing {
		t = append(t, words(" in one of two sessions in a row, so it has passed"))
	}
	return t
}

func watchWords(f drift.Finding) Text {
	change := Change(f.Ratio-1, 1)
	switch f.Kind {
	case drift.Slower:
		return Text{code(f.Case), words(fmt.Sprintf(" takes %s (%s to %s) since ", change, signed(f.Low-1, 1), Change(f.High-1, 1))), code(result.ShortID(f.After)),
			words(fmt.Sprintf("; its code has changed, and no gate let that pass (tolerance %s). ", Percent(f.Limit))), code("perfgate bisect " + result.ShortID(f.After) + " HEAD"), words(" finds the commit")}
	case drift.CumulativeRegression:
		return Text{code(f.Case), words(fmt.Sprintf(" takes %s against its best-known level of ", change)), code(result.ShortID(f.After)), words(fmt.Sprintf(", and %s is allowed", Percent(f.Limit)))}
	case drift.Faster:
		return Text{code(f.Case), words(fmt.Sprintf(" takes %s since ", change)), code(result.ShortID(f.After)), words("; its code has changed")}
	case drift.Moved:
		return Say(fmt.Sprintf("machine drift: %d of %s take %s, though the code of some has not changed", f.Cases, Count(f.Of, "case"), change))
	case drift.Clock:
		return Say(fmt.Sprintf("the SM clock %s: fixed arithmetic takes %s compared with the last %s", upOrDown(f.Ratio), change, Count(f.Sessions, "session")))
	case drift.Memory:
		return Say(fmt.Sprintf("the memory got %s: reading a fixed amount takes %s compared with the last %s", slowerOrFaster(f.Ratio), change, Count(f.Sessions, "session")))
	case drift.Noisier:
		return Say(fmt.Sprintf("this machine is noisier: processes vary %s times as much as in the last %s, so small changes are missed", digits(f.Ratio, 1), Count(f.Sessions, "session")))
	case drift.State:
		return Text{words("since the record of "), code(result.ShortID(f.After)), words(" the machine has changed: " + statesText(f.Changes))}
	case drift.Otherwise:
		if f.Of == 0 {
			since := result.ShortID(f.After)
			return Text{code(f.Case), words(" has another timing method since "), code(since),
				words(", as where a launch takes much longer or shorter, so what it lost there is not known: "), code("perfgate run --base " + since),
				words(" measures both side by side, and an acceptance says that it is known")}
		}
		return Text{code(f.Case),
			words(fmt.Sprintf(" was not compared: its timing method differs from that of %s, as where a launch takes much longer or shorter; ", Count(f.Sessions, "record"))),
			words(fmt.Sprintf("it takes %d records with one method (", f.Of)),
			code("perfgate baseline record"), words(" makes one)")}
	case drift.Uncompared:
		return Say(fmt.Sprintf("nothing was compared: the best-known case has %s, and it takes %d to know the variation between sessions", Count(f.Sessions, "record"), f.Of))
	}
	return Say("a finding that this perfgate does not know: " + string(f.Kind))
}

func upOrDown(ratio float64) string {
	if ratio > 1 {
		return "dropped"
	}
	return "rose"
}

func slowerOrFaster(ratio float64) string {
	if ratio > 1 {
		return "slower"
	}
	return "faster"
}

func watchTable(r *drift.Report) Table {
	t := Table{First: "case", Columns: []Column{
		{Key: "now", Title: "now", Unit: "ns", Align: Right}, {Key: "usual", Title: "usual", Unit: "ns", Align: Right, Priority: 1},
		{Key: "change", Title: "change", Unit: "ratio", Align: Right}, {Key: "interval", Title: "interval", Align: Right}, {Key: "code", Title: "code", Priority: 1},
	}}
	for i, c := range r.Cases {
		row := Row{Name: caseName(c.Name), Rank: i, Group: "as usual", Unchanged: c.Ratio > 0 && c.Low <= 1 && c.High >= 1, Cells: Cells{"now": timeCell(c.NS, Plain)}}
		if c.Ratio == 0 {
			known := Count(c.Records, "record")
			if c.Otherwise > 0 {
				known += fmt.Sprintf(", %d with another timing method", c.Otherwise)
			}
			row.Instead, row.Group = cell("not compared: "+known, Warn), "not compared"
		} else {
			row.Cells["usual"], row.Cells["change"] = timeCell(c.UsualNS, Plain), changeCell(c.Ratio-1, 1, Plain)
			row.Cells["interval"], row.Cells["code"] = cell(signed(c.Low-1, 1)+" to "+Change(c.High-1, 1), Plain), cell(codeWord(c.Same), Plain)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func codeWord(same bool) string {
	if same {
		return "as recorded"
	}
	return "changed"
}

func watchFacts(r *drift.Report) []Fact {
	record := "kept as a record of this commit"
	switch {
	case r.OfMachine():
		record = "not kept: a record of such a session would become what later ones are compared with"
	case !r.Recorded:
		record = "not kept as a record"
	}
	return []Fact{
		{"commit", Text{code(result.ShortID(r.Commit))}}, {"machine", Text{code(r.Machine)}}, {"shard", Say(fmt.Sprintf("%d of %d of the cases; each run takes the next", r.Part.Index, r.Part.Of))},
		{"records", Say(Count(r.Records, "record") + " read")}, {"sessions", Say(sessionsWords(r.Sessions) + ", " + record)},
	}
}

func sessionsWords(n int) string {
	if n > 1 {
		return "measured twice, since the first session found something"
	}
	return "measured once"
}

func watchNotes(r *drift.Report) (out []Text) {
	for _, note := range r.Notes {
		out = append(out, Say(note))
	}
	return out
}
