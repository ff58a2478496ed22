package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/history"
	"github.com/org/perfgate/gate/result"
)

// mostEvents is how many changes are printed: what is older, the other formats have.
const mostEvents = 20

// HistoryDocument is what the records of a machine tell as its reader meets it.
func HistoryDocument(h history.History) Document {
	d := parts{Document: Document{Kind: "history", Verdict: "HISTORY", Tone: Quiet, Headline: historyHeadline(h)}, cases: historyTable(h)}
	for _, e := range historyEvents(h) {
		d.also = append(d.also, e.text)
	}
	for _, p := range h.Passed {
		d.noted = append(d.noted, Text{words("skipped "), code(p.Key), words(": " + p.Reason)})
	}
	var all blocks
	all.add(tableOf("cases", Always, d.cases))
	all.add(eventsOf(h))
	all.add(historyDetails(h))
	all.add(notesOf(d.noted))
	d.Blocks = all
	return d.Document
}

// eventsOf are the changes of levels, newest first.
func eventsOf(h history.History) Block {
	b := Block{Key: "changes"}
	events := historyEvents(h)
	if len(events) == 0 && len(h.Cases) > 0 {
		b.Paragraphs = []Text{Say("No case has changed its level.")}
	}
	for _, e := range events[:min(mostEvents, len(events))] {
		b.List = append(b.List, Item{Text: e.text, Tone: e.tone})
	}
	if more := len(events) - mostEvents; more > 0 {
		b.List = append(b.List, Item{Text: Say(fmt.Sprintf("%s before these (--format json has all)", Count(more, "change"))), Tone: Quiet})
	}
	return b
}

func historyHeadline(h history.History) Text {
	if h.Records == 0 {
		return Text{words("no usable record of "), code(h.Machine)}
	}
	return Text{
		words(fmt.Sprintf("%s in %s of ", Count(len(h.Cases), "case"), Count(h.Records, "record"))), code(h.Machine),
		words(", "), code(result.ShortID(h.From.ID)), words(" (" + h.From.Time.Format(time.DateOnly) + ") to "),
		code(result.ShortID(h.To.ID)), words(" (" + h.To.Time.Format(time.DateOnly) + ")"),
	}
}

func historyTable(h history.History) Table {
	t := Table{First: "case", Columns: []Column{
		{Key: "now", Title: "now", Unit: "ns", Align: Right}, {Key: "over-best", Title: "over best", Unit: "ratio", Align: Right},
		{Key: "records", Title: "records", Unit: "1", Align: Right, Priority: 1}, {Key: "levels", Title: "levels, oldest first"},
	}}
	for i, c := range h.Cases {
		over := cell(blank, Plain)
		if c.OverBest > 0 {
			over = changeCell(c.OverBest, 1, Warn)
		}
		now := c.Levels[len(c.Levels)-1].NS
		t.Rows = append(t.Rows, Row{
			Name: caseName(c.Name), Rank: i,
			Cells: Cells{"now": timeCell(now, Plain), "over-best": over, "records": countCell(len(c.Points), Plain), "levels": cell(sparkline(c), Plain)},
		})
	}
	return t
}

// chartWidth is how many columns a chart of a case has at most.
const chartWidth = 32

// leastSpan is the change, in ln units, that fills a chart: smaller ones would make noise look like mountains.
const leastSpan = 0.05

// sparkline draws the levels of a case, a column for each of its records or for several. A bar | is where the work became another.
func sparkline(c history.Case) string {
	bars := []rune("▁▂▃▄▅▆▇█")
	low, high := levelRange(c)
	var out strings.Builder
	columns := min(chartWidth, len(c.Points))
	last := -1
	for x := range columns {
		level := levelAt(c, x*len(c.Points)/columns)
		if last >= 0 && otherWorkBetween(c, last, level) {
			out.WriteRune('|')
		}
		last = level
		height := (math.Log(c.Levels[level].NS) - low) / (high - low)
		out.WriteRune(bars[min(len(bars)-1, int(height*float64(len(bars))))])
	}
	return out.String()
}

func levelRange(c history.Case) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, l := range c.Levels {
		low, high = min(low, math.Log(l.NS)), max(high, math.Log(l.NS))
	}
	return low, max(high, low+leastSpan)
}

func levelAt(c history.Case, point int) int {
	return slices.IndexFunc(c.Levels, func(l history.Level) bool { return point < l.First+l.Count })
}

func otherWorkBetween(c history.Case, from, to int) bool {
	return slices.ContainsFunc(c.Changes[from:to], func(x history.Change) bool { return x.Cause == result.LevelOfOtherWork })
}

// event is one thing that happened, and when.
type event struct {
	distance int
	tone     Tone
	text     Text
}

