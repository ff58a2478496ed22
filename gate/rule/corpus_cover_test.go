package rule_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/gate/search"
)

// answered is a question with the answer that is kept.
type answered struct {
	question
	tree any
}

// covered counts what answers say, by the place of it: "run.cases.verdict" and "same".
type covered map[string]map[string]int

func (c covered) add(at string, tree any) {
	switch x := tree.(type) {
	case map[string]any:
		for key, value := range x {
			c.add(at+"."+key, value)
		}
	case []any:
		for _, value := range x {
			c.add(at, value)
		}
	default:
		if c[at] == nil {
			c[at] = map[string]int{}
		}
		c[at][fmt.Sprint(x)]++
	}
}

// kind is what a question asks: the name of its field.
func (q question) kind() string {
	asks, _ := q.asks() // they were asked already
	return strings.TrimPrefix(fmt.Sprintf("%T", asks), "*rule_test.")
}

// mustCover is what answers have to say somewhere among places, so that the corpus does not shrink unseen. A kind, verdict or standing that is
// added needs an entry of its own.
var mustCover = []struct {
	what   string
	places string
	words  []string
}{
	{"kinds of findings", "run.conclusion.findings.kind merge.conclusion.findings.kind parityRun.conclusion.findings.kind idle.conclusion.findings.kind", result.Words(result.FindingKinds)},
	{"effects", "run.conclusion.findings.effect", result.Words(result.Effects)},
	{"sides at fault", "run.conclusion.findings.side", []string{"base", "head", "both"}},
	{"verdicts of cases", "run.cases.verdict", result.Words(result.Verdicts)},
	{"verdicts of runs", "run.conclusion.verdict", result.Words(result.RunVerdicts)},
	{"exit codes of runs", "run.conclusion.exit", []string{"0", "1", "3"}},
	{"verdicts of parity alone", "parityRun.conclusion.verdict", result.Words(result.RunVerdicts)},
	{"verdicts of compiling alone", "touched.verdict", result.Words(result.RunVerdicts)},
	{"verdicts of merged runs", "merge.conclusion.verdict", result.Words(result.RunVerdicts)},
	{"exit codes of merged runs", "merge.conclusion.exit", []string{"0", "1", "3"}},
	{"a part that is missing", "merge.conclusion.findings.kind", []string{"missing"}},
	{"merges that are refused", "merge.refused", []string{"forged", "unfit"}},
	{"problems", "run.conclusion.problems", []string{"regression", "parity", "build", "error"}},
	{"runs that contradict themselves, and others", "run.again.forged", []string{"true", "false"}},
	{"what only a job can know", "run.again.unproven.kind", []string{"new", "identical", "stored", "found"}},
	{"accepted cases", "run.accepted", []string{"k/n=1"}},
	{"looks of the rule", "run.cases.looks.rounds", []string{"2", "4", "6", "8", "10", "12", "14", "20", "28", "36"}},
	{"processes far outside", "run.cases.comparison.suspect.side", []string{"base", "head"}},
	{"scatter below the timer's step", "run.cases.comparison.floored", []string{"true"}},
	{"keeps over competitors", "run.cases.competitors.verdict", []string{"", "undecided", "met", "missed", "inconclusive", "unmeasured"}},
	{"what records say", "run.cases.record.verdict", []string{"same", "inconclusive", "slower", "regression", "faster"}},
	{"why records say nothing", "run.cases.record.reason", []string{"scatter-unknown", "other-code", "machine-changed", "config-changed", "not-recorded"}},
	{"canaries that are taken out", "run.cases.record.steady", []string{"none", "compute", "memory"}},
	{"what crept up", "run.cases.record.crept", []string{"true"}},
	{"rounds beside the best-known level", "run.cases.best.verdict", []string{"", "regression", "same", "inconclusive"}},
	{"standings of configurations", "tune.tracks.settings.standing", []string{"best", "level", "inconclusive", "slower", "unmeasured"}},
	{"settings that are dropped", "tune.tracks.settings.dropped", []string{"true", "false"}},
	{"races that end, and others", "tune.over", []string{"true", "false"}},
	{"standings of candidates", "judged.stand.standing", result.Words(rule.Standings)},
	{"verdicts on candidates", "judged.verdict", result.Words(search.Verdicts)},
	{"candidates without a verdict", "judged.unmeasured", []string{"build", "parity-skipped", "too-few-rounds", "nothing-compared"}},
	{"candidates that another clock does not confirm", "judged.unconfirmed", []string{"true"}},
	{"verdicts of groups", "groups.verdict", []string{"same", "slower", "regression", "faster", "improvement", "inconclusive"}},
	{"hidden time", "timingCheck.significant", []string{"true", "false"}},
	{"hidden gains", "timingCheck.likely", []string{"true", "false"}},
}

