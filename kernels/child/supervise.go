package child

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/org/perfgate/kernels/sandbox"
)

// scratchEnv names, for a supervised process, the private folder that its supervisor made and will remove.
const scratchEnv = "PERFGATE_SCRATCH"

// Scratch is the private folder of a supervised process, or "" of a process that is not supervised.
func Scratch() string { return os.Getenv(scratchEnv) }

// Supervise runs this program again with the same arguments and returns the exit code of that copy, which does the
// work. When the copy has ended, in whatever way, even by kill -9, what it left is taken away: processes, the private
// folder. When we are killed instead, the copy is told by the kernel and cleans up itself.
func Supervise(stderr io.Writer, failed int) int {
	scratch, err := os.MkdirTemp("", "perfgate-")
	if err != nil {
		fmt.Fprintf(stderr, "perfgate: make a temporary folder (TMPDIR names another place): %v\n", err)
		return failed
	}
	defer func() { _ = sandbox.Remove(scratch) }()
	// Pdeathsig is bound to the thread that starts the child: it must live as long as we do.
	runtime.LockOSThread()
	becomeSubreaper()
	cmd := exec.Command("/proc/self/exe", os.Args[1:]...)
	cmd.Args[0] = os.Args[0]
	cmd.Env = With(os.Environ(), scratchEnv+"="+scratch)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	if err := live.start(cmd, nil); err != nil {
		fmt.Fprintf(stderr, "perfgate: start its worker: %v\n", err)
		return failed
	}
	go forward(signals, cmd.Process)
	err = cmd.Wait()
	live.ended(cmd.Process.Pid)
	sweepOrphans()
	removeNoted(scratch)
	return exitCode(err, stderr, failed)
}

// Hide keeps other processes of the same user from this one's memory, descriptors and environment, which may hold a token.
// A sandbox does that by itself for what runs in it; this is for where there is none. It ends with the next execve, so every
// process that starts others calls it.
func Hide() { _ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }

// forward hands signals to the worker; one that does not listen is killed at the third.
func forward(signals <-chan os.Signal, worker *os.Process) {
	for n := 1; ; n++ {
		s := <-signals
		if n >= 3 {
			s = os.Kill
		}
		_ = worker.Signal(s)
	}
}

func exitCode(err error, stderr io.Writer, failed int) int {
	var exit *exec.ExitError
	if err == nil {
		return 0
	}
	if errors.As(err, &exit) && exit.Exited() {
		return exit.ExitCode()
	}
	fmt.Fprintf(stderr, "perfgate: it was ended from outside (%v); nothing was decided, and what it left was removed\n", err)
	return failed
}
