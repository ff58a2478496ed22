package report

import (
	"fmt"

	"github.com/org/perfgate/gate/drift"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// DriftDocument is a drift check of the default branch as its reader meets it.
func DriftDocument(r *drift.Report) Document {
	d := Document{Verdict: "PASS", Tone: Good, Headline: driftPassed(r)}
	var against, notes []Text
	for _, b := range r.Broken {
		if b.Against() {
			against = append(against, Say(Sentence(b)))
		}
	}
	for _, f := range r.Findings {
		if f.Against() {
			against = append(against, driftSentence(f))
		} else {
			notes = append(notes, driftSentence(f))
		}
	}
	for _, f := range r.Waivers {
		against = append(against, Say(Sentence(f)))
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
	if len(against) > 0 {
		d.Headline, against = against[0], against[1:]
	}
	d.Blocks = filled(pointsOf("against", Always, d.Tone, against), tableOf("cases", Always, driftTable(r)),
		notesOf(append(notes, plainNotes(r.Notes)...)), factsOf(driftFacts(r)), repeatOf(Folded, r.Repro))
	return d
}

// DriftIssue is a drift check for those who have to find out what happened: with commands that find the commits.
func DriftIssue(r *drift.Report, commands []string) Document {
	d := DriftDocument(r)
	var find []Block
	for i, c := range commands {
		find = append(find, Block{Key: fmt.Sprintf("bisect-%d", i+1), Title: Say("Find the commit with"), Log: &Log{Command: c}})
	}
	d.Blocks = append(find, d.Blocks...)
	return d
}

// driftPassed is the answer where nothing speaks against a pass: what was compared, and what was not.
func driftPassed(r *drift.Report) Text {
	compared := count(r.Cases, func(c drift.Case) bool { return c.Ratio > 0 })
	var p phrases
	p.say("%d of %s as records have it, and so is the machine", compared, text.Count(len(r.Cases), "case"))
	rest := len(r.Cases) - compared
	p.when(rest > 0, "%d not compared, since there are too few records of them", rest)
	return p.joined("; ")
}

// drifted has the sentence of every kind of finding.
var drifted = map[drift.Kind]string{
	drift.Slower: "`{case}` takes {shift} since `{after}`; its code has changed, and no gate let that pass (tolerance {limit}). " +
		"`perfgate bisect {after} HEAD` finds the commit",
	drift.CumulativeRegression: "`{case}` takes {change} against its best-known level of `{after}`, and {limit} is allowed",
	drift.Faster:               "`{case}` takes {change} since `{after}`; its code has changed",
	drift.Moved:                "machine drift: {cases} of {of} take {change}, though the code of some has not changed",
	drift.Clock:                "the SM clock {clock}: fixed arithmetic takes {change} compared with the last {sessions}",
	drift.Memory:               "the memory got {direction}: reading a fixed amount takes {change} compared with the last {sessions}",
	drift.Noisier:              "this machine is noisier: processes vary {times} times as much as in the last {sessions}, so small changes are missed",
	drift.State:                "since the record of `{after}` the machine has changed: {changes}",
	drift.Otherwise: "`{case}` was not compared: its timing method differs from that of {records}, as where a launch takes much longer or shorter; " +
		"it takes {needed} records with one method (`perfgate baseline record` makes one)",
	drift.Uncompared: "nothing was compared: the best-known case has {records}, and it takes {needed} to know the variation between sessions",
}

// driftedForGood is said where all records of a case have another timing method.
const driftedForGood = "`{case}` has another timing method since `{after}`, as where a launch takes much longer or shorter, so what it lost there is not known: " +
	"`perfgate run --base {after}` measures both side by side, and an acceptance says that it is known"

// driftSentence words a finding.
func driftSentence(f drift.Finding) Text {
	template, known := drifted[f.Kind]
	switch {
	case !known:
		template = "a finding that this perfgate does not know: {kind}"
	case f.Kind == drift.Otherwise && f.Of == 0:
		template = driftedForGood
	}
	t := slots{
		"case": f.Case, "change": text.Change(f.Ratio-1, 1), "shift": shifted(result.Shift{Ratio: f.Ratio, Low: f.Low, High: f.High}), "after": result.ShortID(f.After), "limit": text.Percent(f.Limit),
		"clock": either(f.Ratio > 1, "dropped", "rose"), "direction": either(f.Ratio > 1, "slower", "faster"), "times": text.Digits(f.Ratio, 1), "changes": statesText(f.Changes),
		"cases": f.Cases, "of": text.Count(f.Of, "case"), "needed": f.Of, "records": text.Count(f.Sessions, "record"), "sessions": text.Count(f.Sessions, "session"), "kind": f.Kind,
	}.fill(template)
	if f.Effect == result.EffectWaived {
		t = append(t, Say(" (waived)")...)
	}
	if f.Passing {
		t = append(t, Say(" in one of two sessions in a row, so it has passed")...)
	}
	return t
}

func driftTable(r *drift.Report) Table {
	shift := func(c drift.Case) *result.Shift { return measured(c.Ratio, c.Low, c.High) }
	change, interval := shiftIn("change", "change", 0, asChange, shift)
	t := tableBy("case", r.Cases, func(i int, c drift.Case) Row {
		row := Row{Name: caseName(c.Name), Rank: i, Group: "as usual", Unchanged: c.Ratio > 0 && c.Low <= 1 && c.High >= 1}
		row.Drawn = drawnShift(c.Name, shift(c), changeStyle(c.Low > 1, c.High < 1, result.Same))
		if c.Ratio == 0 {
			known := text.Count(c.Records, "record")
			if c.Otherwise > 0 {
				known += fmt.Sprintf(", %d with another timing method", c.Otherwise)
			}
			row.Cells, row.Instead, row.Group = Cells{"now": timeCell(c.NS)}, cell("not compared: "+known, Warn), "not compared"
		}
		return row
	},
		numbersIn("now", "now", 0, func(c drift.Case) Cell { return timeCell(c.NS) }),
		numbersIn("usual", "usual", 1, func(c drift.Case) Cell { return timeCell(c.UsualNS) }),
		change, interval,
		wordsIn("code", "code", 1, func(c drift.Case) string { return either(c.Same, "as recorded", "changed") }))
	t.Brief = briefRows
	return t.drawnOver(forest("time over the usual one", QuantityChange, 0,
		Say("Each case's time over what is usual for it, with bounds that account for the variation between sessions.")))
}

func driftFacts(r *drift.Report) []Item {
	record := "not kept as a record"
	switch {
	case r.OfMachine():
		record = "not kept: a record of such a session would become what later ones are compared with"
	case r.Recorded:
		record = "kept as a record of this commit"
	}
	sessions := either(r.Sessions > 1, "measured twice, since the first session found something", "measured once")
	return []Item{
		{Label: "commit", Text: code(result.ShortID(r.Commit))}, {Label: "machine", Text: code(r.Machine)},
		{Label: "shard", Text: say("%d of %d of the cases; each run takes the next", r.Part.Index, r.Part.Of)},
		{Label: "records", Text: Say(text.Count(r.Records, "record") + " read")}, {Label: "sessions", Text: Say(sessions + ", " + record)},
	}
}
