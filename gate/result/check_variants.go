package result

import (
	"errors"
	"fmt"
	"slices"
)

// variantRules are what a kind of result may have of variants.
type variantRules struct {
	timed                  map[Purpose][]Role // that have processes for a purpose
	compared               map[pair]terms
	processes, comparisons int // of a case, at most
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

// ranked are what comparisons with the fastest variant come to, of which there is one with itself.
var ranked = terms{verdicts: []Verdict{Same, Inconclusive, Slower, Regression, Unmeasured}, tolerance: true, each: true}

var variantsIn = map[Kind]variantRules{
	KindGate: {
		map[Purpose][]Role{
			PurposeRounds: {RoleBase, RoleHead, RoleCompetitor}, PurposeScreening: {RoleHead}, PurposeBestKnown: {RoleHead, RoleBestKnown},
		},
		map[pair]terms{
			{RoleHead, RoleBase}:   {verdicts: decided, tolerance: true},
			{RoleHead, RoleRecord}: {verdicts: decided, tolerance: true, commit: func(s Stored) string { return s.Commit }},
			// A case of rounds of their own may have any verdict.
			{RoleHead, RoleBestKnown}:  {verdicts: append(slices.Clone(Verdicts), ""), tolerance: true, commit: func(s Stored) string { return s.BestCommit }},
			{RoleHead, RoleCompetitor}: {verdicts: []Verdict{"", Undecided, Inconclusive, Met, Missed, Unmeasured}, minSpeedup: true, each: true},
			{RoleBase, RoleCompetitor}: {verdicts: []Verdict{""}, each: true},
		}, 4096, 3 + 2*MaxCompetitors,
	},
	KindVersus: {
		map[Purpose][]Role{PurposeRounds: {RoleHead, RoleCompetitor}},
		map[pair]terms{{RoleHead, RoleCompetitor}: {verdicts: []Verdict{"", Unmeasured}}}, 4096, 1,
	},
	KindTune: {
		map[Purpose][]Role{PurposeRounds: {RoleHead, RoleConfiguration}},
		map[pair]terms{
			{RoleHead, RoleHead}: ranked, {RoleHead, RoleConfiguration}: ranked, {RoleConfiguration, RoleHead}: ranked, {RoleConfiguration, RoleConfiguration}: ranked,
		}, 1 << 15, MaxConfigurations + 1,
	},
}

// check returns an error for the first process or comparison of a case that no run has, and the field that it is in. Roles, purposes and verdicts are words
// that the schema has.
func (rules variantRules) check(c Case) (field string, err error) {
	for i, p := range c.Processes {
		at := fmt.Sprintf("processes[%d].variant", i)
		if err := p.Variant.check(); err != nil {
			return at, err
		}
		if !slices.Contains(rules.timed[p.Purpose], p.Variant.Role) {
			return at + ".role", fmt.Errorf("%q has no processes of purpose %q", p.Variant.Role, p.Purpose)
		}
		if p.Variant.Role == RoleBestKnown && c.Comparison(VariantHead, p.Variant) == nil {
			return at, fmt.Errorf("head is not compared with %.60q", p.Variant)
		}
	}
	return rules.checkComparisons(c.Comparisons, c.Stored)
}

// checkComparisons returns an error for the first comparison that no run has, and the field that it is in. s is what records say of their case.
func (rules variantRules) checkComparisons(all []Comparison, s *Stored) (field string, err error) {
	if len(all) > rules.comparisons {
		return "comparisons", fmt.Errorf("%d entries, at most %d are read", len(all), rules.comparisons)
	}
	seen := map[[2]Variant]bool{}
	for i, q := range all {
		t, known := rules.compared[pair{q.Of.Role, q.To.Role}]
		which := [2]Variant{q.Of, q.To}
		if !t.each {
			which[1].Name = ""
		}
		switch {
		case !known:
			err = fmt.Errorf("%q is compared with %q in no case", q.Of.Role, q.To.Role)
		case seen[which]:
			err = fmt.Errorf("%q is compared with %.60q twice", q.Of, q.To)
		default:
			field, err = t.check(q, s)
		}
		if err != nil {
			return fmt.Sprintf("comparisons[%d]%s", i, field), err
		}
		seen[which] = true
	}
	return "", nil
}

func (t terms) check(q Comparison, s *Stored) (field string, err error) {
	if err := q.Of.check(); err != nil {
		return ".of", err
	}
	if err := q.To.check(); err != nil {
		return ".to", err
	}
	switch {
	case !slices.Contains(t.verdicts, q.Verdict):
		return ".verdict", fmt.Errorf("%q is none of a comparison of %q with %q", q.Verdict, q.Of.Role, q.To.Role)
	case q.Tolerance != 0 && !t.tolerance:
		return ".tolerance", errors.New("a comparison with a competitor has none")
	case (q.MinSpeedup != 0 || q.BudgetGone) && !t.minSpeedup:
		return ".minSpeedup", errors.New("only head has one, over a competitor")
	case t.commit != nil && (s == nil || q.To.Name != t.commit(*s)):
		return ".to", fmt.Errorf("%.60q is none of the commits of the case's records", q.To.Name)
	}
	return "", nil
}

// check returns an error for a side with a name, and a competitor or a configuration without one.
func (v Variant) check() error {
	switch v.Role {
	case RoleBase, RoleHead:
		if v.Name != "" {
			return fmt.Errorf("%q has no name, and here it is %.60q", v.Role, v.Name)
		}
	case RoleCompetitor, RoleConfiguration:
		if v.Name == "" {
			return fmt.Errorf("a %s has a name, and here it is missing", v.Role)
		}
	}
	return nil
}
