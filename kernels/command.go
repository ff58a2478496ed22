package kernels

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/child"
	"github.com/org/perfgate/kernels/observe"
	"github.com/org/perfgate/kernels/sandbox"
)

// CommandSpec is a command of the configuration that runs code under test: a benchmark of the user's.
type CommandSpec struct {
	Line    string   // for sh
	Doing   string   // what it is run for, as errors say it; "" is to run the benchmark
	Args    []string // appended to the line as they are
	Dir     string   // where it runs, in the tree of a side
	Root    string   // folder around Dir that holds all of the side
	Env     []string // NAME=value entries on top of the scrubbed environment
	Scratch string   // private folder, in which it has one of its own while it runs
	Writes  []string // folders that it may write into besides
	Devices []string // in a sandbox, files of an accelerator that it may open
	Reads   []string // in a sandbox, what it may read besides the system, the tools on PATH and its side
	Caches  string   // folder of the side, in which frameworks keep what they compile; "" leaves that where the environment says
	Memory  int64    // bytes that it and all that it starts may hold together; 0 means no limit
	Under   []string // program that the shell runs under, with its arguments: a profiler
	Limit   time.Duration
	Sandbox *Sandbox // nil: it may touch what the user may
	Waits   bool     // it begins to work when it has read its input to the end, see Tell
	Started func(pid int) (ended func())
	Observe *observe.Options // says what of its requests for files is recorded; nil: nothing is
	Log     child.Log        // may be nil
	CPUs    []int            // processors that it runs on; nil means any
}

// CommandEnd is what a command left behind that ended well.
type CommandEnd struct {
	Stdout string
	Cut    bool          // Stdout is not all that was printed
	Last   string        // the last lines that it printed, errors first
	Lived  time.Duration // by the clock of this process
	CPU    time.Duration // with all that it started and waited for
	Hint   string        // what of the sandbox may have kept a part of a pipeline or a list from working, though its last command ended well
}

// stdoutKept is what is kept of what a command prints: a table may be all that it writes.
const stdoutKept = 4 << 20

// RunCommand runs a command to its end. What the code under test does wrong is a *RunnerError.
func RunCommand(ctx context.Context, s CommandSpec) (CommandEnd, error) {
	c, err := StartCommand(s)
	if err != nil {
		return CommandEnd{}, err
	}
	return c.Wait(ctx)
}

// Command is a command that was started. One that waits has to be told, and then waited for, or closed.
type Command struct {
	spec    CommandSpec
	child   child.Spec
	process *child.Process
	input   *os.File // of one that waits
	began   time.Time
	leave   func()
}

// StartCommand starts a command.
func StartCommand(s CommandSpec) (*Command, error) {
	spec, leave, err := s.confined()
	if err != nil {
		return nil, err
	}
	c := &Command{spec: s, child: spec, began: time.Now(), leave: leave}
	if s.Waits {
		theirs, ours, err := os.Pipe()
		if err != nil {
			leave()
			return nil, fmt.Errorf("make a pipe for a benchmark: %w", err)
		}
		defer theirs.Close()
		c.child.Stdin, c.input = theirs, ours
	}
	if c.process, err = child.Start(c.child); err != nil {
		c.closeInput()
		leave()
		return nil, err
	}
	if s.Observe != nil {
		go c.process.PollCode()
	}
	if s.Started != nil {
		ended := s.Started(c.process.PID())
		c.leave = func() { ended(); leave() }
	}
	return c, nil
}

// Tell gives a command that waits its input, and says whether it was there to take it. Its time counts from now.
func (c *Command) Tell(input string) bool {
	defer c.closeInput()
	c.began = time.Now()
	_ = c.input.SetWriteDeadline(c.began.Add(helloLimit)) // one that does not read has filled the pipe
	_, err := c.input.WriteString(input)
	return err == nil
}

func (c *Command) closeInput() {
	if c.input != nil {
		c.input.Close()
		c.input = nil
	}
}

// Close ends a command that is not to go on.
func (c *Command) Close() {
	c.closeInput()
	c.process.Kill()
	<-c.process.Done()
	c.leave()
}

// Wait waits for the command's end. What the code under test does wrong is a *RunnerError.
func (c *Command) Wait(ctx context.Context) (CommandEnd, error) {
	defer c.leave()
	limited, cancel := context.WithDeadlineCause(ctx, c.began.Add(c.spec.Limit), errLimit)
	defer cancel()
	out, err := c.process.Wait(limited)
	end := CommandEnd{Stdout: out.Stdout, Cut: len(out.Stdout) > stdoutKept, Last: lastPrinted(out.Stderr, out.Stdout), Lived: time.Since(c.began)}
	if state := c.process.State(); state != nil {
		end.CPU = state.UserTime() + state.SystemTime()
	}
	switch {
	case ctx.Err() != nil:
		return end, context.Cause(ctx)
	case err == nil && out.Broke == "":
		if c.child.Sandbox != nil && !IsOneCommand(c.spec.Line) {
			end.Hint = hintForked(end.Last)
		}
		return end, nil
	}
	return end, c.spec.fault(out, end.Last, c.process.State(), context.Cause(limited) != nil, c.child)
}

// Observed is what a command that has ended asked for. Its specification has Observe.
func (c *Command) Observed() observe.Report { return c.process.Observed() }

var errLimit = errors.New("it took too long")

