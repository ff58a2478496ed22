package rule

import (
	"fmt"
	"slices"

	"github.com/org/perfgate/gate/result"
)

// StopRule says when rounds are enough. A run asks it after every round, and retake asks it again about rounds that are saved. Each has a file of its own: what
// decides cases by themselves (Gate), all together (Together) or not at all (Count), what drops configurations (Survivors), what decides minimum speedups
// (Speedups), and what keeps the cases of a suite (SuiteLooks).
type StopRule interface {
	// LooksAt says whether cases are looked at after so many complete rounds.
	LooksAt(rounds int) bool
	// Last is after how many there is no further look.
	Last() int
	// Look looks at the first so many rounds of all cases, and gives them comparisons and verdicts; over ends the measuring of all.
	Look(rounds int, cases []*result.Case) (over bool, err error)
	// Wants says whether a variant of a case is to be measured further. A case none of whose variants is wanted has its answer.
	Wants(c *result.Case, v result.Variant) bool
}

// Looks are the numbers of complete rounds after which there is a look, ascending.
type Looks []int

// LooksAt says whether one is after so many.
func (l Looks) LooksAt(rounds int) bool { return slices.Contains(l, rounds) }

// Last is the last of them.
func (l Looks) Last() int { return l[len(l)-1] }

// number counts the look after so many rounds, from 1.
func (l Looks) number(rounds int) int { return 1 + slices.Index(l, rounds) }

// retake has a stop rule take its looks again at cases that are saved.
func retake(stop StopRule, cases ...*result.Case) error {
	for rounds := 1; rounds <= min(stop.Last(), roundsIn(cases)); rounds++ {
		if !stop.LooksAt(rounds) {
			continue
		}
		if over, err := stop.Look(rounds, cases); err != nil || over {
			return err
		}
	}
	return nil
}

// roundsIn is how many rounds any of the cases has.
func roundsIn(cases []*result.Case) (n int) {
	for _, c := range cases {
		for _, p := range c.Processes {
			n = max(n, p.Round+1)
		}
	}
	return n
}

// before is a case as it was after so many rounds.
func before(c *result.Case, rounds int) result.Case {
	out := *c
	out.Processes = slices.DeleteFunc(slices.Clone(c.Processes), func(p result.Process) bool { return p.Round >= rounds })
	return out
}

// look compares head with another variant after so many rounds.
func look(c *result.Case, to result.Variant, rounds, number int, p result.Policy) error {
	q, err := CompareProcesses(before(c, rounds).Pair(to), number, *c.Method, p)
	if err != nil {
		return fmt.Errorf("compare %s: %w", c.Name, err)
	}
	c.SetComparison(result.VariantHead, to, &q)
	c.Looks = append(c.Looks, result.Look{Rounds: q.Rounds, Theta: q.Theta, Low: q.Low, High: q.High, Verdict: c.Verdict})
	return nil
}

// decide gives a case the verdict of its look. last says that no further one comes.
func decide(c *result.Case, to result.Variant, p result.Policy, last bool) {
	q := c.Comparison(result.VariantHead, to)
	c.Verdict = Decide(*q, p, last)
	q.Verdict, c.Looks[len(c.Looks)-1].Verdict = c.Verdict, c.Verdict
}

// Count ends after so many rounds and decides nothing.
func Count(rounds int) StopRule { return count{Looks{rounds}} }

type count struct{ Looks }

func (count) Look(int, []*result.Case) (over bool, err error) { return true, nil }

func (count) Wants(*result.Case, result.Variant) bool { return true }
