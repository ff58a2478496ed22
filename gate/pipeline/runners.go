package pipeline

import (
	"context"
	"slices"
	"sync"

	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/child"
	"github.com/org/perfgate/kernels/pool"
)

// runners is how the processes of a run start that run kernels.
type runners struct {
	harness string
	scratch string
	memory  int64 // of each; 0 means most of what is free
	device  *device
	box     *box
	log     child.Log
	one     *sync.Mutex                          // one starts at a time: the first may find that the sandbox does not work here
	spares  *pool.Pool[opening, *kernels.Runner] // for a check of parity; nil has none
	firsts  []opening
	early   *pool.Pool[opening, *kernels.Runner] // of firsts, for the first round; nil has none
}

// apart are runners that exchange outputs in a folder of their own, beside so many others.
func (r *runners) apart(folder string, beside int) *runners {
	return &runners{harness: r.harness, scratch: folder, memory: mostMemory(r.memory) / int64(beside), device: r.device, box: r.box, log: r.log, one: r.one}
}

// launcher starts runners for kernels. Which side a library is of says what it may write.
type launcher struct {
	*runners
	bases, heads []string // libraries
}

// of is a launcher for the builds of kernels.
func (r *runners) of(ks ...Kernel) launcher {
	l := launcher{runners: r}
	for _, k := range ks {
		l.bases, l.heads = append(l.bases, k.Base.Library.Path), append(l.heads, k.Head.Library.Path)
		if k.Referee.Path != "" {
			l.bases = append(l.bases, k.Referee.Path)
		}
		for _, r := range k.Competitors {
			l.heads = append(l.heads, r.Library.Path) // what they make is judged as head's is
		}
	}
	return l
}

func (l launcher) begin(ctx context.Context, specify func() (kernels.RunnerSpec, error)) (*kernels.Runner, error) {
	started, err := l.first(ctx, specify)
	if err != nil {
		return nil, err
	}
	l.one.Lock()
	defer l.one.Unlock()
	l.device.learn(started.Hello.GPU)
	return started, nil
}

// first starts a runner, one at a time until the sandbox is known to work here or not.
func (l launcher) first(ctx context.Context, specify func() (kernels.RunnerSpec, error)) (*kernels.Runner, error) {
	l.one.Lock()
	if l.box.works {
		spec, err := specify()
		l.one.Unlock()
		return l.attempt(ctx, spec, err)
	}
	defer l.one.Unlock()
	spec, err := specify()
	started, err := l.attempt(ctx, spec, err)
	if l.box.givesUp(err) {
		spec, err = specify()
		return l.attempt(ctx, spec, err)
	}
	return started, err
}

// tryBox finds out whether the device opens in the sandbox, by a process that loads nothing. An adapter in Python is imported by one to be built, and while an
// interpreter that takes seconds to start is the first no other could. What else is wrong is said by who needs a process.
func (r *runners) tryBox(ctx context.Context) {
	if r.harness == "" || r.box.runners == nil {
		return
	}
	started, err := r.of().begin(ctx, func() (kernels.RunnerSpec, error) {
		s := r.plain(r.harness)
		s.Waits = true
		return s, nil
	})
	if err == nil {
		started.Close()
	}
}

func (l launcher) attempt(ctx context.Context, spec kernels.RunnerSpec, err error) (*kernels.Runner, error) {
	if err != nil {
		return nil, err
	}
	spec.Started = l.device.watched
	return kernels.StartRunner(ctx, spec)
}

// spec is how a runner of one library starts. In the sandbox it reads both sides' files. What base computes for parity goes where
// head can read it and not change it.
func (l launcher) spec(library string) (kernels.RunnerSpec, error) {
	return opening{launcher: l, library: library}.specify()
}

// plain is a runner that has nothing but its library.
func (r *runners) plain(library string) kernels.RunnerSpec {
	return kernels.RunnerSpec{
		Harness: r.harness, Library: library, Dir: r.scratch, MemoryBytes: r.device.memoryLimit(r.memory), Env: r.device.environment(), Sandbox: r.box.runners,
		Log: r.log,
	}
}

// profiled is spec for a runner that works under a profiler.
func (l launcher) profiled(library string) kernels.RunnerSpec {
	spec, _ := l.spec(library) // what cannot be listed for the sandbox cannot be read in it either
	spec.MemoryBytes = 0
	return l.box.watched(spec, ofProfilers)
}

// command starts a command of the configuration, within limits and watched as a runner is.
func (r *runners) command(spec kernels.CommandSpec) (*kernels.Command, error) {
	spec.Scratch, spec.Sandbox, spec.Memory = r.scratch, r.box.runners, mostMemory(r.memory)
	spec.Env = slices.Concat(r.device.environment(), spec.Env)
	spec.Started = r.device.watched
	return kernels.StartCommand(spec)
}
