package report

import (
	"slices"
	"strconv"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// Named is a result among several, such as those of other machines or days.
type Named struct {
	Name   string // as its file is called
	Page   string // of its own, relative to the report of all; "" if it has none
	Result *result.Result
}

// SideBySide has several results next to each other: a row for each case, a column for each result. Nothing is decided over them.
func SideBySide(all []Named) Document {
	runs := Block{Key: "results", Title: Say("Results")}
	var cases []Name
	known := map[string]bool{}
	var columns []column[Name]
	for i, n := range all {
		key, cells := strconv.Itoa(i+1), Cells{}
		r := withExcused(n.Result)
		own, _ := answered(r)
		run := Block{Key: "result/" + key, Paragraphs: []Text{say("`%s`: %s, %s", n.Name, own.Verdict, n.Result.Machine.Model)}}
		if n.Page != "" {
			run.Links = []Link{{Text: "its report: " + key, URL: n.Page}}
		}
		runs.Blocks = append(runs.Blocks, run)
		for _, c := range r.Cases {
			name := nameOf(c)
			if !known[name.Full] {
				known[name.Full], cases = true, append(cases, name)
			}
			cells[name.Full] = verdictCell(c)
		}
		columns = append(columns, numbersIn(key, text.Clip(n.Name, 40), 0, func(name Name) Cell {
			if c, has := cells[name.Full]; has {
				return c
			}
			return cell(text.Blank, Quiet)
		}))
	}
	t := tableBy("case", cases, func(_ int, n Name) Row { return Row{Name: n} }, columns...)
	return Document{
		Verdict: "SIDE BY SIDE", Tone: Quiet, Headline: Say(text.Count(len(all), "result") + ", each case as head over base of the same run"),
		Blocks: []Block{runs, {Key: "cases", Title: Say("Cases"), Table: &t}},
	}
}

// BothRuns is a saved run next to its repetition on this machine, by the cases that were repeated; nothing where none was.
func BothRuns(saved, fresh *result.Result) Document {
	again := map[string]bool{}
	for _, c := range fresh.Cases {
		again[c.Name] = true
	}
	was := *saved
	was.Cases = slices.DeleteFunc(slices.Clone(saved.Cases), func(c result.Case) bool { return !again[c.Name] })
	if len(was.Cases) == 0 {
		return Document{}
	}
	return SideBySide([]Named{{Name: "there", Result: &was}, {Name: "here", Result: fresh}})
}

// verdictCell is a verdict in words, with the change where there is one.
func verdictCell(c result.Case) Cell {
	if c.Compared() == nil {
		return cell(string(c.Verdict), verdictTone[c.Verdict])
	}
	return number(text.Change(c.Compared().Ratio-1, 1)+", "+string(c.Verdict), c.Compared().Ratio-1, verdictTone[c.Verdict])
}
