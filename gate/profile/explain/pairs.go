package explain

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/result"
)

// pairs matches kernels by the order of their launches. A kernel may have another name: a rename is no cause. Where one
// side launches more, its shortest ones stay alone, unless names tell otherwise. So they do where both launch as many, and more names come in
// the same order than stand in the same place.
func pairs(in Input) []Pair {
	base, head := in.Base.Kernels, in.Head.Kernels
	matched := common(base, head)
	if len(base) == len(head) {
		var inPlace [][2]int
		same := 0
		for i := range base {
			inPlace = append(inPlace, [2]int{i, i})
			if base[i].Name == head[i].Name {
				same++
			}
		}
		if len(matched) <= same {
			matched = inPlace
		}
	}
	return align(base, head, matched)
}

// align puts what is between the matched launches beside each other: where one side has more, its longest ones, in their order, since a
// helper of a few microseconds is no partner of the kernel that does the work.
func align(base, head []profile.Kernel, matched [][2]int) []Pair {
	var out []Pair
	i, j := 0, 0
	for _, m := range append(matched, [2]int{len(base), len(head)}) {
		out = append(out, between(base[i:m[0]], head[j:m[1]])...)
		if i, j = m[0], m[1]; i < len(base) && j < len(head) {
			out = append(out, Pair{Base: &base[i], Head: &head[j]})
			i, j = i+1, j+1
		}
	}
	return out
}

// between pairs two runs of launches of which none has a partner by name.
func between(base, head []profile.Kernel) []Pair {
	n := min(len(base), len(head))
	ofBase, ofHead := longest(base, n), longest(head, n)
	var out []Pair
	i, j := 0, 0
	for i < len(base) || j < len(head) {
		switch {
		case i < len(base) && !ofBase[i]:
			out = append(out, Pair{Base: &base[i]})
			i++
		case j < len(head) && !ofHead[j]:
			out = append(out, Pair{Head: &head[j]})
			j++
		default:
			out = append(out, Pair{Base: &base[i], Head: &head[j]})
			i, j = i+1, j+1
		}
	}
	return out
}

// longest marks the n kernels that take the most time.
func longest(kernels []profile.Kernel, n int) []bool {
	order := make([]int, len(kernels))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(finite(view{&kernels[b]}.seconds()), finite(view{&kernels[a]}.seconds()))
	})
	out := make([]bool, len(kernels))
	for _, i := range order[:n] {
		out[i] = true
	}
	return out
}

// common is a longest common subsequence of the kernels' names.
func common(base, head []profile.Kernel) [][2]int {
	n, m := len(base), len(head)
	length := make([][]int, n+1)
	for i := range length {
		length[i] = make([]int, m+1)
	}
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			length[i][j] = max(length[i+1][j], length[i][j+1])
			if base[i].Name == head[j].Name {
				length[i][j] = max(length[i][j], 1+length[i+1][j+1])
			}
		}
	}
	var out [][2]int
	for i, j := 0, 0; i < n && j < m; {
		switch {
		case base[i].Name == head[j].Name && length[i][j] == 1+length[i+1][j+1]:
			out = append(out, [2]int{i, j})
			i, j = i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
		}
	}
	return out
}

// logMean is the logarithmic mean (a-b)/ln(a/b), which turns shares of a difference into shares of a log ratio.
func logMean(a, b float64) float64 {
	if a <= 0 || b <= 0 {
		return 0
	}
	if math.Abs(a-b) < 1e-12*a {
		return a
	}
	return (a - b) / math.Log(a/b)
}

// totals are sums over the kernels of a launch, seen from the faster to the slower side.
type totals struct {
	fast, slow sums
	alone      float64         // seconds of the slower side's kernels that have no partner
	gone       float64         // seconds of the faster side's kernels that have none
	names      map[string]bool // of the slower side's kernels
}

// sums are those of one side.
type sums struct {
	kernels          int
	seconds, longest float64 // the latter of one kernel
	instructions     float64
	dram             float64 // bytes
	dramBusy         float64 // seconds that DRAM would need at its peak
}

func (s *sums) add(v view) {
	s.kernels++
	s.seconds += v.seconds()
	s.longest = max(s.longest, v.seconds())
	s.instructions += v.instructions()
	s.dram += v.memory().dram
	s.dramBusy += finite(v.use(units[0]) * v.seconds())
}

func (o *oriented) totals(all []Pair) totals {
	t := totals{names: map[string]bool{}}
	for _, p := range all {
		c := o.sides(p)
		if c.fast.k == nil {
			t.alone += c.slow.seconds()
		} else {
			t.fast.add(c.fast)
		}
		if c.slow.k == nil {
			t.gone += c.fast.seconds()
		} else {
			t.slow.add(c.slow)
			t.names[c.slow.k.Name] = true
		}
	}
	return t
}

