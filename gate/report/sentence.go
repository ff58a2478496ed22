package report

import (
	"cmp"
	"fmt"
	"math"

	"github.com/org/perfgate/gate"
	"github.com/org/perfgate/gate/result"
)

// Sentence is a finding in plain words, for logs, errors and tables that have no report around them.
func Sentence(f result.Finding) string {
	about := name(f)
	if about != "" {
		about += ": "
	}
	if w, known := wordings[f.Kind]; known {
		return Visible(about + w.sentence(f))
	}
	return Visible(about + cmp.Or(f.Detail, string(f.Kind)))
}

// Sentences are what keeps a run from passing, in plain words; for a run that passes, what it leaves unsaid otherwise.
func Sentences(c result.Conclusion) []string {
	out := make([]string, len(c.Findings))
	for i, f := range c.Findings {
		out[i] = Sentence(f)
	}
	return out
}

// name is what a finding is about: a case or a kernel, with the machine where there are several.
func name(f result.Finding) string {
	name := cmp.Or(f.Case, f.Kernel)
	if f.Machine != "" && name != "" {
		name += " on " + f.Machine
	}
	return name
}

func buildSentence(f result.Finding) string {
	switch f.Side {
	case result.SideBoth:
		return "neither base nor head builds" + because(f.Detail)
	case result.SideBase:
		return "base does not build" + because(f.Detail)
	}
	return "head does not build" + because(f.Detail)
}

func adapterSentence(f result.Finding) string {
	return cmp.Or(f.Detail, "head needs an adapter change")
}

func goneSentence(f result.Finding) string {
	if f.Side == result.SideHead {
		return "head no longer has this kernel" + because(f.Detail)
	}
	return "neither base nor head has this kernel" + because(f.Detail)
}

func caseErrorSentence(f result.Finding) string {
	switch f.Side {
	case result.SideBase:
		return "base could not be measured" + because(f.Detail)
	case result.SideHead:
		return "head could not be measured" + because(f.Detail)
	case result.SideBoth:
		return "neither side could be measured" + because(f.Detail)
	}
	return "could not be measured" + because(f.Detail)
}

func creepSentence(f result.Finding) string {
	return fmt.Sprintf("slower%s, and now more than the %s that may be lost against its best-known level, measured side by side%s",
		between(f.Shift), limit(f.Limit), between(f.Beyond))
}

func tooFewRoundsSentence(f result.Finding) string {
	return fmt.Sprintf("could not be measured: fewer than %d complete rounds, which a first look needs%s", gate.MinRounds, budget(f))
}

func unfinishedSentence(f result.Finding) string {
	return fmt.Sprintf("could not be measured to the end: still open after %d rounds (look %d of %d)%s%s", f.Rounds, f.Looks, f.Planned, between(f.Shift), budget(f))
}

func tooNoisySentence(f result.Finding) string {
	return fmt.Sprintf("this runner is too noisy for a tolerance of %s: the smallest effect that it can see here is %s; "+
		"quieten it, raise the tolerance or measure a larger case%s", limit(f.Limit), Percent(f.MDE), between(f.Shift))
}

func estimateOverSentence(f result.Finding) string {
	return fmt.Sprintf("inconclusive, and the estimate is over the tolerance of %s%s", limit(f.Limit), between(f.Shift))
}

func estimateWithinSentence(f result.Finding) string {
	return fmt.Sprintf("inconclusive, the estimate is within the tolerance of %s%s", limit(f.Limit), between(f.Shift))
}

func nothingComparedSentence(f result.Finding) string {
	return "nothing could be compared with the base that was asked for" + because(f.Detail) + "; name one that has the kernels"
}

// fixed is a sentence that is the same for every finding of a kind, with what was said by others after it.
func fixed(sentence string) func(result.Finding) string {
	return func(f result.Finding) string { return sentence + because(f.Detail) }
}

// shifted is fixed with the shift that was measured.
func shifted(sentence string) func(result.Finding) string {
	return func(f result.Finding) string { return sentence + between(f.Shift) }
}

func verbatim(f result.Finding) string { return cmp.Or(f.Detail, string(f.Kind)) }

// between words a shift with its bounds, as in " (+3.10 %, between +2.00 % and +4.20 %)".
func between(s *result.Shift) string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf(" (%s, between %s and %s)", Change(s.Ratio-1, 2), Change(s.Low-1, 2), Change(s.High-1, 2))
}

func budget(f result.Finding) string {
	switch {
	case f.BudgetGone && f.BudgetNeededS > 0:
		return "; the budget is spent, all looks would need about " + minutes(f.BudgetNeededS)
	case f.BudgetGone:
		return "; the budget is spent, give it more"
	case f.BudgetNeededS > 0:
		return "; all looks would need about " + minutes(f.BudgetNeededS)
	}
	return ""
}

// minutes words seconds as a budget that can be pasted into a configuration, rounded up: 45s, 3m, 12m30s.
func minutes(seconds float64) string {
	s := int(math.Ceil(seconds))
	switch {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s%60 == 0:
		return fmt.Sprintf("%dm", s/60)
	}
	return fmt.Sprintf("%dm%ds", s/60, s%60)
}
