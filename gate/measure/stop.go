package measure

import (
	"fmt"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// StopRule says when rounds are enough. Each has a file of its own: what decides cases by themselves (Each), all together (Together) or not at all (Count),
// what drops configurations (Eliminate), and what decides minimum speedups (speedups).
type StopRule interface {
	// LooksAt says whether cases are looked at after so many complete rounds.
	LooksAt(rounds int) bool
	// Last is after how many there is no further look.
	Last() int
	// Look looks at all cases after so many. One that is decided is measured no more; over ends the measuring of all.
	Look(rounds int, cases []*Case) (over bool, err error)
}

// plain is the case as a result has it, which rules decide.
func (c *Case) plain() result.Case {
	one := c.Case
	one.Name, one.Kernel = c.Subject.Name, result.ParseCaseID(c.Subject.Name).Kernel
	return one
}

func plain(cases []*Case) (out []result.Case) {
	for _, c := range cases {
		out = append(out, c.plain())
	}
	return out
}

// compared is head's comparison at the last look; nil without one.
func (c *Case) compared() *result.Comparison { return c.Comparison(result.VariantHead, c.to()) }

// look compares head with the variant that it is to be compared with.
func (c *Case) look(p result.Policy) error {
	comparison, err := rule.CompareProcesses(c.Pair(c.to()), len(c.Looks)+1, *c.Method, p)
	if err != nil {
		return fmt.Errorf("compare %s: %w", c.Subject.Name, err)
	}
	c.SetComparison(result.VariantHead, c.to(), &comparison)
	c.Looks = append(c.Looks, result.Look{
		Rounds: comparison.Rounds, Theta: comparison.Theta, Low: comparison.Low, High: comparison.High, Verdict: c.Verdict,
	})
	return nil
}

// decide gives a case the verdict of its look. last says that no further one comes.
func (c *Case) decide(p result.Policy, last bool) {
	q := c.compared()
	c.Verdict = rule.Decide(*q, p, last)
	q.Verdict = c.Verdict
	if c.Verdict != result.Undecided {
		c.doubt()
	}
	c.Looks[len(c.Looks)-1].Verdict = c.Verdict
}
