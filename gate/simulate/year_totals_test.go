package simulate

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
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

// year is the same year under four gates.
type year struct {
	options                              yearOptions
	StoredOnly, Disjoint, Paired, Stored yearOutcome
}

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
	y := year{options: o}
	var errs [4]error
	y.StoredOnly, errs[0] = o.storedOnly(random(1), commits, p)
	y.Disjoint, errs[1] = o.disjointIntervals(random(2), commits, p)
	y.Paired, errs[2] = o.alwaysPaired(random(3), commits, p)
	g := &yearGate{o: o, policy: p, store: open(), commits: commits, random: random(4)}
	errs[3] = g.year(ctx, open, corrupt)
	y.Stored = g.out
	return y, errors.Join(errs[:]...)
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

// render is the year as a Markdown table.
func (y year) render() string {
	var w strings.Builder
	fmt.Fprintf(&w, "%d commits, %.0f %% leave the kernels alone, %d regressions, seed %d\n\n", y.options.Commits, 100*(1-y.options.Changed), len(y.options.Regressions), y.options.Seed)
	fmt.Fprintln(&w, "| gate | false reds | found | missed | GPU minutes |\n|:--|--:|--:|--:|--:|")
	for _, row := range []struct {
		name string
		o    yearOutcome
	}{{"stored only, 8 processes a side", y.StoredOnly}, {"delta > 3 % and disjoint intervals", y.Disjoint}, {"always side by side", y.Paired}, {"perfgate, auto", y.Stored}} {
		fmt.Fprintf(&w, "| %s | %d | %d | %d | %.0f |\n", row.name, row.o.FalseReds, row.o.Found, row.o.Missed, row.o.Seconds/60)
	}
	s := y.Stored
	fmt.Fprintf(&w, "\nperfgate: %d of %d pull requests built to the same code and cost nothing, %d were "+
		"screened on head alone, of which %d needed no rounds; %d records were measured, %d are stored; %.1f times fewer "+
		"minutes than always side by side\n",
		s.Identical, y.options.Commits-1, s.Screened, s.Settled, s.Recorded, s.Records, y.Paired.Seconds/s.Seconds)
	return w.String()
}
