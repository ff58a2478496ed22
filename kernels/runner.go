package kernels

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/child"
	"github.com/org/perfgate/kernels/observe"
	"github.com/org/perfgate/kernels/sandbox"
)

// RunnerSpec says which adapter to load and within which limits.
type RunnerSpec struct {
	Harness     string
	Library     string
	Waits       bool     // the harness opens the device and loads nothing, an interpreter only installed packages: op load comes before all else
	Chosen      string   // by autotuners of an adapter in Python in other processes, as TimeReply has it: chosen again where that can be
	Beside      []string // further libraries that op load may name
	Dir         string   // private working folder, also its TMPDIR
	MemoryBytes int64    // address space; 0 means no limit, which CUDA needs: it reserves far more than it uses
	Env         []string // NAME=value entries on top of the scrubbed environment, such as CUDA_VISIBLE_DEVICES
	Under       []string // a program and its arguments that run the harness, such as a profiler; empty: nothing does
	// Apart says that Under starts the harness as another process than its own. In the sandbox the harness then has one of its
	// own, inside of that of Under.
	Apart bool
	// SeparateBuffers makes each buffer an allocation of its own, without guard zones and poison: for an Under that watches
	// every access to memory itself. CUDA only.
	SeparateBuffers bool
	// Sandbox, where it is not nil, lets the runner read the system, the harness, the library and what Reads names, and write
	// into what Writes names and a folder of its own below Dir, which goes away with it.
	Sandbox       *Sandbox
	Reads, Writes []string
	// Started is told of the process as soon as there is one, before it has opened the device, and what it returns is called when it is
	// gone. May be nil.
	Started func(pid int) (ended func())
	// Opens is what Under needs of the sandbox beyond what the harness does. Counters are not for a harness that has one of its own.
	Opens sandbox.Policy
	// Observe says what of the process's requests for files Observed tells; nil: nothing is observed.
	Observe *observe.Options
	// Caches is a folder for what frameworks compile, in place of the adapter's; "" for that.
	Caches string
	// Log is told of the command; may be nil.
	Log  child.Log
	CPUs []int // processors that it runs on; nil means any
}

// Runner is a live harness process with an adapter, or several. It is used by one goroutine at a time.
type Runner struct {
	Hello   Hello
	process *child.Process
	in      *os.File
	out     *os.File
	replies chan reply
	id      int
	broken  error
	leave   func() // takes away what the runner had to itself
	limits  child.DiskLimit
	boxed   bool
	asked   atomic.Int64 // commands sent, and the hello
}

type reply struct {
	line []byte
	err  error
}

const (
	// helloLimit covers loading a library, CUDA's included.
	helloLimit = 60 * time.Second
	// maxLine bounds a reply: 300 samples of 20 bytes are 6 kB.
	maxLine = 1 << 20
)

// StartRunner starts a harness and waits for its hello.
func StartRunner(ctx context.Context, s RunnerSpec) (*Runner, error) {
	commands, in, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe for a runner: %w", err)
	}
	out, replies, err := os.Pipe()
	if err != nil {
		commands.Close()
		in.Close()
		return nil, fmt.Errorf("make a pipe for a runner: %w", err)
	}
	r, err := s.start(commands, replies)
	commands.Close()
	replies.Close()
	if err != nil {
		in.Close()
		out.Close()
		return nil, err
	}
	r.in, r.out = in, out
	r.asked.Add(1)
	go r.read()
	if err := r.hello(ctx); err != nil {
		r.Close()
		if why := s.notConfined(r.process.Output().Stderr); why != "" {
			return nil, fmt.Errorf("start %s %s", s.Harness, why)
		}
		return nil, err
	}
	return r, nil
}

// start starts the harness with the descriptors of a runner.
func (s RunnerSpec) start(commands, replies *os.File) (*Runner, error) {
	host, err := readHosted(s.Library)
	if err != nil {
		return nil, err
	}
	if host != nil && s.Caches != "" {
		host.Caches = s.Caches
	}
	command := []string{s.Harness, "--in", "3", "--out", "4"}
	switch {
	case host != nil:
		command = append(append(command, host.arguments(s.Harness, s.Chosen)...), "--import-first", strings.Join(host.ImportFirst, " "))
		if s.Waits {
			command = append(command, "--waits", "1")
		}
	case !s.Waits:
		command = append(command, "--adapter", s.Library)
	}
	if s.MemoryBytes > 0 {
		command = append(command, "--memory-bytes", strconv.FormatInt(s.MemoryBytes, 10))
	}
	if s.SeparateBuffers {
		command = append(command, "--separate-buffers", "1")
	}
	env := child.With(child.Scrub(os.Environ()), append([]string{"TMPDIR=" + s.Dir}, s.Env...)...)
	spec, leave, err := s.confined(host, child.Spec{Dir: s.Dir, Env: env, Files: []*os.File{commands, replies}, Shared: s.MemoryBytes, Observe: s.Observe, Log: s.Log, CPUs: s.CPUs}, command)
	if err != nil {
		return nil, err
	}
	p, err := child.Start(spec)
	if err != nil {
		leave()
		return nil, err
	}
	if s.Started != nil {
		ended, leaveFolder := s.Started(p.PID()), leave
		leave = func() { leaveFolder(); ended() }
	}
	return &Runner{process: p, replies: make(chan reply, 1), leave: leave, limits: spec.Disk, boxed: spec.Sandbox != nil}, nil
}

