package rule

import (
	"fmt"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// AcceptTrailer is the trailer of a commit by which its author asks to let a regression pass: a pattern for names of cases,
// and why. It counts only together with the label.
const AcceptTrailer = "Perfgate-Accept"

// Acceptance is one such request.
type Acceptance struct{ Pattern, Reason string }

// ParseAcceptances reads values of trailers. One without a reason is none.
func ParseAcceptances(values []string) []Acceptance {
	var out []Acceptance
	for _, value := range values {
		pattern, reason, _ := strings.Cut(strings.TrimSpace(value), " ")
		if reason = strings.TrimSpace(reason); reason != "" && result.IsCasePattern(pattern) {
			out = append(out, Acceptance{pattern, reason})
		}
	}
	return out
}

// Covers says whether it asks for a case, by its name or by that of its kernel.
func (a Acceptance) Covers(kernel, name string) bool {
	return result.CaseMatches(a.Pattern, kernel, name)
}

// AcceptAsked notes in a result what was asked for and what by approves with a label, and lets the run pass if nothing else
// speaks against it.
func AcceptAsked(r *result.Result, asked []Acceptance, by, label string) {
	r.Conclusion = Accept(r.Conclusion, func(f result.Finding) bool {
		i := slices.IndexFunc(asked, func(a Acceptance) bool {
			if IsOpen(f) { // nothing is known of it, so a pattern that happens to match it is not enough
				return a.Pattern == f.Case
			}
			return a.Covers(f.Kernel, f.Case)
		})
		if i < 0 {
			return false
		}
		r.Accepted = append(r.Accepted, result.Accepted{
			Case: onMachine(f.Case, f.Machine), By: by, How: fmt.Sprintf("label %s; the commit says: %s", label, asked[i].Reason),
		})
		return true
	})
}

// onMachine is the name of a case, with its machine where there are several.
func onMachine(name, machine string) string {
	if machine == "" {
		return name
	}
	return name + " on " + machine
}
