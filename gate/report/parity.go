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

// parityStatus is the status of p, except that a check of no case is none, whatever the result calls it.
func parityStatus(p result.Parity) result.ParityStatus {
	if p.Status == result.ParityPassed && p.Run == 0 {
		return result.ParitySkipped
	}
	return p.Status
}

// parityBlocks are the kernels that are wrong, each with what reproduces it, and the others: those of which the same is said in one line.
func parityBlocks(r *result.Result) (wrong []Block, others Block) {
	others = Block{Key: "parity", Layer: Folded, Title: Say("Parity")}
	type checked struct {
		kernel string
		said   Item
	}
	var rest []checked
	for _, k := range r.Kernels {
		switch said := check(k); {
		case k.Skipped:
		case said.Tone == Bad:
			wrong = append(wrong, parityFailure(k, said))
		default:
			rest = append(rest, checked{k.Name, said})
		}
	}
	for _, alike := range grouped(rest, func(c checked) string { return fmt.Sprintf("%q %v", c.said.Label, c.said.Text) }) {
		item, second, more := alike[0].said, "", len(alike)-1
		if more == 1 {
			second, more = alike[1].kernel, 0
		}
		item.Text = say("`%s`[ and `%s`][ and %s]: %v", alike[0].kernel, second, some(more, "more kernel"), item.Text)
		others.List = append(others.List, item)
	}
	return wrong, others
}

func parityFailure(k result.Kernel, said Item) Block {
	said.Text = say("`%s`: %v", k.Name, said.Text)
	b := group("parity "+k.Name, Always, nil, Block{Key: k.Name + " failure", List: []Item{said}})
	b.Tone = Bad
	if f := k.Parity.Failure; f != nil {
		b.Blocks = append(b.Blocks, filled(Block{Key: k.Name + " repeat", Log: &Log{Command: OwnCommand(f.Repro)}},
			Block{Key: k.Name + " map", Figure: heatMap(f.Map)})...)
	}
	return b
}

// Parity is whether head is right, the parity of each kernel and what went wrong, and nothing of speed.
func Parity(r *result.Result) Document {
	d, also := answered(r)
	wrong, others := parityBlocks(r)
	others.Layer, others.Title = Always, nil
	failed := problems(r)
	for i := range failed {
		if failed[i].Log != nil {
			failed[i].Log.Whole = true
		}
	}
	d.Blocks = filled(slices.Concat([]Block{pointsOf("against", Always, d.Tone, also)}, wrong, []Block{others}, failed)...)
	return d
}

// check is what is said of the parity of one kernel.
func check(k result.Kernel) Item {
	warn := func(label string, words ...string) Item {
		return Item{Label: label, Tone: Warn, Text: Say(cmp.Or(words...))}
	}
	switch p := k.Parity; parityStatus(p) {
	case result.ParityPassed:
		return Item{Label: "passed", Tone: Good, Text: passedText(p)}
	case result.ParityFailed:
		return Item{Label: "FAILED", Tone: Bad, Text: failedText(k)}
	case result.ParityError:
		i := warn("not checked", Reason(p.Reason), "the check could not be done")
		i.Text = append(i.Text, seed(p)...)
		return i
	case result.ParityOff:
		return warn("off", Reason(p.Reason), "switched off by the configuration")
	case result.ParityHidden:
		return warn("not checked", "the benchmark hides its tensors: an adapter of the same kernel would show them")
	}
	i := warn("skipped", Reason(k.Parity.Reason), Reason(k.Reason), "no case could be checked")
	i.Text = append(i.Text, seed(k.Parity)...)
	return i
}

func passedText(p result.Parity) Text {
	cases := text.Count(p.Run, "case")
	if p.Run < p.Planned {
		cases = fmt.Sprintf("%d of %s", p.Run, text.Count(p.Planned, "case"))
	}
	share := func(x float64) string { return either(x > 0, tied(text.Percent(x)), "") }
	var warnings phrases
	for _, warning := range parityWarnings(p) {
		warnings = append(warnings, Say(warning).In(Warn))
	}
	// A warning tells of those that are too large.
	return say("%s%s[ (%d refused by the adapter)][; worst error %s of the tolerance]%v[; %s][; nothing found by %s][; %v]%v", cases, oracles[p.Oracle],
		max(0, p.Refused-p.TooLarge), share(p.MaxRatio), say("[ (base's %s)]", either(p.MaxRatio > 0, share(p.BaseMax), "")), exactness(p),
		strings.Join(p.Sanitizers, ", "), warnings.joined("; "), seed(p))
}

// seed makes the same cases again, whatever came of them.
func seed(p result.Parity) Text {
	return say("[; seed `%s`]", p.Seed).In(Quiet)
}

// oracles say what head was compared with.
var oracles = map[string]string{
	"reference and base": " against the float64 reference and base", "relations": " against declared relations only, which many wrong kernels obey",
	"reference": " against the float64 reference", "base": " against base's output",
}

// parityWarnings are what a reader of a pass should know.
func parityWarnings(p result.Parity) []string {
	if Reason(p.Reason) == "" {
		return p.Warnings
	}
	return append([]string{Reason(p.Reason)}, p.Warnings...)
}

// exactness sums up how many elements are right to the bit, or of floating outputs to one unit in the last place.
func exactness(p result.Parity) string {
	var all, near, exact int64
	for i, n := range p.ULP {
		all += n
		if i == 0 {
			exact = n
		}
		if i <= 1 {
			near += n
		}
	}
	switch {
	case p.MaxRatio == 0 && all == exact && p.Elements > 0 && p.Oracle != "relations":
		return "every element exact"
	case all == 0:
		return ""
	case near == all:
		return either(all >= p.Elements, "every element", "every floating element") + " within 1 ulp"
	}
	share := math.Floor(1000*float64(near)/float64(all)) / 10 // never rounded up to all of them
	return tied(fmt.Sprintf("%.1f %%", share)) + " of the " + either(all < p.Elements, "floating elements", "elements") + " within 1 ulp"
}

// failedText leaves the message to the headline, which always has it.
func failedText(k result.Kernel) Text {
	p, f := k.Parity, k.Parity.Failure
	if f == nil {
		return Say(cmp.Or(Reason(p.Reason), "head's output is wrong"))
	}
	which := either(f.Code == result.CodeYardstick, "worst", "smallest failing") // a yardstick is judged when all cases are done, and not shrunk
	after := say("[found after %d of %s]%s; ", p.Run, text.Count(p.Planned, "case"), oracles[p.Oracle])
	return say("%s case `%s`[, `%s` inputs][: wrong in %s][; first seen as `%s`]; %vreproduce it with", which, result.ParseCaseID(f.Case).Short(), f.Values, f.Pattern,
		either(f.First == "", "", result.ParseCaseID(f.First).Short()), either(p.Run > 0, after, nil))
}
