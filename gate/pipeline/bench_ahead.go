package pipeline

import (
	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/result"
)

// ahead are processes of a benchmark script that import installed packages while another one measures, and wait to be asked: an import takes
// seconds, and measuring a few cases hardly longer. Nothing of a side runs in them before their turn. nil has none.
type ahead struct {
	program  *program
	format   benchmark.Ahead
	packages map[result.Side][]string
	each     int // that wait of a side
	waiting  map[result.Side][]chan startedAhead
}

type startedAhead struct {
	process benchProcess
	err     error
}

// startAhead lets so many processes of each side wait, where all sides import packages of an installation and nothing stands against importing them early.
func (p *program) startAhead(each int) {
	format, ok := p.format.(benchmark.Ahead)
	packages := map[result.Side][]string{}
	for _, side := range []result.Side{result.SideBase, result.SideHead} {
		first := p.kernel.First.of(side)
		if first.Lived > 0 {
			packages[side] = first.Set.Imports
		}
		ok = ok && (first.Lived == 0 || len(first.Set.Imports) > 0)
	}
	if ok && each > 0 {
		p.ahead = &ahead{program: p, format: format, packages: packages, each: each, waiting: map[result.Side][]chan startedAhead{}}
	}
}

// fill starts what may wait.
func (a *ahead) fill() {
	if a == nil {
		return
	}
	for side, packages := range a.packages {
		for len(a.waiting[side]) < a.each {
			ready := make(chan startedAhead, 1)
			a.waiting[side] = append(a.waiting[side], ready)
			go func() {
				process, err := a.start(side, packages)
				ready <- startedAhead{process, err}
			}()
		}
	}
}

func (a *ahead) start(side result.Side, packages []string) (benchProcess, error) {
	p := a.program
	return p.start(side, p.limit(), func(f benchFolders) benchmark.Command {
		return a.format.Ahead(p.spec(), benchmark.Ask{Out: f.out, Support: f.support}, packages)
	}, true)
}

// ask asks a process that waits; false where none does, or the one that did is gone. What went wrong beside another process may go well alone.
func (a *ahead) ask(side result.Side, ask benchmark.Ask) (benchProcess, bool) {
	if a == nil || len(a.waiting[side]) == 0 {
		return benchProcess{}, false
	}
	ready := <-a.waiting[side][0]
	a.waiting[side] = a.waiting[side][1:]
	if ready.err != nil {
		return benchProcess{}, false
	}
	if !ready.process.command.Tell(a.format.Question(a.program.spec(), ask)) {
		ready.process.close()
		return benchProcess{}, false
	}
	return ready.process, true
}

// close ends those that nobody asked.
func (a *ahead) close() {
	if a == nil {
		return
	}
	for _, waiting := range a.waiting {
		for _, w := range waiting {
			if ready := <-w; ready.err == nil {
				ready.process.close()
			}
		}
	}
	a.waiting = nil
}

func (p benchProcess) close() {
	p.command.Close()
	p.leave()
}
