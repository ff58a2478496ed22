package report

import (
	"github.com/org/perfgate/gate/result"
)

// wording is how every format speaks of a kind of finding.
type wording struct {
	// sentence may have {name}, what it is about; other braces hold the place of what filled knows, and « » enclose what to read first.
	sentence bySide
	title    string                  // follows the name of a kernel in the title of its annotation; "" of a kind that no line of head's sources answers for
	doubt    bool                    // it only says that head may be slower: the annotation is a warning
	refused  string                  // in place of sentence where a budget was too short for a start
	tuned    string                  // in place of sentence in a result of tune, whose cases are compared with their fastest configuration
	together func(t telling) telling // findings of which one sentence speaks; nil: those of a kernel whose sentences are equal
	note     string                  // the part of a report that has one which does not speak against a pass; "" where there is no such
}

// bySide are sentences by the side at fault; that of "" stands for the sides that have none.
type bySide map[result.Side]string

func says(sentence string) bySide { return bySide{"": sentence} }

// Titles that several kinds have: what a kernel has of these is one annotation.
const (
	notBuilt = "does not build"
	tooSlow  = "misses its minimum speedup over a competitor"
)

const refusedSentence = "{name}: not started, since a budget of {available} holds {holds} at this machine's speed: {cures}"

const undecidedSentence = "{name}: still undecided after {done}[, when {exhausted} was exhausted]{more}"

const openGoalSentence = "{name}: «goal inconclusive: {reached} {speedup} as fast as {competitor}, {less} less, {unknown} unknown» ({wanted} wanted)"

