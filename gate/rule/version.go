package rule

import "github.com/org/perfgate/gate/result"

// Version is what a version of the rule fixes beyond the policy. A saved result names the version that it was decided by, and is
// decided again by that one. docs/statistics.md has the rule, docs/result.md the versions.
type Version struct {
	Looks             []int // numbers of complete rounds after which the bounds are looked at
	ImprovementRounds int   // how long a case that may be an improvement waits before it settles for faster
	// PassPerCase: a green run needs every timed case to pass, so the upper bound that lets a case pass spends its chance of error on that
	// case alone (intersection-union); what turns a run red, or claims that head is faster, shares it with all cases.
	PassPerCase bool
	Opposites   bool // of every two rounds the second has the opposite order of the first; otherwise each is drawn by lot
	EstimateLow bool // an open case fails by its estimate only where it is surely slower at all
	// SuspectRounds is how long a case with a process far outside of all others waits before it passes; 0: it does not wait.
	SuspectRounds int
	// Elapsed: elapsed times are compared beside values, at a share of the error rate.
	Elapsed bool
}

// ruleVersions: version n is ruleVersions[n-1].
var ruleVersions = []Version{
	{Looks: []int{4, 6, 8, 11, 15, 20, 27, 36}, ImprovementRounds: 11},
	{Looks: []int{4, 6, 8, 12, 16, 20, 28, 36}, ImprovementRounds: 12, PassPerCase: true, Opposites: true, EstimateLow: true, SuspectRounds: 16},
	{Looks: []int{4, 6, 8, 12, 16, 20, 28, 36}, ImprovementRounds: 12, PassPerCase: true, Opposites: true, EstimateLow: true, SuspectRounds: 16, Elapsed: true},
}

// VersionOf returns the version of the rule that a policy names; one that names none is of a run that begins now.
func VersionOf(p result.Policy) Version {
	if p.Rule < 1 || p.Rule > len(ruleVersions) {
		return ruleVersions[result.CurrentRule-1]
	}
	return ruleVersions[p.Rule-1]
}

// Looks are those of the current rule.
var Looks = ruleVersions[result.CurrentRule-1].Looks
