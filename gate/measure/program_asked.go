package measure

import (
	"context"
	"time"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// CanWait says whether processes of all sides can import packages before their turn: those of an installation, with nothing that stands against importing
// them early. Nothing of a side runs in them before they are asked.
func (p *Program) CanWait() bool {
	if _, ok := p.Format.(benchmark.Ahead); !ok {
		return false
	}
	for _, first := range []ProgramRun{p.First.Base, p.First.Head} {
		if first.Lived > 0 && len(first.Set.Imports) == 0 {
			return false
		}
	}
	return true
}

// Start starts a process of the rounds. What it is asked is on its command line, unless it waits, so it starts when that is known.
func (p *Program) Start(_ context.Context, side result.Side, waits bool) (kernels.Process, error) {
	one := &asked{Program: p, side: side}
	if waits {
		early, err := p.start(side, benchmark.Ask{}, true, p.limit())
		if err != nil {
			return nil, err
		}
		one.early = &early
	}
	return one, nil
}

// asked is a process that is asked once.
type asked struct {
	*Program
	side  result.Side
	early *started // it waits; nil where it starts when it is asked
}

// Call asks it for rows: to probe where the format leaves the clock to us, since the others time themselves, by what their first run on base said; and to
// time.
func (a *asked) Call(ctx context.Context, op, _ string, args, answer any, _ time.Duration) error {
	rows, readings := args.(RowsCommand), answer.(*map[string]Reading)
	ask := benchmark.Ask{Mode: benchmark.Measure, Cases: rows.Rows, Methods: rows.Methods}
	if op == "probe" {
		ask.Mode = benchmark.Calibrate
	}
	read := a.selfTimed
	if ask.Mode == benchmark.Measure || a.Format.Traits().OurClock {
		run, err := a.run(ctx, ask)
		if err != nil {
			return err
		}
		check := run.timingCheck(a.Format)
		read = func(row string) Reading {
			r := a.reading(run.Set, row, ask.Mode)
			r.TimingCheck = check
			return r
		}
	}
	*readings = map[string]Reading{}
	for _, row := range rows.Rows {
		(*readings)[row] = read(row)
	}
	return nil
}

// run asks the process that waits. One that is gone is replaced.
func (a *asked) run(ctx context.Context, ask benchmark.Ask) (ProgramRun, error) {
	if early := a.early; early != nil {
		a.early = nil
		if a.tell(*early, a.known(a.side, ask)) {
			return a.end(ctx, *early)
		}
		early.close()
	}
	return a.Program.run(ctx, a.side, ask, a.limit())
}

// Has is of adapters: a benchmark has no functions of theirs.
func (*asked) Has(string) bool { return false }

// Printed is in what its end says.
func (*asked) Printed() string { return "" }

// Close ends a process that nobody asked. Another one has ended.
func (a *asked) Close() {
	if a.early != nil {
		a.early.close()
		a.early = nil
	}
}
