package action

import (
	"fmt"
	"slices"
	"strings"

	"github.com/org/perfgate/gate"
	"github.com/org/perfgate/gate/result"
)

// What can be wrong with a run, as the input fail-on names it: gate.Problem has them.
const (
	FailRegression = string(gate.ProblemRegression)
	FailParity     = string(gate.ProblemParity)
	FailBuild      = string(gate.ProblemBuild)
	FailError      = string(gate.ProblemError) // bad configuration too: exit codes 3 and 2
)

// FailOnAny and FailOnNever stand for all and none of them.
const (
	FailOnAny   = "any"
	FailOnNever = "never"
)

var failWords = []string{FailRegression, FailParity, FailBuild, FailError}

// FailOn is the set of problems that fail the job.
type FailOn map[string]bool

// ParseFailOn reads any, never, or a list of problems.
func ParseFailOn(text string) (FailOn, error) {
	f := FailOn{}
	switch text {
	case FailOnNever:
		return f, nil
	case FailOnAny:
		text = strings.Join(failWords, ",")
	}
	for _, word := range strings.Split(text, ",") {
		word = strings.TrimSpace(word)
		if !slices.Contains(failWords, word) {
			return nil, fmt.Errorf("%.60q is not %s, %s or a list of %s", word, FailOnAny, FailOnNever, strings.Join(failWords, ", "))
		}
		f[word] = true
	}
	return f, nil
}

// Problems lists what is wrong with a run. A failed run whose findings do not say why has all that can fail one: what
// cannot be told apart does not pass.
func Problems(r *result.Result) []string {
	switch r.Conclusion.Exit {
	case result.ExitPassed:
		return nil
	case result.ExitFailed:
	default:
		return []string{FailError}
	}
	found := map[string]bool{}
	for _, f := range r.Conclusion.With(result.EffectFails) {
		found[string(gate.ProblemOf(f))] = true
	}
	list := slices.DeleteFunc(slices.Clone(failWords), func(w string) bool { return !found[w] })
	if len(list) == 0 {
		return []string{FailRegression, FailParity, FailBuild}
	}
	return list
}

// Exit is the exit code of the job: the gate's, or 0 where nothing of what is wrong fails it.
func (f FailOn) Exit(code result.ExitCode, problems []string) result.ExitCode {
	for _, p := range problems {
		if f[p] {
			return code
		}
	}
	return result.ExitPassed
}
