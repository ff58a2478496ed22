package rule_test

import (
	"math"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// conclusion is what a run or a merge comes to.
type conclusion struct {
	Verdict  string         `json:"verdict"`
	Exit     int            `json:"exit"`
	Findings []finding      `json:"findings,omitempty"`
	Counts   map[string]int `json:"counts,omitempty"`
	Problems []string       `json:"problems,omitempty"` // as the option fail-on names them
}

// finding is what one says, but for its words.
type finding struct {
	Kind       string  `json:"kind"`
	Effect     string  `json:"effect"`
	Kernel     string  `json:"kernel,omitempty"`
	Case       string  `json:"case,omitempty"`
	Machine    string  `json:"machine,omitempty"`
	Side       string  `json:"side,omitempty"`
	Reason     string  `json:"reason,omitempty"`
	Competitor string  `json:"competitor,omitempty"`
	Adapter    string  `json:"adapter,omitempty"`
	Over       *limit  `json:"over,omitempty"`
	Shift      *shift  `json:"shift,omitempty"`
	Beyond     *shift  `json:"beyond,omitempty"`
	Speed      *shift  `json:"speed,omitempty"`
	Elapsed    *waited `json:"elapsed,omitempty"`
	Times      *times  `json:"times,omitempty"`
	Limit      number  `json:"limit,omitempty"`
	MDE        number  `json:"mde,omitempty"`
	MinSpeedup number  `json:"minSpeedup,omitempty"`
	Rounds     int     `json:"rounds,omitempty"`
	Apart      int     `json:"apart,omitempty"`
	Looks      int     `json:"looks,omitempty"`
	Planned    int     `json:"planned,omitempty"`
	BudgetGone bool    `json:"budgetGone,omitempty"`
	Needed     number  `json:"budgetNeeded,omitempty"`
	Acceptable bool    `json:"acceptable,omitempty"` // somebody may take the responsibility
}

type shift struct {
	Ratio number `json:"ratio"`
	Low   number `json:"low"`
	High  number `json:"high"`
}

// caseAnswer is what a case comes to.
type caseAnswer struct {
	Name        string        `json:"name"`
	Verdict     string        `json:"verdict"`
	Looks       []lookAnswer  `json:"looks,omitempty"`
	Compared    *comparison   `json:"comparison,omitempty"` // at the last look
	Record      *recordAnswer `json:"record,omitempty"`
	Best        *bestAnswer   `json:"best,omitempty"`
	Competitors []keepAnswer  `json:"competitors,omitempty"`
}

type lookAnswer struct {
	Rounds   int    `json:"rounds"`
	Verdict  string `json:"verdict"`
	Theta    number `json:"theta"`
	Low      number `json:"low"`
	High     number `json:"high"`
	PassHigh number `json:"passHigh"`
}

// keepAnswer is what is known of head and base beside a competitor.
type keepAnswer struct {
	Name    string      `json:"name"`
	Verdict string      `json:"verdict"`
	Looks   int         `json:"looks"`
	Head    *comparison `json:"head,omitempty"`
	Base    *comparison `json:"base,omitempty"`
}

// bestAnswer is what rounds beside the best-known level say; "" where the case cannot fail for them.
type bestAnswer struct {
	Verdict  string      `json:"verdict"`
	Compared *comparison `json:"comparison,omitempty"`
}

func conclusionOf(c result.Conclusion) conclusion {
	out := conclusion{Verdict: string(c.Verdict), Exit: int(c.Exit), Counts: map[string]int{}, Problems: result.Words(rule.Problems(c))}
	for _, f := range c.Findings {
		out.Findings = append(out.Findings, findingOf(f))
	}
	for v, n := range c.Counts {
		out.Counts[string(v)] = n
	}
	return out
}

func findingOf(f result.Finding) finding {
	out := finding{
		Kind: string(f.Kind), Effect: string(f.Effect), Kernel: f.Kernel, Case: f.Case, Machine: f.Machine, Side: string(f.Side), Competitor: f.Competitor, Adapter: string(f.Adapter),
		Shift: shiftOf(f.Shift), Beyond: shiftOf(f.Beyond), Speed: shiftOf(f.Speed), Elapsed: waitedOf(f.Elapsed), Times: timesOf(f.Times),
		Limit: number(f.Limit), MDE: number(f.MDE), MinSpeedup: number(f.MinSpeedup), Rounds: f.Rounds, Apart: f.Apart, Looks: f.Looks, Planned: f.Planned,
		BudgetGone: f.BudgetGone, Needed: number(f.BudgetNeededS), Acceptable: rule.Acceptable(f),
	}
	if f.Reason != nil && f.Reason.Kind != result.ReasonMessage { // texts are in no answer
		out.Reason = string(f.Reason.Kind)
	}
	if o := f.Over; o != nil {
		out.Over = &limit{Key: o.Key, Function: o.Function, Needs: o.Needs, Limit: o.Limit, Over: o.Over}
	}
	return out
}

func shiftOf(s *result.Shift) *shift {
	if s == nil {
		return nil
	}
	return &shift{number(s.Ratio), number(s.Low), number(s.High)}
}

// times are how a benchmark's processes of head differ from base's.
type times struct {
	Base    number `json:"base"`
	Claimed number `json:"claimed"`
	Lived   number `json:"lived"`
	CPU     number `json:"cpu"`
}

func timesOf(t *result.TimesDiffer) *times {
	if t == nil {
		return nil
	}
	return &times{number(t.BaseS), number(t.ClaimedS), number(t.LivedS), number(t.CPUS)}
}

func waitedOf(e *result.Elapsed) *waited {
	if e == nil {
		return nil
	}
	return &waited{number(e.Theta), number(e.Low), number(e.High), number(e.ExcessWait), number(e.BaseWaitedNS), number(e.HeadWaitedNS)}
}

func comparisonOf(c *result.Comparison) *comparison {
	if c == nil {
		return nil
	}
	out := &comparison{
		Rounds: c.Rounds, Theta: number(c.Theta), Low: number(c.Low), High: number(c.High), PassHigh: number(c.PassHigh),
		Boot95Low: number(c.Boot95Low), Boot95High: number(c.Boot95High), S: number(c.S), SE: number(c.SE),
		Delta: number(c.Delta), DeltaLow: number(c.DeltaLow), DeltaHigh: number(c.DeltaHigh), MDE: number(c.MDE), RoundsNeeded: c.RoundsNeeded,
		Tick: number(c.Tick), Floored: c.Floored, Elapsed: waitedOf(c.Elapsed),
	}
	if s := c.Suspect; s != nil {
		out.Suspect = &far{string(s.Side), s.Processes, s.Of, number(s.Shift)}
	}
	return out
}

// today is a comparison that is given.
func (c *comparison) today() *result.Comparison {
	if c == nil {
		return nil
	}
	ratio := func(log number) float64 { return math.Exp(float64(log)) }
	out := &result.Comparison{
		Rounds: c.Rounds, Theta: float64(c.Theta), Low: float64(c.Low), High: float64(c.High), PassHigh: float64(c.PassHigh),
		Ratio: ratio(c.Theta), RatioLow: ratio(c.Low), RatioHigh: ratio(c.High), SE: float64(c.SE), Delta: float64(c.Delta), MDE: float64(c.MDE), Tick: float64(c.Tick),
	}
	if s := c.Suspect; s != nil {
		out.Suspect = &result.Suspect{Side: result.Side(s.Side), Processes: s.Processes, Of: s.Of, Shift: float64(s.Shift)}
	}
	if e := c.Elapsed; e != nil {
		out.Elapsed = &result.Elapsed{Theta: float64(e.Theta), Low: float64(e.Low), High: float64(e.High), ExcessWait: float64(e.Excess)}
	}
	return out
}

func keepAnswerOf(head, base *result.Comparison) keepAnswer {
	out := keepAnswer{Name: head.To.Name, Verdict: string(head.Verdict), Looks: head.Look, Base: comparisonOf(base)}
	if head.HasNumbers() {
		out.Head = comparisonOf(head)
	}
	return out
}
