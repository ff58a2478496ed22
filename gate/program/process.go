package program

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/untrusted"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/observe"
	"github.com/org/perfgate/kernels/pool"
)

// run runs one process of a side to its end and reads what it left. What the side's code does wrong is a *kernels.RunnerError.
func (p *Program) run(ctx context.Context, side result.Side, ask benchmark.Ask, limit time.Duration) (done Run, err error) {
	ask.Seed, ask.Known = p.Seed, p.First.Of(side).Set.Cases
	started, err := p.take(ctx, asked{side: side, ask: ask, limit: limit})
	if err != nil {
		return done, err
	}
	defer started.leave()
	end, err := started.command.Wait(ctx)
	var fault *kernels.RunnerError
	if exited := errors.As(err, &fault) && fault.Code == result.CodeExited; err != nil && !exited {
		return done, err
	}
	set, err := benchmark.Read(p.Format, p.Spec, benchmark.Output{Folder: untrusted.FS(started.out, untrusted.NoLimit), Stdout: end.Stdout, Cut: end.Cut})
	if fault != nil {
		return done, withReason(fault, err)
	}
	done = Run{Set: set, Lived: end.Lived}
	if p.Observe {
		done.Asked = started.command.Observed()
	}
	if err != nil {
		return done, illegible(err, end.Last)
	}
	return done, p.believable(set, end.Lived)
}

// process is a process of a benchmark. leave takes away what it was given.
type process struct {
	command *kernels.Command
	out     string
	leave   func()
}

// asked is a process of a side, and what it is asked: nothing yet where it waits.
type asked struct {
	side  result.Side
	ask   benchmark.Ask
	waits bool // it imports packages, and is then told what it is asked
	limit time.Duration
}

// start starts a process.
func (p *Program) start(_ context.Context, one asked) (process, error) {
	f, leave, err := p.makeFolders(one.side)
	if err != nil {
		return process{}, err
	}
	one.ask.Out, one.ask.Support = f.out, f.support
	command := p.Format.Command(p.Spec, one.ask)
	format, can := p.Format.(benchmark.Ahead)
	long := can && !one.waits && len(format.Question(p.Spec, one.ask)) > benchmark.MostArgument // too long for a variable
	switch {
	case one.waits:
		command = format.Ahead(p.Spec, one.ask, p.First.Of(one.side).Set.Imports)
	case long:
		command = format.Ahead(p.Spec, one.ask, nil)
	}
	spec := p.command(one.side, command, f, one.limit)
	spec.Waits = one.waits || long
	if p.Observe {
		spec.Observe = p.observing(spec.Root)
	}
	started, err := p.Start(spec)
	if err != nil {
		leave()
		return process{}, err
	}
	out := process{started, f.out, leave}
	if long {
		p.tell(out, one.ask) // one that does not read it ends without an answer
	}
	return out, nil
}

// tell asks a process that waits, and says whether it was there to be asked.
func (p *Program) tell(to process, ask benchmark.Ask) bool {
	return to.command.Tell(p.Format.(benchmark.Ahead).Question(p.Spec, ask))
}

// observing leaves out the folders that perfgate gives a process. root holds all of its side.
func (p *Program) observing(root string) *observe.Options {
	return &observe.Options{Own: slices.DeleteFunc([]string{p.Home, p.Cache}, func(dir string) bool { return dir == "" }), Trees: []string{root}, Caches: observe.SharedCaches(os.Environ())}
}

// illegible is the fault of a process that ended well and left no answer that can be read. Why it wrote none is in what it printed.
func illegible(err error, printed string) error {
	fault := &kernels.RunnerError{Code: result.CodeNonsense, Message: "what the benchmark wrote cannot be read: " + err.Error()}
	if errors.Is(err, benchmark.ErrNothing) {
		fault.Message, fault.Printed = err.Error(), printed
	}
	return fault
}

// withReason is the fault of a process that ended with an error, by the reason that it left where its format has one.
func withReason(fault *kernels.RunnerError, left error) error {
	var script *benchmark.ScriptError
	if errors.As(left, &script) {
		fault.Message, fault.Printed = script.Error(), ""
	}
	return fault
}

// folders are what a process of a benchmark is given.
type folders struct{ out, cache, support string }

// makeFolders makes them; leave removes those of the process. Caches are a side's: no side finds what the other compiled.
func (p *Program) makeFolders(side result.Side) (f folders, leave func(), err error) {
	f.cache, f.support = filepath.Join(p.Home, string(side), "cache"), filepath.Join(p.Home, "support")
	if err := os.MkdirAll(f.cache, 0o700); err != nil {
		return f, nil, fmt.Errorf("make a folder for a benchmark: %w", err)
	}
	if files, ok := p.Format.(benchmark.Filed); ok {
		if _, err := os.Stat(f.support); errors.Is(err, os.ErrNotExist) {
			if err := os.CopyFS(f.support, files.Files()); err != nil {
				return f, nil, fmt.Errorf("lay out what a benchmark needs: %w", err)
			}
		}
	}
	if f.out, err = os.MkdirTemp(filepath.Join(p.Home, string(side)), "out-"); err != nil {
		return f, nil, fmt.Errorf("make a folder for a benchmark: %w", err)
	}
	if p.afresh {
		f.cache = filepath.Join(f.out, "cache")
		if err := os.Mkdir(f.cache, 0o700); err != nil {
			return f, nil, fmt.Errorf("make a folder for a benchmark: %w", err)
		}
	}
	return f, func() { os.RemoveAll(f.out) }, nil
}

func (p *Program) command(side result.Side, c benchmark.Command, f folders, limit time.Duration) kernels.CommandSpec {
	at := p.Sides[side]
	return kernels.CommandSpec{
		Line: c.Line, Args: c.Args, Env: c.Env, Dir: at.Tree, Root: at.Root, Writes: []string{f.out}, Reads: append([]string{f.support}, p.Reads...), Caches: f.cache, Limit: limit,
		Log: p.Log,
	}
}

// Prestart lets so many processes of each side wait, where all sides import packages of an installation and nothing stands against importing them early.
// They import them while another process measures: an import takes seconds, and measuring a few cases hardly longer. Nothing of a side runs in them before
// their turn.
func (p *Program) Prestart(each int) {
	_, ok := p.Format.(benchmark.Ahead)
	var wants []asked
	for _, side := range []result.Side{result.SideBase, result.SideHead} {
		if first := p.First.Of(side); first.Lived > 0 {
			wants = append(wants, slices.Repeat([]asked{{side: side, waits: true, limit: p.limit()}}, each)...)
			ok = ok && len(first.Set.Imports) > 0
		}
	}
	if ok {
		p.wants = wants
	}
}

// Close ends the processes that nobody took.
func (p *Program) Close() {
	if p.ahead != nil {
		p.ahead.Drop()
	}
}

// take is a process of a side that has been asked: one that waits for it, else a new one.
func (p *Program) take(ctx context.Context, one asked) (process, error) {
	if p.ahead == nil {
		p.ahead = &pool.Pool[asked, process]{Start: p.start, End: process.close, Equal: func(a, b asked) bool { return a.side == b.side }}
	}
	defer func() { p.ahead.Want(ctx, len(p.wants), p.wants...) }()
	started, waited, err := p.ahead.Take(ctx, one)
	if waited && !p.tell(started, one.ask) {
		started.close()
		return p.start(ctx, one)
	}
	return started, err
}

func (p process) close() {
	p.command.Close()
	p.leave()
}
