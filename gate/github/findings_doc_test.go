package github

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

var update = flag.Bool("update", false, "write docs/findings.md anew")

// docs/findings.md is one table of what each kind of finding does to the exit code, to fail-on, to annotations and to the
// report. It is made of the tables that the program itself uses, so a kind that one of them lacks shows here.
func TestFindingsPage(t *testing.T) {
	var b strings.Builder
	b.WriteString(findingsHead)
	for _, kind := range result.FindingKinds {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s | %s |\n", kind, effect(kind, result.SideHead), effect(kind, result.SideBase),
			failOn(kind), acceptable(kind), annotated(t, kind), report.Sentence(example(kind)))
	}
	const page = "../../docs/findings.md"
	if *update {
		must(t, os.WriteFile(page, []byte(b.String()), 0o644))
	}
	got, err := os.ReadFile(page)
	if err != nil || string(got) != b.String() {
		t.Errorf("docs/findings.md differs (%v); go test ./gate/github -update writes it anew:\n%s", err, b.String())
	}
}

const findingsHead = `# What a finding does

A run's conclusion is a list of findings ([result.md](result.md)). A run fails (exit 1) if one fails it; else it could not be
measured (exit 3) if one says so; else it passes. Made by a test from the program's own tables.

| kind | of head's fault | of any other | fail-on | can be accepted | annotation | sentence |
|:--|:--|:--|:--|:--|:--|:--|
`

// example is a finding with every number that a sentence may have.
func example(kind result.FindingKind) result.Finding {
	var goal *result.GoalCount
	if strings.HasPrefix(string(kind), "goal-") {
		goal = &result.GoalCount{Cases: 2, Of: 4, Reached: 1, Below: 2}
	}
	f := result.Finding{Kind: kind, Side: result.SideHead, Reason: result.Message("…"), Limit: 0.015, MDE: 0.04, PassesAt: 0.021, MetBelow: 1.15, Rounds: 6, Looks: 2, Planned: 17, Competitor: "sdpa", Waiver: &result.Waiver{Cases: "k/**", Owner: "@kernels", Until: "2027-01-31"}, MinSpeedup: 1.2, Goal: goal, BudgetGone: true, BudgetNeededS: 90}
	if kind == result.FindingUnfinished {
		f.MDE = 0 // with one it says that more time would hardly help
	}
	return f
}

func effect(kind result.FindingKind, side result.Side) string {
	return map[result.Effect]string{result.EffectFails: "exit 1", result.EffectUnmeasured: "exit 3", result.EffectNote: "none"}[rule.EffectOf(kind, side)]
}

func failOn(kind result.FindingKind) string {
	var words []string
	for _, side := range []result.Side{result.SideHead, result.SideBase} {
		p := rule.ProblemOf(result.Finding{Kind: kind, Effect: rule.EffectOf(kind, side)})
		if p != rule.ProblemNone && !slices.Contains(words, string(p)) {
			words = append(words, string(p))
		}
	}
	return strings.Join(words, ", ")
}

func acceptable(kind result.FindingKind) string {
	if rule.Acceptable(result.Finding{Kind: kind, Effect: rule.EffectOf(kind, result.SideHead), Case: "k/n=1"}) {
		return "yes"
	}
	return ""
}

// annotated is the level of the annotation that a kind makes, or why it makes none.
func annotated(t *testing.T, kind result.FindingKind) string {
	t.Helper()
	why, left := unannotated[kind]
	for _, n := range notices {
		if slices.Contains(n.kinds, kind) {
			if left {
				t.Errorf("%s is both annotated and not", kind)
			}
			return n.level
		}
	}
	if !left {
		t.Errorf("nothing says whether %s is annotated", kind)
	}
	return "none: " + why
}
