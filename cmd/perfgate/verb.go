package main

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
)

// verb is a command that does something. Its options are those of the table that are valid in it, and set the fields of flags, which may say what does
// not go together.
func verb(cmd *cobra.Command, flags any, run func(ctx context.Context, args []string) error) *cobra.Command {
	define(cmd.Flags(), cmd.Name(), request.TargetsOf(flags))
	cmd.PreRunE = checkOptions
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if checked, ok := flags.(interface{ check(args []string) error }); ok {
			if err := checked.check(args); err != nil {
				return err
			}
		}
		return run(cmd.Context(), args)
	}
	return cmd
}

// recordsFlags are the flags of every verb about records.
type recordsFlags struct {
	request.Records
	output
}

// ofRecords is a verb whose answer is found in the records of a machine. flags have those of the records among them.
func ofRecords(
	s *streams, cmd *cobra.Command, flags any, records *recordsFlags, find func(ctx context.Context, kept request.Kept, args []string) (answer, error),
) *cobra.Command {
	return verb(cmd, flags, func(ctx context.Context, args []string) error {
		kept, err := records.Open(ctx)
		if err != nil {
			return err
		}
		a, err := find(ctx, kept, args)
		if err != nil {
			return err
		}
		return s.answer(records.output, a)
	})
}

// define gives flags the options of the table that are valid in a verb.
func define(flags *pflag.FlagSet, verb string, t request.Targets) {
	for _, s := range request.Settings(verb, t) {
		standard := s.Default(verb)
		f := flags.VarPF(s, s.Name, s.Short, s.Help)
		f.DefValue, f.NoOptDefVal = standard.Value+standard.Means, s.Bare
		if s.Value == "" {
			f.NoOptDefVal = "true"
		}
	}
}

// checkOptions checks the options and arguments that were given.
func checkOptions(cmd *cobra.Command, args []string) error {
	if slices.Contains(args, "") {
		return result.Usagef("an argument of %s is empty", cmd.CommandPath())
	}
	var err error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if s, ok := f.Value.(*request.Setting); ok && err == nil {
			err = s.Check("--" + s.Name)
		}
	})
	return err
}

// runFlags say what a run is asked for: by the flags of a verb, or by the job request of the action.
type runFlags struct {
	request.Run
	output
	Profile       string // when to look for reasons: auto, always or never
	ProfileBudget time.Duration
}

// verbs makes a command of those under it. One of them has to be named, but for perfgate itself, which shows its help.
func verbs(cmd *cobra.Command, under ...*cobra.Command) *cobra.Command {
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) > 0:
			return unknownCommand(cmd, args)
		case cmd.HasParent():
			return result.Usagef("%s needs a command after it; %[1]s --help lists them", cmd.CommandPath())
		}
		return cmd.Help()
	}
	cmd.AddCommand(under...)
	return cmd
}
