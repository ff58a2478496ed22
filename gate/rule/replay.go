package rule

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// Replayed is what a saved result comes to when it is decided again from its samples: what it says of itself is not
// believed. Results of jobs that ran foreign code are taken no other way.
//
// This finds what does not follow, not what was made up whole: samples can be forged too. docs/security.md says what that
// leaves to an attacker.
type Replayed struct {
	Cases      []result.Case
	Kernels    []result.Kernel
	Uncompared []result.Uncompared
	Conclusion result.Conclusion
	day        string // it was decided on
	// Differences are empty for what perfgate wrote. With any, no word of the result is good for a verdict.
	Differences []Difference
	// Unproven is what only the job that measured can know, each thing once: it may be true.
	Unproven []Unproven
}

// Difference is something that a result says and that does not follow from what it holds.
type Difference struct {
	Where string // a field, such as cases[3].verdict
	Says  string
	Found string
}

func (d Difference) String() string {
	return fmt.Sprintf("%s: it says %s, but %s", d.Where, d.Says, d.Found)
}

// Unproven is one thing for which there is the word of the measuring job alone. package report has the words for it.
type Unproven struct {
	Kind    UnprovenKind
	Kernel  string
	Case    string         // "" where it is about the kernel or the run
	Machine string         // of the case, where there are several
	Reason  *result.Reason // of UnprovenIdle: why there was nothing to do
}

// UnprovenKind is the kind of an Unproven.
type UnprovenKind string

const (
	UnprovenNew       UnprovenKind = "new"       // base does not have the kernel, so nothing of it was timed; the repository knows
	UnprovenIdentical UnprovenKind = "identical" // both sides of the case are the same code
	UnprovenStored    UnprovenKind = "stored"    // what stored records said of the case
	UnprovenIdle      UnprovenKind = "idle"      // there was nothing to do
	UnprovenFound     UnprovenKind = "found"     // which cases a benchmark has, and what its own clock says
	UnprovenPast      UnprovenKind = "past"      // numbers that come from stored records, and decide nothing
	UnprovenWork      UnprovenKind = "work"      // the operations and bytes of a launch, which rates and rooflines rest on
)

// UnprovenKinds lists them.
var UnprovenKinds = []UnprovenKind{UnprovenNew, UnprovenIdentical, UnprovenStored, UnprovenIdle, UnprovenFound, UnprovenPast, UnprovenWork}

// ErrForged says that a result contradicts itself.
var ErrForged = errors.New("the result contradicts itself")

// Err is nil, or an error that wraps ErrForged and lists the first differences.
func (d *Replayed) Err() error {
	if len(d.Differences) == 0 {
		return nil
	}
	const most = 3
	var lines []string
	for _, difference := range d.Differences[:min(most, len(d.Differences))] {
		lines = append(lines, difference.String())
	}
	if more := len(d.Differences) - most; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return fmt.Errorf("%w: %s", ErrForged, strings.Join(lines, "; "))
}

// Take is the result with what was found in the place of what it says: what follows from samples is not published as it came.
func (d *Replayed) Take(r result.Result) *result.Result {
	r.Conclusion, r.Cases, r.Kernels, r.Policy.Day = d.Conclusion, slices.Clone(r.Cases), slices.Clone(r.Kernels), d.day
	for i, k := range d.Kernels {
		r.Kernels[i].Comparisons = k.Comparisons
	}
	for i, found := range d.Cases {
		c := &r.Cases[i]
		c.Looks, c.Comparisons, c.Base, c.Head = found.Looks, found.Comparisons, found.Base, found.Head
		c.Competitors = slices.Clone(c.Competitors)
		for j, v := range found.Competitors {
			c.Competitors[j].Summary = v.Summary
		}
	}
	return &r
}

