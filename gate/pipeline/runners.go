package pipeline

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/org/perfgate/gate/machine"
	"github.com/org/perfgate/gate/oracle"
	"github.com/org/perfgate/kernels"
)

// runners is how the processes of a run start that run kernels.
type runners struct {
	harness string
	scratch string
	memory  int64 // of each; 0 means most of what is free
	device  *device
	box     *box
}

// launcher starts runners for kernels. Which side a library is of says what it may write.
type launcher struct {
	*runners
	bases, heads []string // libraries
	parents      *parents // nil: every process is started
}

// of is a launcher for the builds of kernels.
func (r *runners) of(ks ...Kernel) launcher {
	l := launcher{runners: r}
	for _, k := range ks {
		l.bases, l.heads = append(l.bases, k.Base.Library.Path), append(l.heads, k.Head.Library.Path)
	}
	return l
}

// start starts a runner on a library, within limits.
func (l launcher) start(ctx context.Context, library string) (oracle.Runner, error) {
	spec, err := l.spec(library)
	if err != nil {
		return nil, err
	}
	started, err := l.parents.start(ctx, spec)
	if l.box.givesUp(err) {
		if spec, err = l.spec(library); err != nil {
			return nil, err
		}
		started, err = l.parents.start(ctx, spec)
	}
	if err != nil {
		return nil, err // not a nil *Runner in an interface
	}
	l.device.learn(started.Hello.GPU)
	if l.device.watch == nil {
		return started, nil
	}
	l.device.watch.Began(started.PID())
	return watchedRunner{started, l.device.watch}, nil
}

// spec is how every runner starts. In the sandbox it reads both sides' files. What base computes for parity goes where
// head can read it and not change it.
func (l launcher) spec(library string) (kernels.RunnerSpec, error) {
	s := l.plain(library)
	if s.Sandbox == nil {
		return s, nil
	}
	readable, err := l.box.reads()
	if err != nil {
		return s, err
	}
	given, made := oracle.Folders(l.scratch)
	for _, dir := range []string{given, made} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return s, fmt.Errorf("make a folder for parity: %w", err)
		}
	}
	s.Reads = append(slices.Clone(readable), given)
	if slices.Contains(l.bases, library) {
		s.Writes = append(s.Writes, given)
		s.Reads = append(s.Reads, made) // a judge compares what head's library made
	}
	if slices.Contains(l.heads, library) {
		s.Writes = append(s.Writes, made)
	}
	return s, nil
}

// plain is a runner that has nothing but its library.
func (r *runners) plain(library string) kernels.RunnerSpec {
	return kernels.RunnerSpec{
		Harness: r.harness, Library: library, Dir: r.scratch, MemoryBytes: r.device.memoryLimit(r.memory), Env: r.device.environment(), Sandbox: r.box.runners,
	}
}

// profiled is spec for a runner that works under a profiler.
func (l launcher) profiled(library string) kernels.RunnerSpec {
	spec, _ := l.spec(library) // what cannot be listed for the sandbox cannot be read in it either
	spec.MemoryBytes = 0
	return l.box.watched(spec, ofProfilers)
}

// command runs a command of the configuration, within limits and watched as a runner is.
func (r *runners) command(ctx context.Context, spec kernels.CommandSpec) (kernels.CommandEnd, error) {
	spec.Scratch, spec.Sandbox = r.scratch, r.box.runners
	spec.Env = slices.Concat(r.device.environment(), spec.Env)
	if r.device.watch != nil {
		spec.Started = func(pid int) func() {
			r.device.watch.Began(pid)
			return func() { r.device.watch.Ended(pid) }
		}
	}
	return kernels.RunCommand(ctx, spec)
}

// watchedRunner tells the watch of its end.
type watchedRunner struct {
	*kernels.Runner
	watch *machine.Watch
}

func (w watchedRunner) Close() {
	w.Runner.Close()
	w.watch.Ended(w.PID())
}
