package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// parityStatus is the status of p, except that a check of no case is none, whatever the result calls it.
func parityStatus(p result.Parity) result.ParityStatus {
	if p.Status == result.ParityPassed && p.Run == 0 {
		return result.ParitySkipped
	}
	return p.Status
}

// checks are the parity lines, a kernel each.
func checks(r *result.Result) []Check {
	var out []Check
	for _, k := range r.Kernels {
		if !k.Skipped {
			out = append(out, check(k))
		}
	}
	return out
}

// about names the kernels of a check.
func (c Check) about(then string) Text {
	switch len(c.Others) {
	case 0:
		return Text{code(c.Kernel), words(then)}
	case 1:
		return Text{code(c.Kernel), words(" and "), code(c.Others[0]), words(then)}
	}
	return Text{code(c.Kernel), words(" and " + Count(len(c.Others), "more kernel") + then)}
}

// alikeChecks has kernels of which all the same is said in one line.
func alikeChecks(checks []Check) []Check {
	var out []Check
	for _, c := range checks {
		i := slices.IndexFunc(out, func(o Check) bool {
			return o.Status == c.Status && o.Repro == "" && c.Repro == "" && slices.Equal(o.Text, c.Text)
		})
		if i < 0 {
			out = append(out, c)
			continue
		}
		out[i].Others = append(out[i].Others, c.Kernel)
	}
	return out
}

func check(k result.Kernel) Check {
	c := Check{Kernel: k.Name, Tone: Warn}
	switch p := k.Parity; parityStatus(p) {
	case result.ParityPassed:
		c.Status, c.Tone, c.Text = "passed", Good, passedText(p)
	case result.ParityFailed:
		c.Status, c.Tone, c.Text = "FAILED", Bad, failedText(k)
		if p.Failure != nil {
			c.Repro, c.Map = OwnCommand(p.Failure.Repro), mapLines(p.Failure.Map)
		}
	case result.ParityError:
		c.Status, c.Text = "not checked", append(Say(cmp.Or(Reason(p.Reason), "the check could not be done")), seed(p)...)
	case result.ParityOff:
		c.Status, c.Text = "off", Say(cmp.Or(Reason(p.Reason), "switched off by the configuration"))
	case result.ParityHidden:
		c.Status, c.Text = "not checked", Say("the benchmark hides its tensors: an adapter of the same kernel would show them")
	default:
		c.Status, c.Text = "skipped", append(Say(cmp.Or(Reason(p.Reason), Reason(k.Reason), "no case could be checked")), seed(p)...)
	}
	return c
}

func passedText(p result.Parity) Text {
	cases := Count(p.Run, "case")
	if p.Run < p.Planned {
		cases = fmt.Sprintf("%d of %s", p.Run, Count(p.Planned, "case"))
	}
	s := cases + oracle(p)
	if n := p.Refused - p.TooLarge; n > 0 { // a warning tells of those that are too large
		s += fmt.Sprintf(" (%d refused by the adapter)", n)
	}
	if p.MaxRatio > 0 {
		s += "; worst error " + tied(Percent(p.MaxRatio)) + " of the tolerance"
		if p.BaseMax > 0 {
			s += " (base's " + tied(Percent(p.BaseMax)) + ")"
		}
	}
	s += exactness(p)
	if len(p.Sanitizers) > 0 {
		s += "; nothing found by " + strings.Join(p.Sanitizers, ", ")
	}
	t := Say(s)
	for _, warning := range parityWarnings(p) {
		t = append(t, words("; "), Span{Text: warning, Tone: Warn})
	}
	return append(t, seed(p)...)
}

// seed makes the same cases again, whatever came of them.
func seed(p result.Parity) Text {
	if p.Seed == "" {
		return nil
	}
	return Text{{Text: "; seed ", Tone: Quiet}, {Text: p.Seed, Code: true, Tone: Quiet}}
}

func oracle(p result.Parity) string {
	switch p.Oracle {
	case "reference and base":
		return " against the float64 reference and base"
	case "relations":
		return " against declared relations only, which many wrong kernels obey"
	case "reference":
		return " against the float64 reference"
	case "base":
		return " against base's output"
	}
	return ""
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
		return "; every element exact"
	case all == 0:
		return ""
	case near == all && all >= p.Elements:
		return "; every element within 1 ulp"
	case near == all:
		return "; every floating element within 1 ulp"
	}
	share := math.Floor(1000*float64(near)/float64(all)) / 10 // never rounded up to all of them
	of := "elements"
	if all < p.Elements {
		of = "floating elements"
	}
	return "; " + tied(fmt.Sprintf("%.1f %%", share)) + " of the " + of + " within 1 ulp"
}

// failedText leaves the message to the headline, which always has it.
func failedText(k result.Kernel) Text {
	p := k.Parity
	if p.Failure == nil {
		return Say(cmp.Or(Reason(p.Reason), "head's output is wrong"))
	}
	which := "smallest failing case "
	if p.Failure.Code == result.CodeYardstick { // judged when all cases are done, and not shrunk
		which = "worst case "
	}
	t := Text{words(which), code(result.ParseCaseID(p.Failure.Case).Short())}
	if p.Failure.Values != "" {
		t = append(t, words(", "), code(p.Failure.Values), words(" inputs"))
	}
	if p.Failure.Pattern != "" {
		t = append(t, words(": wrong in "), words(p.Failure.Pattern))
	}
	if p.Failure.First != "" {
		t = append(t, words("; first seen as "), code(result.ParseCaseID(p.Failure.First).Short()))
	}
	if p.Run > 0 {
		t = append(t, words(fmt.Sprintf("; found after %d of %s", p.Run, Count(p.Planned, "case"))+oracle(p)))
	}
	return append(t, words("; reproduce it with"))
}
