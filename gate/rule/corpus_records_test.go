package rule_test

import (
	"fmt"
	"math"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/history"
	"github.com/org/perfgate/gate/result"
)

// stored is what the records of a machine have of a case, and head measured alone.
type stored struct {
	Mode     string    `json:"mode"` // auto, or stored: records alone count
	Sessions []session `json:"sessions"`
	Now      session   `json:"now"` // head, with base's code and the machine as it is
	Limit    float64   `json:"limit"`
}

// session is what one record says: nearest first, each a commit further away.
type session struct {
	Code      string    `json:"code"`   // fingerprint of what was built
	Config    string    `json:"config"` // what gives the case its meaning
	System    string    `json:"system"` // of the machine
	NS        []float64 `json:"ns"`
	Excess    float64   `json:"excess"` // of elapsed times over NS, in log units
	ComputeNS float64   `json:"computeNs"`
	MemoryNS  float64   `json:"memoryNs"`
}

// recordAnswer is what the records say of a case.
type recordAnswer struct {
	Reason    string      `json:"reason,omitempty"` // nothing is compared
	Sessions  int         `json:"sessions,omitempty"`
	Learnt    int         `json:"learnt,omitempty"` // sessions that their scatter was learnt from
	SD        number      `json:"sd,omitempty"`
	Steady    string      `json:"steady,omitempty"`
	Processes int         `json:"processes,omitempty"` // of head that are worth measuring
	Verdict   string      `json:"verdict,omitempty"`
	Compared  *comparison `json:"comparison,omitempty"`
	Median    *shift      `json:"median,omitempty"`
	Canary    number      `json:"canary,omitempty"`
	Widened   number      `json:"widened,omitempty"`
	// Of the best-known level.
	Best     string `json:"best,omitempty"`
	Records  int    `json:"records,omitempty"`
	Lost     number `json:"lost,omitempty"`
	AtLeast  number `json:"atLeast,omitempty"`
	Crept    bool   `json:"crept,omitempty"`
	Compares bool   `json:"compares,omitempty"` // head with that level
}

func (s session) record(i int, c *result.Case) *baseline.Record {
	canaries := baseline.Canaries{ComputeNS: s.ComputeNS, MemoryNS: s.MemoryNS}
	one := baseline.Case{
		Name: c.Name, Kernel: c.Kernel, ConfigHash: s.Config, Fingerprint: s.Code, Method: *c.Method, ValuesNS: s.NS, Excess: s.Excess, Canaries: canaries,
	}
	for n := range s.NS {
		one.Rounds = append(one.Rounds, n/2)
	}
	return &baseline.Record{
		Commit: fmt.Sprintf("%040d", i), Machine: result.Machine{Key: "machine", Kernel: s.System}, Cases: []baseline.Case{one},
		Canaries: canaries,
	}
}

func (s session) today() baseline.Session {
	out := baseline.Session{Excess: s.Excess, Canaries: baseline.Canaries{ComputeNS: s.ComputeNS, MemoryNS: s.MemoryNS}}
	for _, ns := range s.NS {
		out.Values = append(out.Values, math.Log(ns))
	}
	return out
}

// screen lets the records speak of a case, and settles it where they can.
func (s *stored) screen(c *result.Case, p result.Policy) (*recordAnswer, error) {
	var known baseline.History
	for i, one := range s.Sessions {
		known.Found = append(known.Found, baseline.Found{Record: one.record(i+1, c), Distance: i + 1})
	}
	now := baseline.Now{State: s.Now.record(0, c), Case: c.Name, ConfigHash: s.Now.Config, Fingerprint: s.Now.Code}
	c.Stored = &result.Stored{CumulativeLimit: s.Limit}
	out := &recordAnswer{}
	base, why := known.Base(now)
	switch {
	case base == nil:
		out.Reason = string(why.Kind)
	case !base.Learnt.Known():
		out.Reason = string(result.ReasonScatterUnknown)
	default:
		if err := s.compared(c, base, p, out); err != nil {
			return nil, err
		}
	}
	s.past(c, known, now, out)
	s.settle(c)
	return out, nil
}

// compared compares head alone with the sessions of base.
func (s *stored) compared(c *result.Case, base *baseline.Base, p result.Policy, out *recordAnswer) error {
	by, err := base.Screen(s.Now.today(), p)
	if err != nil {
		return err
	}
	by.Comparison.Verdict = by.Verdict
	c.SetComparison(result.VariantHead, result.Variant{Role: result.RoleRecord}, &by.Comparison)
	out.Sessions, out.Learnt, out.SD, out.Steady = len(base.Sessions), base.Learnt.Sessions, number(math.Sqrt(base.Learnt.Var)), string(base.Learnt.Steady)
	out.Processes = baseline.Plan([]*baseline.Base{base}, p)
	out.Verdict, out.Canary, out.Widened = string(by.Verdict), number(by.CanaryShift), number(by.Widened)
	out.Compared = comparisonOf(&by.Comparison)
	out.Median = &shift{number(by.MedianRatio.Estimate), number(by.MedianRatio.Low), number(by.MedianRatio.High)}
	return nil
}

// past holds head against its best-known level.
func (s *stored) past(c *result.Case, known baseline.History, now baseline.Now, out *recordAnswer) {
	all := history.Of("machine", known, nil)
	of := all.Case(c.Name)
	if of == nil {
		return
	}
	best, found := of.Best()
	if !found {
		return
	}
	lost, least, ok := of.Over(s.Now.today(), now)
	if out.Best, out.Records, out.Compares = best.Commit, best.Records, ok; !ok {
		return
	}
	c.Stored.BestCommit, c.Stored.CumulativeShift, c.Stored.CumulativeLow = best.Commit, lost, least
	out.Lost, out.AtLeast, out.Crept = number(lost), number(least), c.IsCumulativeRegression()
}

// settle ends a case with the records' word, as a run does: a case that they call the same is, and where they alone count each of their words.
func (s *stored) settle(c *result.Case) {
	switch by := c.To(result.RoleRecord); {
	case s.Mode == "stored" && by == nil:
		c.Verdict, c.Reason = result.Error, whyOf(string(result.ReasonNoRecord))
	case by != nil && (s.Mode == "stored" || by.Verdict == result.Same):
		c.Verdict, c.Reason = by.Verdict, &result.Reason{Kind: result.ReasonByRecords}
	}
}
