package baseline

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/stats"
)

// Beside is what a record has of a competitor of a case, timed by the case's method.
type Beside struct {
	Competitor  string    `json:"competitor"`
	Fingerprint string    `json:"fingerprint"`
	Libraries   string    `json:"libraries,omitempty"` // that it needs, as they were
	ValuesNS    []float64 `json:"valuesNs"`            // as of a Case
}

// besideOf are the competitors of a case whose code is known and that were timed in processes enough.
func besideOf(c result.Case, competitors []result.Competitor) []Beside {
	var out []Beside
	for _, v := range c.Competitors {
		i := slices.IndexFunc(competitors, func(r result.Competitor) bool { return r.Name == v.Competitor })
		if i < 0 || competitors[i].Build == nil || competitors[i].Build.Fingerprint == "" {
			continue
		}
		if b := BesideOf(v.Competitor, c.Of(result.CompetitorNamed(v.Competitor)), competitors[i].Build); len(b.ValuesNS) >= minProcesses {
			out = append(out, b)
		}
	}
	return out
}

// BesideOf is a competitor of a case, by its processes, as a record has it.
func BesideOf(name string, processes []result.Process, b *result.Build) Beside {
	out := Beside{Competitor: name, Fingerprint: b.Fingerprint, Libraries: b.Libraries}
	for _, p := range processes {
		if p.Stopped == "" {
			out.ValuesNS = append(out.ValuesNS, significant(p.ValueNS))
		}
	}
	return out
}

func (b Beside) check() error {
	if b.Competitor == "" || len(b.ValuesNS) < minProcesses {
		return fmt.Errorf("competitor %.80q with %d values", b.Competitor, len(b.ValuesNS))
	}
	return checkTimes(b.ValuesNS)
}

// checkBeside refuses competitors that are twice there, or no times.
func checkBeside(competitors []Beside) error {
	seen := map[string]bool{}
	for _, b := range competitors {
		if seen[b.Competitor] {
			return errors.New("a competitor appears twice")
		}
		seen[b.Competitor] = true
		if err := b.check(); err != nil {
			return err
		}
	}
	return nil
}

// Together is base's code and a competitor's as a run has timed them beside each other.
type Together struct {
	Now        Now           // of base's code
	Method     result.Method // that the run times them by
	Base       []float64     // ln of ns, a value a process
	Competitor Beside
}

// Moved compares both with the nearest record that has both, of the same code and by the same method; nil where there is none. The machine is
// said to have moved where both are significantly off their records, the same way, by what may be the same amount, and by at least least
// (in log units). Bounds are 99 % by the scatter of processes alone: how far sessions scatter is what is looked for.
func (h History) Moved(t Together, least float64) *result.Moved {
	for _, f := range h.Found {
		c := f.Record.Case(t.Now.Case)
		if c == nil || unfit(f, *c, t.Now) != nil || !SameMethod(c.Method, t.Method) {
			continue
		}
		i := slices.IndexFunc(c.Competitors, func(b Beside) bool {
			return b.Competitor == t.Competitor.Competitor && b.Fingerprint == t.Competitor.Fingerprint && b.Libraries == t.Competitor.Libraries
		})
		if i < 0 {
			continue
		}
		base, err := moveOf(c.ValuesNS, t.Base)
		if err != nil {
			return nil
		}
		competitor, err := moveOf(c.Competitors[i].ValuesNS, logs(t.Competitor.ValuesNS))
		if err != nil {
			return nil
		}
		return &result.Moved{Commit: f.Record.Commit, Base: base.shift(), Competitor: competitor.shift(), Machine: together(base, competitor, least)}
	}
	return nil
}

// move is a shift in log units, with half the width of its interval.
type move struct{ theta, half float64 }

const moveAlpha = 0.005 // of each side of an interval

func moveOf(then, now []float64) (move, error) {
	fit, err := stats.FitUnpaired(logs(then), now, stats.SessionVariance{}, 0)
	if err != nil {
		return move{}, err
	}
	low, high := fit.TBounds(moveAlpha)
	return move{fit.Theta, (high - low) / 2}, nil
}

func (m move) shift() result.Shift {
	return result.Shift{Ratio: math.Exp(m.theta), Low: math.Exp(m.theta - m.half), High: math.Exp(m.theta + m.half)}
}

func (m move) isSure(least float64) bool {
	return math.Abs(m.theta) > m.half && math.Abs(m.theta) >= least
}

// together says whether two moves may be one.
func together(a, b move, least float64) bool {
	return a.isSure(least) && b.isSure(least) && a.theta*b.theta > 0 && math.Abs(a.theta-b.theta) <= math.Hypot(a.half, b.half)
}

func logs(ns []float64) []float64 {
	out := make([]float64, len(ns))
	for i, v := range ns {
		out[i] = math.Log(v)
	}
	return out
}
