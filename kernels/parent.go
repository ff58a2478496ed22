package kernels

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/child"
	"github.com/org/perfgate/kernels/sandbox"
)

// Parent is a process that has imported an adapter in Python and forks a child for each runner, which costs a fraction of an import.
// It is confined before it imports anything of a side, and so are its children. It is used by one goroutine at a time.
type Parent struct {
	runner  *Runner // that never says hello: the parent itself
	said    chan parentLine
	ends    []runnerEnds // of children that are not forked yet
	current *forked      // the last child
	started func(pid int) (ended func())
}

// runnerEnds are our ends of a runner's two descriptors.
type runnerEnds struct{ in, out *os.File }

func (e runnerEnds) close() {
	e.in.Close()
	e.out.Close()
}

// parentLine is what a parent says: what stands in the way, a child's number, how it ended, or why there is no adapter.
type parentLine struct {
	OK       bool    `json:"ok"`
	Obstacle *string `json:"obstacle"`
	PID      int     `json:"pid"`
	Status   *int    `json:"status"`
	Error    *struct {
		Code    result.Code `json:"code"`
		Message string      `json:"message"`
	} `json:"error"`
}

// ForkError says why an adapter's children would not be like fresh processes.
type ForkError struct{ Why string }

func (e *ForkError) Error() string { return "its processes cannot be forked: " + e.Why }

// importable are packages that can be imported before the adapter that does so. Their threads begin anew in a forked child, as their own
// handlers see to; a parent has imported them before, so that threads of others are told apart.
var importable = []string{"numpy", "scipy", "torch", "numba", "cupy", "triton"}

// ImportableAhead keeps of names those of packages that a process may import before what it runs does.
func ImportableAhead(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !slices.Contains(importable, name) })
}

