package history

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/result"
)

// window is how many records a gate of the tests reads: fewer than a loss takes, so that pins have to carry the best-known levels.
const window = 40

// newest are the newest records, nearest first, as a lookup has them.
func (y *year) newest(at int) baseline.History { return y.last(at, window) }

// all are all records, nearest first.
func (y *year) all(at int) baseline.History { return y.last(at, len(y.records)) }

func (y *year) last(at, records int) baseline.History {
	var h baseline.History
	for i := len(y.records) - 1; i >= max(0, len(y.records)-records); i-- {
		f := y.records[i]
		f.Distance = at - 1 - i
		h.Found = append(h.Found, f)
	}
	return h
}

// gated runs a year in which every commit is held against the best-known levels before it is recorded, as its pull request is. It hears of
// what each case has lost for certain by then.
func (y *year) gated(event func(i int), accepted map[int]baseline.Acceptance, hear func(i int, c *Case, least float64, known bool)) History {
	for i := range y.commits {
		event(i)
		r := y.record(i)
		past := y.newest(i)
		h := Of("gpu", past, nil)
		for j := range r.Cases {
			if c := h.Case(r.Cases[j].Name); c != nil {
				_, least, ok := c.Over(baseline.NewSession(r.Cases[j]), baseline.Now{State: r, Case: c.Name, ConfigHash: r.Cases[j].ConfigHash})
				hear(i, c, least, ok)
			}
		}
		if a, ok := accepted[i]; ok {
			r.Accept(a)
		}
		Pin(r, past)
		y.records = append(y.records, baseline.Found{Record: r})
	}
	return Of("gpu", y.newest(y.commits), nil)
}

// TestCumulativeRegressionOfAYear: ten commits of 0.8 % are named a cumulative regression once they come to more than 5 %, and not before, though no gate reads as far back as
// they go; an accepted regression is silent; a driver, another card and bad days are none.
func TestCumulativeRegressionOfAYear(t *testing.T) {
	t.Parallel()
	seeds := []uint64{21, 22, 23} // 1 to 4 were adjusted on
	if testing.Short() {
		seeds = seeds[:1]
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { creepingYear(t, seed) })
	}
}

func creepingYear(t *testing.T, seed uint64) {
	const limit = 0.05
	y := newYear(seed, 150)
	y.sizes = 1
	y.noise = func(x float64) float64 {
		if y.random.Float64() < 0.03 {
			return x + 0.04 // a bad day
		}
		return x
	}
	lost := map[string]float64{} // ln, by code that nobody accepted
	event := func(i int) {
		switch {
		case i == 35:
			y.gpu.Driver, y.machine = "580", y.machine+math.Log1p(0.03)
		case i >= 40 && i < 110 && i%7 == 0: // ten commits of 0.8 %
			y.slower("gemm", 0.008)
			lost["gemm"] += math.Log1p(0.008)
		case i == 90:
			y.gpu.UUID, y.machine = "GPU-b", y.machine+math.Log1p(0.02)
		case i == 100:
			y.slower("softmax", 0.12)
		}
	}
	accepted := map[int]baseline.Acceptance{100: {Commit: idOf(100), Pattern: "softmax", Reason: "needed for determinism", By: "ada", Time: time.Unix(0, 0)}}
	named, heard := 0, 0
	h := y.gated(event, accepted, func(i int, c *Case, least float64, known bool) {
		want := math.Expm1(lost[c.Kernel])
		switch isNamed := known && least > limit; {
		case isNamed && want < limit && !(i == 100 && c.Kernel == "softmax"): // the accepted one's own pull request is told
			t.Errorf("commit %d: %s is named a cumulative regression with %.1f %%, and has lost %.1f %%", i, c.Name, 100*least, 100*want)
		case want > limit && i > 43:
			heard++
			if isNamed {
				named++
			}
		}
	})
	if heard == 0 || float64(named) < 0.95*float64(heard) {
		t.Errorf("a cumulative regression is named in %d of %d runs beyond the limit", named, heard)
	}
	gemm, softmax := h.Case("gemm/n=0"), h.Case("softmax/n=0")
	if gemm.OverBest < 0.07 || gemm.OverBest > 0.095 || softmax.OverBest > 0.01 {
		t.Errorf("at the end gemm stands %.1f %% over its best-known level, want 8.3 %%; softmax %.1f %%, want 0", 100*gemm.OverBest, 100*softmax.OverBest)
	}
	t.Logf("named in %d of %d runs beyond the limit; %+v", named, heard, gemm.Past(0.015).Steps)
}

