package rule

import (
	"fmt"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// FailOnAny and FailOnNever stand for all and none of the problems.
const (
	FailOnAny   = "any"
	FailOnNever = "never"
)

// failing are the problems that can be listed.
var failing = []Problem{ProblemRegression, ProblemParity, ProblemBuild, ProblemError}

// FailOn is the set of problems that fail the job.
type FailOn map[Problem]bool

// UnmarshalText is ParseFailOn.
func (f *FailOn) UnmarshalText(text []byte) (err error) {
	*f, err = ParseFailOn(string(text))
	return err
}

// ParseFailOn reads any, never, or a list of problems with commas between them.
func ParseFailOn(text string) (FailOn, error) {
	f, listed := FailOn{}, strings.Join(result.Words(failing), ", ")
	switch text {
	case FailOnNever:
		return f, nil
	case FailOnAny:
		text = listed
	}
	for word := range strings.SplitSeq(text, ",") {
		problem := Problem(strings.TrimSpace(word))
		if !slices.Contains(failing, problem) {
			return nil, fmt.Errorf("%.60q is not %s, %s or a list of %s", problem, FailOnAny, FailOnNever, listed)
		}
		f[problem] = true
	}
	return f, nil
}

// Problems lists what is wrong with a run. A failed run whose findings do not say why has all that can fail one: what
// cannot be told apart does not pass.
func Problems(c result.Conclusion) []Problem {
	switch c.Exit {
	case result.ExitPassed:
		return nil
	case result.ExitFailed:
	default:
		return []Problem{ProblemError}
	}
	found := map[Problem]bool{}
	for _, f := range c.With(result.EffectFails) {
		found[ProblemOf(f)] = true
	}
	list := slices.DeleteFunc(slices.Clone(failing), func(p Problem) bool { return !found[p] })
	if len(list) == 0 {
		return []Problem{ProblemRegression, ProblemParity, ProblemBuild}
	}
	return list
}

// Exit is the exit code of the job: the gate's, or 0 where nothing of what is wrong fails it.
func (f FailOn) Exit(code result.ExitCode, problems []Problem) result.ExitCode {
	if slices.ContainsFunc(problems, func(p Problem) bool { return f[p] }) {
		return code
	}
	return result.ExitPassed
}
