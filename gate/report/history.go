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
	"github.com/org/perfgate/gate/text"
)

// mostEvents is how many changes are printed: what is older, the other formats have.
const mostEvents = 20

// HistoryDocument is what the records of a machine tell as its reader meets it.
func HistoryDocument(h history.History) Document {
	day := func(c history.Commit) string { return c.Time.Format(time.DateOnly) }
	headline := say("no usable record of `%s`", h.Machine)
	if h.Records > 0 {
		headline = say("%s in %s of `%s`, `%s` (%s) to `%s` (%s)", text.Count(len(h.Cases), "case"), text.Count(h.Records, "record"), h.Machine,
			result.ShortID(h.From.ID), day(h.From), result.ShortID(h.To.ID), day(h.To))
	}
	var skipped phrases
	for _, p := range h.Passed {
		skipped.say("skipped `%s`: %s", p.Key, p.Reason)
	}
	return Document{
		Verdict: "HISTORY", Tone: Quiet, Headline: headline,
		Blocks: filled(tableOf("cases", Always, historyTable(h)), eventsOf(h), historyDetails(h), notesOf(skipped)),
	}
}

// eventsOf are the changes of levels, newest first.
func eventsOf(h history.History) Block {
	b := Block{Key: "changes"}
	events := historyEvents(h)
	if len(events) == 0 && len(h.Cases) > 0 {
		b.Paragraphs = []Text{Say("No case has changed its level.")}
	}
	for _, e := range events[:min(mostEvents, len(events))] {
		b.List = append(b.List, e.Item)
	}
	if more := len(events) - mostEvents; more > 0 {
		b.List = append(b.List, Item{Text: Say(text.Count(more, "change") + " before these (--format json has all)"), Tone: Quiet})
	}
	return b
}

func historyTable(h history.History) Table {
	return tableBy("case", h.Cases, func(i int, c history.Case) Row { return Row{Name: caseName(c.Name), Rank: i} },
		numbersIn("now", "now", 0, func(c history.Case) Cell { return timeCell(c.Levels[len(c.Levels)-1].NS) }),
		numbersIn("over-best", "over best", 0, func(c history.Case) Cell {
			if c.OverBest > 0 {
				return changeCell(c.OverBest, Warn)
			}
			return cell(text.Blank, Plain)
		}),
		numbersIn("records", "records", 1, func(c history.Case) Cell { return countCell(len(c.Points), Plain) }),
		wordsIn("levels", "levels, oldest first", 0, sparkline))
}

// chartWidth is how many columns a chart of a case has at most.
const chartWidth = 32

// leastSpan is the change, in ln units, that fills a chart: smaller ones would make noise look like mountains.
const leastSpan = 0.05

// sparkline draws the levels of a case, a column for each of its records or for several. A bar | is where the work became another.
func sparkline(c history.Case) string {
	bars := []rune("▁▂▃▄▅▆▇█")
	low, high := math.Inf(1), math.Inf(-1)
	for _, l := range c.Levels {
		low, high = min(low, math.Log(l.NS)), max(high, math.Log(l.NS))
	}
	high = max(high, low+leastSpan)
	var out strings.Builder
	columns := min(chartWidth, len(c.Points))
	last := -1
	for x := range columns {
		point := x * len(c.Points) / columns
		level := slices.IndexFunc(c.Levels, func(l history.Level) bool { return point < l.First+l.Count })
		if last >= 0 && slices.ContainsFunc(c.Changes[last:level], func(x history.Change) bool { return x.Cause == result.LevelOfOtherWork }) {
			out.WriteRune('|')
		}
		last = level
		height := (math.Log(c.Levels[level].NS) - low) / (high - low)
		out.WriteRune(bars[min(len(bars)-1, int(height*float64(len(bars))))])
	}
	return out.String()
}

// event is one thing that happened, and how many commits ago.
type event struct {
	distance int
	Item
}

