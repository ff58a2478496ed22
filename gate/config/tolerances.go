package config

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/goccy/go-yaml/ast"
)

// CaseTolerance is the tolerance of the cases that a pattern names, as --case does.
type CaseTolerance struct {
	Cases     string
	Tolerance float64

	casesAt, toleranceAt place
}

// maxTolerances is the most entries: each case is matched with all of them.
const maxTolerances = 256

func toleranceFields(t *CaseTolerance, floor *time.Duration) []field {
	return []field{
		{"cases", into(&t.Cases, checked(checkCasePattern))},
		{"tolerance", into(&t.Tolerance, percent(tolerable))},
		{"floor", into(floor, duration("0.5us", time.Nanosecond, time.Second))},
	}
}

func (d *decoder) tolerances(n ast.Node, what string) []CaseTolerance {
	items := d.items(n, what)
	if len(items) > maxTolerances {
		d.fail(items[maxTolerances], "", "%s has %d entries, at most %d are possible", what, len(items), maxTolerances)
		return nil
	}
	var out []CaseTolerance
	for _, item := range items {
		var t CaseTolerance
		var floor time.Duration
		found := d.object(item, "an entry of tolerances", toleranceFields(&t, &floor))
		if _, ok := item.(*ast.MappingNode); !ok {
			continue
		}
		d.require(item, found, "an entry of tolerances", "cases", "tolerance")
		if floor > 0 {
			d.fail(found["floor"], "", "floor is not supported yet: leave it out, and let tolerance alone say what passes")
		}
		for key, at := range map[string]*place{"cases": &t.casesAt, "tolerance": &t.toleranceAt} {
			if found[key] != nil {
				*at = placeOf(found[key], "")
			}
		}
		twice := func(other CaseTolerance) bool { return t.Cases != "" && other.Cases == t.Cases }
		if first := slices.IndexFunc(out, twice); first >= 0 {
			d.fail(found["cases"], "", "a second tolerance of %s (first at line %d)", quoted(t.Cases), out[first].casesAt.line)
		}
		out = append(out, t)
	}
	return out
}

// withinCumulative refuses a tolerance of cases beyond what they may lose over several changes: a loss that one change may bring
// would fail as the sum of all.
func (d *decoder) withinCumulative(n ast.Node, c *Config) {
	list, ok := n.(*ast.SequenceNode)
	if !ok || len(list.Values) != len(c.Tolerances) {
		return
	}
	for _, t := range c.Tolerances {
		if limit := c.Baseline.CumulativeTolerance; t.Tolerance > limit {
			d.failAt(t.toleranceAt, "a tolerance of at most "+percentText(limit)+", or baseline: {cumulative-tolerance: "+percentText(t.Tolerance)+"}",
				"the tolerance %s of %s is larger than baseline.cumulative-tolerance (%s)", percentText(t.Tolerance), quoted(t.Cases), percentText(limit))
		}
	}
}

// checkCasePattern is about a pattern over the names of cases.
func checkCasePattern(p string) (problem, allowed string) {
	const forms, most = `the name of a case, of a kernel for all of its cases, or a pattern like "decode/**"`, 256
	switch {
	case len(p) > most:
		return "is too long", fmt.Sprintf("%d characters", most)
	case !doublestar.ValidatePattern(p):
		return fmt.Sprintf("%s has a bracket or a brace that is not closed", quoted(p)), forms
	}
	return "", ""
}

// ToleranceError is an Errors about the entry of tolerances with that index.
func (c *Config) ToleranceError(i int, format string, args ...any) error {
	at := c.Tolerances[i].casesAt
	return Errors{c.src.at(at.line, at.column, "", format, args...)}
}

func tolerancesText(tolerances []CaseTolerance) string {
	texts := make([]string, len(tolerances))
	for i, t := range tolerances {
		texts[i] = t.Cases + " " + percentText(t.Tolerance)
	}
	return strings.Join(texts, ", ")
}
