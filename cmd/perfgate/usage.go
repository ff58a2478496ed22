package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/result"
)

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
		switch {
		case len(args) < least:
			return result.Usagef("%s needs %s; see %[1]s --help", cmd.CommandPath(), words)
		case most > 0 && len(args) > most:
			return result.Usagef("%s takes %s, not %d; see %[1]s --help", cmd.CommandPath(), words, len(args))
		}
		return nil
	}
}

func unknownCommand(under *cobra.Command, args []string) error {
	return result.Usagef("unknown command %q;%s %s --help lists them", args[0], didYouMean(under, args[0]), under.CommandPath())
}

// flagError says in a sentence what is wrong with an option.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &missing):
		return result.Usagef("--%s needs a value; see %s --help", missing.GetFlag().Name, cmd.CommandPath())
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		return result.Usagef("unknown flag -%s; see %s --help", unknown.GetSpecifiedName(), cmd.CommandPath())
	case errors.As(err, &unknown):
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		name := unknown.GetSpecifiedName()
		return result.Usagef("unknown flag --%s;%s see %s --help", name, likely(" did you mean --%s?", name, names), cmd.CommandPath())
	case errors.As(err, &invalid):
		return result.Usagef("--%s: %w; see %s --help", invalid.GetFlag().Name, errors.Unwrap(invalid), cmd.CommandPath())
	}
	return result.Usagef("%w; see %s --help", err, cmd.CommandPath())
}

// likely asks for the name that is close to what was typed; "" where none is.
func likely(question, typed string, names []string) string {
	if name := config.Nearest(typed, names); name != "" {
		return fmt.Sprintf(question, name)
	}
	return ""
}

// didYouMean names the command that was probably meant.
func didYouMean(cmd *cobra.Command, typed string) string {
	var names []string
	for _, group := range cmd.Commands() {
		names = append(names, group.Name())
		for _, leaf := range group.Commands() {
			if leaf.Name() == typed { // perfgate record
				return " did you mean " + group.Name() + " " + typed + "?"
			}
		}
	}
	return likely(" did you mean %s?", typed, names)
}
