package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/machine"
	"github.com/org/perfgate/gate/pipeline"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// streams are what a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// exitError is an error that knows its exit code.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usage marks an error as the caller's: exit code 2.
func usage(err error) error { return &exitError{int(result.ExitUsage), err} }

// exitWith ends with the code of a conclusion that has been printed already.
func exitWith(code result.ExitCode) error {
	if code == result.ExitPassed {
		return nil
	}
	return &exitError{code: int(code)}
}

func usagef(format string, args ...any) error { return usage(fmt.Errorf(format, args...)) }

// execute runs the command line and returns the exit code.
func execute(ctx context.Context, args []string, s *streams) int {
	root := newRootCommand(s)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return int(result.ExitPassed)
	}
	if text := err.Error(); text != "" {
		fmt.Fprintln(s.err, "perfgate:", visible(text))
	}
	return exitCode(err)
}

// exitCode sorts an error: the caller's fault is 2, anything else that kept us from a verdict is 3.
func exitCode(err error) int {
	var known *exitError
	var invalid config.Errors
	var badCase *pipeline.CaseError
	var badDevice *pipeline.DeviceError
	var noSuchGPU *machine.SelectError
	var badShard *plan.ShardError
	switch {
	case errors.As(err, &known):
		return known.code
	case errors.As(err, &invalid), errors.As(err, &badCase), errors.Is(err, repo.ErrUsage), errors.As(err, &badDevice), errors.As(err, &noSuchGPU), errors.As(err, &badShard):
		return int(result.ExitUsage)
	}
	return int(result.ExitNotMeasurable)
}

func newRootCommand(s *streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "perfgate",
		Short: "A performance gate for kernels: is this change still right, and is it slower?",
		Long: `perfgate builds two versions of a kernel, checks that the new one is still right, times both side by side in fresh
processes until the numbers decide, and says so with a stated error rate.

Exit codes: 0 passed, 1 the gate says no, 2 bad usage or configuration, 3 could not measure.`,
		SilenceErrors:     true,
		SilenceUsage:      true,
		PersistentPreRunE: refuseEmpty,
		Version:           versionText(),
	}
	root.SetVersionTemplate(versionLine())
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%w; see %s --help", err, cmd.CommandPath())
	})
	return verbs(root, "perfgate help",
		newRunCommand(s), newDemoCommand(s), newParityCommand(s), newPlanCommand(s), newRerunCommand(s), newInitCommand(s), newDoctorCommand(s),
		newVersusCommand(s), newTuneCommand(s), newCompareCommand(s), newExplainCommand(s), newReportCommand(s), newMergeCommand(s),
		newBaselineCommand(s), newHistoryCommand(s), newWatchCommand(s), newBisectCommand(s), newJudgeCommand(s), newCalibrateCommand(s), newActionCommand(s), newVersionCommand(s),
	)
}

// mayBeEmpty are flags whose value is a list of words, of which there may be none.
var mayBeEmpty = []string{"base-flags", "head-flags"}

// refuseEmpty refuses a flag or an argument without a value, as an unset variable of a shell makes it: the default is not meant
// by it.
func refuseEmpty(cmd *cobra.Command, args []string) error {
	if cmd.Name() == cobra.ShellCompRequestCmd || cmd.Name() == cobra.ShellCompNoDescRequestCmd {
		return nil // a shell asks what may stand where nothing was typed yet
	}
	if slices.Contains(args, "") {
		return usagef("an argument of %s is empty", cmd.CommandPath())
	}
	var err error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		list, isList := f.Value.(pflag.SliceValue)
		empty := f.Value.String() == "" || isList && (len(list.GetSlice()) == 0 || slices.Contains(list.GetSlice(), ""))
		if err == nil && empty && !slices.Contains(mayBeEmpty, f.Name) {
			err = usagef("--%s is empty; give it a value, or leave it out", f.Name)
		}
	})
	return err
}

// isTerminal says whether w is a terminal that takes colour and a line that is written over.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb"
}

func useColor(w io.Writer) bool { return isTerminal(w) && os.Getenv("NO_COLOR") == "" }

// terminalOf says what the terminal that a command prints to can do.
func terminalOf(s *streams) report.TerminalOptions {
	return report.TerminalOptions{Color: useColor(s.out), Width: terminalWidth(s.out)}
}

func terminalWidth(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return 100
}

// visible keeps the lines of a message and takes away what could act on a terminal: code under test may have written it.
func visible(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = report.Visible(line)
	}
	return strings.Join(lines, "\n")
}

// version is set by the release build.
var version = ""

func versionText() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