// many says that there are so many more launches that what passes between them may count, which no profile has.
func (t totals) many() bool { return t.slow.kernels >= 4*t.fast.kernels }

// cut says that the work of the faster side's kernels was cut into many launches: none of them has half the time of the
// longest of those. Comparing one piece with the whole then says nothing.
func (t totals) cut() bool { return t.many() && t.slow.longest < t.fast.longest/2 }

// moreInstructions is the log growth of those of all kernels.
func (t totals) moreInstructions() float64 {
	return finite(math.Log(t.slow.instructions / t.fast.instructions))
}

// account gathers the causes of all kernels of the launch, seen from the faster to the slower side.
func (o *oriented) account(all []Pair) []result.Cause {
	t := o.totals(all)
	o.profiled = math.Log(t.slow.seconds / t.fast.seconds)
	clock := o.clock(all)
	var sum causes
	transfers := o.transfers()
	sum.add(transfers)
	switch {
	case t.cut():
		sum.add(o.pieces(t, max(transfers.Log, 0))...)
		return sum.list
	case t.gone > mostGone*t.fast.seconds:
		sum.add(o.inAll(t, clock)...)
		return sum.list
	case t.slow.kernels > t.fast.kernels:
		sum.add(o.launches(t, max(clock.Log, 0)+max(transfers.Log, 0)))
	default:
		sum.add(result.Cause{ID: other, Log: t.alone / logMean(t.slow.seconds, t.fast.seconds)})
	}
	sum.add(result.Cause{ID: other, Log: -t.gone / logMean(t.slow.seconds, t.fast.seconds)})
	for i := range all {
		both := o.sides(all[i])
		if both.fast.k == nil || both.slow.k == nil {
			continue
		}
		weight := logMean(both.slow.seconds(), both.fast.seconds()) / logMean(t.slow.seconds, t.fast.seconds)
		for _, c := range both.causes() {
			c.Launch = i
			c.Log *= weight
			sum.add(c)
		}
	}
	sum.add(o.power(all, clock))
	return sum.list
}

// power puts a lower clock down to more traffic where the slower side has that: DRAM at work draws power, and a GPU at its power cap
// takes it from the clock.
func (o *oriented) power(all []Pair, clock result.Cause) result.Cause {
	for i, p := range all {
		c := o.sides(p)
		if clock.Log <= 0 || c.fast.k == nil || c.slow.k == nil || !(c.slow.use(units[0]) >= memoryBound) || c.growth(dramTraffic.of) < grown {
			continue
		}
		if id, ok := c.memoryCause(clock.Log); ok {
			out := c.onTheWay(id, min(clock.Log, math.Abs(o.in.Measured.Log)))
			out.Launch, out.Changes = i, append(out.Changes, clock.Changes...)
			out.Facts = append(out.Facts, "the clock of the SMs fell with it: memory at work draws power")
			return out
		}
	}
	return clock
}

// mostGone is the share of the faster side's time that kernels without a partner may have. With more, their work is in another kernel
// now, and comparing that with its partner says nothing.
const mostGone = 0.25

// inAll explains a launch whose kernels do not pair by what all of them together did.
func (o *oriented) inAll(t totals, clock result.Cause) []result.Cause {
	executed, bytes := t.moreInstructions(), finite(math.Log(t.slow.dram/t.fast.dram))
	of := func(id result.CauseID, log float64, name, metric, unit string, fast, slow float64) result.Cause {
		return result.Cause{ID: id, Log: log, Changes: []result.Change{o.change(name, metric, unit, fast, slow)}}
	}
	if t.slow.dramBusy >= memoryBound*t.slow.seconds && bytes >= named*o.profiled {
		traffic := o.trafficOfAll(t, min(bytes, o.profiled))
		return []result.Cause{traffic, {ID: other, Log: o.profiled - traffic.Log}, clock}
	}
	return []result.Cause{
		of(MoreInstructions, executed, "instructions of all kernels", "smsp__inst_executed.sum", "inst", t.fast.instructions, t.slow.instructions),
		{ID: other, Log: o.profiled - executed},
		clock,
	}
}

// pieces explains work that was cut into many launches: what instructions explain, of all pieces together, is theirs, and
// the rest is put down to the launches.
func (o *oriented) pieces(t totals, known float64) []result.Cause {
	measured := max(math.Abs(o.in.Measured.Log)-known, 0)
	more := min(max(t.moreInstructions(), 0), measured)
	return []result.Cause{
		o.manyLaunches(t, measured-more, "the work is cut into launches of which none has half the time of the whole, "+
			"and the time between them is not in a profile: what added instructions do not explain is put down to them"),
		{ID: MoreInstructions, Log: more, Changes: []result.Change{o.change("instructions", "smsp__inst_executed.sum", "inst", t.fast.instructions, t.slow.instructions)}},
	}
}