// read hands on the runner's lines until its end; a line without end is an error.
func (r *Runner) read() {
	defer r.out.Close()
	defer close(r.replies)
	lines := bufio.NewScanner(r.out)
	lines.Buffer(make([]byte, 0, 16<<10), maxLine)
	for got := int64(1); lines.Scan(); got++ {
		if got > r.asked.Load() {
			r.replies <- reply{err: errUnasked}
			return
		}
		r.replies <- reply{line: bytes.Clone(lines.Bytes())}
	}
	err := lines.Err()
	if err == nil {
		err = io.EOF
	}
	r.replies <- reply{err: err}
}

func (r *Runner) hello(ctx context.Context) error {
	if err := r.answer(ctx, "load the adapter", helloLimit, nil, &r.Hello); err != nil {
		return err
	}
	if r.Hello.Protocol != ProtocolVersion {
		return r.fail(result.CodeNonsense, "load the adapter", fmt.Sprintf("the runner speaks protocol %d, this program %d", r.Hello.Protocol, ProtocolVersion))
	}
	return nil
}

// Load makes a process that waits load its adapter. After that it is as one that was started on it.
func (r *Runner) Load(ctx context.Context, library string) error {
	return r.Call(ctx, "load", "the adapter", map[string]any{"adapter": library}, &r.Hello, helloLimit)
}

// Has says whether the adapter defines an optional function: setup, teardown, reference or work.
func (r *Runner) Has(function string) bool {
	return slices.Contains(r.Hello.Has, function)
}

// Printed is the end of what the process wrote to standard error; all of that once the runner is closed.
func (r *Runner) Printed() string { return lastLines(r.process.Output().Stderr, 5) }

// PID is the runner's process id.
func (r *Runner) PID() int { return r.process.PID() }

// leaveGrace is what a harness gets to end what the adapter started, once it has answered that it quits.
const leaveGrace = 10 * time.Millisecond

// Leave ends all that the runner runs, after its teardown. The driver may then still be clearing up, which on a GPU takes a tenth of a second
// and which Close waits for.
func (r *Runner) Leave() {
	if r.quit() {
		select {
		case <-r.replies:
		case <-time.After(closeLimit):
		}
		select {
		case <-r.process.Done():
		case <-time.After(leaveGrace):
		}
	}
	r.process.Kill()
	if r.broken == nil {
		r.broken = &RunnerError{Code: result.CodeExited, Message: "it was left", Doing: "leave"}
	}
}

// closeLimit is how long a runner may take to end by its own word.
const closeLimit = 3 * time.Second

// Close ends the runner: by its own word if it is well, by force otherwise, and waits until nothing of it is left.
func (r *Runner) Close() {
	r.quit()
	r.in.Close()
	select {
	case <-r.process.Done():
	case <-time.After(closeLimit):
		r.process.Kill()
		<-r.process.Done()
	}
	r.release()
}

// Observed is what a closed runner, and all that it started, asked of the file system. Its spec has Observe.
func (r *Runner) Observed() observe.Report { return r.process.Observed() }

// AtEnd is called when a runner that is to be observed has done its work. Where it cannot be observed, it is asked for the modules that it has imported, so
// that Observed tells what it has loaded.
func (r *Runner) AtEnd(ctx context.Context) {
	if r.process.IsObserved() {
		return
	}
	var reply ImportsReply
	if err := r.Call(ctx, "imports", "", nil, &reply, helloLimit); err != nil {
		r.process.AtEnd(nil, err.Error())
		return
	}
	var modules []string
	lack := ""
	if i := reply.Python; i != nil {
		modules = i.Modules
		if i.MoreModules {
			lack = "it has imported more modules than it can name"
		}
	}
	r.process.AtEnd(modules, lack)
}

// quit asks the harness to end, and says whether it could be asked.
func (r *Runner) quit() bool {
	if r.broken != nil {
		return false
	}
	r.nextID()
	line, err := encodeCommand(r.id, "quit", nil)
	return err == nil && r.send(line, time.Second) == nil
}

// release waits for the reader, which ends even where a process that got away holds the descriptor.
func (r *Runner) release() {
	_ = r.out.SetReadDeadline(time.Now().Add(time.Second))
	for range r.replies {
	}
	r.leave()
}

// End ends a runner that works under another program (RunnerSpec.Under): it lets that program finish what it does when the
// harness is gone, such as writing a report, for limit at most, and returns what it and the harness printed. The error is
// how the program ended: nil, an *exec.ExitError, or that of the context.
func (r *Runner) End(ctx context.Context, limit time.Duration) (child.Output, error) {
	obeys := r.quit()
	if !obeys {
		r.in.Close() // which ends it by force
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	out, err := r.process.Wait(ctx)
	if obeys {
		r.in.Close() // not before: at its end the process may have much to write, and is no longer asked to go but killed
	}
	r.release()
	if r.broken == nil {
		r.broken = &RunnerError{Code: result.CodeExited, Message: "it was ended", Doing: "end"}
	}
	return out, err
}

// CPUTime is how long the runner's process has computed so far, on all its threads, as the kernel of this machine counts it: what
// the process does to its own clocks is not in it. Processes that it forked are not in it either.
func (r *Runner) CPUTime() (time.Duration, error) {
	const sched = 2
	clock := int32(^r.PID()<<3 | sched) // as clock_getcpuclockid(3) makes it
	var t unix.Timespec
	if err := unix.ClockGettime(clock, &t); err != nil {
		return 0, fmt.Errorf("read the CPU time of runner %d: %w", r.PID(), err)
	}
	return time.Duration(t.Nano()), nil
}
