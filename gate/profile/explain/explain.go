package explain

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/result"
)

// Measured is what the gate measured of a case: ln(head/base) and its interval, positive where head is slower. It is never
// taken from a profiler, under which every kernel runs differently.
type Measured struct{ Log, Low, High float64 }

// sure says whether the interval excludes no change.
func (m Measured) sure() bool { return m.Low > 0 || m.High < 0 }

// Smallest is the least |log ratio| that is explained: counters of two profiles of one and the same kernel differ by about
// as much, so that anything smaller could be put down to anything.
const Smallest = 0.02

// named is the share of the measured change that a cause must cover to be named.
const named = 0.5

// mostClock is the share from which on a lower clock does not add up: time cannot grow by less than the clock falls, unless it is not
// the clock that it depends on.
const mostClock = 1.25

// Param is an integer parameter of the case, such as B=32.
type Param struct {
	Name  string
	Value int64
}

// Input is what is known of both sides of a case.
type Input struct {
	Base, Head profile.Profile
	Measured   Measured
	Params     []Param
	// SM clocks in the gate's own rounds, MHz; 0 if not known.
	BaseMHz, HeadMHz float64
	// What each side has the GPU do, copies and fills with it; nil if it was not counted.
	BaseWork, HeadWork *result.DeviceWork
}

// Pair is one kernel of a launch on both sides; one of them may be missing.
type Pair struct {
	Base, Head *profile.Kernel
}

// Explanation says why head takes longer (or less long) than base.
type Explanation struct {
	Measured Measured
	Causes   []result.Cause // named, largest share first; empty if there is nothing to explain or nothing does
	Rest     []result.Cause // what was looked at and covers too little, largest first
	Nothing  string         // why nothing is explained, "" otherwise
	Pairs    []Pair
	Account  []result.Term  // see breakdown
	Profiled float64        // ln(head/base) of cycles in the profiles
	Rules    []profile.Rule // Nsight's advice on head that it does not give on base, or estimates much less of there; largest estimate of the whole kernel first
	Missing  []string       // metrics that one profile does not have, or both
}

// Explain compares two profiles.
func Explain(in Input) Explanation {
	in, absent := comparable(in)
	e := Explanation{Measured: in.Measured, Pairs: pairs(in), Missing: absent}
	e.Rules = newRules(in, e.Pairs)
	if e.Nothing = nothing(in); e.Nothing != "" {
		return e
	}
	o := &oriented{in: in, sign: math.Copysign(1, in.Measured.Log)}
	all := o.account(e.Pairs)
	e.Profiled = o.sign * o.profiled
	e.Account = breakdown(e.Pairs, math.Exp(in.Measured.Log))
	// Two profiles that do not show the change themselves cannot explain it: their counters' own scatter would.
	shown := o.profiled >= named*math.Abs(in.Measured.Log)
	least := named * max(math.Abs(in.Measured.Log), o.profiled)
	for _, c := range all {
		isNamed := c.ID != other && c.Log >= least && c.Log >= Smallest && (shown || outside(c.ID)) && borne(c.ID, e.Account, o.sign)
		c.Share = c.Log / math.Abs(in.Measured.Log)
		isNamed = isNamed && !(c.ID == ClockLower && c.Share > mostClock)
		c.Log *= o.sign
		if isNamed {
			e.Causes = append(e.Causes, c)
		} else if math.Abs(c.Log) >= Smallest/2 {
			e.Rest = append(e.Rest, c)
		}
	}
	if len(e.Causes) == 1 && e.Causes[0].ID == ClockLower && e.Causes[0].Share >= 0.9 && len(e.Rest) == 0 {
		e.Causes[0].Title += clockAlone
	}
	if len(e.Causes) == 0 && o.profiled <= -Smallest {
		e.Rest, e.Nothing = nil, fmt.Sprintf("head was measured at %s, and the two profiles show %s: either what changed is not within the kernels, or these are not the profiles of this change",
			inPercent(in.Measured.Log), inPercent(e.Profiled))
	}
	if len(e.Causes) == 0 && e.Nothing == "" && !accountable(e.Pairs) {
		e.Rest, e.Nothing = nil, "the profiles do not say how long warps wait or how many there are, and no unit that they have is at its peak: profile both sides with --set full"
	}
	for _, list := range [][]result.Cause{e.Causes, e.Rest} {
		slices.SortStableFunc(list, func(a, b result.Cause) int { return cmp.Compare(math.Abs(b.Share), math.Abs(a.Share)) })
	}
	e.keepLargest()
	return e
}

// keepLargest leaves those of the named causes that come near the largest: beside it the others are what it brought with it, or noise.
func (e *Explanation) keepLargest() {
	for len(e.Causes) > 1 {
		last := len(e.Causes) - 1
		if e.Causes[last].Share >= nearLargest*e.Causes[0].Share {
			return
		}
		e.Rest = slices.Insert(e.Rest, 0, e.Causes[last])
		e.Causes = e.Causes[:last]
	}
}

// nearLargest is the share of the largest cause from which on another one is named beside it.
const nearLargest = 0.7

