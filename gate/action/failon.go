package action

import (
	"fmt"
	"slices"
	"strings"

	"github.com/org/perfgate/gate"
	"github.com/org/perfgate/gate/result"
)

// What can be wrong with a run, as the input fail-on names it.
const (
	FailRegression = "regression" // slower than the tolerance allows, or open and failed by on-inconclusive
	FailParity     = "parity"     // a wrong result, a broken guard zone, a crash in parity
	FailBuild      = "build"      // head does not build, lost a kernel, breaks a resource limit, or cannot be measured
	FailError      = "error"      // could not be measured, bad configuration: exit codes 3 and 2
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

// Problems lists what is wrong with a run. A failed run whose parts do not say why has all that can fail one: what
// nobody can tell apart is not let pass.
func Problems(r *result.Result) []string {
	switch r.Conclusion.Exit {
	case gate.ExitPassed:
		return nil
	case gate.ExitFailed:
	default:
		return []string{FailError}
	}
	found := map[string]bool{}
	for _, k := range r.Kernels {
		if k.Parity.Status == result.ParityFailed || k.Parity.Status == result.ParityError && k.Parity.ErrorSide == result.SideHead {
			found[FailParity] = true
		}
		if k.Head == nil || k.Head.Failed || len(k.Limits) > 0 {
			found[FailBuild] = true
		}
	}
	for _, c := range r.Cases {
		found[FailRegression] = found[FailRegression] || slower(r, c)
		found[FailBuild] = found[FailBuild] || c.Verdict == gate.Error && c.ErrorSide == result.SideHead
	}
	list := slices.DeleteFunc(slices.Clone(failWords), func(w string) bool { return !found[w] })
	if len(list) == 0 {
		return []string{FailRegression, FailParity, FailBuild}
	}
	return list
}

// slower says whether a case speaks against head by its time: it regressed, it is open and failed by policy, or it is
// slower and has lost too much since its best-known level.
func slower(r *result.Result, c result.Case) bool {
	switch c.Verdict {
	case gate.Regression:
		return true
	case gate.Inconclusive, gate.Undecided, gate.Slower:
		return speaksAgainst(r, c)
	}
	return false
}

// Exit is the exit code of the job: the gate's, or 0 where nothing of what is wrong fails it.
func (f FailOn) Exit(code gate.ExitCode, problems []string) gate.ExitCode {
	for _, p := range problems {
		if f[p] {
			return code
		}
	}
	return gate.ExitPassed
}