// confined is the child that runs the command, with a private folder that is its home and its temporary folder; leave takes that away.
func (s CommandSpec) confined() (spec child.Spec, leave func(), err error) {
	private, leave, err := privateFolder(s.Scratch, "bench-")
	if err != nil {
		return spec, nil, err
	}
	program := slices.Concat(s.Under, []string{"/bin/sh", "-c", replacing(s.Line) + ` "$@"`, "sh"}, s.Args)
	spec = child.Spec{
		Path: program[0], Args: program[1:], Dir: s.Dir, HeadBytes: stdoutKept,
		Env: child.With(child.Scrub(os.Environ()), "TMPDIR="+private), Memory: s.Memory, Log: s.Log, CPUs: s.CPUs,
	}
	if s.Observe != nil {
		own := *s.Observe
		own.Own = append(slices.Clone(own.Own), private)
		spec.Observe = &own
	}
	if s.Sandbox == nil {
		spec.Env = s.environment(spec.Env)
		return spec, leave, nil
	}
	files, err := readable(s.Root)
	if err != nil {
		leave()
		return spec, nil, err
	}
	writes := s.Writes
	if s.Caches != "" {
		writes = append(slices.Clone(writes), s.Caches)
	}
	own := sandbox.Policy{Read: s.Reads, Write: writes, Devices: s.Devices}
	if len(s.Devices) > 0 { // what a driver's library finds devices by
		own.Read = append(slices.Clone(own.Read), "/sys/class", "/sys/devices")
	}
	// What PATH and a virtual environment name is the user's, as for build.command.
	spec = s.Sandbox.confined(spec, private, own, files, sandbox.CUDA(), sandbox.SearchPath(), sandbox.Accounts(), sandbox.Toolchain(installedProgram(s.Line)))
	spec.Env = s.environment(spec.Env)
	spec.Disk.Folders = append(spec.Disk.Folders, writes...)
	return spec, leave, nil
}

// environment is what the command gets on top of env.
func (s CommandSpec) environment(env []string) []string {
	if s.Caches != "" {
		env = withCaches(env, s.Caches)
	}
	return child.With(env, s.Env...)
}

// shellSignal and the number of a signal are the exit status of a shell whose program was ended by that.
const shellSignal = 128

// shellNotFound is the exit status of a shell, and of what starts another program as env does, that finds no such program. One less is for a program
// that cannot be run.
const shellNotFound = 127

// fault says how a command ended that did not end well.
func (s CommandSpec) fault(out child.Output, last string, state *os.ProcessState, late bool, spec child.Spec) error {
	doing := cmp.Or(s.Doing, "run the benchmark")
	fault := &RunnerError{Doing: doing, Printed: last}
	status, _ := state.Sys().(syscall.WaitStatus)
	fault.Code, fault.Message = stopped(out, spec)
	switch {
	case fault.Code != "":
	case out.Broke == child.DiskFull:
		return overDisk(out, doing)
	case late:
		fault.Code, fault.Message = result.CodeHung, fmt.Sprintf("it did not end within %s: it hangs, or is far slower than expected", s.Limit.Round(time.Millisecond))
	case status.Signaled():
		fault.Code, fault.Message = result.CodeCrashed, "it crashed: "+signalName(status.Signal())
	case state.ExitCode() > shellSignal && state.ExitCode() <= shellSignal+64:
		fault.Code, fault.Message = result.CodeCrashed, "it crashed: "+signalName(syscall.Signal(state.ExitCode()-shellSignal))
	case state.ExitCode() == shellNotFound || state.ExitCode() == shellNotFound-1:
		fault.Code, fault.Message = result.CodeNotStarted, fmt.Sprintf("it could not be started: exit status %d is a shell's for a program that is not there, or cannot be run", state.ExitCode())
	default:
		fault.Code, fault.Message = result.CodeExited, fmt.Sprintf("it ended with exit status %d", state.ExitCode())
	}
	if spec.Sandbox != nil {
		fault.Message += cmp.Or(hintForked(fault.Printed), hintDenied(fault.Printed))
	}
	return fault
}

// hintForked adds to what a driver of a GPU said that could not start in a process that the command forked, see replacing.
func hintForked(text string) string {
	if !strings.Contains(text, "OS call failed or operation not supported") && !strings.Contains(text, "CUDA_ERROR_OPERATING_SYSTEM") {
		return ""
	}
	return "; in the sandbox a GPU can be opened by the program that the command becomes, and by none that it starts: " +
		"end a script with exec, and in place of a pipeline name the columns of its table (csv)"
}

// BuildOutcome is what a build command left beside files.
type BuildOutcome struct {
	Printed string
	Seconds float64
	Asked   observe.Report // of one that ended well
}

// BuildCommand runs a command of the configuration that builds a benchmark in the tree of a side. Its fault is a *BuildError.
func (b *Builder) BuildCommand(ctx context.Context, s BuildSpec) (BuildOutcome, error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(b.Limit, mostBuilding))
	defer cancel()
	start := time.Now()
	leave, err := b.enter(&s)
	if err != nil {
		return BuildOutcome{}, err
	}
	defer leave()
	spec, err := b.command(s, b.stage(s))
	if err != nil {
		return BuildOutcome{}, err
	}
	out, asked, err := b.toTheEnd(ctx, s, spec)
	return BuildOutcome{Printed: out.Stderr + out.Stdout, Seconds: time.Since(start).Seconds(), Asked: asked}, err
}

// ShellLine is a command as it is written for a shell.
func ShellLine(command []string) string {
	words := make([]string, len(command))
	for i, word := range command {
		words[i] = ShellWord(word)
	}
	return strings.Join(words, " ")
}

// ShellWord is a word as it is written on a shell's command line: quoted where it needs it.
func ShellWord(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./,:+%@"
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