// stepped is a history of a case that got 8 % slower at the 21st of 30 records, which takes an acceptance, and what to do to the records.
func stepped(change func(records []*baseline.Record)) *Case {
	y := newYear(5, 30)
	y.sizes = 1
	found := y.run(func(i int) {
		if i == 20 {
			y.slower("gemm", 0.08)
		}
	})
	var oldestFirst []*baseline.Record
	for i := range found.Found {
		oldestFirst = append(oldestFirst, found.Found[len(found.Found)-1-i].Record)
	}
	if change != nil {
		change(oldestFirst)
	}
	h := Of("gpu", found, nil)
	return h.Case("gemm/n=0")
}

// TestAcceptedBest: the best-known level rises with an acceptance that covers the case and counts, and falls back with its revocation.
func TestAcceptedBest(t *testing.T) {
	t.Parallel()
	accept := func(at int, change func(*baseline.Acceptance)) func([]*baseline.Record) {
		return func(records []*baseline.Record) {
			a := baseline.Acceptance{Commit: idOf(at), Pattern: "gemm/**", Reason: "r", By: "ada"}
			if change != nil {
				change(&a)
			}
			records[at].Accept(a)
		}
	}
	for name, c := range map[string]struct {
		change   func([]*baseline.Record)
		accepted bool
	}{
		"nobody accepts it":      {nil, false},
		"accepted":               {accept(20, nil), true},
		"accepted by its kernel": {accept(20, func(a *baseline.Acceptance) { a.Pattern = "gemm" }), true},
		"another kernel's":       {accept(20, func(a *baseline.Acceptance) { a.Pattern = "softmax" }), false},
		"taken back":             {accept(20, func(a *baseline.Acceptance) { a.Revoked = &baseline.Revocation{By: "bob"} }), false},
		"of before":              {accept(10, nil), false},
	} {
		of := stepped(c.change)
		best, known := of.Best()
		if rebased := of.OverBest < 0.01; rebased != c.accepted || !known {
			t.Errorf("%s: %.1f %% over %s, known %v", name, 100*of.OverBest, best.Commit, known)
		}
		if told := len(of.Changes) == 1 && of.Changes[0].IsAccepted(); told != c.accepted {
			t.Errorf("%s: its change is called accepted: %v", name, told)
		}
	}
	fresh := stepped(accept(28, nil)) // two records since then make no level
	if _, known := fresh.Best(); known || fresh.OverBest != 0 {
		t.Errorf("two records after an acceptance: known %v, %v", known, fresh.OverBest)
	}
}

// TestLateAcceptance: what is accepted, or taken back, when later commits have records already counts for gates that read no record as old as the
// accepted one.
func TestLateAcceptance(t *testing.T) {
	t.Parallel()
	const loss, wanted = 50, 54 // the record of the loss, and the newest when it is accepted
	for name, tt := range map[string]struct {
		in      int // record that has the acceptance
		revoked int // the newest record when it is taken back
		over    bool
	}{
		"accepted": {loss, 0, false}, "with the newest": {wanted, 0, false}, "taken back": {loss, 60, true}, "taken back later": {loss, loss + window + 5, true},
	} {
		y := newYear(31, loss+window+20)
		y.sizes = 1
		for i := range y.commits {
			if i == loss {
				y.slower("softmax", 0.12)
			}
			r := y.record(i)
			Pin(r, y.newest(i))
			y.records = append(y.records, baseline.Found{Record: r})
			switch accepted := y.records[min(i, tt.in)].Record; i {
			case wanted:
				accepted.Accept(baseline.Acceptance{Commit: accepted.Commit, Pattern: "softmax", Reason: "r", By: "ada"})
				PinAgain(y.newest(i), accepted)
			case tt.revoked:
				Revoke(accepted, accepted.Commit, nil, "ada")
				PinAgain(y.all(i), accepted)
			}
			if h := Of("gpu", y.newest(i), nil); i > max(wanted, tt.revoked)+3 {
				if over := h.Case("softmax/n=0").OverBest > 0.05; over != tt.over {
					t.Fatalf("%s: at record %d of %d a gate calls it slower than its best-known level: %v", name, i, y.commits, over)
				}
			}
		}
	}
}

