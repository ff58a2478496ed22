package simulate

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// yearOutcome is what a year was like under one gate.
type yearOutcome struct {
	FalseReds int // runs that are red without a regression above the tolerance
	Found     int // regressions above the tolerance that are red
	Missed    int
	Seconds   float64 // of the GPU

	// Of the gate itself only.
	Identical  int // pull requests that built to the same code
	Screened   int // measured on head alone
	Settled    int // of those, settled that way in all cases
	Recorded   int // records that had to be measured
	PassedOver int // most records that one lookup could not use
	Records    int // in the store at the end
}

// year is the same year under two gates: rounds on every commit, and perfgate with its store.
type year struct{ Paired, Stored yearOutcome }

// Of every busyEvery commits the first pushesAtOnce are merged in the same moment: none sees the others' records.
const (
	busyEvery    = 50
	pushesAtOnce = 4
)

// simulateYear runs a year of commits through the stored baseline: time, noise and commits are made up, records, stores, lookups and
// decisions are the real ones. open returns the store as a new process would, corrupt damages the record under a key. Equal options give equal verdicts.
func simulateYear(ctx context.Context, o yearOptions, open func() *baseline.Store, corrupt func(key string) error) (year, error) {
	random := func(stream uint64) *rand.Rand { return rand.New(rand.NewPCG(o.Seed, stream)) }
	commits := o.history(random(0))
	p := rule.Default()
	p.Cases = o.Cases
	paired, errPaired := o.alwaysPaired(random(3), commits, p)
	g := &yearGate{o: o, policy: p, store: open(), commits: commits, random: random(4)}
	errStored := g.year(ctx, open, corrupt)
	return year{paired, g.out}, errors.Join(errPaired, errStored)
}

// year lets the pull requests in one after the other; some merges are recorded in the same moment.
func (g *yearGate) year(ctx context.Context, open func() *baseline.Store, corrupt func(key string) error) error {
	var waiting []*baseline.Record
	flush := func() error {
		err := saveAtOnce(ctx, open, waiting)
		waiting = nil
		return err
	}
	for _, at := range g.commits {
		var measured *result.Result
		if at.index > 0 {
			var red bool
			var err error
			if measured, red, err = g.pull(ctx, at); err != nil {
				return err
			}
			g.out.judge(at, red, g.policy)
		}
		rec, err := g.push(ctx, at, measured)
		if err != nil {
			return err
		}
		waiting = appendNew(waiting, rec)
		if at.index%busyEvery >= pushesAtOnce-1 {
			if err := flush(); err != nil {
				return err
			}
		}
		if at.index == g.o.CorruptAt {
			if err := g.damage(ctx, corrupt); err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	keys, err := g.store.List(ctx, "")
	g.out.Records = len(keys)
	return err
}

// appendNew leaves out records whose commit is waiting already: which of two would stay is a race, and a year that ends
// differently each time proves nothing.
func appendNew(waiting, more []*baseline.Record) []*baseline.Record {
	for _, r := range more {
		if !slices.ContainsFunc(waiting, func(w *baseline.Record) bool { return w.Key() == r.Key() }) {
			waiting = append(waiting, r)
		}
	}
	return waiting
}

func saveAtOnce(ctx context.Context, open func() *baseline.Store, records []*baseline.Record) error {
	errs := make([]error, len(records))
	var all sync.WaitGroup
	for i, r := range records {
		all.Go(func() { errs[i] = baseline.Save(ctx, open(), r) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// damage cuts the nearest record in the middle.
func (g *yearGate) damage(ctx context.Context, corrupt func(key string) error) error {
	keys, err := g.store.List(ctx, "")
	if err != nil {
		return err
	}
	return corrupt(slices.Max(keys)) // hashes of the simulation ascend
}

// alwaysPaired runs rounds on every commit.
func (o yearOptions) alwaysPaired(random *rand.Rand, commits []commit, p result.Policy) (yearOutcome, error) {
	g := &yearGate{o: o, policy: p, commits: commits, random: random}
	var every []int
	for c := range o.Cases {
		every = append(every, c)
	}
	for _, at := range commits[1:] {
		red, err := g.rounds(o.session(random, at), every, g.result(at))
		if err != nil {
			return g.out, err
		}
		g.out.judge(at, red, p)
	}
	return g.out, nil
}

// judge compares a verdict with the truth.
func (out *yearOutcome) judge(at commit, red bool, p result.Policy) {
	real := at.shift > math.Log1p(p.Tolerance)
	switch {
	case red && real:
		out.Found++
	case red:
		out.FalseReds++
	case real:
		out.Missed++
	}
}