// Replay decides a result again under a policy: that of the trusted configuration, or the result's own where there is no
// other. The policy's Cases has to be the number of cases of the whole plan.
//
// The result has to have passed Result.Check. Work and memory are bounded by its size.
func Replay(r *result.Result, p result.Policy) *Replayed {
	d := &Replayed{day: p.Day}
	d.policy(r.Policy, p)
	if err := p.Validate(); err != nil {
		d.differ("policy", "one that makes sense", "%v", err)
		return d
	}
	if r.Kind != result.KindGate {
		d.variants(r)
		return d
	}
	for _, u := range r.Uncompared {
		u.Reason = *clippedReason(&u.Reason)
		d.Uncompared = append(d.Uncompared, u)
	}
	kernels := map[string]result.Kernel{}
	for i, k := range r.Kernels {
		if _, twice := kernels[k.Name]; twice {
			d.differ(fmt.Sprintf("kernels[%d].name", i), quote(k.Name), "another has this name too")
		}
		kernels[k.Name] = k
		k.Reason, k.Parity.Reason = clippedReason(k.Reason), clippedReason(k.Parity.Reason)
		d.Kernels = append(d.Kernels, k)
		if k.Benchmark != nil {
			d.unproven(Unproven{Kind: UnprovenFound, Kernel: k.Name})
		}
	}
	seen := map[string]bool{}
	for i, c := range r.Cases {
		at, name := fmt.Sprintf("cases[%d]", i), c.Machine+"\x00"+c.Name
		if seen[name] {
			d.differ(at+".name", quote(c.Name), "another has this name too")
		}
		seen[name] = true
		k, known := kernels[c.Kernel]
		if !known {
			d.differ(at+".kernel", quote(c.Kernel), "there is no such kernel")
		}
		d.Cases = append(d.Cases, d.oneCase(at, c, k, p))
	}
	d.conclude(r, p)
	if len(d.Differences) > 0 && r.Policy.Day != p.Day {
		d.differ("policy.day", quote(r.Policy.Day), "it is decided on %s, when another waiver may have lapsed: measure again", p.Day)
	}
	return d
}

func (d *Replayed) differ(where, says, found string, args ...any) {
	d.Differences = append(d.Differences, Difference{where, says, fmt.Sprintf(found, args...)})
}

func (d *Replayed) unproven(u Unproven) {
	if !slices.Contains(d.Unproven, u) {
		d.Unproven = append(d.Unproven, u)
	}
}

func quote[T ~string](s T) string { return fmt.Sprintf("%.60q", s) }

// policy compares what the result was decided by with what it should have been.
func (d *Replayed) policy(says, trusted result.Policy) {
	says.NeedsBase, says.Day = trusted.NeedsBase, trusted.Day // how and when the run was started, not what the configuration says
	if !says.Equal(trusted) {
		d.differ("policy", fmt.Sprintf("%+v", says), "the configuration that counts says %+v", trusted)
	}
}

// conclude compares the run's conclusion with the one that its parts come to.
func (d *Replayed) conclude(r *result.Result, p result.Policy) {
	if len(r.Kernels) == 0 && len(r.Cases) == 0 {
		d.idle(r.Conclusion)
		return
	}
	if asked := countSpeedups(r.Kernels, r.Cases, p.Goals); r.Shard == nil && asked != p.MinSpeedups {
		d.differ("kernels", fmt.Sprintf("%d speedups to test", asked), "the plan has %d", p.MinSpeedups)
	}
	d.Conclusion = ConcludePart(Part{Kernels: d.Kernels, Cases: d.Cases, Uncompared: d.Uncompared, IsShard: r.Shard != nil}, p)
	if len(r.Accepted) > 0 {
		d.differ("accepted", fmt.Sprintf("%d regressions", len(r.Accepted)), "a job that measures accepts nothing")
	}
	d.sameExit(r.Conclusion)
}

// sameExit compares the exit code that a result says with the one that was found.
func (d *Replayed) sameExit(says result.Conclusion) {
	if says.Exit == d.Conclusion.Exit {
		return
	}
	why := "nothing speaks against a pass"
	if against := d.Conclusion.Against(); len(against) > 0 {
		why = clip(fmt.Sprintf("%s %s", against[0].Kind, cmp.Or(against[0].Case, against[0].Kernel)))
	}
	d.differ("conclusion", fmt.Sprintf("%s (exit %d)", says.Verdict, says.Exit), "its cases and kernels come to %s (exit %d): %s", d.Conclusion.Verdict, d.Conclusion.Exit, why)
}

// idle takes over the conclusion of a run without kernels, if that is that there was nothing to do.
func (d *Replayed) idle(c result.Conclusion) {
	d.Conclusion = c
	i := slices.IndexFunc(c.Findings, func(f result.Finding) bool { return f.Kind == result.FindingNothingToDo })
	if c.Exit != result.ExitPassed || i < 0 {
		d.differ("conclusion", quote(c.Verdict), "nothing was built or measured")
		return
	}
	d.unproven(Unproven{Kind: UnprovenIdle, Reason: clippedReason(c.Findings[i].Reason)})
}

// clippedReason is a reason with no more of its texts than findings need.
func clippedReason(why *result.Reason) *result.Reason {
	if why == nil {
		return nil
	}
	const mostNames = 20
	out := *why
	out.Name, out.Message, out.Names = clip(why.Name), clip(why.Message), nil
	for _, name := range why.Names[:min(len(why.Names), mostNames)] {
		out.Names = append(out.Names, clip(name))
	}
	return &out
}

// clip is the first line of a text, and no more of it than findings need.
func clip(s string) string {
	const most = 200
	line, _, _ := strings.Cut(s, "\n")
	if len(line) <= most {
		return line
	}
	return strings.ToValidUTF8(line[:most], "") + "…"
}
