package report

import (
	"fmt"

	"github.com/org/perfgate/gate/result"
)

// ruleWords are what is said of a change of the rules, around the name of its file.
var ruleWords = map[result.RuleKind]struct{ before, after string }{
	result.RuleConfigAdded:    {"", ": added, so head's policy"},
	result.RuleConfigRemoved:  {"", ": removed"},
	result.RuleConfigInvalid:  {"", ": no longer valid"},
	result.RuleConfigUnusable: {"", ": removed, or no longer valid"},
	result.RuleConfigRepaired: {"", ": base's is not valid, so head's policy"},
	result.RuleAdapter:        {"adapter ", ": changed"},
	result.RuleBenchmark:      {"benchmark ", ": changed"},
	result.RuleWorkflow:       {"workflow ", ": changed, and the run that measured may have used it"},
	result.RuleHeader:         {"", ": changed (perfgate builds with its own)"},
}

// ruleChanges says what head changes in what rules over it.
func ruleChanges(all []result.RuleChange) []string {
	var out []string
	for _, c := range all {
		w := ruleWords[c.Kind]
		out = append(out, w.before+c.File+w.after+c.Detail)
	}
	return out
}

// LimitPhrase says which resource limit a finding is about, and by how much it is exceeded.
func LimitPhrase(f result.Finding) string {
	o := f.Over
	if o == nil {
		return Reason(f.Reason)
	}
	unit, others := " a thread", ""
	if o.Key == "shared-bytes" {
		unit = " a block"
	}
	if o.Over > 1 {
		others = fmt.Sprintf(" (%d kernels are over it)", o.Over)
	}
	return fmt.Sprintf("%s: %s needs %d%s, the limit is %d%s", o.Key, FunctionName(o.Function), o.Needs, unit, o.Limit, others)
}