// historyEvents are what the machine and commits did, newest first; cases of a kernel that changed together are one event.
func historyEvents(h history.History) []event {
	var out []event
	for _, m := range h.Moves {
		out = append(out, event{m.At.Distance, Plain, moveText(m)})
	}
	type key struct {
		at, kernel string
		cause      result.LevelCause
		slower     bool
	}
	groups := map[key][]history.Change{}
	var order []key
	for _, c := range h.Cases {
		for _, change := range c.Changes {
			if change.Cause == result.LevelByMachine {
				continue
			}
			k := key{change.At.ID, c.Kernel, change.Cause, change.Ratio > 1}
			if groups[k] == nil {
				order = append(order, k)
			}
			groups[k] = append(groups[k], change)
		}
	}
	for _, k := range order {
		changes := groups[k]
		out = append(out, event{changes[0].At.Distance, changeTone(changes[0]), changeText(k.kernel, changes)})
	}
	slices.SortStableFunc(out, func(a, b event) int { return cmp.Compare(a.distance, b.distance) })
	return out
}

func changeTone(c history.Change) Tone {
	switch {
	case c.Cause == result.LevelOfOtherWork || slices.ContainsFunc(c.Accepted, func(a history.Acceptance) bool { return a.By != "" }):
		return Quiet
	case c.Ratio > 1:
		return Bad
	}
	return Good
}

func moveText(m history.Move) Text {
	what := "the machine"
	if len(m.Beside) > 0 {
		what = "the machine (" + statesText(m.Beside) + ")"
	}
	t := Text{words(what)}
	if len(m.Moved) > 0 {
		t = append(t, words(fmt.Sprintf(" shifted %d of %s by %s", len(m.Moved), Count(m.Measured, "case"), Change(m.Ratio-1, 1))))
	} else {
		t = append(t, words(" shifted its "+strings.Join(m.Canaries, " and ")+" canary"))
	}
	return append(t, placeText(m.After, m.At)...)
}

func statesText(changes []baseline.StateChange) string {
	var parts []string
	for _, c := range changes {
		parts = append(parts, c.String())
	}
	return strings.Join(parts, ", ")
}

// changeText words changes of a kernel's cases at one place, the largest first.
func changeText(kernel string, changes []history.Change) Text {
	size := func(c history.Change) float64 { return math.Abs(math.Log(c.Ratio)) }
	largest := slices.MaxFunc(changes, func(a, b history.Change) int { return cmp.Compare(size(a), size(b)) })
	t := Text{code(kernel)}
	if len(changes) > 1 {
		t = append(t, words(fmt.Sprintf(", %s", Count(len(changes), "case"))))
	}
	if largest.Cause == result.LevelOfOtherWork {
		t = append(t, words(": the timing method differs from here on, so earlier records are not compared"))
		return append(t, placeText(largest.After, largest.At)...)
	}
	t = append(t, words(fmt.Sprintf(": %s (%s to %s)", Change(largest.Ratio-1, 1), signed(largest.Low-1, 1), Change(largest.High-1, 1))))
	t = append(t, placeText(largest.After, largest.At)...)
	t = append(t, words(causeWords(largest)))
	for _, a := range largest.Accepted {
		t = append(t, acceptedWords(a)...)
	}
	return t
}

// acceptedWords says who accepted a change, or that it was only asked for.
func acceptedWords(a history.Acceptance) Text {
	if a.By == "" {
		return Text{words("; "), code(result.ShortID(a.Commit)), words(" asks to accept it: " + a.Reason)}
	}
	return Text{words("; accepted by "), code(a.By), words(" for "), code(result.ShortID(a.Commit)), words(": " + a.Reason)}
}

// causeWords says where a change came from, where that is not just the commits that were named.
func causeWords(c history.Change) string {
	switch c.Cause {
	case result.LevelByBoth:
		return fmt.Sprintf("; %s of it is the machine's", Change(c.Machine-1, 1))
	case result.LevelByToolchain:
		return "; the compiler changed: " + statesText(c.Beside)
	case result.LevelUnclear:
		return "; the code changed and so did the machine (" + statesText(c.Beside) + "): records cannot tell which it was"
	}
	return ""
}

// placeText says in which commits a change lies.
func placeText(after, at history.Commit) Text {
	day := " (" + at.Time.Format(time.DateOnly) + ")"
	if n := after.Distance - at.Distance; n > 1 {
		return Text{words(fmt.Sprintf(", in one of %s up to ", Count(n, "commit"))), code(result.ShortID(at.ID)), words(day)}
	}
	return Text{words(", in "), code(result.ShortID(at.ID)), words(day)}
}
