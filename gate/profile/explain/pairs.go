package explain

import (
	"fmt"
	"math"

	"github.com/org/perfgate/gate/profile/ncu"
)

// pairs matches kernels by the order of their launches. A kernel may have another name: a rename is no cause. Where one
// side launches more, the others stay alone at the end, unless a kernel of the same name further on fits better.
func pairs(in Input) []Pair {
	base, head := in.Base.Kernels, in.Head.Kernels
	if len(base) == len(head) {
		var out []Pair
		for i := range base {
			out = append(out, Pair{Base: &base[i], Head: &head[i]})
		}
		return out
	}
	return align(base, head)
}

// align pairs launches of different number: first the longest common run of names in order, then what is left in order.
func align(base, head []ncu.Kernel) []Pair {
	matched := common(base, head)
	var out []Pair
	i, j := 0, 0
	flush := func(toI, toJ int) {
		for i < toI || j < toJ {
			p := Pair{}
			if i < toI {
				p.Base = &base[i]
				i++
			}
			if j < toJ {
				p.Head = &head[j]
				j++
			}
			out = append(out, p)
		}
	}
	for _, m := range matched {
		flush(m[0], m[1])
		out = append(out, Pair{Base: &base[m[0]], Head: &head[m[1]]})
		i, j = m[0]+1, m[1]+1
	}
	flush(len(base), len(head))
	return out
}

// common is a longest common subsequence of the kernels' names.
func common(base, head []ncu.Kernel) [][2]int {
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

// account gathers the causes of all kernels of the launch, seen from the faster to the slower side.
func (o *oriented) account(all []Pair) []Cause {
	var sumFast, sumSlow, alone float64
	nFast, nSlow := 0, 0
	for _, p := range all {
		fast, slow := o.sides(p)
		if fast.k != nil {
			sumFast += fast.seconds()
			nFast++
		}
		if slow.k != nil {
			sumSlow += slow.seconds()
			nSlow++
		}
		if fast.k == nil {
			alone += slow.seconds()
		}
	}
	o.profiled = math.Log(sumSlow / sumFast)
	if math.IsNaN(o.profiled) || math.IsInf(o.profiled, 0) {
		return nil
	}
	var sum causes
	if nSlow > nFast {
		sum.add(o.launches(all, nFast, nSlow, sumFast, alone))
		if manyLaunches(nFast, nSlow) {
			return sum.list
		}
	}
	for i := range all {
		fast, slow := o.sides(all[i])
		if fast.k == nil || slow.k == nil {
			continue
		}
		all[i].weight = logMean(slow.seconds(), fast.seconds()) / logMean(sumSlow, sumFast)
		for _, c := range o.pair(fast, slow) {
			c.Kernel = i
			c.Log *= all[i].weight
			sum.add(c)
		}
	}
	sum.add(o.clock(all))
	return sum.list
}

// manyLaunches: one kernel was cut into many, and comparing one of them with the whole says nothing.
func manyLaunches(fast, slow int) bool { return slow >= 4*fast }

// launches is the cause that the slower side launches more kernels. Their own time is what they cost at least: what passes
// between two kernels is not in a profile.
func (o *oriented) launches(all []Pair, nFast, nSlow int, sumFast, alone float64) Cause {
	c := Cause{ID: MoreLaunches, Log: math.Log1p(alone / sumFast)}
	c.Changes = []Change{o.change("kernels launched", "", "", float64(nFast), float64(nSlow))}
	if manyLaunches(nFast, nSlow) {
		c.Log = math.Abs(o.in.Measured.Log)
		c.Facts = append(c.Facts, "the work is cut into many launches, and the time between them is not in a profile: all of the change is put down to them")
	}
	if name := o.paramOf(float64(nSlow) / float64(nFast)); name != "" {
		c.ID = SerialisedBatch
		c.Facts = append(c.Facts, fmt.Sprintf("one launch for each step of %s", name))
	}
	return c
}

// clock is the cause that the SMs ran slower while the gate measured.
func (o *oriented) clock(all []Pair) Cause {
	fast, slow := o.in.BaseMHz*1e6, o.in.HeadMHz*1e6
	if o.sign < 0 {
		fast, slow = slow, fast
	}
	metric := ""
	if (fast <= 0 || slow <= 0) && all[0].Base != nil && all[0].Head != nil {
		a, b := o.sides(all[0])
		fast, slow, metric = a.smHz(), b.smHz(), "gpc__cycles_elapsed.avg.per_second"
	}
	c := Cause{ID: ClockLower, Log: math.Log(fast / slow), Changes: []Change{o.change("SM clock", metric, "hz", fast, slow)}}
	if math.IsNaN(c.Log) || math.IsInf(c.Log, 0) {
		c.Log = 0
	}
	return c
}

// paramOf names the parameters of the case whose value is the given factor, "B" or "B or H"; "" if none is.
func (o *oriented) paramOf(factor float64) string {
	names := ""
	for _, p := range o.in.Params {
		if p.Value >= 2 && math.Abs(factor-float64(p.Value)) < 0.01*factor {
			if names != "" {
				names += " or "
			}
			names += p.Name
		}
	}
	return names
}

// causes adds up causes of the same name.
type causes struct{ list []Cause }

func (s *causes) add(c Cause) {
	if math.IsNaN(c.Log) || math.IsInf(c.Log, 0) || c.Log == 0 {
		return
	}
	c.Title, c.Remedy = wordings[c.ID].title, wordings[c.ID].remedy
	for i := range s.list {
		if s.list[i].ID != c.ID {
			continue
		}
		if math.Abs(c.Log) > math.Abs(s.list[i].Log) { // the pair that shows it best speaks for it
			c.Log += s.list[i].Log
			s.list[i] = c
		} else {
			s.list[i].Log += c.Log
		}
		return
	}
	s.list = append(s.list, c)
}
