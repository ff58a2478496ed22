package baseline

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/stats"
)

// Now is what a run is about to measure, in the terms of a record.
type Now struct {
	State       *Record // machine and toolchain of this run
	Case        string
	ConfigHash  string
	Fingerprint string // of base's build; "" takes the nearest record whatever code it is of
	// Reads is what Case.Reads is now, by the observation that a case names; nil of code that its fingerprint says all of.
	Reads func(name string, o Observation) string
	// Environment names the parts of a recorded environment that are not now as they were; known is false where that cannot be said. Nil does not ask.
	Environment func(Observation) (names []string, known bool)
}

// Base is what the records know of a case: the sessions of base's code and what the machine's sessions are like.
type Base struct {
	Found    Found // nearest record of the case
	Case     Case  // of that record: its method is the one to measure head by
	Sessions []Session
	Learnt   Learnt
}

// ScreenProcesses is the most fresh processes that measure head alone: two thirds of the fewest that rounds take.
const ScreenProcesses = 8

// baseSessions is the most sessions that a comparison averages over: beyond it, head's own session rules.
const baseSessions = 12

// Base finds what head's measurement of a case may be compared with; without it, why not. Sessions of other
// code, and from before the machine changed, still say how far sessions scatter, each among its own kind.
func (h History) Base(now Now) (*Base, *result.Reason) {
	var b *Base
	var known []Session
	var method *result.Method
	var why *result.Reason
	for _, f := range h.Found {
		c := f.Record.Case(now.Case)
		if c == nil || c.ConfigHash == now.ConfigHash && method != nil && !SameMethod(*method, c.Method) {
			continue
		}
		reason := unfit(f, *c, now)
		if c.ConfigHash == now.ConfigHash {
			method = &c.Method
			s := NewSession(*c)
			s.Fingerprint += strings.Join(Changes(f.Record, now.State), "; ")
			if other := otherEnvironment(f, *c, now); other != nil {
				s.Fingerprint += string(other.Kind) + strings.Join(other.Names, ", ")
			}
			known = append(known, s)
		}
		if reason != nil {
			why = cmp.Or(why, reason)
			continue
		}
		if b == nil {
			b = &Base{Found: f, Case: *c}
		}
		if len(b.Sessions) < baseSessions {
			b.Sessions = append(b.Sessions, NewSession(*c))
		}
	}
	if b == nil {
		return nil, cmp.Or(why, &result.Reason{Kind: result.ReasonNotRecorded})
	}
	b.Learnt = Learn(known)
	return b, nil
}

// unfit says why a record cannot be compared with; nil where it can.
func unfit(f Found, c Case, now Now) *result.Reason {
	if changes := Changes(f.Record, now.State); len(changes) > 0 {
		return &result.Reason{Kind: result.ReasonMachineChanged, Name: f.Record.Commit, Names: changes}
	}
	if c.ConfigHash != now.ConfigHash {
		return &result.Reason{Kind: result.ReasonConfigChanged, Name: f.Record.Commit}
	}
	if now.Fingerprint != "" && c.Fingerprint != now.Fingerprint {
		return &result.Reason{Kind: result.ReasonOtherCode}
	}
	if o, _ := f.Record.Observation(&c); now.Reads != nil && c.Reads != now.Reads(c.Observed, o) {
		return &result.Reason{Kind: result.ReasonOtherCode}
	}
	return otherEnvironment(f, c, now)
}

// Screening is what the stored sessions say of head.
type Screening struct {
	result.Comparison
	MedianRatio stats.Interval // head's median over base's, bootstrapped, session variance not in it
	CanaryShift float64        // log shift of the canary that is not taken out, or moved most
	Widened     float64        // log units added on both sides because a canary moved farther than in any known session
	Verdict     result.Verdict
}

// ErrUnknownVariance says that the variance between sessions is not known, so that nothing can be decided.
var ErrUnknownVariance = errors.New("the variance between sessions is not known")

// Screen compares head's processes with the sessions of base. The bounds are those of two groups that did not run side
// by side, widened by the session variance of head and by what averaging over base's sessions leaves of theirs, and by
// a canary's move beyond what the known sessions cover. The ratio of bootstrapped medians has to agree: where its
// interval, widened by the same variance, reaches farther, it counts.
func (b *Base) Screen(head Session, p result.Policy) (Screening, error) {
	if !b.Learnt.Known() {
		return Screening{}, ErrUnknownVariance
	}
	by := b.Learnt.Steady
	if _, ok := head.Canary(by); !ok {
		return Screening{}, fmt.Errorf("head's session has no %s canary: %w", by, ErrUnknownVariance)
	}
	p = p.Of(b.Case.Name, b.Case.Method.LaunchNS)
	p.PlannedLooks = 1 // the screen decides once, and never red: the whole error rate is spent on that look
	base, values, m := b.pooled(by), head.steadied(by), b.Case.Method
	c, err := rule.CompareUnpaired(base, values, b.sessionError(), 1, rule.Timing{QuantumNS: m.QuantumNS, Launches: m.Launches, MedianNS: m.LaunchNS}, p)
	if err != nil {
		return Screening{}, err
	}
	s := Screening{Comparison: c}
	if s.MedianRatio, err = medianRatio(base, values, p); err != nil {
		return Screening{}, err
	}
	s.widenByCanary(b, head)
	s.includeMedians(b)
	s.PassHigh = s.High // what passes without rounds does so by the bound that holds for all cases
	s.Verdict = rule.Decide(s.Comparison, p, true)
	if head.Excess-b.excess() > math.Log1p(p.Tolerance) {
		s.Verdict = result.Inconclusive // its launches may wait now and then, or some may compute longer, which values do not show: rounds tell
	}
	return s, nil
}