// noises are what generated values have to have.
var noises = struct {
	generated, recorded int
	sds, shifts         []float64
	beside              []string
}{
	generated: 60, recorded: 30,
	sds:    []float64{0.001, 0.003, 0.006, 0.02},
	shifts: []float64{-0.1, -0.03, -0.01, -0.005, 0, 0.005, 0.01, 0.03, 0.1},
	beside: []string{"coarse timer", "few rounds", "drift", "two modes", "heavy tails", "wild processes", "levels of sides", "waits"},
}

func checkCoverage(t *testing.T, all []answered) {
	t.Helper()
	found := covered{}
	for _, a := range all {
		found.add(a.kind(), a.tree)
	}
	for _, must := range mustCover {
		for _, word := range must.words {
			if !slices.ContainsFunc(strings.Fields(must.places), func(at string) bool { return found[at][word] > 0 }) {
				t.Errorf("%s: no answer has %q: add a question to docs/measurements/corpus and make it with make.py, then -update", must.what, word)
			}
		}
	}
	checkNoise(t, all)
	checkOpenWords(t, all)
	if !slices.ContainsFunc(all, machinesDisagree) {
		t.Error("no merge has machines that disagree about a case")
	}
}

func checkNoise(t *testing.T, all []answered) {
	t.Helper()
	generated, recorded := 0, 0
	sds, shifts, beside := map[float64]bool{}, map[float64]bool{}, map[string]bool{}
	for _, a := range all {
		switch n := a.Noise; {
		case n == nil:
		case n.Recorded != "":
			recorded++
		default:
			generated++
			sds[n.SD], shifts[n.Shift], beside[n.Beside] = true, true, true
		}
	}
	if generated < noises.generated || recorded < noises.recorded {
		t.Errorf("%d streams of generated noise and %d of recorded, want %d and %d", generated, recorded, noises.generated, noises.recorded)
	}
	for _, sd := range noises.sds {
		if !sds[sd] {
			t.Errorf("no generated noise scatters by %v", sd)
		}
	}
	for _, shift := range noises.shifts {
		if !shifts[shift] {
			t.Errorf("no generated noise is shifted by %v", shift)
		}
	}
	for _, what := range noises.beside {
		if !beside[what] {
			t.Errorf("no generated noise has %s", what)
		}
	}
}

// checkOpenWords looks for a run by each word on open cases.
func checkOpenWords(t *testing.T, all []answered) {
	t.Helper()
	words := map[string]bool{}
	for _, a := range all {
		if a.Run != nil && a.Run.Policy != nil {
			words[a.Run.Policy.OnInconclusive] = true
		}
	}
	for _, word := range []result.OnInconclusive{result.OnInconclusiveStop, result.OnInconclusivePass, result.OnInconclusiveFail} {
		if !words[string(word)] {
			t.Errorf("no run has %s for open cases", word)
		}
	}
}

// machinesDisagree says whether a case has one verdict on a machine and another on another.
func machinesDisagree(a answered) bool {
	if a.Merge == nil {
		return false
	}
	cases, _ := a.tree.(map[string]any)["cases"].([]any)
	verdicts := map[any]any{}
	for _, one := range cases {
		c := one.(map[string]any)
		if before, known := verdicts[c["name"]]; known && before != c["verdict"] {
			return true
		}
		verdicts[c["name"]] = c["verdict"]
	}
	return false
}
