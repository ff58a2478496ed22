// Package child starts programs that may be malicious or broken and makes sure that they end: each in a session of its
// own, with a scrubbed environment, capped output and a time limit, killed together with everything it forked.
//
//	Spec -> Start -> Process -> Wait -> Output: what it printed, which limit it broke, what it asked Linux for
//	Pool: those that are slow to start (a GPU is opened, packages are imported) start before their turn, as nothing else in perfgate does
//	Each: pieces of work -> done in parallel; what other pieces may have spoiled is done again, alone
package child

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/org/perfgate/kernels/observe"
	"github.com/org/perfgate/kernels/sandbox"
)

// Spec says what to start and how far to trust it.
type Spec struct {
	Path      string
	Args      []string // without the program's name
	Dir       string
	Env       []string         // complete; nil means Scrub(os.Environ())
	Stdin     *os.File         // nil means nothing to read
	Files     []*os.File       // inherited as descriptors 3, 4, …
	HeadBytes int              // of each output stream kept from its start; 0 means 64 KiB
	MaxBytes  int64            // of output, after which the child is killed; 0 means 64 MiB
	Sandbox   *sandbox.Policy  // what it may touch; nil means whatever the user may
	Observe   *observe.Options // says what of its requests for files is recorded; nil: nothing is
	Disk      DiskLimit        // on what it writes; the zero value means none
	Shared    int64            // bytes of System V's memory, in which limits on addresses do not show; 0 means no limit
	Memory    int64            // bytes that it and all that it starts may hold together; 0 means no limit
	Log       Log              // told of it before it starts; may be nil
	CPUs      []int            // processors that it and all that it starts run on; nil means those of this process
}

// Log is told of each program that starts, with its arguments; several may start at once.
type Log func(command []string)

// Process is a started child.
type Process struct {
	cmd    *exec.Cmd
	stdout *capture
	stderr *capture
	done   chan struct{}
	err    error
	mu     sync.Mutex
	broke  Limit
	reaped bool

	exited   chan struct{}     // it has ended, and those that it started may live
	segments *segments         // nil where it can make none
	listener *observe.Listener // nil where it is not observed
	code     *code             // nil but where it is not, though it was to be
}

// Output is what a child printed, as far as it was kept.
type Output struct {
	Stdout, Stderr string
	Broke          Limit // for which it was killed; "" for none
}

const (
	defaultHead = 64 << 10
	defaultMax  = 64 << 20
	// After a child died, what it wrote is still in the pipe; a forked grandchild may hold the pipe open for ever.
	drainGrace = 200 * time.Millisecond
)

// Start starts the child in a session of its own, so that its process group holds it and what it forks, and so that
// a Ctrl-C at the terminal reaches us and not it.
//
// In a sandbox, and of one that is observed, Start returns when the program has begun; that it could not is then an error of Start.
func Start(s Spec) (*Process, error) {
	if s.Log != nil {
		s.Log(append([]string{s.Path}, s.Args...))
	}
	if !s.helped() {
		return start(s)
	}
	link, err := sandbox.NewLink(s.Sandbox)
	if err != nil {
		return nil, err
	}
	path := s.Path
	s.Path, s.Args = link.Command(3+len(s.Files), s.Path, s.Args)
	s.Files = append(slices.Clip(s.Files), link.File())
	p, err := start(s)
	if err != nil {
		link.Close()
		return nil, err
	}
	if o := s.Observe; o == nil {
		err = link.Hand()
	} else {
		listen := func(listener int) { p.listener = observe.Listen(listener, *o) }
		err = link.HandObserved(listen, func(why string) { p.code = newCode(why, p.PID(), o.Own) })
	}
	if err != nil {
		p.Kill()
		<-p.done
		return nil, fmt.Errorf("start %s %w", path, err)
	}
	return p, nil
}

// helped says whether the program is started by a helper, which takes on what the program is to have around it.
func (s Spec) helped() bool { return s.Sandbox != nil || s.Observe != nil }

// survivorsGrace is how long processes that were killed may take to be gone.
const survivorsGrace = 2 * time.Second

// Observed waits for the child's end and tells what it and all that it started asked of the file system, or what it was seen to have loaded where it could
// not be observed. Its Spec has Observe.
func (p *Process) Observed() observe.Report {
	<-p.done
	if p.code != nil {
		return p.code.report()
	}
	return p.listener.Report(survivorsGrace)
}

func start(s Spec) (*Process, error) {
	becomeSubreaper()
	p := &Process{done: make(chan struct{}), exited: make(chan struct{})}
	cmd := s.command()
	var err error
	if p.stdout, p.stderr, err = p.captures(s); err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = p.stdout.write, p.stderr.write
	p.cmd = cmd
	if s.makesSegments() {
		p.segments = newSegments()
	}
	if err := live.start(cmd, s.CPUs); err != nil {
		p.stdout.close()
		p.stderr.close()
		return nil, startError(s.Path, err)
	}
	p.stdout.started()
	p.stderr.started()
	if p.segments != nil {
		p.segments.family = newFamily(p.PID())
		p.segments.watched.Go(func() { p.watch(segmentLook, p.segments.limit(s.Shared)) })
	}
	go p.wait()
	if len(s.Disk.Folders) > 0 {
		go p.watch(diskLook, s.Disk.broken())
	}
	if s.Memory > 0 {
		go p.watch(memoryLook, memoryLimit(p.PID(), s.Memory))
	}
	return p, nil
}

