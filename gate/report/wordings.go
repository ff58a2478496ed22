package report

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// rank orders what speaks against a pass: what fails a run before what keeps it from being measured, and wrong before slow.
type rank int

const (
	rankNoBuild rank = iota
	rankWrong
	rankOverLimit
	rankSlower
	rankBroken     // head fails at run time
	rankOpen       // open, and failed by policy
	rankNoBaseline // base cannot be built
	rankUnchecked  // parity impossible
	rankCutShort   // budget
	rankNoisy
	rankUnmeasured
	rankOther
)

// point is one thing that speaks against a pass, in words.
type point struct {
	rank rank
	text Text
}

// wording is how a report speaks of a kind of finding.
type wording struct {
	head, other rank                                          // of a finding of head's fault, and of any other
	sentence    bySide                                        // after the name of what it is about
	text        func(*result.Result, []result.Finding) []Text // of all such findings, where that says more; nil takes the sentences
	elsewhere   bool                                          // no point against a pass: other parts of the report say it
}

// bySide are sentences by the side at fault; that of "" stands for the sides that have none. Braces hold the place of what filled knows.
type bySide map[result.Side]string

func says(sentence string) bySide { return bySide{"": sentence} }

// wordings has every kind, which TestEveryKindIsWorded sees to.
var wordings = map[result.FindingKind]wording{
	result.FindingBuild: {rankNoBuild, rankNoBaseline, bySide{
		"": "head does not build{because}", result.SideBase: "base does not build{because}", result.SideBoth: "neither base nor head builds{because}",
	}, each(buildFailed), false},
	result.FindingAdapter:           {rankNoBuild, rankNoBaseline, says("{adapter}"), each(adapterUnfit), false},
	result.FindingKernelRemoved:     {rankNoBuild, rankUnmeasured, bySide{"": "neither base nor head has this kernel{because}", result.SideHead: "head no longer has this kernel{because}"}, nil, false},
	result.FindingResource:          {rankOverLimit, rankOverLimit, says("resource limit{exceeded}"), each(overLimit), false},
	result.FindingWrongOutput:       {rankWrong, rankWrong, says("parity failed{because}"), each(wrongResult), false},
	result.FindingParityError:       {rankBroken, rankUnchecked, says("parity could not be checked{because}"), each(parityError), false},
	result.FindingParitySkipped:     {rankOther, rankOther, says("parity was skipped, so nothing shows that head computes the right thing (parity: off does without){because}"), nil, false},
	result.FindingParityOff:         {rankOther, rankOther, says("parity is switched off by the configuration{because}"), nil, true},
	result.FindingParityUnavailable: {rankOther, rankOther, says("parity not checked: the benchmark hides its tensors"), nil, true},
	result.FindingSelfTimed:         {rankOther, rankOther, says("timed by {detail}, the program's own clock"), nil, true},
	result.FindingKernelUnmeasured:  {rankUnmeasured, rankUnmeasured, says("{detail}"), nil, false},
	result.FindingRegression:        {rankSlower, rankSlower, says("regression{shift}"), worstRegression, false},
	result.FindingElapsed: {rankSlower, rankSlower, says("slower in elapsed time{elapsed}, which counts every launch and what it waits for; " +
		"{limit} is tolerated{waits}"), nil, false},
	result.FindingCumulativeRegression: {rankSlower, rankSlower, says("slower{shift}, and now more than the {limit} that may be lost " +
		"against its best-known level, measured side by side{beyond}"), nil, false},
	result.FindingCaseError: {rankBroken, rankUnmeasured, bySide{
		"": "could not be measured{because}", result.SideBase: "base could not be measured{because}",
		result.SideHead: "head could not be measured{because}", result.SideBoth: "neither side could be measured{because}",
	}, caseErrors, false},
	result.FindingNotTimed:     {rankOther, rankOther, says("was not timed{because}"), notTimed, false},
	result.FindingTooFewRounds: {rankCutShort, rankCutShort, says("could not be measured: fewer than {least} complete rounds, which a first look needs{budget}"), unfinished, false},
	result.FindingUnfinished:   {rankCutShort, rankCutShort, says("could not be measured to the end: still open after {rounds} rounds (look {looks} of {planned}){shift}{budget}"), unfinished, false},
	result.FindingTooNoisy: {rankNoisy, rankNoisy, says("this runner is too noisy for a tolerance of {limit}: the smallest effect that it can see here is {mde}; " +
		"quieten it, raise the tolerance or measure a larger case{shift}"), tooNoisy, false},
	result.FindingEstimateOver:       {rankOpen, rankOpen, says("inconclusive, and the estimate is over the tolerance of {limit}{shift}"), each(undecidedFailing), false},
	result.FindingInconclusiveFailed: {rankOpen, rankOpen, says("inconclusive, failed by policy{shift}"), each(undecidedFailing), false},
	result.FindingEstimateWithin:     {rankOther, rankOther, says("inconclusive, the estimate is within the tolerance of {limit}{shift}"), nil, true},
	result.FindingInconclusivePassed: {rankOther, rankOther, says("inconclusive, passed by policy{shift}"), nil, true},
	result.FindingUnknownVerdict:     {rankOther, rankOther, says("no such verdict{because}"), nil, false},
	result.FindingNothingMeasured:    {rankOther, rankOther, says("nothing was measured: no case has a verdict{because}"), nil, false},
	result.FindingNothingCompared: {rankOther, rankOther, bySide{
		"":              "nothing could be compared with the base that was asked for{because}; name one that has the kernels",
		result.SideHead: "nothing that head changes was compared: {detail}; in a pull request the label approves it",
	}, nil, false},
	result.FindingNotCompared: {rankOther, rankOther, says("not compared: {detail}"), nil, true},
	result.FindingNoKernel:    {rankOther, rankOther, says("there is no kernel to check{because}"), nil, false},
	result.FindingMissing:     {rankOther, rankOther, says("{detail}"), nil, false},
	result.FindingInteraction: {rankOther, rankOther, says("in {apart} of {rounds} rounds the sides lay farther apart than any other two pairs of the same processes, " +
		"and chance makes that a third: on this machine a side has a level of its own in each round, so errors are more frequent than the confidence says (docs/statistics.md)"), nil, true},
	result.FindingSpeedupMissed:             {rankSlower, rankSlower, says("surely not {speedup} as fast as {competitor}{speed}"), nil, false},
	result.FindingSpeedupInconclusiveFailed: {rankOpen, rankOpen, says("not surely {speedup} as fast as {competitor}{speed}, which fails by policy"), nil, false},
	result.FindingSpeedupInconclusivePassed: {rankOther, rankOther, says("whether it is {speedup} as fast as {competitor} stayed open{speed}, which passes by policy"), nil, true},
	result.FindingSpeedupUnmeasured:         {rankCutShort, rankCutShort, says("whether it is {speedup} as fast as {competitor} could not be told{speed}{because}{noise}{budget}"), nil, false},
	result.FindingCompetitorUnmeasured:      {rankOther, rankOther, says("{competitor} was not measured beside it{because}"), nil, true},
	result.FindingNothingToDo:               {rankOther, rankOther, says("{detail}"), nil, true},
}

