package judge

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/org/perfgate/gate"
	"github.com/org/perfgate/gate/result"
)

// Difference is something that a result says and that does not follow from what it holds.
type Difference struct {
	Where string // a field, such as cases[3].verdict
	Says  string
	Found string
}

func (d Difference) String() string {
	return fmt.Sprintf("%s: it says %s, but %s", d.Where, d.Says, d.Found)
}

// Judgement is what a result comes to when it is decided again.
type Judgement struct {
	Cases      []result.Case
	Kernels    []result.Kernel
	Conclusion result.Conclusion
	// Differences are empty for what perfgate wrote. With any, no word of the result is good for a verdict.
	Differences []Difference
	// Unproven is what only the job that measured can know, a phrase each: it may be true.
	Unproven []string
}

// ErrForged says that a result contradicts itself.
var ErrForged = errors.New("the result contradicts itself")

// Err is nil, or an error that wraps ErrForged and lists the first differences.
func (j Judgement) Err() error {
	if len(j.Differences) == 0 {
		return nil
	}
	const most = 3
	var lines []string
	for _, d := range j.Differences[:min(most, len(j.Differences))] {
		lines = append(lines, d.String())
	}
	if more := len(j.Differences) - most; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return fmt.Errorf("%w: %s", ErrForged, strings.Join(lines, "; "))
}

// Again decides a result again under a policy: that of the trusted configuration, or the result's own where nobody has
// another. The policy's Cases has to be the number of cases of the whole plan.
//
// The result has to have passed result.Check. Work and memory are bounded by its size.
func Again(r *result.Result, p result.Policy) Judgement {
	j := &Judgement{}
	j.policy(r.Policy, p)
	if err := p.Validate(); err != nil {
		j.differ("policy", "one that makes sense", "%v", err)
		return *j
	}
	kernels := map[string]result.Kernel{}
	for i, k := range r.Kernels {
		if _, twice := kernels[k.Name]; twice {
			j.differ(fmt.Sprintf("kernels[%d].name", i), quote(k.Name), "another has this name too")
		}
		kernels[k.Name] = k
		j.Kernels = append(j.Kernels, clipped(k))
	}
	seen := map[string]bool{}
	for i, c := range r.Cases {
		at := fmt.Sprintf("cases[%d]", i)
		if key := c.Machine + "\x00" + c.Name; seen[key] {
			j.differ(at+".name", quote(c.Name), "another has this name too")
		} else {
			seen[key] = true
		}
		k, known := kernels[c.Kernel]
		if !known {
			j.differ(at+".kernel", quote(c.Kernel), "there is no such kernel")
		}
		j.Cases = append(j.Cases, j.oneCase(at, c, k, p))
	}
	j.conclude(r, p)
	return *j
}

func (j *Judgement) differ(where, says, found string, args ...any) {
	j.Differences = append(j.Differences, Difference{where, says, fmt.Sprintf(found, args...)})
}

// NotInBase is the phrase of Unproven for a kernel that a result calls new: then nothing of it was timed. Whoever has the
// repository can ask base.
func NotInBase(kernel string) string { return clip(kernel) + ": that base does not have it" }

// unproven notes a phrase once.
func (j *Judgement) unproven(phrase string) {
	if !slices.Contains(j.Unproven, phrase) {
		j.Unproven = append(j.Unproven, phrase)
	}
}

func quote(s string) string { return fmt.Sprintf("%.60q", s) }

// policy compares what the result was decided by with what it should have been.
func (j *Judgement) policy(says, trusted result.Policy) {
	if says.Tolerance != trusted.Tolerance || says.Improvement != trusted.Improvement || says.Confidence != trusted.Confidence ||
		says.OnInconclusive != trusted.OnInconclusive || says.Cases != trusted.Cases || says.PlannedLooks != trusted.PlannedLooks {
		j.differ("policy", fmt.Sprintf("%+v", says), "the configuration that counts says %+v", trusted)
	}
}

// conclude compares the run's conclusion with the one that its parts come to.
func (j *Judgement) conclude(r *result.Result, p result.Policy) {
	if len(r.Kernels) == 0 && len(r.Cases) == 0 {
		j.Conclusion = r.Conclusion
		idle := slices.IndexFunc(r.Conclusion.Findings, func(f result.Finding) bool { return f.Kind == result.FindingNothingToDo })
		if r.Conclusion.Exit != result.ExitPassed || idle < 0 {
			j.differ("conclusion", quote(r.Conclusion.Verdict), "nothing was built or measured")
			return
		}
		j.Unproven = append(j.Unproven, "that there was nothing to do: "+clip(r.Conclusion.Findings[idle].Detail))
		return
	}
	if r.Shard != nil {
		p = p.OfPart()
	}
	j.Conclusion = gate.Conclude(j.Cases, j.Kernels, p)
	if len(r.Accepted) > 0 {
		j.differ("accepted", fmt.Sprintf("%d regressions", len(r.Accepted)), "a job that measures accepts nothing")
	}
	if r.Conclusion.Exit != j.Conclusion.Exit {
		why := "nothing speaks against a pass"
		if against := j.Conclusion.Against(); len(against) > 0 {
			why = clip(about(against[0]))
		}
		j.differ("conclusion", fmt.Sprintf("%s (exit %d)", r.Conclusion.Verdict, r.Conclusion.Exit), "its cases and kernels come to %s (exit %d): %s", j.Conclusion.Verdict, j.Conclusion.Exit, why)
	}
}

// about names what speaks against a pass, and of what.
func about(f result.Finding) string {
	return strings.TrimSpace(fmt.Sprintf("%s %s", f.Kind, cmp.Or(f.Case, f.Kernel)))
}

func clip(s string) string {
	const most = 200
	line, _, _ := strings.Cut(s, "\n")
	if len(line) <= most {
		return line
	}
	return strings.ToValidUTF8(line[:most], "") + "…"
}

// clipped is a kernel with reasons that are no longer than they need to be.
func clipped(k result.Kernel) result.Kernel {
	k.Reason, k.Parity.Reason = clip(k.Reason), clip(k.Parity.Reason)
	return k
}
