package judge

import (
	"fmt"
	"math"

	"github.com/org/perfgate/gate"
	"github.com/org/perfgate/gate/measure"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/stats"
)

// oneCase decides a case again: the case as it is, with the verdict that was found, which is the stated one where nothing
// differs.
func (j *Judgement) oneCase(at string, c result.Case, k result.Kernel, p result.Policy) result.Case {
	o := c
	o.Reason = clip(c.Reason)
	switch {
	case c.Verdict == result.Error || c.Verdict == result.Skipped:
		o.Compared = nil
	case c.Verdict == result.New:
		if k.Base != nil {
			j.differ(at+".verdict", "new", "its kernel has a base")
			o.Verdict = result.Error
		}
		j.unproven(NotInBase(c.Kernel))
	case len(c.Looks) > 0 || len(c.Processes) > 0:
		j.rounds(at, c, p, &o)
	case c.Stored != nil && c.Stored.Verdict != "":
		j.stored(at, c, &o)
	case c.Verdict == result.Same && identical(k):
		j.Unproven = append(j.Unproven, caseName(c)+": that both sides are the same code")
	default:
		j.differ(at+".verdict", string(c.Verdict), "there is nothing that it could come from")
		o.Verdict = result.Error
	}
	j.creep(c, p, &o)
	return o
}

// caseName tells the rows of one case on several machines apart.
func caseName(c result.Case) string {
	if c.Machine == "" {
		return c.Name
	}
	return c.Name + " on " + c.Machine
}

func identical(k result.Kernel) bool {
	return k.Status == result.KernelIdentical && k.Base != nil && k.Head != nil && !k.Base.Failed && !k.Head.Failed &&
		k.Head.Fingerprint != "" && k.Base.Fingerprint == k.Head.Fingerprint
}

// rounds decides a case again from its processes, look by look: a verdict between the looks, or after one that had decided
// otherwise, is none.
func (j *Judgement) rounds(at string, c result.Case, p result.Policy, o *result.Case) {
	complete, err := arranged(c.Processes)
	if err == nil && c.Method == nil {
		err = fmt.Errorf("there is no method")
	}
	if err != nil {
		j.differ(at+".processes", "rounds", "%v", err)
		o.Verdict, o.Compared = result.Error, nil
		return
	}
	found, last, looks := result.Undecided, (*result.Comparison)(nil), 0
	for n, size := range gate.Looks {
		if size > len(complete) || found != result.Undecided {
			break
		}
		comparison, err := gate.Compare(complete[:size], n+1, measure.Timing(*c.Method), p)
		if err != nil {
			j.differ(at+".processes", "times", "%v", err)
			o.Verdict, o.Compared = result.Error, nil
			return
		}
		found, last, looks = gate.Decide(comparison, p, n == len(gate.Looks)-1), &comparison, n+1
	}
	if found == result.Undecided && (c.BudgetGone || c.Verdict == result.Inconclusive) {
		found = result.Inconclusive // the rounds ended before the looks did
	}
	o.Compared, o.Looks = last, make([]result.Look, looks)
	if found != c.Verdict {
		j.differ(at+".verdict", string(c.Verdict), "its samples come to %s%s", found, inWords(last))
		o.Verdict = found
	}
	if len(c.Looks) != looks {
		j.differ(at+".looks", fmt.Sprintf("%d looks", len(c.Looks)), "its samples come to %d", looks)
	}
	if last != nil && (c.Compared == nil || !close(c.Compared.Theta, last.Theta) || !close(c.Compared.Low, last.Low) || !close(c.Compared.High, last.High)) {
		j.differ(at+".comparison", inWords(c.Compared), "its samples come to%s", inWords(last))
	}
}

// close allows for what another processor makes of the same arithmetic.
func close(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b)) }

func inWords(c *result.Comparison) string {
	if c == nil {
		return " no comparison"
	}
	return fmt.Sprintf(" %+.2f %% (%+.2f … %+.2f %%) after %d rounds", 100*math.Expm1(c.Theta), 100*math.Expm1(c.Low), 100*math.Expm1(c.High), c.Rounds)
}

// arranged puts processes into rounds, each with two of a side, and refuses what are none. Numbers come from a stranger: they
// are looked at before they say where something goes.
func arranged(processes []result.Process) ([]stats.Round, error) {
	count := map[int][2]int{}
	most := gate.Looks[len(gate.Looks)-1]
	for _, p := range processes {
		if p.Round < 0 || p.Round >= most || p.Position < 0 || p.Position > 3 {
			return nil, fmt.Errorf("a process is in place %d of round %d, and there are places 0 to 3 and rounds 0 to %d", p.Position, p.Round, most-1)
		}
		if !(p.ValueNS > 0) || math.IsInf(p.ValueNS, 0) || !inside(p) {
			return nil, fmt.Errorf("a process of round %d took %v ns by samples of %v to %v ns", p.Round, p.ValueNS, p.Quantiles.Min, p.Quantiles.Max)
		}
		n := count[p.Round]
		if p.Side == result.SideBase {
			n[0]++
		} else {
			n[1]++
		}
		count[p.Round] = n
	}
	for round := range len(count) {
		if count[round] != [2]int{2, 2} {
			return nil, fmt.Errorf("round %d has %d processes of base and %d of head, and should have two of each", round, count[round][0], count[round][1])
		}
	}
	return measure.Rounds(processes), nil
}

// inside says whether the trimmed mean of samples lies among them, but for rounding.
func inside(p result.Process) bool {
	return p.ValueNS >= p.Quantiles.Min*(1-1e-9) && p.ValueNS <= p.Quantiles.Max*(1+1e-9)
}

// stored takes over what the records said, which only whoever has the records can check.
func (j *Judgement) stored(at string, c result.Case, o *result.Case) {
	if c.Verdict != c.Stored.Verdict {
		j.differ(at+".verdict", string(c.Verdict), "stored records said %s", c.Stored.Verdict)
		o.Verdict = result.Error
		return
	}
	j.Unproven = append(j.Unproven, caseName(c)+": what stored records said of it")
}

// creep decides again what rounds against the best-known level said.
func (j *Judgement) creep(c result.Case, p result.Policy, o *result.Case) {
	if c.Stored == nil || c.Stored.BestVerdict == "" {
		return
	}
	if c.Stored.BestCompared == nil {
		return
	}
	if again := gate.Decide(*c.Stored.BestCompared, gate.ForCreep(p, c.Stored.CreepLimit), true); again == result.Regression {
		stored := *c.Stored
		stored.BestVerdict, o.Stored = again, &stored
	}
}