// launches is the cause that the slower side launches more kernels. Their own time is what they cost at least, with the
// same weight as that of pairs, so that all together are the change. Where they are many, they cost also what neither the
// profiles nor the clock show of the measured change: what passes between kernels is not in a profile.
func (o *oriented) launches(t totals, known float64) result.Cause {
	alone := t.alone / logMean(t.slow.seconds, t.fast.seconds)
	short := t.slow.seconds/float64(t.slow.kernels) < shortKernel
	if between := math.Abs(o.in.Measured.Log) - o.profiled - known; (t.many() || short) && between >= Smallest {
		c := o.manyLaunches(t, alone+between, "the time between launches is not in a profile: what the profiles do not show of the change is put down to them")
		if c.ID == MoreLaunches && short && between > alone {
			c.ID = LaunchOverhead
		}
		return c
	}
	if o.passes(t) {
		c := o.trafficOfAll(t, alone)
		c.Facts = []string{fmt.Sprintf("%d kernels in place of %d read and write it again", t.slow.kernels, t.fast.kernels)}
		return c
	}
	return o.manyLaunches(t, alone, "")
}

// passes says that the added kernels are passes over the data: DRAM is what all of them take their time with, and it moves as much more as
// they take longer. A kernel that only clears or copies something beside others adds less.
func (o *oriented) passes(t totals) bool {
	bytes := growth(t.fast.dram, t.slow.dram)
	return t.slow.dramBusy >= named*t.slow.seconds && bytes >= leastPass && bytes >= 0.8*o.profiled
}

// leastPass is the growth of DRAM traffic from which on added kernels are passes over it: a kernel that reads and writes a tensor, and
// another that clears it, are 1.5.
var leastPass = math.Log(1.7)

// trafficOfAll is more DRAM traffic of all kernels together.
func (o *oriented) trafficOfAll(t totals, log float64) result.Cause {
	return result.Cause{ID: DRAMTraffic, Log: log, Changes: []result.Change{o.change("DRAM traffic of all kernels", dramTraffic.metric, "byte", t.fast.dram, t.slow.dram)}}
}

// shortKernel is, in seconds, what a kernel takes at most for the gap to the next launch, of a microsecond or two, to count beside it.
const shortKernel = 20e-6

func (o *oriented) manyLaunches(t totals, log float64, fact string) result.Cause {
	c := result.Cause{ID: MoreLaunches, Log: log, Changes: []result.Change{o.change("kernels launched", "", "", float64(t.fast.kernels), float64(t.slow.kernels))}}
	if fact != "" {
		c.Facts = append(c.Facts, fact)
	}
	if name := o.paramOf(float64(t.slow.kernels) / float64(t.fast.kernels)); name != "" && len(t.names) == 1 {
		c.ID = SerialisedBatch
		c.Facts = append(c.Facts, fmt.Sprintf("one launch for each step of %s", name))
	}
	return c
}

// clock is the cause that the SMs ran slower while the gate measured.
func (o *oriented) clock(all []Pair) result.Cause {
	fast, slow := o.in.BaseMHz*1e6, o.in.HeadMHz*1e6
	if o.sign < 0 {
		fast, slow = slow, fast
	}
	metric := ""
	if (fast <= 0 || slow <= 0) && all[0].Base != nil && all[0].Head != nil {
		c := o.sides(all[0])
		fast, slow, metric = c.fast.smHz(), c.slow.smHz(), "gpc__cycles_elapsed.avg.per_second"
	}
	return result.Cause{ID: ClockLower, Log: finite(math.Log(fast / slow)), Changes: []result.Change{o.change("SM clock", metric, "hz", fast, slow)}}
}

// paramOf names the parameters of the case whose value is the given factor, "B" or "B or H"; "" if none is.
func (o *oriented) paramOf(factor float64) string {
	var names []string
	for _, p := range o.in.Params {
		if p.Value >= 2 && math.Abs(factor-float64(p.Value)) < 0.01*factor {
			names = append(names, p.Name)
		}
	}
	return strings.Join(names, " or ")
}

// causes adds up causes of the same name; best is the largest |log| that one pair of kernels gave each.
type causes struct {
	list []result.Cause
	best []float64
}

func (s *causes) add(all ...result.Cause) {
	for _, c := range all {
		if math.IsNaN(c.Log) || math.IsInf(c.Log, 0) || c.Log == 0 {
			continue
		}
		size := math.Abs(c.Log)
		c.Title, c.Remedy = cmp.Or(c.Title, wordings[c.ID].title), cmp.Or(c.Remedy, wordings[c.ID].remedy)
		i := slices.IndexFunc(s.list, func(known result.Cause) bool { return known.ID == c.ID })
		if i < 0 {
			s.list, s.best = append(s.list, c), append(s.best, size)
			continue
		}
		sum := c.Log + s.list[i].Log
		if size > s.best[i] { // the pair that shows it best speaks for it
			s.list[i], s.best[i] = c, size
		}
		s.list[i].Log = sum
	}
}
