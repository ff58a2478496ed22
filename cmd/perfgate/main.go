// Command perfgate is the performance gate for kernels; `perfgate help` lists its verbs.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/org/perfgate/gate/machine"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/child"
)

func main() { os.Exit(start()) }

// start runs the verbs that execute code under test in a supervised copy of this program, so that nothing is left
// behind whichever of the two is killed.
func start() int {
	child.Hide()
	if child.Scratch() == "" && runsKernels(os.Args[1:]) {
		tidy() // after a perfgate that was killed together with its supervisor
		defer tidy()
		return child.Supervise(os.Stderr, int(result.ExitNotMeasurable))
	}
	// The worker ends every stage in order at the first signal; its supervisor deals with one that does not.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	return execute(ctx, os.Args[1:], &streams{in: os.Stdin, out: os.Stdout, err: os.Stderr})
}

// tidy takes away what killed workers left on the machine. It fails where a GPU's clocks stay locked, and the user has
// to know.
func tidy() {
	if err := machine.Tidy(); err != nil {
		fmt.Fprintln(os.Stderr, "perfgate:", err)
	}
}

// runsKernels says whether a command line names a verb that runs code under test.
func runsKernels(args []string) bool {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") { // perfgate -v run: those before the verb are switches
		args = args[1:]
	}
	if len(args) == 0 {
		return false
	}
	switch args[0] {
	case "run", "versus", "tune", "precheck", "rerun", "demo", "parity", "doctor", "init", "bisect", "drift", "judge":
		return true
	case "baseline":
		return slices.Contains(args, "record")
	case "action":
		return len(args) > 1 && args[1] == "measure"
	}
	return false
}
