package rule

import (
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// Part is what one run, or one shard or machine of it, has to be judged by. Machine is empty unless there are several, and Plan unless several have
// measured all of the plan each: then it is the machine as well.
type Part struct {
	Machine    string
	Plan       string
	Kernels    []result.Kernel
	Cases      []result.Case
	Uncompared []result.Uncompared // of no kernel
	IsShard    bool                // of a plan: whether anything was compared, and what its waivers name, all shards tell together
}

// Conclude sums up a run. Anything that the gate says no to fails it (exit 1), and wins over anything that could not
// be measured (exit 3). A run passes only if every case was settled and at least one was measured: a run without
// cases is the caller's to explain before it asks.
//
// Of a case it reads the verdict, and what an open one needs beside it; it takes no look of its own.
func Conclude(cases []result.Case, kernels []result.Kernel, p result.Policy) result.Conclusion {
	return ConcludePart(Part{Kernels: kernels, Cases: cases}, p)
}

// ConcludePart is Conclude with all that a run has.
func ConcludePart(part Part, p result.Policy) result.Conclusion {
	return concludeParts([]Part{part}, p)
}

// concludeParts sums up several parts as one run. What is said of a kernel in several parts is said once.
func concludeParts(parts []Part, p result.Policy) result.Conclusion {
	v := &collector{run: p, policy: p, counts: map[result.Verdict]int{}}
	for _, part := range parts {
		v.machine = part.Machine
		for _, k := range part.Kernels {
			v.kernel(k)
			v.competitors(k)
		}
	}
	isShard := slices.ContainsFunc(parts, func(part Part) bool { return part.IsShard })
	if !isShard {
		v.suites(parts)
	}
	for _, part := range parts {
		v.machine, v.plan = part.Machine, part.Plan
		v.isUnsteady = v.unsteady(part)
		for _, c := range part.Cases {
			v.counts[c.Verdict]++
			v.policy = p.OfCase(c)
			v.timed(c)
			v.processTime(c)
			v.versus(c, part.Kernels)
		}
	}
	v.policy = p
	v.together()
	v.machine = ""
	if !isShard {
		v.uncompared("", sharedByAll(parts))
		v.compared(parts)
		v.waivers(parts)
		v.goals(parts)
	}
	v.sideLevels(parts)
	if v.measured == 0 && !v.against() {
		v.add(result.Finding{Kind: result.FindingNothingMeasured})
	}
	c := settled(v.found, v.counts)
	c.Suites = v.suite
	return c
}

// ConcludeParity sums up a run that only checked parity: wrong or unbuildable kernels fail it, and a kernel of which
// nothing was checked keeps it from passing. Base and what of head was not compared with it only matter to timing.
func ConcludeParity(kernels []result.Kernel) result.Conclusion {
	v := &collector{}
	for _, k := range kernels {
		k.Base, k.Uncompared = nil, nil
		v.kernel(k)
	}
	if len(kernels) == 0 {
		v.add(result.Finding{Kind: result.FindingNoKernel})
	}
	return settled(v.found, map[result.Verdict]int{})
}

// NothingToDo is the conclusion of a run that has nothing to measure by its configuration, such as a change of
// files that paths leaves out. It passes, since a required check that never passes blocks for ever, and says why.
func NothingToDo(why result.Reason) result.Conclusion {
	v := &collector{}
	v.add(result.Finding{Kind: result.FindingNothingToDo, Reason: &why})
	return settled(v.found, map[result.Verdict]int{})
}

// Add is a conclusion with one more finding.
func Add(c result.Conclusion, f result.Finding) result.Conclusion {
	f.Effect = EffectOf(f.Kind, f.Side)
	return resettled(c, append(slices.Clone(c.Findings), f))
}

// Accept is a conclusion in which a person took the responsibility for the findings that accepted picks. Only what is
// Acceptable is asked for; everything else keeps its effect.
func Accept(c result.Conclusion, accepted func(result.Finding) bool) result.Conclusion {
	found := slices.Clone(c.Findings)
	for i, f := range found {
		if Acceptable(f) && accepted(f) {
			found[i].Effect = result.EffectAccepted
		}
	}
	return resettled(c, found)
}

// resettled is a conclusion with other findings.
func resettled(c result.Conclusion, found []result.Finding) result.Conclusion {
	out := settled(found, c.Counts)
	out.Suites = c.Suites
	return out
}

// settled is the conclusion that findings come to.
func settled(found []result.Finding, counts map[result.Verdict]int) result.Conclusion {
	slices.SortStableFunc(found, func(a, b result.Finding) int {
		return slices.Index(result.Effects, a.Effect) - slices.Index(result.Effects, b.Effect)
	})
	c := result.Conclusion{Verdict: result.RunPassed, Exit: result.ExitPassed, Findings: found, Counts: counts}
	switch {
	case len(c.With(result.EffectFails)) > 0:
		c.Verdict, c.Exit = result.RunFailed, result.ExitFailed
	case len(c.With(result.EffectUnmeasured)) > 0:
		c.Verdict, c.Exit = result.RunError, result.ExitNotMeasurable
	}
	return c
}

// compared holds a run of new cases alone against a policy that wants a base.
func (v *collector) compared(parts []Part) {
	total, lacks := 0, result.Kernel{}
	for _, n := range v.counts {
		total += n
	}
	if fresh := v.counts[result.New]; !v.policy.NeedsBase || fresh == 0 || fresh < total {
		return
	}
	for _, part := range parts {
		for _, k := range part.Kernels {
			if lacks.Name == "" && k.Base == nil {
				lacks = k
			}
		}
	}
	v.add(result.Finding{Kind: result.FindingNothingCompared, Reason: lacks.Reason})
}

// collector gathers the findings of a run while its parts are gone through.
type collector struct {
	run        result.Policy
	policy     result.Policy // of the run; while a case is gone through, its own
	machine    string
	plan       string // of a Part
	isUnsteady bool   // the noise of the machine is: see statedMDE
	found      []result.Finding
	counts     map[result.Verdict]int
	measured   int                 // cases settled by a measurement or by identical code
	suite      []result.SuiteValue // of each machine
	refused    []result.Finding    // trades
	// byEnvironment is why kernels are slower whose environments alone differ, by machine and kernel.
	byEnvironment map[string]*result.Reason
}

func (v *collector) add(f result.Finding) {
	f.Machine = v.machine
	f.Effect = EffectOf(f.Kind, f.Side)
	switch {
	case isWaived(v.run, f):
		f.Effect = result.EffectWaived
	case v.isTraded(f):
		f.Effect = result.EffectTraded
	}
	if f.Reason != nil {
		why := *f.Reason
		why.Message, _, _ = strings.Cut(why.Message, "\n")
		f.Reason = &why
	}
	if f.Case != "" || !slices.ContainsFunc(v.found, func(other result.Finding) bool { return reflect.DeepEqual(f, other) }) {
		v.found = append(v.found, f)
	}
}

// against says whether something keeps the run from passing already.
func (v *collector) against() bool {
	return slices.ContainsFunc(v.found, result.Finding.Against)
}

// explained says whether a finding about a kernel as a whole accounts for cases of it that were not timed.
func (v *collector) explained(kernel string) bool {
	return slices.ContainsFunc(v.found, func(f result.Finding) bool {
		return f.Kernel == kernel && f.Case == "" && f.Machine == v.machine && f.Against() && f.Kind != result.FindingNothingCompared
	})
}

func (v *collector) kernel(k result.Kernel) {
	if k.Skipped {
		v.add(result.Finding{Kind: result.FindingKernelUnmeasured, Kernel: k.Name, Reason: k.Reason})
		return
	}
	built := v.builds(k)
	for _, limit := range k.Limits {
		v.add(result.Finding{Kind: result.FindingResource, Kernel: k.Name, Side: result.SideHead, Over: &limit})
	}
	if !built {
		return // there was nothing to check
	}
	v.uncompared(k.Name, k.Uncompared)
	v.environments(k)
	if b := k.Benchmark; b != nil && !b.OurClock {
		v.add(result.Finding{Kind: result.FindingSelfTimed, Kernel: k.Name, Reason: result.Message(b.Format)})
	}
	f := result.Finding{Kernel: k.Name, Reason: k.Reason}
	switch k.Parity.Status {
	case result.ParityFailed:
		f.Kind, f.Side = result.FindingWrongOutput, result.SideHead
	case result.ParityError:
		f.Kind, f.Side = result.FindingParityError, k.Parity.ErrorSide
	case result.ParitySkipped:
		f.Kind, f.Reason = result.FindingParitySkipped, k.Parity.Reason
	case result.ParityOff:
		f.Kind, f.Reason = result.FindingParityOff, nil
	case result.ParityHidden:
		f.Kind, f.Reason = result.FindingParityUnavailable, nil
	}
	if k.Status == result.KernelError && f.Kind != result.FindingParityError {
		v.add(result.Finding{Kind: result.FindingKernelUnmeasured, Kernel: k.Name, Reason: k.Reason})
	}
	if f.Kind != "" {
		v.add(f)
	}
}

// builds adds what became of both builds, and says whether head has one that can be checked.
func (v *collector) builds(k result.Kernel) bool {
	base, head := k.Base != nil && k.Base.Failed, k.Head != nil && k.Head.Failed
	f := result.Finding{Kind: result.FindingBuild, Kernel: k.Name, Reason: k.Reason}
	switch {
	case base && head:
		f.Side = result.SideBoth
	case base:
		f.Side = result.SideBase
	case head:
		f.Side = result.SideHead
		if k.Head.Cause == result.CauseAdapter {
			f.Kind, f.Adapter = result.FindingAdapter, k.Adapter
		}
	case k.Head == nil && k.Base == nil:
		f.Kind, f.Side = result.FindingKernelRemoved, result.SideBoth
	case k.Head == nil:
		f.Kind, f.Side = result.FindingKernelRemoved, result.SideHead
	default:
		return true
	}
	v.add(f)
	return k.Head != nil && !base && !head
}

func (v *collector) timed(c result.Case) {
	f := result.Finding{Kernel: c.Kernel, Case: c.Name, Shift: result.ShiftOf(c.Compared())}
	switch c.Verdict {
	case result.Same, result.Slower, result.Faster, result.Improvement, result.New:
		v.measured++
		v.beyondLimit(c, f)
		return
	case result.Regression:
		v.measured++
		f.Kind, f.Side, f.Limit, f.Reason = result.FindingRegression, result.SideHead, v.policy.Tolerance, v.byEnvironment[v.machine+" "+c.Kernel]
		if c.Compared() != nil && elapsedOver(*c.Compared(), v.policy) && !(c.Compared().Low > toleranceLog(v.policy)) {
			f.Kind, f.Elapsed = result.FindingElapsed, c.Compared().Elapsed
		}
	case result.Error:
		f.Kind, f.Side, f.Reason = result.FindingCaseError, c.ErrorSide, c.Reason
	case result.Skipped:
		if v.explained(c.Kernel) {
			return
		}
		f.Kind, f.Reason = result.FindingNotTimed, c.Reason
	case result.Inconclusive, result.Undecided:
		f = v.open(c, f)
	default:
		f.Kind, f.Reason = result.FindingUnknownVerdict, result.Message(string(c.Verdict))
	}
	v.add(f)
}

// beyondLimit adds a case that is slower itself and significantly beyond the limit.
func (v *collector) beyondLimit(c result.Case, f result.Finding) {
	q := c.To(result.RoleBestKnown)
	if c.Stored == nil || q == nil || !MayFailCumulatively(c.Verdict) || q.Verdict != result.Regression {
		return
	}
	f.Kind, f.Side, f.Limit, f.Beyond = result.FindingCumulativeRegression, result.SideHead, c.Stored.CumulativeLimit, result.ShiftOf(q)
	v.add(f)
}

// looksDone is how often the bounds of a case were looked at. A record's word is the last.
func looksDone(c result.Case) int {
	if len(c.Looks) == 0 && len(c.For(result.PurposeRounds)) == 0 && byRecord(c) != "" {
		return mostLooks
	}
	return len(c.Looks)
}

// open judges a case that its looks left open. The policy speaks only after all planned looks; before that the case
// was not measured to the end.
func (v *collector) open(c result.Case, f result.Finding) result.Finding {
	f.Looks, f.Planned = looksDone(c), PlannedLooks(v.policy)
	f.Limit, f.BudgetGone, f.BudgetNeededS = v.policy.Tolerance, c.BudgetGone, c.BudgetNeededS
	if c.Compared() != nil {
		f.Rounds = c.Compared().Rounds
	}
	switch {
	case c.Compared() == nil: // there was no first look
		f.Kind = result.FindingTooFewRounds
		if c.Reason.Is(result.ReasonBudgetShort) {
			f.Reason = c.Reason
		}
		return f
	case f.Looks < f.Planned || c.Verdict == result.Undecided:
		f.Kind = result.FindingUnfinished
		if mde := mdeAtEnd(*c.Compared(), v.policy); v.policy.OnInconclusive == result.OnInconclusiveStop && mde > noisyFrom(v.policy) {
			f.MDE = v.statedMDE(mde) // more of the budget would end in too-noisy
		}
		return f
	}
	f.Kind = v.policySays(*c.Compared())
	if elapsedOpen(*c.Compared(), v.policy) {
		f.Elapsed = c.Compared().Elapsed
	}
	v.measured++
	switch EffectOf(f.Kind, result.SideHead) {
	case result.EffectFails:
		f.Side = result.SideHead
	case result.EffectUnmeasured:
		mde := finite(c.Compared().MDE)
		if waitsUnproven(*c.Compared(), v.policy) {
			mde = max(mde, finite(math.Expm1(c.Compared().Elapsed.High-c.Compared().Elapsed.Theta)))
		}
		f.MDE, f.PassesAt = v.statedMDE(mde), passesAt(*c.Compared())
	}
	return f
}

// policySays is what an open case means after its last look. By default there is no answer, unless the case is significantly slower and its
// estimate is over the tolerance, in time or in elapsed time, where the runner could have seen twice the tolerance.
func (v *collector) policySays(c result.Comparison) result.FindingKind {
	switch {
	case v.policy.OnInconclusive == result.OnInconclusivePass:
		return result.FindingInconclusivePassed
	case v.policy.OnInconclusive == result.OnInconclusiveFail:
		return result.FindingInconclusiveFailed
	case !(c.MDE <= noisyFrom(v.policy)):
		return result.FindingTooNoisy
	case elapsedOpen(c, v.policy) || c.Low > 0 && c.Theta > toleranceLog(v.policy):
		return result.FindingSlowerEstimateOver
	}
	return result.FindingInconclusive
}

// passesAt is the tolerance above which the bounds of an open case would have let it pass.
func passesAt(c result.Comparison) float64 {
	least := c.PassHigh
	if e := c.Elapsed; e != nil {
		if e.Low > 0 {
			least = max(least, e.Theta)
		}
		least = max(least, min(e.High, math.Log1p(max(0, e.ExcessWait))))
	}
	return finite(math.Expm1(least))
}

// noisyFrom is the smallest detectable effect beyond which an estimate says nothing.
func noisyFrom(p result.Policy) float64 { return 2 * p.Tolerance }

// finite is x where JSON can hold it, else 0: not known.
func finite(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}
