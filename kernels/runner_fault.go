package kernels

import (
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/child"
)

// ended says how the process ended: by a signal, by an exit, or because it flooded us.
func (r *Runner) ended(doing string) error {
	select {
	case <-r.process.Done():
	case <-time.After(2 * time.Second):
		r.process.Kill() // it closed its descriptor and lives on
		<-r.process.Done()
		return r.fail(result.CodeNonsense, doing, "the runner closed its descriptor")
	}
	out := r.process.Output()
	if code, message := stopped(out, child.Spec{Disk: r.limits}); code != "" {
		return r.fail(code, doing, message)
	}
	if err := overDisk(out, doing); err != nil {
		r.broken = err
		return err
	}
	status := r.process.Status()
	if status.Signaled() {
		return r.fail(result.CodeCrashed, doing, "it crashed: "+signalName(status.Signal()))
	}
	return r.fail(result.CodeExited, doing, fmt.Sprintf("it ended the process by itself, with exit status %d", status.ExitStatus()))
}

func signalName(s syscall.Signal) string {
	names := map[syscall.Signal]string{
		syscall.SIGSEGV: "SIGSEGV (invalid memory access)",
		syscall.SIGABRT: "SIGABRT (abort, a failed assertion or an uncaught exception)",
		syscall.SIGFPE:  "SIGFPE (arithmetic error, such as a division by zero)",
		syscall.SIGILL:  "SIGILL (illegal instruction: built for another processor?)",
		syscall.SIGBUS:  "SIGBUS (bad memory access)",
		syscall.SIGKILL: "SIGKILL (killed; out of memory?)",
		syscall.SIGXFSZ: "SIGXFSZ (it wrote a larger file than it may)",
	}
	if name, ok := names[s]; ok {
		return name
	}
	return s.String()
}

func (r *Runner) fail(code result.Code, doing, message string) error {
	if code != result.CodeHung && code != result.CodeNonsense {
		<-r.process.Done()
	}
	printed := lastLines(r.process.Output().Stderr, 5)
	if r.boxed {
		message += hintDenied(printed)
	}
	r.broken = &RunnerError{Code: code, Message: message, Doing: doing, Printed: printed}
	return r.broken
}

// lastPrinted are the last five lines that a process printed: those of its errors, then of its output as far as there is room.
func lastPrinted(errors, output string) string {
	const most = 5
	last := lastLines(errors, most)
	if last == "" {
		return lastLines(output, most)
	}
	room := most - 1 - strings.Count(last, "\n")
	return strings.TrimSpace(last + "\n" + lastLines(output, room))
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