// TestIsWithin: a case whose level rose by 8 % is within 10 % of the best known for as many sessions as there are, and within 2 % for none of the latest.
func TestIsWithin(t *testing.T) {
	t.Parallel()
	c := stepped(nil)
	for _, tt := range []struct {
		tolerance float64
		sessions  int
		within    bool
	}{{0.1, 10, true}, {0.02, 10, false}, {0.02, 1, false}, {0.1, 1000, false}} {
		if got := c.IsWithin(tt.tolerance, tt.sessions); got != tt.within {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}

// TestBest: one lucky record is no level, and what cannot be compared says so.
func TestBest(t *testing.T) {
	t.Parallel()
	c := stepped(func(records []*baseline.Record) {
		for i := range records[5].Cases[0].ValuesNS {
			for j := range records[5].Cases {
				records[5].Cases[j].ValuesNS[i] *= 0.9
			}
		}
	})
	best, ok := c.Best()
	if !ok || best.Commit != idOf(19) || best.Records != 20 {
		t.Fatalf("best %+v, %v", best, ok)
	}
	newest := c.Points[len(c.Points)-1]
	head, now := baseline.NewSession(*newest.of), baseline.Now{State: newest.record, ConfigHash: newest.of.ConfigHash}
	if over, least, ok := c.Over(head, now); !ok || over < 0.07 || over > 0.09 || least >= over || least < 0.05 {
		t.Errorf("over %v, at least %v, %v", over, least, ok)
	}
	driver := *newest.record
	driver.Machine.GPU = &result.GPU{UUID: "GPU-a", Driver: "590", CUDA: "12.8"}
	for what, other := range map[string]baseline.Now{
		"configuration": {State: newest.record, ConfigHash: "other"}, "driver": {State: &driver, ConfigHash: newest.of.ConfigHash},
	} {
		if over, _, ok := c.Over(head, other); ok {
			t.Errorf("another %s is compared all the same: %v", what, over)
		}
	}
}

// TestEpochs: an epoch begins the levels of a case again. A session of another epoch is compared with none of them, and a lowered one does not get
// back what was known of the number before.
func TestEpochs(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		epochs []int     // of five records each, oldest first
		levels []float64 // theirs
		best   float64   // of the last epoch
		over   float64
	}{
		"none":          {[]int{1, 1}, []float64{1, 1.1}, 1, 0.1},
		"raised":        {[]int{1, 2}, []float64{1, 1.1}, 1.1, 0},
		"and lost":      {[]int{1, 2, 2}, []float64{1, 2, 2.4}, 2, 0.2},
		"lowered":       {[]int{1, 2, 1}, []float64{3, 1, 1.1}, 1.1, 0},
		"lowered to it": {[]int{1, 2, 1}, []float64{1, 2, 3}, 3, 0},
	} {
		var records []baseline.Found
		var newest *baseline.Record
		for i, epoch := range tt.epochs {
			for range 5 {
				n := len(records)
				c := baseline.Case{Name: "k/n=1", Kernel: "k", ConfigHash: fmt.Sprint("epoch ", epoch), Fingerprint: fmt.Sprint(i), Method: result.Method{Clock: "wall", How: "single", Launches: 1}}
				for p := range 8 {
					c.Rounds, c.ValuesNS = append(c.Rounds, p/4), append(c.ValuesNS, 1e5*tt.levels[i]*(1+0.001*float64((n+p)%3)))
				}
				newest = &baseline.Record{Commit: idOf(n), Time: time.Unix(int64(n)*86400, 0), Machine: result.Machine{Key: "m", Device: "cpu"}, Cases: []baseline.Case{c}}
				Pin(newest, baseline.History{Found: records})
				records = append([]baseline.Found{{Record: newest}}, records...)
			}
		}
		h := Of("m", baseline.History{Found: records}, nil)
		c := h.Case("k/n=1")
		if level := c.Levels[len(c.Levels)-1].NS / (1 + c.OverBest) / 1e5; math.Abs(level/tt.best-1) > 0.01 || math.Abs(c.OverBest-tt.over) > 0.01 {
			t.Errorf("%s: best %.3f, over by %.3f", name, level, c.OverBest)
		}
		session := baseline.NewSession(newest.Cases[0])
		now := baseline.Now{State: newest, Case: c.Name, ConfigHash: fmt.Sprint("epoch ", tt.epochs[len(tt.epochs)-1])}
		if over, _, ok := c.Over(session, now); !ok || math.Abs(over-tt.over) > 0.01 {
			t.Errorf("%s: a session of the same epoch is over by %.3f, %v", name, over, ok)
		}
		now.ConfigHash = "epoch 9"
		if over, _, ok := c.Over(session, now); ok {
			t.Errorf("%s: a session of another epoch is over by %.3f", name, over)
		}
	}
}