// StartParent starts a parent for so many children. The error is a *ForkError where the adapter stands in the way.
func StartParent(ctx context.Context, s RunnerSpec, children int) (*Parent, error) {
	host, err := readHosted(s.Library)
	if err != nil || host == nil {
		return nil, errors.Join(err, &ForkError{"it is no adapter in Python"})
	}
	p := &Parent{said: make(chan parentLine), started: s.Started}
	s.Started = nil // it has no device open, and its children have
	theirs, err := p.pipes(1 + children)
	defer func() {
		for _, f := range theirs {
			f.Close()
		}
	}()
	if err != nil {
		p.closeEnds()
		return nil, err
	}
	if p.runner, err = s.start(theirs, "--children", strconv.Itoa(children)); err != nil {
		p.closeEnds()
		return nil, err
	}
	p.runner.in, p.runner.out = p.ends[0].in, p.ends[0].out
	p.ends = p.ends[1:]
	go p.listen()
	if err := p.ready(ctx); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// pipes makes our ends of so many runners, and returns theirs.
func (p *Parent) pipes(count int) (theirs []*os.File, err error) {
	for range count {
		commands, in, err := os.Pipe()
		if err != nil {
			return theirs, fmt.Errorf("make a pipe for a runner: %w", err)
		}
		out, replies, err := os.Pipe()
		if err != nil {
			commands.Close()
			in.Close()
			return theirs, fmt.Errorf("make a pipe for a runner: %w", err)
		}
		p.ends = append(p.ends, runnerEnds{in, out})
		theirs = append(theirs, commands, replies)
	}
	return theirs, nil
}

func (p *Parent) closeEnds() {
	for _, e := range p.ends {
		e.close()
	}
	p.ends = nil
}

// listen hands on what the parent says until its end.
func (p *Parent) listen() {
	defer close(p.said)
	lines := bufio.NewScanner(p.runner.out)
	for lines.Scan() {
		var line parentLine
		if json.Unmarshal(lines.Bytes(), &line) != nil {
			return
		}
		p.said <- line
	}
}

// hear waits for the next line of the parent.
func (p *Parent) hear(ctx context.Context, doing string) (parentLine, error) {
	timer := time.NewTimer(helloLimit)
	defer timer.Stop()
	select {
	case line, ok := <-p.said:
		if !ok {
			return line, p.runner.ended(doing)
		}
		return line, nil
	case <-timer.C:
		p.runner.process.Kill()
		return parentLine{}, p.runner.fail(result.CodeHung, doing, fmt.Sprintf("no answer within %s", helloLimit))
	case <-ctx.Done():
		p.runner.process.Kill()
		return parentLine{}, fmt.Errorf("%s: %w", doing, context.Cause(ctx))
	}
}

func (p *Parent) ready(ctx context.Context) error {
	line, err := p.hear(ctx, "load the adapter")
	switch {
	case err != nil:
		return err
	case line.Error != nil:
		return &RunnerError{Code: line.Error.Code, Message: line.Error.Message, Doing: "load the adapter"}
	case line.Obstacle == nil:
		p.runner.process.Kill()
		return p.runner.fail(result.CodeNonsense, "load the adapter", "the process answered what is no answer")
	case *line.Obstacle != "":
		return &ForkError{*line.Obstacle}
	}
	return nil
}

// Free says whether the parent can fork another child now: it has one left, and the last one has ended.
func (p *Parent) Free() bool {
	if len(p.ends) == 0 || p.runner.broken != nil {
		return false
	}
	if p.current == nil {
		return true
	}
	select {
	case <-p.current.done:
		return true
	case <-p.runner.process.Done():
	default:
	}
	return false
}

// Runner forks a child and waits for its hello. The child finds no file that one before it has written.
func (p *Parent) Runner(ctx context.Context) (*Runner, error) {
	if err := p.clean(); err != nil {
		return nil, err
	}
	ends := p.ends[0]
	p.ends = p.ends[1:]
	if _, err := p.runner.in.WriteString("fork\n"); err != nil {
		ends.close()
		return nil, p.runner.ended("fork a process")
	}
	line, err := p.hear(ctx, "fork a process")
	if err == nil && line.PID <= 0 {
		p.runner.process.Kill()
		err = p.runner.fail(result.CodeNonsense, "fork a process", "the process answered what is no answer")
	}
	if err != nil {
		ends.close()
		return nil, err
	}
	p.current = &forked{parent: p, pid: line.PID, done: make(chan struct{}), printed: len(p.runner.process.Output().Stderr)}
	go p.current.await()
	r := &Runner{process: p.current, in: ends.in, out: ends.out, replies: make(chan reply, 1), leave: func() {}, limits: p.runner.limits, boxed: p.runner.boxed}
	if p.started != nil {
		r.leave = p.started(line.PID)
	}
	r.asked.Add(1)
	go r.read()
	if err := r.hello(ctx); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// clean empties the folder that children of a sandbox work in. Without a sandbox there is none of their own.
func (p *Parent) clean() error {
	if !p.runner.boxed {
		return nil
	}
	entries, err := os.ReadDir(p.runner.folder)
	if err != nil {
		return fmt.Errorf("clean up behind a process: %w", err)
	}
	for _, entry := range entries {
		if err := sandbox.Remove(filepath.Join(p.runner.folder, entry.Name())); err != nil {
			return fmt.Errorf("clean up behind a process: %w", err)
		}
	}
	return nil
}

// Close ends the parent and what is left of its children.
func (p *Parent) Close() {
	p.closeEnds()
	p.runner.in.Close() // which ends it
	select {
	case <-p.runner.process.Done():
	case <-time.After(3 * time.Second):
		p.runner.process.Kill()
		<-p.runner.process.Done()
	}
	_ = p.runner.out.SetReadDeadline(time.Now().Add(time.Second))
	for range p.said {
	}
	p.runner.out.Close()
	p.runner.leave()
}

// forked is a process that a parent forked. Only the parent can wait for it; to kill it is to kill the parent and all of its children.
type forked struct {
	parent  *Parent
	pid     int
	done    chan struct{}
	status  syscall.WaitStatus
	printed int // bytes that the parent had printed to standard error before
}

// await waits for what the parent says of its child's end. A parent that is gone has taken the child with it.
func (f *forked) await() {
	defer close(f.done)
	f.status = syscall.WaitStatus(syscall.SIGKILL)
	line, ok := <-f.parent.said
	if ok && line.Status != nil {
		f.status = syscall.WaitStatus(*line.Status)
	}
}

func (f *forked) PID() int { return f.pid }

func (f *forked) Done() <-chan struct{} { return f.done }

func (f *forked) Kill() { f.parent.runner.process.Kill() }

func (f *forked) Status() syscall.WaitStatus { return f.status }

// Output is what was printed since the child began.
func (f *forked) Output() child.Output {
	out := f.parent.runner.process.Output()
	out.Stderr = out.Stderr[min(f.printed, len(out.Stderr)):]
	return out
}

// errForked is for what only a process of ours can do.
var errForked = errors.New("a forked process cannot be waited for under another program")

func (f *forked) Wait(context.Context) (child.Output, error) { return f.Output(), errForked }