// command is the program with its folder, environment and files, without where it prints to.
func (s Spec) command() *exec.Cmd {
	cmd := exec.Command(s.Path, s.Args...)
	if s.helped() {
		cmd.Args[0] = os.Args[0] // the helper is this program, which may go by its name
	}
	cmd.Dir = s.Dir
	cmd.Env = s.Env
	if cmd.Env == nil {
		cmd.Env = Scrub(os.Environ())
	}
	cmd.Env = inFolder(cmd.Env, s.Dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if s.Stdin != nil {
		cmd.Stdin = s.Stdin
	}
	cmd.ExtraFiles = s.Files
	return cmd
}

// captures keep what the program prints, up to the limits of s.
func (p *Process) captures(s Spec) (stdout, stderr *capture, err error) {
	head, limit := cmp.Or(s.HeadBytes, defaultHead), cmp.Or(s.MaxBytes, defaultMax)
	if stdout, err = newCapture(head, limit, p.flood); err != nil {
		return nil, nil, err
	}
	if stderr, err = newCapture(head, limit, p.flood); err != nil {
		stdout.close()
		return nil, nil, err
	}
	return stdout, stderr, nil
}

func startError(path string, err error) error {
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("cannot start %s: it is not there: %w", path, err)
	}
	return fmt.Errorf("cannot start %s: %w", path, err)
}

func (p *Process) wait() {
	p.awaitExit()
	close(p.exited)
	if p.segments != nil {
		p.segments.watched.Wait()
		p.segments.look() // while those that it started are there to be told by
	}
	p.Kill() // the leader is gone; the rest of its group goes with it
	p.mu.Lock()
	p.reaped = true
	p.err = p.cmd.Wait()
	p.mu.Unlock()
	live.ended(p.cmd.Process.Pid)
	sweepOrphans()
	if p.segments != nil {
		p.segments.remove()
	}
	p.stdout.finish(drainGrace)
	p.stderr.finish(drainGrace)
	close(p.done)
}

// awaitExit waits without reaping: while the zombie stands, its process group id cannot belong to another.
func (p *Process) awaitExit() {
	var info unix.Siginfo
	for {
		err := unix.Waitid(unix.P_PID, p.cmd.Process.Pid, &info, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return
		}
	}
}

// PID is the child's process id, which is also its process group's and its session's.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed once the child has ended, its group was killed and its output was collected.
func (p *Process) Done() <-chan struct{} { return p.done }

// Kill ends the child and its process group.
func (p *Process) Kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reaped {
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) // negative: the whole group
	}
}

// Wait waits for the end of the child, kills it when ctx ends first, and returns what it printed and how it ended: nil,
// an *exec.ExitError, or the error of ctx.
func (p *Process) Wait(ctx context.Context) (Output, error) {
	select {
	case <-p.done:
	case <-ctx.Done():
		p.Kill()
		<-p.done
		if p.err != nil {
			return p.Output(), ctx.Err()
		}
	}
	return p.Output(), p.err
}

// Output returns what the child has printed so far.
func (p *Process) Output() Output {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Output{Stdout: p.stdout.String(), Stderr: p.stderr.String(), Broke: p.broke}
}

// Status is how the child ended, as the system tells it; only valid after Done.
func (p *Process) Status() syscall.WaitStatus {
	status, _ := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	return status
}

// State returns how the child ended; only valid after Done.
func (p *Process) State() *os.ProcessState { return p.cmd.ProcessState }

// Run starts the child and waits for its end.
func Run(ctx context.Context, s Spec) (Output, error) {
	if err := ctx.Err(); err != nil {
		return Output{}, err
	}
	p, err := Start(s)
	if err != nil {
		return Output{}, err
	}
	return p.Wait(ctx)
}

// capture drains one output stream so that the child never blocks on it, and keeps its start and its end.
type capture struct {
	read, write *os.File
	head        int
	limit       int64
	onFlood     func()
	mu          sync.Mutex
	kept        []byte
	last        []byte // of what came after kept
	total       int64
	drained     chan struct{}
}

func newCapture(head int, limit int64, onFlood func()) (*capture, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe for a child's output: %w", err)
	}
	return &capture{read: r, write: w, head: head, limit: limit, onFlood: onFlood, drained: make(chan struct{})}, nil
}

func (c *capture) close() {
	c.read.Close()
	c.write.Close()
}

func (c *capture) started() {
	c.write.Close()
	go c.drain()
}

func (c *capture) drain() {
	defer close(c.drained)
	buf := make([]byte, 32<<10)
	for {
		n, err := c.read.Read(buf)
		if n > 0 && c.add(buf[:n]) {
			c.onFlood()
		}
		if err != nil {
			return
		}
	}
}

// keptEnd is what is kept of the end of a long output, in bytes: the last words of what stopped stand there.
const keptEnd = 16 << 10

// add reports whether the stream has just passed its limit.
func (c *capture) add(b []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.total
	c.total += int64(len(b))
	room := min(c.head-len(c.kept), len(b))
	c.kept = append(c.kept, b[:room]...)
	c.last = append(c.last, b[room:]...)
	if len(c.last) > 2*keptEnd {
		c.last = append(c.last[:0], c.last[len(c.last)-keptEnd:]...)
	}
	return before <= c.limit && c.total > c.limit
}

func (c *capture) finish(grace time.Duration) {
	_ = c.read.SetReadDeadline(time.Now().Add(grace))
	<-c.drained
	c.read.Close()
}

func (c *capture) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	last := c.last[max(0, len(c.last)-keptEnd):]
	if more := c.total - int64(len(c.kept)+len(last)); more > 0 {
		return fmt.Sprintf("%s\n[%d bytes left out]\n%s", c.kept, more, last)
	}
	return string(c.kept) + string(last)
}
