package result

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/saved"
)

// most are the most entries that lists of these names may have. No run comes near; without them a small file could keep a reader
// busy for hours.
var most = map[string]int{"kernels": 10_000, "cases": 10_000, "rounds": 10_000, "findings": 10_000, "params": 256,
	"competitors": MaxCompetitors, "processes": variantsIn[KindTune].processes, "comparisons": variantsIn[KindTune].comparisons, "configurations": MaxConfigurations}

// kinds are the words that the schema has, by their type.
var kinds = map[reflect.Type][]string{
	reflect.TypeFor[Side]():         words(SideBase, SideHead, SideBoth),
	reflect.TypeFor[Verdict]():      Words(Verdicts),
	reflect.TypeFor[RunVerdict]():   Words(RunVerdicts),
	reflect.TypeFor[VersionKind]():  words("", KindDirectory, KindRevision, KindWorktree),
	reflect.TypeFor[Kind]():         words(KindVersus, KindTune),
	reflect.TypeFor[SandboxMode]():  Words(SandboxModes),
	reflect.TypeFor[KernelStatus](): words(KernelCompared, KernelNew, KernelIdentical, KernelFailed, KernelError),
	reflect.TypeFor[ParityStatus](): words(ParityPassed, ParityFailed, ParitySkipped, ParityError, ParityOff, ParityHidden),
	reflect.TypeFor[FindingKind]():  Words(FindingKinds),
	reflect.TypeFor[Effect]():       Words(Effects),
	reflect.TypeFor[RuleKind](): words(RuleKey, RuleConfigAdded, RuleConfigRemoved, RuleConfigInvalid, RuleConfigUnusable, RuleConfigRepaired,
		RuleAdapter, RuleBenchmark, RuleWorkflow, RuleHeader),
	reflect.TypeFor[CompetitorStatus](): words(CompetitorMeasured, CompetitorFailed, CompetitorNotAsked, CompetitorNoRounds),
	reflect.TypeFor[Role]():             words(RoleBase, RoleHead, RoleCompetitor, RoleConfiguration, RoleBestKnown, RoleRecord),
	reflect.TypeFor[Purpose]():          words(PurposeRounds, PurposeScreening, PurposeBestKnown),
	reflect.TypeFor[AdapterFault]():     words(AdapterNone, AdapterNeedsChange, AdapterNeedsLabel, AdapterNotCompiled, AdapterNotLinked, AdapterNotImported),
	reflect.TypeFor[LevelCause]():       words(LevelByCommit, LevelByMachine, LevelByBoth, LevelByToolchain, LevelUnclear, LevelOfOtherWork),
	reflect.TypeFor[ReasonKind]():       Words(ReasonKinds),
}

func words[T ~string](kinds ...T) []string { return Words(kinds) }

// Words are the words that kinds are written as.
func Words[T ~string](kinds []T) []string {
	out := make([]string, len(kinds))
	for i, kind := range kinds {
		out[i] = string(kind)
	}
	return out
}

// Check returns a *saved.Error for the first word that the schema does not have and the first list that does not fit another. What passes can be rendered.
func (r *Result) Check() error {
	wrong := func(field, format string, args ...any) error {
		return &saved.Error{Field: field, Err: fmt.Errorf(format, args...)}
	}
	rules := variantsIn[r.Kind]
	for i, c := range r.Cases {
		if n := len(c.Processes); n > rules.processes {
			return wrong(fmt.Sprintf("cases[%d].processes", i), "%d entries, at most %d are read", n, rules.processes)
		}
	}
	if err := saved.Walk(r, checkPlace); err != nil {
		return err
	}
	if i := slices.IndexFunc(r.Rounds, func(one Round) bool { return one.Order == "" }); i >= 0 && r.Kind != KindTune {
		return wrong(fmt.Sprintf("rounds[%d].order", i), "missing: only rounds of tune have none")
	}
	for i, k := range r.Kernels {
		if field, err := rules.checkComparisons(k.Comparisons, nil); err != nil {
			return wrong(fmt.Sprintf("kernels[%d].%s", i, field), "%w", err)
		}
	}
	for i, c := range r.Cases {
		if field, err := rules.check(c); err != nil {
			return wrong(fmt.Sprintf("cases[%d].%s", i, field), "%w", err)
		}
	}
	if r.Policy.Rule != RuleVersion {
		return wrong("policy.rule", "%d, and this perfgate decides by rule %d: measure again, or use the perfgate that wrote it", r.Policy.Rule, RuleVersion)
	}
	if r.Conclusion.Exit != exits[r.Conclusion.Verdict] { // a reader may go by either
		return wrong("conclusion.exit", "%d does not go with %q, which has %d", r.Conclusion.Exit, r.Conclusion.Verdict, exits[r.Conclusion.Verdict])
	}
	return nil
}

func checkPlace(p saved.Place) error {
	switch p.Kind() {
	case reflect.Struct:
		if past, ok := p.Interface().(Past); ok && !past.whole() {
			return p.Wrong("its levels are not those of its points")
		}
	case reflect.String:
		return checkWord(p)
	}
	return nil
}

// checkWord looks at words of which the schema has a list. One that may be left out may be empty.
func checkWord(p saved.Place) error {
	allowed := kinds[p.Type()]
	switch {
	case p.Name == "policy":
		allowed = ProfilePolicies
	case p.Type() == reflect.TypeFor[Verdict]() && p.Optional: // of a comparison
		allowed = Words(ofComparisons)
	case p.Name == "order":
		if !isOrder(p.String()) {
			return p.Wrong("%.60q is no order of a round: two A and two or four B, or A, B and competitors in one half and mirrored in the other", p.String())
		}
	}
	if allowed == nil || p.Optional && p.Len() == 0 || slices.Contains(allowed, p.String()) {
		return nil
	}
	return p.Wrong("%.60q is none of %s", p.String(), strings.Join(allowed, ", "))
}

// isOrder says whether the letters are those of a round: two of base and two or four of head in any order, or, with up to three competitors,
// each of them and both sides once in its first half, and the same in its second, mirrored. A round of configurations has none.
func isOrder(order string) bool {
	if order == "" {
		return true
	}
	if base, head := strings.Count(order, "A"), strings.Count(order, "B"); base+head == len(order) {
		return base == 2 && (head == 2 || head == 4)
	}
	n := len(order) / 2
	if len(order)%2 != 0 || n > 2+MaxCompetitors {
		return false
	}
	for i := range n {
		if order[i] != order[len(order)-1-i] || strings.Count(order[:n], "ABRST"[i:i+1]) != 1 {
			return false
		}
	}
	return true
}
