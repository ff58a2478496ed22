package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/gate/text"
)

// facts are the labelled lines on which the rest stands; those without words are left out.
func facts(r *result.Result) []Item {
	return []Item{
		{Label: "base", Text: side(r.Base)},
		{Label: "head", Text: side(r.Head)},
		{Label: "rule", Text: ruleFact(r.Policy)},
		{Label: labelColumns, Text: legend(r)},
		{Label: "rounds", Text: roundsText(r)},
		{Label: "baseline", Text: recordsText(r)},
		{Label: "method", Text: method(r)},
		{Label: "machine", Text: machine(r.Machine, r.Cases)},
		{Label: "compiler", Text: toolchain(r.Toolchain)},
		{Label: "config", Text: say("[`%s`][ of %s]", r.Config.File, either(r.Config.File == "", "", r.Config.Trust))},
		{Label: "sandbox", Text: sandbox(r.Sandbox)},
		{Label: "shards", Text: shards(r)},
		{Label: "took", Text: took(r.Timings)},
		{Label: "cost", Text: cost(r.Cost)},
		{Label: "made by", Text: madeBy(r)},
	}
}

// factsWithout are the facts but for those that a kind of result has no use for.
func factsWithout(r *result.Result, labels ...string) []Item {
	return slices.DeleteFunc(facts(r), func(f Item) bool { return slices.Contains(labels, f.Label) })
}

func side(s result.Version) Text {
	if s.Label == "" {
		return nil
	}
	return say("%s `%s`[ at `%s`]%s[, flags `%s`]", s.Kind, s.Label, either(s.Revision == s.Label, "", result.ShortID(s.Revision)),
		either(s.Dirty, ", with uncommitted changes", ""), strings.Join(s.Flags, " "))
}

func ruleFact(p result.Policy) Text {
	if p.Confidence == 0 {
		return nil
	}
	questions := text.Count(p.Cases, "case") // that the error rate is held over
	if p.MinSpeedups > 0 {
		questions += " and " + text.Count(p.MinSpeedups, either(len(p.Goals) > 0, "speedup over a competitor", "minimum speedup"),
			either(len(p.Goals) > 0, "speedups over competitors", "minimum speedups"))
	}
	return say("fails if significantly over %s slower%s; %s confidence for the whole run (%s, %s)%s", text.Limit(p.Tolerance), ownTolerances(p), text.Limit(p.Confidence), questions,
		text.Count(rule.PlannedLooks(p), "look"), openWords[p.OnInconclusive])
}

// ownTolerances names the cases that have a tolerance of their own.
func ownTolerances(p result.Policy) string {
	const most = 5
	var own []string
	for _, t := range p.Tolerances {
		margin := text.Limit(t.Tolerance)
		if t.FloorNS > 0 {
			margin += " or " + text.Duration(t.FloorNS)
		}
		own = append(own, fmt.Sprintf("%s of %s", margin, t.Cases))
	}
	if more := len(own) - most; more > 0 {
		own = append(own[:most], text.Count(more, "more pattern"))
	}
	return either(len(own) == 0, "", " ("+strings.Join(own, ", ")+")")
}

// openWords say what becomes of a case that the last look leaves open.
var openWords = map[result.OnInconclusive]string{
	result.OnInconclusiveStop: "; an inconclusive case has no answer, and fails if it is significantly slower and its estimate is over the tolerance",
	result.OnInconclusivePass: "; inconclusive cases pass",
	result.OnInconclusiveFail: "; inconclusive cases fail",
}

// labelColumns is the label of the fact that explains the table.
const labelColumns = "columns"

// columnsLegend explains the columns that every comparison has.
const columnsLegend = "δ is Cliff's delta over processes, from −1 (head faster in all) to +1; " +
	"MDE is the minimum detectable effect: the change that these rounds detect with 90 % power"

// legend explains the columns of the table, if it has numbers.
func legend(r *result.Result) Text {
	if !slices.ContainsFunc(r.Cases, func(c result.Case) bool { return c.Compared() != nil }) {
		return nil
	}
	return Say("base and head are medians over processes; change is head against base, round by round, and so need not be their quotient; " + columnsLegend).In(Quiet)
}

// roundsText says how many rounds the cases took, in which order their processes ran, and which had to be repeated.
func roundsText(r *result.Result) Text {
	if len(r.Rounds) == 0 {
		return nil
	}
	const most = 8
	var orders, voided []string
	processes := map[int]bool{} // of a round: in the first two, and with competitors, there are more
	all := 0
	for _, round := range r.Rounds {
		if round.Voided != "" {
			voided = append(voided, round.Voided)
			continue
		}
		orders = append(orders, round.Order)
		processes[len(round.Order)], all = true, all+len(round.Order)
	}
	var p phrases
	what := fmt.Sprintf("with %d fresh processes in all", all)
	if len(processes) == 1 {
		what = fmt.Sprintf("of %d fresh processes", len(orders[0]))
	}
	if len(orders) > 0 {
		p.say("%s %s, in randomized order (A is base): %s%s", text.Count(len(orders), "round"), what, strings.Join(orders[:min(most, len(orders))], " "), either(len(orders) > most, " …", ""))
	}
	p.when(len(orders) == 0, "no complete round")
	per := roundsPerCase(r.Cases)
	p.when(per != "", "%s", per)
	p.when(len(voided) > 0, "%v%s", Say(text.Count(len(voided), "round")+" voided and repeated: ").In(Warn), strings.Join(slices.Compact(voided), "; "))
	return p.joined("; ")
}