// Sentence is a finding in plain words, for logs, errors and tables that have no report around them.
func Sentence(f result.Finding) string {
	about := name(f)
	if about != "" {
		about += ": "
	}
	w := wordings[f.Kind].sentence
	return Visible(about + filled(cmp.Or(w[f.Side], w[""], "{detail}"), f))
}

// Sentences are findings in plain words.
func Sentences(findings []result.Finding) []string {
	out := make([]string, len(findings))
	for i, f := range findings {
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

// filled puts what a finding has into a sentence.
func filled(sentence string, f result.Finding) string {
	return strings.NewReplacer( // goes over the text once: a brace in what a tool said stays one
		"{because}", because(Reason(f.Reason)),
		"{detail}", detail(f),
		"{adapter}", adapterWords(f.Adapter, Reason(f.Reason)),
		"{exceeded}", because(LimitPhrase(f)),
		"{shift}", between(f.Shift),
		"{beyond}", between(f.Beyond),
		"{elapsed}", elapsedBetween(f.Elapsed),
		"{waits}", waits(f.Elapsed),
		"{limit}", limit(f.Limit),
		"{mde}", Percent(f.MDE),
		"{least}", strconv.Itoa(rule.MinRounds),
		"{rounds}", strconv.Itoa(f.Rounds),
		"{apart}", strconv.Itoa(f.Apart),
		"{looks}", strconv.Itoa(f.Looks),
		"{planned}", strconv.Itoa(f.Planned),
		"{budget}", budget(f),
		"{competitor}", f.Competitor,
		"{speedup}", timesText(f.MinSpeedup),
		"{speed}", speedBetween(f.Speed),
		"{noise}", noiseOf(f),
	).Replace(sentence)
}

// detail is what was said, or at least the kind.
func detail(f result.Finding) string { return cmp.Or(Reason(f.Reason), string(f.Kind)) }

// between words a shift with its bounds, as in " (+3.10 %, between +2.00 % and +4.20 %)".
func between(s *result.Shift) string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf(" (%s, between %s and %s)", Change(s.Ratio-1, 2), Change(s.Low-1, 2), Change(s.High-1, 2))
}

func elapsedBetween(e *result.Elapsed) string {
	if e == nil {
		return ""
	}
	return between(&result.Shift{Ratio: math.Exp(e.Theta), Low: math.Exp(e.Low), High: math.Exp(e.High)})
}

// waits says where elapsed time went that the value of a process does not have.
func waits(e *result.Elapsed) string {
	switch {
	case e == nil:
		return ""
	case e.HeadWaitedNS > 0:
		return fmt.Sprintf("; a launch of head waits %s on average, one of base %s", Duration(e.HeadWaitedNS), Duration(e.BaseWaitedNS))
	}
	return "; some launches of head take far longer than most"
}

func budget(f result.Finding) string {
	switch {
	case f.Kind == result.FindingUnfinished && f.MDE > 0:
		return "; more time would hardly help, this runner is too noisy: after all looks it could see " + Percent(f.MDE) + " at best"
	case f.Reason.Is(result.ReasonBudgetShort):
		return fmt.Sprintf("; the budget holds one of about %d cases", f.Reason.Count)
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

// timesText words how many times as fast as a competitor head has to be, as the configuration has it.
func timesText(times float64) string { return strconv.FormatFloat(times, 'f', -1, 64) + "x" }

// speedBetween words a speed with its bounds, as in " (1.17x, between 1.15x and 1.19x)".
func speedBetween(s *result.Shift) string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf(" (%s, between %s and %s)", times(s.Ratio), times(s.Low), times(s.High))
}

// noiseOf says of a question that stayed open what the runner cannot see.
func noiseOf(f result.Finding) string {
	if f.MDE <= 0 {
		return ""
	}
	return ": this runner is too noisy, the smallest effect that it can see here is " + Percent(f.MDE)
}
