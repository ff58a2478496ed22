package baseline

import (
	"fmt"
	"math"
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/stats"
)

// MinSessions is the fewest sessions of which the variance between sessions is learnt.
const MinSessions = 8

// Steady is the canary that a case is divided by, or none.
type Steady string

const (
	SteadyNone    Steady = "none"
	SteadyCompute Steady = "compute"
	SteadyMemory  Steady = "memory"
)

// BothCanaries are those that a machine has.
var BothCanaries = []Steady{SteadyCompute, SteadyMemory}

// Of is the time of a canary, 0 where it is not known.
func (c Canaries) Of(by Steady) float64 {
	switch by {
	case SteadyCompute:
		return c.ComputeNS
	case SteadyMemory:
		return c.MemoryNS
	}
	return 0
}

// Session is the log values (ln of ns) of one case's processes in one session, with its canaries.
type Session struct {
	Fingerprint string
	Values      []float64
	Excess      float64 // of a record's Case
	Canaries    Canaries
}

// NewSession is the session that a record holds of a case.
func NewSession(c Case) Session {
	return Session{Fingerprint: c.Fingerprint + c.Reads, Values: logs(c.ValuesNS), Excess: c.Excess, Canaries: c.Canaries}
}

// SessionOf is the session that processes are of.
func SessionOf(processes []result.Process) Session {
	s := Session{Excess: excessOf(processes), Canaries: medianCanaries(processes, canariesOf)}
	for _, p := range processes {
		s.Values = append(s.Values, math.Log(p.ValueNS))
	}
	return s
}

// excessOf is 0 where a process says no elapsed time.
func excessOf(processes []result.Process) float64 {
	sum := 0.0
	for _, p := range processes {
		if !(p.ElapsedNS > 0) {
			return 0
		}
		sum += math.Log(p.ElapsedNS / p.ValueNS)
	}
	return sum / float64(max(1, len(processes)))
}

// Canary is the log of a canary's time; ok is false where the session has none.
func (s Session) Canary(by Steady) (float64, bool) {
	if by == SteadyNone {
		return 0, true
	}
	ns := s.Canaries.Of(by)
	return math.Log(ns), ns > 0
}

// steadied takes the canary out of the values.
func (s Session) steadied(by Steady) []float64 {
	shift, _ := s.Canary(by)
	out := make([]float64, len(s.Values))
	for i, v := range s.Values {
		out[i] = v - shift
	}
	return out
}

// Learnt is what a machine has shown of its sessions, in squared log units.
type Learnt struct {
	stats.SessionVariance
	Sessions int    // that it was learnt from
	Steady   Steady // what takes most of the variance away
	// Span is how far apart a canary of two sessions of one code was at most, in log units: what the variance covers.
	Span map[Steady]float64
}

// Known says whether there were enough sessions.
func (l Learnt) Known() bool { return l.Sessions >= MinSessions }

// leastHelp is the share of the variance that a canary must leave at most: one that explains nothing only adds its own noise.
const leastHelp = 0.9

// Learn estimates how much the level of a case moves between sessions of the same code, from sessions of any number of
// codes: the pooled one-way analysis of variance (Searle, Casella and McCulloch 1992, section 3.6), each code with a
// level of its own. With fewer than 8 sessions, or fewer than 7 degrees of freedom, the result is not Known.
//
// The canary that leaves the least variance is taken out, if it takes a tenth away and is in every session. Choosing the best of three
// makes the estimate a little too small; its place below 8 sessions is none.
func Learn(sessions []Session) Learnt {
	best := Learnt{Sessions: 0}
	groups := byFingerprint(sessions)
	for _, by := range []Steady{SteadyNone, SteadyCompute, SteadyMemory} {
		v, n, ok := between(groups, by)
		if !ok || v.DF < MinSessions-1 {
			continue
		}
		if best.Sessions == 0 || v.Var < leastHelp*best.Var {
			best = Learnt{SessionVariance: v, Sessions: n, Steady: by}
		}
	}
	best.Span = spans(groups)
	return best
}

// byFingerprint groups sessions by code; a code with one session says nothing of the variance between sessions.
func byFingerprint(sessions []Session) [][]Session {
	index := map[string]int{}
	var groups [][]Session
	for _, s := range sessions {
		i, ok := index[s.Fingerprint]
		if !ok {
			i = len(groups)
			index[s.Fingerprint] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], s)
	}
	return slices.DeleteFunc(groups, func(g []Session) bool { return len(g) < 2 })
}

// between is the analysis of variance; ok is false where a session lacks the canary or its scatter.
func between(groups [][]Session, by Steady) (v stats.SessionVariance, sessions int, ok bool) {
	var squares, explained float64
	for _, group := range groups {
		means := make([]float64, len(group))
		for i, s := range group {
			if _, has := s.Canary(by); !has || len(s.Values) < 2 {
				return v, 0, false
			}
			mean, variance := meanVariance(s.steadied(by))
			means[i] = mean
			explained += variance / float64(len(s.Values))
		}
		_, spread := meanVariance(means)
		squares += spread * float64(len(group)-1)
		v.DF += float64(len(group) - 1)
		sessions += len(group)
	}
	if sessions == 0 {
		return v, 0, false
	}
	v.Var = max(0, squares/v.DF-explained/float64(sessions))
	return v, sessions, true
}

// spans are the farthest that canaries of two sessions of one code were apart.
func spans(groups [][]Session) map[Steady]float64 {
	out := map[Steady]float64{}
	for _, by := range BothCanaries {
		for _, group := range groups {
			low, high := math.Inf(1), math.Inf(-1)
			for _, s := range group {
				if c, ok := s.Canary(by); ok {
					low, high = min(low, c), max(high, c)
				}
			}
			out[by] = max(out[by], high-low) // -Inf where no session has it
		}
	}
	return out
}

// canaryLevel is the mean log canary over the sessions that have it; ok is false where none has.
func canaryLevel(sessions []Session, by Steady) (level float64, ok bool) {
	var all []float64
	for _, s := range sessions {
		if c, ok := s.Canary(by); ok {
			all = append(all, c)
		}
	}
	level, _ = meanVariance(all)
	return level, len(all) > 0
}

func meanVariance(xs []float64) (mean, variance float64) {
	for _, x := range xs {
		mean += x / float64(len(xs))
	}
	for _, x := range xs {
		variance += (x - mean) * (x - mean)
	}
	return mean, variance / max(1, float64(len(xs)-1))
}

// String words what was learnt, such as "0.42 % between sessions (12 sessions, compute canary taken out)".
func (l Learnt) String() string {
	if !l.Known() {
		return fmt.Sprintf("not known: it takes %d sessions of unchanged code with one timing method and as many launches a sample", MinSessions)
	}
	text := fmt.Sprintf("%.2f %% between sessions (%d sessions", 100*math.Sqrt(l.Var), l.Sessions)
	if l.Steady != SteadyNone {
		text += ", " + string(l.Steady) + " canary taken out"
	}
	return text + ")"
}