// wordings has every kind, which TestEveryKindIsWorded sees to. Every sentence on a finding is made from it.
var wordings = map[result.FindingKind]wording{
	result.FindingBuild: {title: notBuilt, sentence: bySide{
		"": "{name}: head does not build[: `{error}`]", result.SideBase: "{name}: base does not build, so head has nothing to be compared with[: `{error}`]",
		result.SideBoth: "{name}: neither base nor head builds[: `{error}`]",
	}},
	result.FindingAdapter: {title: notBuilt, sentence: says("{name}: {adapter}[: `{error}`]")},
	result.FindingKernelRemoved: {title: "is gone from head", sentence: bySide{
		"": "{name}: neither base nor head has this kernel[: {reason}]", result.SideHead: "{name}: head no longer has this kernel[: {reason}]",
	}},
	result.FindingResource:    {title: "breaks a resource limit", sentence: says("{name} breaks a resource limit[: {exceeded}]")},
	result.FindingWrongOutput: {title: "computes the wrong result", sentence: says("{name} «{wrong}»{where}")},
	result.FindingParityError: {title: "fails in the parity check", sentence: bySide{
		"": "{name}: parity could not be checked[: {reason}]", result.SideHead: "{name}: head failed in the parity check[: {reason}]",
	}},
	result.FindingParitySkipped: {note: "reservations",
		sentence: says("{name}: «parity was skipped, so nothing shows that head computes the right results» (parity: off turns the check off)[: {reason}]")},
	result.FindingParityOff:         {note: "reservations", sentence: says("{name}: «parity is switched off by the configuration»[: {reason}]")},
	result.FindingParityUnavailable: {note: "reservations", sentence: says("{name}: «parity not checked: the benchmark hides its tensors»")},
	result.FindingSelfTimed:         {note: "reservations", sentence: says("{name}: self-timed by {detail}, which measures itself")},
	result.FindingProcessTime: {note: "reservations", sentence: bySide{
		"":              "{name}: {outside}: set-up takes that time, or a clock is wrong",
		result.SideHead: "{name}: «it is unknown whether it is faster»: {outside}: set-up takes the time that it claims to save, or a clock is wrong; on a pull request a label may accept it by name",
	}},
	result.FindingKernelUnmeasured: {sentence: says("{name}: {detail}")},
	result.FindingRegression: {title: "is slower in {cases}[, by up to {most}]",
		sentence: says("{name} is «{amount}»{bounds}[; {tolerance} is tolerated][; {reason}]"), together: worstOf},
	result.FindingElapsed: {title: "is slower in elapsed time",
		sentence: says("{name} is «slower in elapsed time»[ ({elapsed})], which counts every launch and what it waits for; {limit} is tolerated[; {waits}][; {reason}]")},
	result.FindingCumulativeRegression: {title: "has lost too much since its best-known level",
		sentence: says("{name} is «slower»[ ({shift})], and by more than {limit} slower than its best-known level, measured side by side[ ({beyond})]")},
	result.FindingCaseError:    {title: "cannot be measured", sentence: says("{name}: {failure}[: {reason}]")},
	result.FindingNotTimed:     {sentence: says("{name}: was not timed[: {reason}]")},
	result.FindingTooFewRounds: {sentence: says(undecidedSentence), refused: refusedSentence, together: allOf},
	result.FindingUnfinished: {doubt: true, title: "may be slower: no verdict for {cases}",
		sentence: says(undecidedSentence), refused: refusedSentence, together: allOf},
	result.FindingTooNoisy: {doubt: true, title: "may be slower: no verdict for {cases}",
		sentence: says("{name}: {noisy}"), together: allOf},
	result.FindingSlowerEstimateOver: {doubt: true, title: "is slower: the estimate for {cases} is over the tolerance",
		sentence: says("{name} is «{amount}»{bounds}: significantly slower, and the estimate is over the tolerance of {limit}, though not significantly")},
	result.FindingInconclusive: {doubt: true, title: "may be slower: no verdict for {cases}", together: allOf,
		sentence: says("{name}: «inconclusive after all looks»; at a tolerance over {passes} it would have passed, and the minimum detectable effect is {mde}: " +
			"run it again for more evidence, quieten the machine, or raise the tolerance of this case in perfgate.yaml; on a pull request a label may accept it by name")},
	result.FindingInconclusiveFailed: {doubt: true, title: "may be slower: no verdict for {cases}",
		sentence: says("{name} is probably «{amount}»{bounds}: inconclusive for the tolerance of {limit}, which fails by policy")},
	result.FindingInconclusivePassed: {doubt: true, note: "inconclusive", title: "may be slower: no verdict for {cases}",
		sentence: says("{name}: «inconclusive, and passes by policy»")},
	result.FindingUnknownVerdict: {sentence: says("{name}: unknown verdict[: {reason}]")},
	result.FindingNothingMeasured: {sentence: says("{name}: nothing was measured: no case has a verdict[: {reason}]"),
		tuned: "no configuration could be measured in every case[: {first-comparison}]"},
	result.FindingNothingCompared: {tuned: "no configuration but the shipped one could be measured, so nothing was compared", sentence: bySide{
		"":              "{name}: nothing could be compared with the requested base[: {reason}]; name one that has the kernels",
		result.SideBoth: "{name}: nothing was compared: {detail}, and waived cases do not count; measure a case without a waiver, or end one",
		result.SideHead: "{name}: nothing that head changes was compared: {detail}; on a pull request the label approves it",
	}},
	result.FindingNotCompared: {note: "against", sentence: says("{name}: «not compared: {detail}»")},
	result.FindingMeaningChanged: {note: "against", sentence: bySide{
		"":              "{name}: «head changes what its cases mean, which is approved: {detail}»",
		result.SideHead: "{name}: «head changes what its cases mean: {detail}»; on a pull request the label approves it",
	}},
	result.FindingEnvironment: {note: "against", sentence: says("{name}: «base and head have different environments: {detail}»")},
	result.FindingNoKernel:    {sentence: says("{name}: there is no kernel to check[: {reason}]")},
	result.FindingMissing:     {sentence: says("{name}: {detail}")},
	result.FindingInteraction: {note: "notes", sentence: says("{name}: in {apart} of {rounds} rounds base and head were farther apart " +
		"than in any other split of the same processes; chance does that in a third of the rounds of four processes and a fifteenth of those of six. " +
		"This machine has a side-by-round interaction, so errors are more frequent than the confidence says (docs/statistics.md)")},
	result.FindingUnsteady: {note: "notes", sentence: says("{name}: some rounds vary more than chance explains (outliers, or a machine " +
		"that changes state), so another run may vary more than this one: no minimum detectable effects are stated")},
	result.FindingSpeedupMissed: {title: tooSlow,
		tuned:    "the shipped configuration is significantly slower than {competitor} by more than the tolerance",
		sentence: says("{name}: «significantly less than {speedup} as fast as {competitor}»[ ({speed})]")},
	result.FindingSpeedupEstimateBelow: {title: tooSlow,
		sentence: says("{name}: the estimate is less than {speedup} as fast as {competitor}[ ({speed})], and significantly so if the tolerance is added")},
	result.FindingSpeedupInconclusive: {tuned: "whether the shipped configuration is as good as the best is inconclusive: a larger --budget or --tolerance decides it",
		sentence: says("{name}: inconclusive after all looks whether it is {speedup} as fast as {competitor}[ ({speed})]; a minimum below {below} would have been met, and the " +
			"minimum detectable effect is {mde}: run it again for more evidence, quieten the machine, or lower min-speedup in perfgate.yaml; on a pull request a label may accept this case by name")},
	result.FindingSpeedupInconclusiveFailed: {title: tooSlow,
		sentence: says("{name}: inconclusive whether it is {speedup} as fast as {competitor}[ ({speed})], which fails by policy")},
	result.FindingSpeedupInconclusivePassed: {note: "competitor-notes", sentence: says("{name}: inconclusive whether it is {speedup} as fast as {competitor}[ ({speed})], which passes by policy")},
	result.FindingSpeedupUnmeasured: {
		sentence: says("{name}: whether it is {speedup} as fast as {competitor} could not be measured[ ({speed})][: {reason}][: this machine is too noisy, the minimum detectable effect is {noise}]{more}")},
	result.FindingCompetitorUnmeasured:   {note: "competitor-notes", sentence: says("{name}: {competitor} was not measured alongside[, nor whether head is {speedup} as fast][: {reason}]")},
	result.FindingGoalReached:            {note: "goals", sentence: says("{name}: «goal reached: {reached} {speedup} as fast as {competitor}» ({wanted} wanted)")},
	result.FindingGoalMissed:             {note: "goals", sentence: says("{name}: «goal missed: {less} significantly less than {speedup} as fast as {competitor}» ({wanted} wanted)")},
	result.FindingGoalInconclusive:       {note: "goals", sentence: says(openGoalSentence)},
	result.FindingGoalInconclusiveFailed: {sentence: says(openGoalSentence + ", which fails by policy")},
	result.FindingTradeRefused:           {note: "against", sentence: says("{name}: no trade[: {hindrance}]")},
	result.FindingWaiverLapsed: {note: "waivers",
		sentence: says("{name}: «the waiver of {owner} for {waived} ended on {until}»: remove it from the configuration, or renew it with a new reason")},
	result.FindingWaiverUnmatched: {note: "waivers", sentence: says("{name}: «the waiver of {owner} for {waived} matches no case»: remove it from the configuration, or fix its pattern")},
	result.FindingWaiverUnneeded: {note: "waivers", sentence: says("{name}: «the waiver of {owner} for {waived} is no longer needed»: " +
		"in the last {sessions} each of its cases was within its tolerance of the best-known level; remove it from the configuration")},
	result.FindingNothingToDo: {sentence: says("{name}: {detail}")},
}
