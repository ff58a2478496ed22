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
	started, err := p.take(ctx, side, ask, limit)
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

// start starts a process that is asked something, or, where it waits, that imports packages and is then told what it is asked.
func (p *Program) start(side result.Side, ask benchmark.Ask, waits bool, packages []string, limit time.Duration) (process, error) {
	f, leave, err := p.makeFolders(side)
	if err != nil {
		return process{}, err
	}
	ask.Out, ask.Support = f.out, f.support
	command := p.Format.Command
	if format, ok := p.Format.(benchmark.Ahead); ok && waits {
		command = func(s benchmark.Spec, a benchmark.Ask) benchmark.Command { return format.Ahead(s, a, packages) }
	}
	spec := p.command(side, command(p.Spec, ask), f, limit)
	spec.Waits = waits
	if p.Observe {
		spec.Observe = p.observing(spec.Root)
	}
	started, err := p.Start(spec)
	if err != nil {
		leave()
		return process{}, err
	}
	return process{started, f.out, leave}, nil
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
	for _, side := range []result.Side{result.SideBase, result.SideHead} {
		if first := p.First.Of(side); first.Lived > 0 {
			p.wants = append(p.wants, slices.Repeat([]result.Side{side}, each)...)
			ok = ok && len(first.Set.Imports) > 0
		}
	}
	if ok {
		start := func(_ context.Context, side result.Side) (process, error) {
			return p.start(side, benchmark.Ask{}, true, p.First.Of(side).Set.Imports, p.limit())
		}
		p.ahead = &pool.Pool[result.Side, process]{Start: start, End: process.close, Equal: func(a, b result.Side) bool { return a == b }}
	}
}

// Close ends the processes that nobody took.
func (p *Program) Close() { p.ahead.Drop() }

// take is a process of a side that has been asked: one that waits for it, else a new one.
func (p *Program) take(ctx context.Context, side result.Side, ask benchmark.Ask, limit time.Duration) (process, error) {
	defer func() { p.ahead.Want(ctx, len(p.wants), p.wants...) }()
	question := ""
	if format, ok := p.Format.(benchmark.Ahead); ok {
		question = format.Question(p.Spec, ask)
	}
	alone := func() (process, error) {
		long := len(question) > benchmark.MostArgument // too long for a variable
		started, err := p.start(side, ask, long, nil, limit)
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

func (p process) close() {
	p.command.Close()
	p.leave()
}
