package kernels

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/org/perfgate/kernels/child"
)

// RunnerSpec says which adapter to load and within which limits.
type RunnerSpec struct {
	Harness     string
	Library     string
	Dir         string   // private working folder, also its TMPDIR
	MemoryBytes int64    // address space; 0 means no limit, which CUDA needs: it reserves far more than it uses
	Env         []string // NAME=value entries on top of the scrubbed environment, such as CUDA_VISIBLE_DEVICES
}

// Runner is a live harness process with one adapter. It is used by one goroutine at a time.
type Runner struct {
	Hello   Hello
	process *child.Process
	in      *os.File
	out     *os.File
	replies chan reply
	id      int
	broken  error
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
	commandsR, commandsW, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe for a runner: %w", err)
	}
	repliesR, repliesW, err := os.Pipe()
	if err != nil {
		commandsR.Close()
		commandsW.Close()
		return nil, fmt.Errorf("make a pipe for a runner: %w", err)
	}
	args := []string{"--adapter", s.Library, "--in", "3", "--out", "4"}
	if s.MemoryBytes > 0 {
		args = append(args, "--memory-bytes", strconv.FormatInt(s.MemoryBytes, 10))
	}
	env := child.With(child.Scrub(os.Environ()), append([]string{"TMPDIR=" + s.Dir}, s.Env...)...)
	p, err := child.Start(child.Spec{Path: s.Harness, Args: args, Dir: s.Dir, Env: env, Files: []*os.File{commandsR, repliesW}})
	commandsR.Close()
	repliesW.Close()
	if err != nil {
		commandsW.Close()
		repliesR.Close()
		return nil, err
	}
	r := &Runner{process: p, in: commandsW, out: repliesR, replies: make(chan reply, 1)}
	go r.read()
	if err := r.hello(ctx); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// read hands on the runner's lines until its end; a line without end is an error.
func (r *Runner) read() {
	defer r.out.Close()
	defer close(r.replies)
	lines := bufio.NewScanner(r.out)
	lines.Buffer(make([]byte, 0, 16<<10), maxLine)
	for lines.Scan() {
		r.replies <- reply{line: bytes.Clone(lines.Bytes())}
	}
	err := lines.Err()
	if err == nil {
		err = io.EOF
	}
	r.replies <- reply{err: err}
}

func (r *Runner) hello(ctx context.Context) error {
	if err := r.answer(ctx, "load the adapter", helloLimit, &r.Hello); err != nil {
		return err
	}
	if r.Hello.Protocol != ProtocolVersion {
		return r.fail(CodeNonsense, "load the adapter", fmt.Sprintf("the runner speaks protocol %d, this program %d", r.Hello.Protocol, ProtocolVersion))
	}
	return nil
}

// Has says whether the adapter defines an optional function: setup, teardown, reference or work.
func (r *Runner) Has(function string) bool {
	for _, name := range r.Hello.Has {
		if name == function {
			return true
		}
	}
	return false
}

// Call sends the command op with the fields of args, waits at most limit for the answer and decodes it into answer.
// Failures of the code under test are *RunnerError; after one that ended the process every further call fails alike.
func (r *Runner) Call(ctx context.Context, op, what string, args, answer any, limit time.Duration) error {
	doing := strings.TrimSpace(op + " " + what)
	if r.broken != nil {
		return r.broken
	}
	r.id++
	line, err := encodeCommand(r.id, op, args)
	if err != nil {
		return fmt.Errorf("encode the command %s: %w", op, err)
	}
	if err := r.send(line, limit); err != nil {
		return r.ended(doing)
	}
	return r.answer(ctx, doing, limit, answer)
}

func (r *Runner) send(line []byte, limit time.Duration) error {
	_ = r.in.SetWriteDeadline(time.Now().Add(limit))
	_, err := r.in.Write(line)
	return err
}

func encodeCommand(id int, op string, args any) ([]byte, error) {
	fields := map[string]any{}
	if args != nil {
		b, err := json.Marshal(args)
		if err != nil {
			return nil, err
		}
		d := json.NewDecoder(bytes.NewReader(b))
		d.UseNumber() // a parameter is an int64, which a float64 cannot hold
		if err := d.Decode(&fields); err != nil {
			return nil, err
		}
	}
	fields["id"], fields["op"] = id, op
	b, err := json.Marshal(fields)
	return append(b, '\n'), err
}

