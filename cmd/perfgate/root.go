package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/org/perfgate/gate/render"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// streams are what a command reads and writes, and how much of it.
type streams struct {
	in       io.Reader
	out, err io.Writer
	quiet    bool      // no progress
	verbose  bool      // each command, and timings
	began    time.Time // when the verb began
}

// progressTo takes what says how work gets on.
func (s *streams) progressTo() io.Writer {
	if s.quiet {
		return io.Discard
	}
	return s.err
}

// execute runs the command line and returns the exit code.
func execute(ctx context.Context, args []string, s *streams) int {
	s.began = time.Now()
	root := newRootCommand(s)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return int(result.ExitPassed)
	}
	if text := err.Error(); text != "" {
		fmt.Fprintln(s.err, "perfgate:", visible(text))
	}
	return int(result.ExitCodeOf(err))
}

func newRootCommand(s *streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "perfgate",
		Short: "A performance gate for kernels: is this change still right, and is it slower?",
		Long: `perfgate builds two versions of a kernel, checks that the new one still computes the right results, and times both
side by side in fresh processes until it can decide, at a stated error rate, whether the new one is slower.

Exit codes mean the same in every verb: 0 yes or done, 1 no, 2 bad usage, configuration or input file, 3 no answer.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       versionText(),
	}
	root.SetVersionTemplate(versionLine())
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	root.SetFlagErrorFunc(flagError)
	define(root.PersistentFlags(), root.Name(), request.Targets{"quiet": &s.quiet, "verbose": &s.verbose})
	addGroup(root, "Start", newInitCommand(s), newDemoCommand(s), newDoctorCommand(s))
	addGroup(root, "Gate", newRunCommand(s), newParityCommand(s), newPrecheckCommand(s), newRerunCommand(s), newReportCommand(s), newMergeCommand(s))
	addGroup(root, "Compare", newCompareCommand(s), newVersusCommand(s), newExplainCommand(s))
	addGroup(root, "History", newBaselineCommand(s), newHistoryCommand(s), newDriftCommand(s), newBisectCommand(s))
	addGroup(root, "Advanced", newJudgeCommand(s), newTuneCommand(s), newVersionCommand(s))
	steps := newActionCommand(s)
	steps.Hidden = true // the action calls it
	root.AddCommand(steps)
	addHelp(root, "Advanced")
	describeExits(root)
	return verbs(root)
}

// addGroup adds commands that the help lists together.
func addGroup(root *cobra.Command, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: title, Title: title + ":"})
	for _, cmd := range commands {
		cmd.GroupID = title
	}
	root.AddCommand(commands...)
}

// addHelp adds help and completion. Those that cobra would add end well where a name is unknown.
func addHelp(root *cobra.Command, group string) {
	root.SetHelpCommand(&cobra.Command{
		Use: "help [VERB]", Short: "Show the help of a verb", Example: "  perfgate help run", GroupID: group,
		RunE: func(_ *cobra.Command, args []string) error {
			found, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return unknownCommand(found, rest)
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
	})
	root.InitDefaultHelpCmd() // before exit codes are described
	root.CompletionOptions.DisableNoDescFlag = true
	root.SetCompletionCommandGroupID(group)
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			verbs(cmd)
			for _, shell := range cmd.Commands() {
				shell.Args = noArgs
			}
		}
	}
}

// isTerminal says whether w is a terminal that takes colour and a line that is written over.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb"
}

func useColor(w io.Writer) bool { return isTerminal(w) && os.Getenv("NO_COLOR") == "" }

// terminalOf says what the terminal that a command prints to can do.
func terminalOf(s *streams) render.TerminalOptions {
	return render.TerminalOptions{Color: useColor(s.out), Width: terminalWidth(s.out), Verbose: s.verbose}
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
func visible(said string) string {
	lines := strings.Split(said, "\n")
	for i, line := range lines {
		lines[i] = text.Visible(line)
	}
	return strings.Join(lines, "\n")
}
