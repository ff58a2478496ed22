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

// terms are what a comparison of two roles may have.
type terms struct {
	verdicts   []Verdict // that may come of it; "" where nothing was decided
	tolerance  bool
	minSpeedup bool
	each       bool                // there may be several of To
	commit     func(Stored) string // that names To; nil where none does
}

// decided are what a comparison by a tolerance comes to.
var decided = []Verdict{"", Regression, Inconclusive, Undecided, Slower, Same, Faster, Improvement}

// compared are the roles that a case may compare.
var compared = map[pair]terms{
	{RoleHead, RoleBase}:   {verdicts: decided, tolerance: true},
	{RoleHead, RoleRecord}: {verdicts: decided, tolerance: true, commit: func(s Stored) string { return s.Commit }},
	// A case of rounds of their own may have any verdict.
	{RoleHead, RoleBestKnown}:  {verdicts: append(slices.Clone(Verdicts), ""), tolerance: true, commit: func(s Stored) string { return s.BestCommit }},
	{RoleHead, RoleCompetitor}: {verdicts: []Verdict{"", Undecided, Inconclusive, Met, Missed, Unmeasured}, minSpeedup: true, each: true},
	{RoleBase, RoleCompetitor}: {verdicts: []Verdict{""}, each: true},
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
	t, known := compared[pair{q.Of.Role, q.To.Role}]
	if !known {
		return "", fmt.Errorf("%q is compared with %q in no case", q.Of.Role, q.To.Role)
	}
	if slices.ContainsFunc(before, func(p Comparison) bool { return p.Of == q.Of && p.To.Role == q.To.Role && (!t.each || p.To == q.To) }) {
		return "", fmt.Errorf("%q is compared with %.60q twice", q.Of, q.To)
	}
	switch {
	case !slices.Contains(t.verdicts, q.Verdict):
		return ".verdict", fmt.Errorf("%q is none of a comparison of %q with %q", q.Verdict, q.Of.Role, q.To.Role)
	case q.Tolerance != 0 && !t.tolerance:
		return ".tolerance", errors.New("a comparison with a competitor has none")
	case (q.MinSpeedup != 0 || q.BudgetGone) && !t.minSpeedup:
		return ".minSpeedup", errors.New("only head has one, over a competitor")
	case t.commit != nil && (c.Stored == nil || q.To.Name != t.commit(*c.Stored)):
		return ".to", fmt.Errorf("%.60q is none of the commits of the case's records", q.To.Name)
	}
	return "", nil
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