// envelope is what every reply has.
type envelope struct {
	ID    int  `json:"id"`
	OK    bool `json:"ok"`
	Error *struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func (r *Runner) answer(ctx context.Context, doing string, limit time.Duration, answer any) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case got := <-r.replies:
		if got.err != nil {
			return r.unreadable(doing, got.err)
		}
		return r.decode(doing, got.line, answer)
	case <-timer.C:
		r.process.Kill()
		return r.fail(CodeHung, doing, fmt.Sprintf("no answer within %s: it hangs, or is far slower than expected", limit.Round(time.Millisecond)))
	case <-ctx.Done():
		r.process.Kill()
		r.broken = fmt.Errorf("%s: %w", doing, context.Cause(ctx))
		return r.broken
	}
}

func (r *Runner) unreadable(doing string, err error) error {
	if errors.Is(err, io.EOF) {
		return r.ended(doing)
	}
	r.process.Kill()
	return r.fail(CodeNonsense, doing, "the runner's answer has no end")
}

func (r *Runner) decode(doing string, line []byte, answer any) error {
	var e envelope
	if err := json.Unmarshal(line, &e); err != nil || e.ID != r.id || (!e.OK && e.Error == nil) {
		r.process.Kill()
		return r.fail(CodeNonsense, doing, fmt.Sprintf("the runner answered what is no answer: %.80q", line))
	}
	if !e.OK {
		fault := &RunnerError{Code: e.Error.Code, Message: e.Error.Message, Doing: doing}
		if fault.Code == CodeDeviceFault {
			r.broken = fault
		}
		return fault
	}
	if answer == nil {
		return nil
	}
	if err := json.Unmarshal(line, answer); err != nil {
		r.process.Kill()
		return r.fail(CodeNonsense, doing, fmt.Sprintf("the runner's answer cannot be read: %v", err))
	}
	return nil
}

// ended says how the process ended: by a signal, by an exit, or because it flooded us.
func (r *Runner) ended(doing string) error {
	select {
	case <-r.process.Done():
	case <-time.After(2 * time.Second):
		r.process.Kill() // it closed its descriptor and lives on
		<-r.process.Done()
		return r.fail(CodeNonsense, doing, "the runner closed its descriptor")
	}
	if r.process.Output().Flooded {
		return r.fail(CodeFlooded, doing, "it printed without end and was stopped")
	}
	status, ok := r.process.State().Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return r.fail(CodeCrashed, doing, "it crashed: "+signalName(status.Signal()))
	}
	return r.fail(CodeExited, doing, fmt.Sprintf("it ended the process by itself, with exit status %d", r.process.State().ExitCode()))
}

func signalName(s syscall.Signal) string {
	names := map[syscall.Signal]string{
		syscall.SIGSEGV: "SIGSEGV (invalid memory access)",
		syscall.SIGABRT: "SIGABRT (abort, a failed assertion or an uncaught exception)",
		syscall.SIGFPE:  "SIGFPE (arithmetic error, such as a division by zero)",
		syscall.SIGILL:  "SIGILL (illegal instruction: built for another processor?)",
		syscall.SIGBUS:  "SIGBUS (bad memory access)",
		syscall.SIGKILL: "SIGKILL (killed; out of memory?)",
	}
	if name, ok := names[s]; ok {
		return name
	}
	return s.String()
}

func (r *Runner) fail(code, doing, message string) error {
	if code != CodeHung && code != CodeNonsense {
		<-r.process.Done()
	}
	r.broken = &RunnerError{Code: code, Message: message, Doing: doing, Printed: lastLines(r.process.Output().Stderr, 5)}
	return r.broken
}

// lastLines returns the end of what was printed, at most n lines of 200 bytes.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	lines = lines[max(0, len(lines)-n):]
	for i, line := range lines {
		lines[i] = line[:min(len(line), 200)]
	}
	return strings.Join(lines, "\n")
}

// PID is the runner's process id.
func (r *Runner) PID() int { return r.process.PID() }

// Close ends the runner: by its own word if it is well, by force otherwise, and waits until nothing of it is left.
func (r *Runner) Close() {
	if r.broken == nil {
		r.id++
		if line, err := encodeCommand(r.id, "quit", nil); err == nil {
			_ = r.send(line, time.Second)
		}
	}
	r.in.Close()
	select {
	case <-r.process.Done():
	case <-time.After(3 * time.Second):
		r.process.Kill()
		<-r.process.Done()
	}
	// A process that got away may hold the descriptor: the reader ends all the same.
	_ = r.out.SetReadDeadline(time.Now().Add(time.Second))
	for range r.replies {
	}
}
