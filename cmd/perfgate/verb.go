package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
)

// verb is a command that does something. Its options are those of the table that are valid in it, and set the fields of flags.
func verb(cmd *cobra.Command, flags any, run func(ctx context.Context, args []string) error) *cobra.Command {
	define(cmd.Flags(), cmd.Name(), targetsOf(flags))
	cmd.PreRunE = checkOptions
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return run(cmd.Context(), args) }
	return cmd
}

// runFlags say what a run is asked for: by the flags of a verb, or by the job request of the action.
type runFlags struct {
	request.Run
	output
	Profile       string // when to look for reasons: auto, always or never
	ProfileBudget time.Duration
}

// noArgs refuses arguments in words that name them.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return result.Usagef("%s takes no argument %q; see %s --help", cmd.CommandPath(), args[0], cmd.CommandPath())
	}
	return nil
}

// takes wants a number of arguments, which words say; most of 0 is any number.
func takes(least, most int, words string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || most > 0 && len(args) > most {
			return result.Usagef("%s takes %s, not %d; see %s --help", cmd.CommandPath(), words, len(args), cmd.CommandPath())
		}
		return nil
	}
}

// verbs makes a command of those under it, which help lists.
func verbs(cmd *cobra.Command, help string, under ...*cobra.Command) *cobra.Command {
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownCommand(cmd, args, help)
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.AddCommand(under...)
	return cmd
}

func unknownCommand(under *cobra.Command, args []string, help string) error {
	return result.Usagef("unknown command %q;%s %s lists them", args[0], didYouMean(under, args[0]), help)
}

// flagError says in a sentence what is wrong with an option.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		like := config.Nearest(unknown.GetSpecifiedName(), names)
		if like != "" {
			like = " did you mean --" + like + "?"
		}
		return result.Usagef("unknown flag --%s;%s see %s --help", unknown.GetSpecifiedName(), like, cmd.CommandPath())
	case errors.As(err, &invalid):
		return result.Usagef("--%s: %w; see %s --help", invalid.GetFlag().Name, errors.Unwrap(invalid), cmd.CommandPath())
	}
	return result.Usagef("%w; see %s --help", err, cmd.CommandPath())
}

// didYouMean names the commands that look like what was typed.
func didYouMean(cmd *cobra.Command, typed string) string {
	cmd.SuggestionsMinimumDistance = 2 // letters that differ
	like := cmd.SuggestionsFor(typed)
	if len(like) == 0 {
		return ""
	}
	return " did you mean " + strings.Join(like, " or ") + "?"
}