// historyEvents are what the machine and commits did, newest first; cases of a kernel that changed together are one event.
func historyEvents(h history.History) []event {
	var out []event
	for _, m := range h.Moves {
		out = append(out, event{m.At.Distance, Item{Text: moveText(m)}})
	}
	type key struct {
		at, kernel string
		cause      result.LevelCause
		slower     bool
	}
	var all []kernelChange
	for _, c := range h.Cases {
		for _, change := range c.Changes {
			if change.Cause != result.LevelByMachine {
				all = append(all, kernelChange{c.Kernel, change})
			}
		}
	}
	for _, alike := range grouped(all, func(c kernelChange) key { return key{c.At.ID, c.kernel, c.Cause, c.Ratio > 1} }) {
		out = append(out, event{alike[0].At.Distance, Item{Tone: changeTone(alike[0].Change), Text: changeText(alike)}})
	}
	slices.SortStableFunc(out, func(a, b event) int { return cmp.Compare(a.distance, b.distance) })
	return out
}

func changeTone(c history.Change) Tone {
	switch {
	case c.Cause == result.LevelOfOtherWork || c.IsAccepted():
		return Quiet
	case c.Ratio > 1:
		return Bad
	}
	return Good
}

func moveText(m history.Move) Text {
	what := "its " + strings.Join(m.Canaries, " and ") + " canary"
	if len(m.Moved) > 0 {
		what = fmt.Sprintf("%d of %s by %s", len(m.Moved), text.Count(m.Measured, "case"), text.Change(m.Ratio-1, 1))
	}
	return say("the machine[ (%s)] shifted %s%v", statesText(m.Beside), what, placeText(m.After, m.At))
}

func statesText(changes []baseline.StateChange) string {
	var parts []string
	for _, c := range changes {
		parts = append(parts, c.String())
	}
	return strings.Join(parts, ", ")
}

// kernelChange is a change of one of a kernel's cases.
type kernelChange struct {
	kernel string
	history.Change
}

// changeText words changes of a kernel's cases at one place, the largest first.
func changeText(changes []kernelChange) Text {
	size := func(c kernelChange) float64 { return math.Abs(math.Log(c.Ratio)) }
	largest, kernel := slices.MaxFunc(changes, func(a, b kernelChange) int { return cmp.Compare(size(a), size(b)) }), changes[0].kernel
	cases, where := either(len(changes) > 1, text.Count(len(changes), "case"), ""), placeText(largest.After, largest.At)
	if largest.Cause == result.LevelOfOtherWork {
		return say("`%s`[, %s]: the configuration (such as its epoch) or the timing method differs from here on, so earlier records are not compared%v", kernel, cases, where)
	}
	t := say("`%s`[, %s]: %s%v[; %s]", kernel, cases, shifted(result.Shift{Ratio: largest.Ratio, Low: largest.Low, High: largest.High}), where, causeWords(largest.Change))
	if names := largest.Environment; len(names) > 0 {
		t = append(t, say("; its environment changed: %s", strings.Join(names, ", "))...)
	}
	for _, a := range largest.Accepted {
		id := result.ShortID(a.Commit)
		if a.By == "" {
			t = append(t, say("; `%s` asks to accept it: %s", id, a.Reason)...)
		} else {
			t = append(t, say("; accepted by `%s` for `%s`: %s", a.By, id, a.Reason)...)
		}
	}
	return t
}

// causeWords says where a change came from, where that is not just the commits that were named.
func causeWords(c history.Change) string {
	switch c.Cause {
	case result.LevelByBoth:
		return fmt.Sprintf("%s of it is the machine's", text.Change(c.Machine-1, 1))
	case result.LevelByToolchain:
		return "the compiler changed: " + statesText(c.Beside)
	case result.LevelUnclear:
		return "the code changed and so did the machine (" + statesText(c.Beside) + "): records cannot tell which it was"
	}
	return ""
}

// placeText says in which commits a change lies.
func placeText(after, at history.Commit) Text {
	n := after.Distance - at.Distance
	return say(", in [one of %s up to ]`%s` (%s)", either(n > 1, text.Count(n, "commit"), ""), result.ShortID(at.ID), at.Time.Format(time.DateOnly))
}

// historyDetails are the records of each case over time.
func historyDetails(h history.History) Block {
	var all []Block
	for _, c := range h.Cases {
		for i, f := range levelsFigure(c.Course()) {
			f.Title = c.Name
			all = append(all, Block{Key: fmt.Sprintf("course %s %d", c.Name, i), Layer: Full, Figure: &f})
		}
	}
	return group("course", Full, Say("Over time"), all...)
}