// nothing says why there is nothing to explain, or nothing to explain it by; "" if there is.
func nothing(in Input) string {
	profiled := ProfiledLog(in)
	switch {
	case len(in.Base.Kernels) == 0 || len(in.Head.Kernels) == 0:
		return "a profile has no kernel"
	case gpuOf(in.Base) != gpuOf(in.Head) && gpuOf(in.Base) != "" && gpuOf(in.Head) != "":
		return "the two profiles are of different GPUs, whose counters are not compared"
	case math.IsNaN(profiled) || math.IsInf(profiled, 0):
		return "the profiles do not say how long their kernels took: cycles or the clock rate are missing"
	case !in.Measured.sure():
		return "the gate measured no sure change, so there is nothing to explain"
	case math.Abs(in.Measured.Log) < Smallest:
		return "the change is no larger than what the counters of two equal kernels differ by"
	}
	return ""
}

// gpuOf is the name of the GPU that a profile was made on, "" where it does not say.
func gpuOf(p profile.Profile) string { return p.Kernels[0].Words["device__attribute_display_name"] }

func inPercent(log float64) string { return fmt.Sprintf("%+.1f %%", 100*math.Expm1(log)) }

// accountable says whether any kernel has on both sides what the account of cycles rests on. Reports of a few metrics, and of the basic set, have not.
func accountable(all []Pair) bool {
	known := func(k *profile.Kernel) bool {
		return k != nil && !math.IsNaN(view{k}.cycles()+view{k}.instructions()+view{k}.latency()+view{k}.warps())
	}
	return slices.ContainsFunc(all, func(p Pair) bool { return known(p.Base) && known(p.Head) })
}

// outside says whether a cause need not show in the cycles of kernels.
func outside(cause result.CauseID) bool {
	return cause == ClockLower || cause == MoreLaunches || cause == LaunchOverhead || cause == MoreTransfers
}

// oriented is an input seen from its faster to its slower side: an improvement is explained by what base suffered from.
type oriented struct {
	in       Input
	sign     float64 // +1 if head is slower
	profiled float64
}

// sides of a pair, the faster first.
func (o *oriented) sides(p Pair) contrast {
	if o.sign > 0 {
		return contrast{o, view{p.Base}, view{p.Head}}
	}
	return contrast{o, view{p.Head}, view{p.Base}}
}

// change is a quantity of the two views: metric is Nsight's name of it, "" if it is derived from several; shares of peak are fractions
// under %; NaN is not known.
func (o *oriented) change(name, metric, unit string, fast, slow float64) result.Change {
	if o.sign < 0 {
		fast, slow = slow, fast
	}
	return result.Change{Name: name, Metric: metric, Unit: unit, Base: ifFinite(fast), Head: ifFinite(slow)}
}

// A rule that Nsight had for base as well is new where its estimate has grown by this factor, and by this much of the time.
const (
	growthOfRule    = 2
	leastMoreOfRule = 0.1
)

// newRules are the optimisations that Nsight sees in a kernel of head and not in the kernel of base that it is paired with,
// or estimates much more of.
func newRules(in Input, pairs []Pair) []profile.Rule {
	type place struct {
		kernel int // of head, by its index of pairs; -1 for a kernel that is in no profile
		name   string
	}
	at := func(r profile.Rule, side func(Pair) *profile.Kernel) place {
		for i, p := range pairs {
			if k := side(p); k != nil && k.ID == r.Kernel {
				return place{i, r.Name}
			}
		}
		return place{-1, r.Name}
	}
	old := map[place]float64{}
	for _, r := range in.Base.Rules {
		if r.Type == profile.RuleOptimize {
			p := at(r, func(p Pair) *profile.Kernel { return p.Base })
			old[p] = max(old[p], r.Speedup)
		}
	}
	var out []profile.Rule
	for _, r := range in.Head.Rules {
		before, known := old[at(r, func(p Pair) *profile.Kernel { return p.Head })]
		more := r.Speedup >= growthOfRule*before && r.Speedup >= before+leastMoreOfRule
		if r.Type == profile.RuleOptimize && (!known || more) {
			out = append(out, r)
		}
	}
	// What is estimated of the whole kernel before what is estimated of a part of it.
	estimate := func(r profile.Rule) float64 {
		if r.SpeedupType == "global" {
			return 1 + r.Speedup
		}
		return min(r.Speedup, 1)
	}
	slices.SortStableFunc(out, func(a, b profile.Rule) int { return cmp.Compare(estimate(b), estimate(a)) })
	return out
}

// comparable leaves away the counters that one profile has and the other lacks, which would look as if one side did nothing of the
// kind, and lists the metrics that are missing in one or both.
func comparable(in Input) (Input, []string) {
	absent := append(in.Base.Missing(Metrics), in.Head.Missing(Metrics)...)
	slices.Sort(absent)
	absent = slices.Compact(absent)
	asked := Asked(profile.Version{})
	unlike := slices.DeleteFunc(slices.Clone(absent), func(name string) bool { return !slices.Contains(asked, name) })
	without := func(p profile.Profile) profile.Profile {
		p.Kernels = slices.Clone(p.Kernels)
		for i := range p.Kernels {
			p.Kernels[i].Metrics = maps.Clone(p.Kernels[i].Metrics)
			for _, name := range unlike {
				delete(p.Kernels[i].Metrics, name)
			}
		}
		return p
	}
	in.Base, in.Head = without(in.Base), without(in.Head)
	return in, absent
}

// ProfiledLog is ln(head/base) of the time in the two profiles, where nothing was measured; NaN where they do not say.
func ProfiledLog(in Input) float64 {
	return math.Log(secondsOf(in.Head.Kernels) / secondsOf(in.Base.Kernels))
}
