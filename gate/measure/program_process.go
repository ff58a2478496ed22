package measure

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
)

// run runs one process of a side to its end and reads what it left. What the side's code does wrong is a *kernels.RunnerError.
func (p *Program) run(ctx context.Context, side result.Side, ask benchmark.Ask, limit time.Duration) (done ProgramRun, err error) {
	started, err := p.start(side, p.known(side, ask), false, limit)
	if err != nil {
		return done, err
	}
	return p.end(ctx, started)
}

// known is a question with what is known of a side.
func (p *Program) known(side result.Side, ask benchmark.Ask) benchmark.Ask {
	ask.Seed, ask.Known = p.Seed, p.First.Of(side).Set.Cases
	return ask
}

// end waits for a process that was asked and reads what it left.
func (p *Program) end(ctx context.Context, started started) (done ProgramRun, err error) {
	defer started.leave()
	end, err := started.command.Wait(ctx)
	var fault *kernels.RunnerError
	if exited := errors.As(err, &fault) && fault.Code == result.CodeExited; err != nil && !exited {
		return done, err
	}
	set, err := benchmark.Read(p.Format, p.Spec, benchmark.Output{Folder: untrusted.FS(started.out, untrusted.NoLimit), Stdout: end.Stdout, Cut: end.Cut})
	if fault != nil {
		if script, ok := errors.AsType[*benchmark.ScriptError](err); ok { // the reason that it left
			fault.Message, fault.Printed = script.Error(), ""
		}
		return done, fault
	}
	done = ProgramRun{Set: set, Lived: end.Lived, CPU: end.CPU}
	if p.Observe {
		done.Asked = started.command.Observed()
	}
	if err != nil {
		return done, illegible(err, end)
	}
	return done, p.believable(set, end.Lived)
}

// started is a process of a benchmark. leave takes away what it was given.
type started struct {
	command *kernels.Command
	out     string
	leave   func()
}

// start starts a process that is asked at once, or an early one: it imports packages and waits until it is told what it is asked.
func (p *Program) start(side result.Side, ask benchmark.Ask, early bool, limit time.Duration) (started, error) {
	f, leave, err := p.makeFolders(side)
	if err != nil {
		return started{}, err
	}
	ask.Out, ask.Support = f.out, f.support
	question := p.question(side)
	command := p.Format.Command(question, ask)
	format, can := p.Format.(benchmark.Ahead)
	long := can && !early && len(format.Question(p.Spec, ask)) > benchmark.MostArgument // too long for a variable
	switch {
	case early:
		command = format.Ahead(question, ask, p.First.Of(side).Set.Imports)
	case long:
		command = format.Ahead(question, ask, nil)
	}
	spec := p.command(side, command, f, limit)
	spec.Waits = early || long
	if p.Observe {
		spec.Observe = &observe.Options{Trees: []string{spec.Root}, Caches: observe.SharedCaches(os.Environ()), Kept: kernels.EnvironmentFolders(p.Cache)}
		spec.Observe.Own = slices.DeleteFunc([]string{p.Home, p.Cache}, func(dir string) bool { return dir == "" }) // what perfgate gives a process
	}
	process, err := p.Command(spec)
	if err != nil {
		leave()
		return started{}, err
	}
	out := started{process, f.out, leave}
	if long {
		p.tell(out, ask) // one that does not read it ends without an answer
	}
	return out, nil
}

// question is the benchmark's specification for a side, whose interpreter is its own.
func (p *Program) question(side result.Side) benchmark.Spec {
	s := p.Spec
	s.Python = p.Sides[side].Python
	return s
}

// tell asks a process that waits, and says whether it was there to be asked.
func (p *Program) tell(to started, ask benchmark.Ask) bool {
	return to.command.Tell(p.Format.(benchmark.Ahead).Question(p.Spec, ask))
}

// illegible is the fault of a process that ended well and left no answer that can be read. Why it wrote none is in what it printed.
func illegible(err error, end kernels.CommandEnd) error {
	fault := &kernels.RunnerError{Code: result.CodeNonsense, Message: "what the benchmark wrote cannot be read: " + err.Error()}
	if errors.Is(err, benchmark.ErrNothing) {
		fault.Message, fault.Printed = err.Error(), end.Last
	}
	fault.Message += end.Hint
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
		Line: c.Line, Args: c.Args, Env: slices.Concat(at.Env, c.Env), Dir: at.Tree, Root: at.Root, Writes: []string{f.out}, Reads: append([]string{f.support}, at.Reads...), Caches: f.cache, Limit: limit,
		Log: p.Log,
	}
}

func (s started) close() {
	s.command.Close()
	s.leave()
}
