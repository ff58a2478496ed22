package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// facts are the labelled lines on which the rest stands.
func facts(r *result.Result) []Fact {
	out := []Fact{
		{Label: "base", Text: side(r.Base)},
		{Label: "head", Text: side(r.Head)},
		{Label: "rule", Text: ruleFact(r.Policy)},
		{Label: labelColumns, Text: legend(r)},
		{Label: "rounds", Text: roundsText(r)},
		{Label: "baseline", Text: recordsText(r)},
		{Label: "method", Text: method(r)},
		{Label: "machine", Text: machine(r.Machine)},
		{Label: "compiler", Text: toolchain(r.Toolchain)},
		{Label: "config", Text: config(r.Config)},
		{Label: "sandbox", Text: sandbox(r.Sandbox)},
		{Label: "shards", Text: shards(r)},
		{Label: "took", Text: took(r)},
		{Label: "cost", Text: cost(r)},
		{Label: "made by", Text: madeBy(r)},
	}
	return slices.DeleteFunc(out, func(f Fact) bool { return len(f.Text) == 0 })
}

func side(s result.Version) Text {
	if s.Label == "" {
		return nil
	}
	t := Text{words(string(s.Kind) + " "), code(s.Label)}
	if s.Revision != "" && s.Revision != s.Label {
		t = append(t, words(" at "), code(result.ShortID(s.Revision)))
	}
	if s.Dirty {
		t = append(t, words(", with uncommitted changes"))
	}
	if len(s.Flags) > 0 {
		t = append(t, words(", flags "), code(strings.Join(s.Flags, " ")))
	}
	return t
}

func ruleFact(p result.Policy) Text {
	if p.Confidence == 0 {
		return nil
	}
	s := fmt.Sprintf("fails if significantly over %s slower%s; %s confidence for the whole run (%s, %s)",
		limit(p.Tolerance), ownTolerances(p), limit(p.Confidence), questions(p), Count(rule.PlannedLooks(p), "look"))
	return Say(s + open[p.OnInconclusive])
}

// ownTolerances names the cases that have a tolerance of their own.
func ownTolerances(p result.Policy) string {
	const most = 5
	var own []string
	for _, t := range p.Tolerances {
		margin := limit(t.Tolerance)
		if t.FloorNS > 0 {
			margin += " or " + Duration(t.FloorNS)
		}
		own = append(own, fmt.Sprintf("%s of %s", margin, t.Cases))
	}
	if more := len(own) - most; more > 0 {
		own = append(own[:most], Count(more, "more pattern"))
	}
	if len(own) == 0 {
		return ""
	}
	return " (" + strings.Join(own, ", ") + ")"
}

// open words what becomes of a case that the last look leaves open.
var open = map[result.OnInconclusive]string{
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
	return Text{{Tone: Quiet, Text: "base and head are medians over processes; change is head against base, round " +
		"by round, and so need not be their quotient; " + columnsLegend}}
}

// roundsText says how many rounds the cases took, in which order their processes ran, and which had to be repeated.
func roundsText(r *result.Result) Text {
	if len(r.Rounds) == 0 {
		return nil
	}
	var orders, voided []string
	for _, round := range r.Rounds {
		if round.Voided != "" {
			voided = append(voided, round.Voided)
			continue
		}
		orders = append(orders, round.Order)
	}
	s := fmt.Sprintf("%s of %s fresh processes, in randomized order (A is base): %s", Count(len(orders), "round"), spelled(orders), abridged(orders, 8))
	if per := roundsPerCase(r.Cases); per != "" {
		s += "; " + per
	}
	t := Say(s)
	if len(voided) > 0 {
		t = append(t, Span{Text: fmt.Sprintf("; %s voided and repeated: ", Count(len(voided), "round")), Tone: Warn},
			words(strings.Join(slices.Compact(voided), "; ")))
	}
	return t
}

// abridged joins the first most of a list.
func abridged(list []string, most int) string {
	if len(list) <= most {
		return strings.Join(list, " ")
	}
	return strings.Join(list[:most], " ") + " …"
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
	var c clauses
	for _, rounds := range slices.Sorted(maps.Keys(n)) {
		c.say("%s after %d", Count(n[rounds], "case"), rounds)
	}
	return c.join(", ")
}

func toolchain(t result.Toolchain) Text {
	if t.Compiler == "" {
		return nil
	}
	if t.Version == "" {
		return Text{code(t.Compiler)}
	}
	return Text{words(t.Version), words(" ("), code(t.Compiler), words(")")}
}

func config(c result.Config) Text {
	if c.File == "" {
		return nil
	}
	t := Text{code(c.File)}
	if c.Trust != "" {
		t = append(t, words(" of "+c.Trust))
	}
	return t
}

func madeBy(r *result.Result) Text {
	if r.Tool.Name == "" {
		return nil
	}
	t := Text{words(r.Tool.Name + " " + r.Tool.Version)}
	if !r.Started.IsZero() {
		t = append(t, words(", "+r.Started.UTC().Format("2006-01-02 15:04")+" UTC"))
	}
	if r.Seed != "" {
		t = append(t, words(", seed "), code(r.Seed))
	}
	return t
}

func took(r *result.Result) Text {
	t := r.Timings
	if t.TotalS <= 0 {
		return nil
	}
	c := clauses{Elapsed(t.TotalS)}
	if t.CompileS > 0 || t.RunnersS > 0 {
		c[0] += fmt.Sprintf(": compiling %s, harness processes %s", Elapsed(t.CompileS), Elapsed(t.RunnersS))
	}
	c.when(t.WaitS >= 0.05, "waiting for the machine %s", Elapsed(t.WaitS))
	return Say(c.join(", "))
}

// cost words the minutes of the machine and what they are worth.
func cost(r *result.Result) Text {
	c := r.Cost
	if c == nil || c.HourPrice <= 0 {
		return nil
	}
	return Say(fmt.Sprintf("%s minutes of the machine, %s at %s an hour", Number(c.Total/c.HourPrice*60), money(c.Total), money(c.HourPrice)))
}

// money writes an amount with at least two digits behind the point, and so many that a small one is not lost.
func money(amount float64) string {
	if amount <= 0 || amount >= 0.1 {
		return fmt.Sprintf("%.2f", amount)
	}
	places := min(9, 1-int(math.Floor(math.Log10(amount))))
	return fmt.Sprintf("%.*f", places, amount)
}

// questions are what the error rate is held over.
func questions(p result.Policy) string {
	if p.MinSpeedups == 0 {
		return Count(p.Cases, "case")
	}
	return Count(p.Cases, "case") + " and " + Count(p.MinSpeedups, "minimum speedup")
}

// spelled is how many processes a round has at most: with competitors more than four.
func spelled(orders []string) string {
	most := 4
	for _, order := range orders {
		most = max(most, len(order))
	}
	if most == 4 {
		return "four"
	}
	return strconv.Itoa(most)
}
