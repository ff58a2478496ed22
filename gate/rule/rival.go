package rule

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/stats"
)

// RivalLooks are the numbers of complete rounds after which a rival is looked at, where rounds have places for so many: when
// it has stood in every place of a round as often as either side (see Orders), so that no place speaks for or against it.
func RivalLooks(rivals int) []int {
	var looks []int
	turn := 2 * (2 + rivals)
	for n := turn; n <= Looks[len(Looks)-1]; n += turn {
		looks = append(looks, n)
	}
	return looks
}

// ofRivals is the policy that a side and a rival are compared by: whether head keeps what it has to is one question more of the run for
// each case.
func ofRivals(p result.Policy) result.Policy {
	p.PlannedLooks = len(RivalLooks(p.Rivals))
	return p
}

// compareRival compares one side of a case with a rival in complete rounds, at look number look (from 1) of RivalLooks. The
// processes are those of the case, of which the side's are taken, and of the rival. The rival has base's place in the comparison.
// Only these two count: what base scatters says nothing of head against a rival.
func compareRival(side result.Side, ofCase, ofRival []result.Process, look int, tm Timing, p result.Policy) (result.Comparison, error) {
	var own []result.Process
	for _, process := range ofCase {
		if process.Side == side {
			own = append(own, process)
		}
	}
	looks := RivalLooks(p.Rivals)
	if look < 1 || look > len(looks) {
		return result.Comparison{}, fmt.Errorf("compare with a rival: there is no look %d", look)
	}
	rounds, err := besideRival(own, ofRival, looks[look-1])
	if err != nil {
		return result.Comparison{}, err
	}
	c, err := Compare(rounds, look, tm, ofRivals(p))
	c.Suspect, c.RoundsNeeded = nil, 0 // are about the tolerance of head against base
	return c, err
}

// besideRival arranges the first rounds of a side and a rival, each with two processes of both.
func besideRival(own, rival []result.Process, rounds int) ([]stats.Round, error) {
	out := make([]stats.Round, rounds)
	fill := func(processes []result.Process, place func(*stats.Round) *[2]float64) error {
		seen := make([]int, rounds)
		for _, p := range processes {
			if p.Round < 0 || p.Round >= rounds {
				continue
			}
			if seen[p.Round] == 2 || !isTime(p) {
				return errors.New("compare with a rival: a round has more than two processes of a side, or one that is no time")
			}
			place(&out[p.Round])[seen[p.Round]] = math.Log(p.ValueNS)
			seen[p.Round]++
		}
		for round, n := range seen {
			if n != 2 {
				return fmt.Errorf("compare with a rival: round %d has %d processes of a side, and should have two", round, n)
			}
		}
		return nil
	}
	err := fill(rival, func(r *stats.Round) *[2]float64 { return &r.Base })
	return out, cmp.Or(err, fill(own, func(r *stats.Round) *[2]float64 { return &r.Head }))
}

// decideKeep says whether head is keep times as fast as a rival, from head's comparison with it. last says that no further look
// comes. Held needs the bound that lets a case pass, missed the one that turns a run red.
func decideKeep(c result.Comparison, keep float64, last bool) result.KeepVerdict {
	most := -math.Log(keep) // of ln(head/rival)
	switch {
	case !(keep > 0) || math.IsNaN(c.Low) || math.IsNaN(c.PassHigh):
		return result.KeepUndecided
	case c.Low > most:
		return result.KeepMissed
	case c.PassHigh < most:
		return result.KeepHeld
	case last:
		return result.KeepOpen
	}
	return result.KeepUndecided
}

// LookAtRival takes one look at a rival of a case after its round: both comparisons, and what they say of what head has to keep.
// Taken again from the same processes it comes to the same.
func LookAtRival(v *result.Versus, ofCase []result.Process, look int, tm Timing, p result.Policy) error {
	head, err := compareRival(result.SideHead, ofCase, v.Processes, look, tm, p)
	if err != nil {
		return err
	}
	base, err := compareRival(result.SideBase, ofCase, v.Processes, look, tm, p)
	if err != nil {
		return err
	}
	v.Head, v.Base, v.Looks = &head, &base, look
	if v.Keep > 0 {
		v.Verdict = decideKeep(head, v.Keep, look == len(RivalLooks(p.Rivals)))
	}
	return nil
}

// RivalWanted says whether a rival has to be measured further in a case: until its first look, and where head has to keep something until
// that is decided.
func RivalWanted(v result.Versus) bool {
	return v.Verdict != result.KeepUnmeasured && (v.Looks == 0 || v.Keep > 0 && v.Verdict == result.KeepUndecided)
}

// NewVersus is a rival of a case before anything was measured.
func NewVersus(rival string, keep float64) result.Versus {
	v := result.Versus{Rival: rival, Keep: keep}
	if keep > 0 {
		v.Verdict = result.KeepUndecided
	}
	return v
}

// keepsOf is how many questions of a part are about what head has to keep: of every case and every rival that is measured beside it.
func keepsOf(kernels []result.Kernel, cases []result.Case) int {
	asked := map[string]int{}
	for _, k := range kernels {
		for _, r := range k.Rivals {
			if r.Keep > 0 && r.Status != result.RivalNotAsked {
				asked[k.Name]++
			}
		}
	}
	n := 0
	for _, c := range cases {
		n += asked[c.Kernel]
	}
	return n
}

