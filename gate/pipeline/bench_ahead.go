package pipeline

import (
	"context"
	"slices"
	"time"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/pool"
)

// prestart lets so many processes of each side wait, where all sides import packages of an installation and nothing stands against importing them early.
// They import them while another process measures: an import takes seconds, and measuring a few cases hardly longer. Nothing of a side runs in them before
// their turn.
func (p *program) prestart(each int) {
	format, ok := p.format.(benchmark.Ahead)
	var wants []result.Side
	for _, side := range []result.Side{result.SideBase, result.SideHead} {
		if first := p.kernel.First.of(side); first.Lived > 0 {
			wants = append(wants, slices.Repeat([]result.Side{side}, each)...)
			ok = ok && len(first.Set.Imports) > 0
		}
	}
	if !ok {
		return
	}
	start := func(_ context.Context, side result.Side) (benchProcess, error) {
		return p.start(side, p.limit(), func(f benchFolders) benchmark.Command {
			return format.Ahead(p.spec(), benchmark.Ask{Out: f.out, Support: f.support}, p.kernel.First.of(side).Set.Imports)
		}, true)
	}
	p.wants = wants
	p.ahead = &pool.Pool[result.Side, benchProcess]{Start: start, End: benchProcess.close, Equal: pool.Same[result.Side], Most: len(wants)}
}

// process is one of a side that has been asked: one that waits for it, else a new one.
func (p *program) process(ctx context.Context, side result.Side, ask benchmark.Ask, limit time.Duration) (benchProcess, error) {
	defer func() { p.ahead.Want(ctx, p.wants...) }()
	question := ""
	ahead, asks := p.format.(benchmark.Ahead)
	if asks {
		question = ahead.Question(p.spec(), ask)
	}
	long := len(question) > benchmark.MostArgument // too long for a variable
	alone := func() (benchProcess, error) {
		started, err := p.start(side, limit, func(f benchFolders) benchmark.Command {
			ask.Out, ask.Support = f.out, f.support
			if long {
				return ahead.Ahead(p.spec(), ask, nil)
			}
			return p.format.Command(p.spec(), ask)
		}, long)
		if err == nil && long {
			started.command.Tell(question) // one that does not read it ends without an answer
		}
		return started, err
	}
	started, waited, err := p.ahead.Take(ctx, side, alone)
	if waited && !started.command.Tell(question) {
		started.close()
		return alone()
	}
	return started, err
}

func (p benchProcess) close() {
	p.command.Close()
	p.leave()
}
