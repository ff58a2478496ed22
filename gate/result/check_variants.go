package result

import (
	"errors"
	"fmt"
	"slices"
)

// timedFor are the roles of variants that have processes for a purpose.
var timedFor = map[Purpose][]Role{
	PurposeRounds:    {RoleBase, RoleHead, RoleCompetitor},
	PurposeScreening: {RoleHead},
	PurposeBestKnown: {RoleHead, RoleBestKnown},
}

// pair are the roles of two variants that are compared.
type pair struct{ of, to Role }

// decided are what a comparison by a tolerance comes to; "" where it was not decided.
var decided = []Verdict{"", Regression, Inconclusive, Undecided, Slower, Same, Faster, Improvement}

// comesTo are the pairs that a case may compare, and what may come of each.
var comesTo = map[pair][]Verdict{
	{RoleHead, RoleBase}:       decided,
	{RoleHead, RoleRecord}:     decided,
	{RoleHead, RoleBestKnown}:  append(slices.Clone(Verdicts), ""), // that of a case of rounds of their own
	{RoleHead, RoleCompetitor}: {"", Undecided, Inconclusive, Met, Missed, Unmeasured},
	{RoleBase, RoleCompetitor}: {""},
}

// checkVariants returns an error for the first process or comparison that no run has, and the field that it is in. Roles, purposes and verdicts are words
// that the schema has.
func (c Case) checkVariants() (field string, err error) {
	for i, p := range c.Processes {
		at := fmt.Sprintf("processes[%d].variant", i)
		if err := p.Variant.check(); err != nil {
			return at, err
		}
		if !slices.Contains(timedFor[p.Purpose], p.Variant.Role) {
			return at + ".role", fmt.Errorf("%q has no processes of purpose %q", p.Variant.Role, p.Purpose)
		}
		if p.Variant.Role == RoleBestKnown && c.Comparison(VariantHead, p.Variant) == nil {
			return at, fmt.Errorf("head is not compared with %.60q", p.Variant)
		}
	}
	for i, q := range c.Comparisons {
		if field, err := c.checkComparison(q, c.Comparisons[:i]); err != nil {
			return fmt.Sprintf("comparisons[%d]%s", i, field), err
		}
	}
	return "", nil
}

// checkComparison looks at one comparison, and those before it.
func (c Case) checkComparison(q Comparison, before []Comparison) (field string, err error) {
	if err := q.Of.check(); err != nil {
		return ".of", err
	}
	if err := q.To.check(); err != nil {
		return ".to", err
	}
	allowed, known := comesTo[pair{q.Of.Role, q.To.Role}]
	if !known {
		return "", fmt.Errorf("%q is compared with %q in no case", q.Of.Role, q.To.Role)
	}
	if !slices.Contains(allowed, q.Verdict) {
		return ".verdict", fmt.Errorf("%q is none of a comparison of %q with %q", q.Verdict, q.Of.Role, q.To.Role)
	}
	toCompetitor := q.To.Role == RoleCompetitor
	for _, other := range before {
		if other.Of == q.Of && other.To.Role == q.To.Role && (!toCompetitor || other.To == q.To) {
			return "", fmt.Errorf("%q is compared with %.60q twice", q.Of, q.To)
		}
	}
	switch {
	case toCompetitor && q.Tolerance != 0:
		return ".tolerance", errors.New("a comparison with a competitor has none")
	case (!toCompetitor || q.Of != VariantHead) && (q.MinSpeedup != 0 || q.BudgetGone):
		return ".minSpeedup", errors.New("only head has one, over a competitor")
	}
	return ".to", c.checkOfStored(q.To)
}

// checkOfStored returns an error for a variant named by a commit that is not that of the case's records.
func (c Case) checkOfStored(to Variant) error {
	var stored Stored
	if c.Stored != nil {
		stored = *c.Stored
	}
	isStored := to.Role == RoleRecord || to.Role == RoleBestKnown
	if isStored && c.Stored == nil || to.Role == RoleRecord && to.Name != stored.Commit || to.Role == RoleBestKnown && to.Name != stored.BestCommit {
		return fmt.Errorf("%.60q is none of the commits of the case's records", to.Name)
	}
	return nil
}

// check returns an error for a side with a name, and a competitor without one.
func (v Variant) check() error {
	switch v.Role {
	case RoleBase, RoleHead:
		if v.Name != "" {
			return fmt.Errorf("%q has no name, and here it is %.60q", v.Role, v.Name)
		}
	case RoleCompetitor:
		if v.Name == "" {
			return errors.New("a competitor has a name, and here it is missing")
		}
	}
	return nil
}