// roundsPerCase says after how many rounds cases were decided, unless all took the same.
func roundsPerCase(cases []result.Case) string {
	n := map[int]int{}
	for _, c := range cases {
		if c.Compared() != nil {
			n[c.Compared().Rounds]++
		}
	}
	if len(n) < 2 {
		return ""
	}
	var per []string
	for _, rounds := range slices.Sorted(maps.Keys(n)) {
		per = append(per, fmt.Sprintf("%s after %d", text.Count(n[rounds], "case"), rounds))
	}
	return strings.Join(per, ", ")
}

func toolchain(t result.Toolchain) Text {
	if t.Version == "" {
		return say("`%s`", t.Compiler)
	}
	return say("[%s (`%s`)]", t.Version, t.Compiler)
}

func madeBy(r *result.Result) Text {
	if r.Tool.Name == "" {
		return nil
	}
	return say("%s %s[, %s UTC][, seed `%s`]", r.Tool.Name, r.Tool.Version, either(r.Started.IsZero(), "", r.Started.UTC().Format("2006-01-02 15:04")), r.Seed)
}

func took(t result.Timings) Text {
	if t.TotalS <= 0 {
		return nil
	}
	return say("%s[: compiling %s, harness processes %s][, waiting for the machine %s]", text.Elapsed(t.TotalS), either(t.CompileS+t.RunnersS > 0, text.Elapsed(t.CompileS), ""),
		text.Elapsed(t.RunnersS), either(t.WaitS >= leastPhaseS, text.Elapsed(t.WaitS), ""))
}

// cost words the minutes of the machine and what they are worth.
func cost(c *result.Cost) Text {
	if c == nil || c.HourPrice <= 0 {
		return nil
	}
	return say("%s minutes of the machine, %s at %s an hour", text.Number(c.Total/c.HourPrice*60), money(c.Total), money(c.HourPrice))
}

// money writes an amount with at least two digits behind the point, and so many that a small one is not lost.
func money(amount float64) string {
	if amount <= 0 || amount >= 0.1 {
		return fmt.Sprintf("%.2f", amount)
	}
	places := min(9, 1-int(math.Floor(math.Log10(amount))))
	return fmt.Sprintf("%.*f", places, amount)
}

// confined says what was confined, by whether kernels were, and build commands.
var confined = map[[2]bool]string{
	{false, false}: "compilers, but no build command, profiler or kernel,", {false, true}: "builds, but not kernels,",
	{true, false}: "compilers and kernels, but no build command and no profiler,", {true, true}: "builds and kernels",
}

// sandbox says what builds and kernels were kept from, and what from not.
func sandbox(s *result.Sandbox) Text {
	if s == nil {
		return nil
	}
	gaps := strings.Join(s.Gaps, "; ")
	switch {
	case s.Mode == result.SandboxOff:
		return Say("off: builds and kernels ran with all that the user may do").In(Warn)
	case s.Landlock == 0:
		return say("none: it could not forbid %s; only the environment was scrubbed, and memory, disk and output limited%s", gaps,
			either(s.Seccomp, ", and sockets and rare system calls closed", "")).In(Warn)
	}
	return append(say("Landlock %d%s: %s could read their sources and the toolchain, write a private folder, and reach no network or process beyond the gaps",
		s.Landlock, either(s.Seccomp, " and seccomp", ""), confined[[2]bool{s.Kernels, s.Commands}]).In(either(s.Kernels, Plain, Warn)), say("[; it could not forbid %s]", gaps)...)
}

// shards says which part of a plan this is, or of which parts it was made.
func shards(r *result.Result) Text {
	if s := r.Shard; s != nil {
		return say("%d of %d: its cases are a part of the plan's %d, and perfgate merge makes one verdict of all", s.Index, s.Of, r.Policy.Cases)
	}
	var parts []string
	for _, p := range r.Merged {
		what := p.Machine
		if p.Of != 1 {
			what = fmt.Sprintf("%d/%d on %s", p.Index, p.Of, p.Machine)
		}
		parts = append(parts, fmt.Sprintf("%s (%s, %s, %s)", what, p.Verdict, text.Count(p.Cases, "case"), text.Elapsed(p.TotalS)))
	}
	if len(parts) == 0 {
		return nil
	}
	return say("merged of %s: %s", text.Count(len(parts), "result"), strings.Join(parts, "; "))
}