// rivals adds what became of a kernel's rivals as a whole.
func (v *collector) rivals(k result.Kernel) {
	for _, r := range k.Rivals {
		f := result.Finding{Kernel: k.Name, Rival: r.Name, Keep: r.Keep, Detail: r.Reason, Why: r.Why, Kind: result.FindingRivalUnmeasured}
		switch {
		case r.Status == result.RivalFailed && r.Keep > 0:
			f.Kind = result.FindingKeepUnmeasured
		case r.Status != result.RivalFailed && r.Status != result.RivalNoRounds:
			continue
		}
		v.add(f)
	}
	v.asked[v.machine+"\x00"+k.Name] = k.Rivals
}

// versus adds what became of a case beside each rival that its kernel was to be measured beside. What a case has that was not
// measured itself is said of that already.
func (v *collector) versus(c result.Case) {
	if c.Verdict == result.Error || c.Verdict == result.Skipped {
		return
	}
	for _, r := range v.asked[v.machine+"\x00"+c.Kernel] {
		if r.Status != result.RivalMeasured {
			continue
		}
		v.besideRival(c, r)
	}
}

func (v *collector) besideRival(c result.Case, r result.Rival) {
	f := result.Finding{Kernel: c.Kernel, Case: c.Name, Rival: r.Name, Keep: r.Keep}
	found := versusOf(c, r.Name)
	f.Detail, f.Speed, f.BudgetGone = found.Reason, result.Speed(found.Head), found.BudgetGone
	switch {
	case r.Keep == 0 && found.Verdict == result.KeepUnmeasured:
		f.Kind = result.FindingRivalUnmeasured
	case r.Keep == 0 || found.Verdict == result.KeepHeld:
		return
	case found.Verdict == result.KeepMissed:
		f.Kind, f.Side = result.FindingKeepMissed, result.SideHead
	case found.Verdict == result.KeepOpen && found.Head != nil:
		f.Kind = v.policySaysOfKeep(*found.Head, r.Keep)
		if f.Kind == result.FindingKeepOpenFailed {
			f.Side = result.SideHead
		}
		if f.Kind == result.FindingKeepUnmeasured {
			f.MDE = finite(found.Head.MDE)
		}
	default:
		f.Kind = result.FindingKeepUnmeasured
	}
	v.add(f)
}

// versusOf is a case beside the rival of a name; one that it does not have was not measured.
func versusOf(c result.Case, rival string) result.Versus {
	for _, v := range c.Rivals {
		if v.Rival == rival {
			return v
		}
	}
	return result.Versus{Rival: rival, Verdict: result.KeepUnmeasured}
}

// policySaysOfKeep is what an open question means after its last look, as policySays has it of open cases.
func (v *collector) policySaysOfKeep(c result.Comparison, keep float64) result.FindingKind {
	switch {
	case v.policy.OnInconclusive == result.OnInconclusivePass:
		return result.FindingKeepOpenPassed
	case v.policy.OnInconclusive == result.OnInconclusiveFail:
		return result.FindingKeepOpenFailed
	case !(c.MDE <= 2*v.policy.Tolerance):
		return result.FindingKeepUnmeasured
	case c.Theta > -math.Log(keep):
		return result.FindingKeepOpenFailed
	}
	return result.FindingKeepOpenPassed
}

// rivals decides again what a case says of the rivals of its kernel.
func (d *Replayed) rivals(at string, c result.Case, k result.Kernel, p result.Policy, o *result.Case) {
	o.Rivals = nil
	for i, v := range c.Rivals {
		where := fmt.Sprintf("%s.rivals[%d]", at, i)
		asked := false
		for _, r := range k.Rivals {
			asked = asked || r.Name == v.Rival && r.Keep == v.Keep && r.Status == result.RivalMeasured
		}
		if !asked {
			d.differ(where+".rival", quote(v.Rival), "its kernel has no such rival that was measured")
		}
		found, err := versusAgain(c, v, p)
		switch {
		case err != nil:
			d.differ(where+".processes", "rounds", "%v", err)
		case found.Verdict != v.Verdict:
			d.differ(where+".verdict", quote(v.Verdict), "its samples come to %s", quote(found.Verdict))
		case found.Head != nil && (v.Head == nil || !close(v.Head.Theta, found.Head.Theta) || !close(v.Head.Low, found.Head.Low) || !close(v.Head.High, found.Head.High)):
			d.differ(where+".head", inWords(v.Head), "its samples come to%s", inWords(found.Head))
		}
		o.Rivals = append(o.Rivals, found)
	}
}

// versusAgain takes the looks at a rival again. One that says that it could not be measured is taken at its word, which never passes
// what head has to keep.
func versusAgain(c result.Case, v result.Versus, p result.Policy) (result.Versus, error) {
	out := NewVersus(v.Rival, v.Keep)
	out.Reason, out.BudgetGone, out.Processes, out.Summary = clip(v.Reason), v.BudgetGone, v.Processes, v.Summary
	if v.Verdict == result.KeepUnmeasured {
		out.Verdict = v.Verdict
		return out, nil
	}
	if c.Method == nil {
		return out, errors.New("there is no method")
	}
	for i, size := range RivalLooks(p.Rivals) {
		if !RivalWanted(out) || len(v.Processes) < 2*size {
			break
		}
		if err := LookAtRival(&out, c.Processes, i+1, TimingOf(*c.Method), p); err != nil {
			return out, err
		}
	}
	return out, nil
}