// excess is the mean of base's sessions.
func (b *Base) excess() float64 {
	sum := 0.0
	for _, s := range b.Sessions {
		sum += s.Excess
	}
	return sum / float64(len(b.Sessions))
}

// sessionError is such that FitUnpaired, which adds it once for each side, adds var·(1 + 1/m) in all: one session of
// head against the mean of m of base.
func (b *Base) sessionError() stats.SessionVariance {
	m := float64(len(b.Sessions))
	return stats.SessionVariance{Var: b.Learnt.Var * (1 + 1/m) / 2, DF: b.Learnt.DF}
}

// pooled are the values of base's sessions, each moved to the mean of all: the spread of sessions is in the session
// variance and must not count twice.
func (b *Base) pooled(by Steady) []float64 {
	means := make([]float64, len(b.Sessions))
	for i, s := range b.Sessions {
		means[i], _ = meanVariance(s.steadied(by))
	}
	level, _ := meanVariance(means)
	var out []float64
	for i, s := range b.Sessions {
		for _, y := range s.steadied(by) {
			out = append(out, y-means[i]+level)
		}
	}
	return out
}

func medianRatio(base, head []float64, p result.Policy) (stats.Interval, error) {
	level, _ := meanVariance(base) // exp of a steadied value may be any size
	ns := func(ys []float64) []float64 {
		out := make([]float64, len(ys))
		for i, y := range ys {
			out[i] = math.Exp(y - level)
		}
		return out
	}
	return stats.RatioOfMedians(ns(base), ns(head), 0.95)
}

// widenByCanary adds what a canary moved beyond the sessions that the variance was learnt from.
func (s *Screening) widenByCanary(b *Base, head Session) {
	for _, by := range BothCanaries {
		now, ok := head.Canary(by)
		level, known := canaryLevel(b.Sessions, by)
		if !ok || !known {
			continue // a canary that only one of the two has says nothing
		}
		shift := now - level
		if math.Abs(shift) > math.Abs(s.CanaryShift) {
			s.CanaryShift = shift
		}
		s.Widened = max(s.Widened, math.Abs(shift)-b.Learnt.Span[by])
	}
	s.stretch(s.Low-s.Widened, s.High+s.Widened)
}

// includeMedians stretches the bounds to the median's interval where it reaches beyond them.
func (s *Screening) includeMedians(b *Base) {
	session := 2 * math.Sqrt(b.Learnt.Var*(1+1/float64(len(b.Sessions))))
	middle := math.Log(s.MedianRatio.Estimate)
	below := math.Hypot(middle-math.Log(s.MedianRatio.Low), session) + s.Widened
	above := math.Hypot(math.Log(s.MedianRatio.High)-middle, session) + s.Widened
	s.stretch(min(s.Low, middle-below), max(s.High, middle+above))
}

func (s *Screening) stretch(low, high float64) {
	s.Low, s.High = low, high
	s.RatioLow, s.RatioHigh = math.Exp(low), math.Exp(high)
}

// Plan is how many fresh processes of head are worth measuring alone for cases that share them: as many as save the most
// processes of rounds on unchanged code, on average. 0 if that is none: where sessions scatter much, measuring head alone is
// time thrown away.
func Plan(bases []*Base, p result.Policy) int {
	if len(bases) == 0 {
		return 0
	}
	best, processes := 0.0, 0
	for n := minProcesses; n <= ScreenProcesses; n += 2 {
		all, sum := 1.0, 0.0
		for _, b := range bases {
			chance := b.chance(n, p)
			all *= chance
			sum += chance
		}
		// A case that head alone does not decide takes rule.MinProcesses at least. Rounds of some cases cost less than rounds of all, and more than their share: a process starts for one as for ten.
		share := (all + sum/float64(len(bases))) / 2
		if saved := rule.MinProcesses*share - float64(n); saved > best {
			best, processes = saved, n
		}
	}
	return processes
}

// chance is how likely unchanged code comes out as same with so many processes of head: that of an estimate which scatters
// by its standard error around no change at all.
func (b *Base) chance(processes int, p result.Policy) float64 {
	if !b.Learnt.Known() {
		return 0
	}
	s, err := b.Screen(b.unchanged(processes), p)
	if err != nil || s.Verdict != result.Same {
		return 0
	}
	return normalBelow((math.Log1p(p.Of(b.Case.Name, b.Case.Method.LaunchNS).Tolerance) - s.High) / s.SE)
}

// unchanged is a session of head that is exactly at base's level, with about base's scatter: half of its values a deviation
// above, half below.
func (b *Base) unchanged(processes int) Session {
	by := b.Learnt.Steady
	var head Session
	if level, ok := canaryLevel(b.Sessions, SteadyCompute); ok {
		head.Canaries.ComputeNS = math.Exp(level)
	}
	if level, ok := canaryLevel(b.Sessions, SteadyMemory); ok {
		head.Canaries.MemoryNS = math.Exp(level)
	}
	shift, _ := head.Canary(by)
	level, variance := meanVariance(b.pooled(by))
	for i := range processes {
		head.Values = append(head.Values, level+shift+math.Sqrt(variance)*float64(2*(i%2)-1))
	}
	return head
}

func normalBelow(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
