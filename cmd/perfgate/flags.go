package main

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
)

// runFlags say what a run is asked for: by the flags of a verb, or by the plan of the action.
type runFlags struct {
	config      string
	base        string
	head        string
	headAlone   bool // base only where it is named or a repository knows it
	baseFlags   string
	headFlags   string
	kernels     []string
	cases       []string
	tolerance   string
	budget      time.Duration
	noSkip      bool
	competitors bool // those with when: manual, too
	seed        string
	out         string
	format      string
	timings     bool
	trust       string
	watch       []string
	gpu         string
	clocks      string             // what to lock the clocks to; "" leaves them as they are
	sandbox     result.SandboxMode // "" means auto
	shard       string             // i/n; "" is all of the plan
	profile     string             // when to look for reasons: auto, always or never
	limit       time.Duration
	store       string // of records; "" is the configuration's
	inJob       bool   // a step of the GitHub action
}

// sides adds the flags of what is built and where it runs.
func (f *runFlags) sides(flags *pflag.FlagSet) {
	f.place(flags)
	flags.StringVar(&f.baseFlags, "base-flags", "", "compiler flags added to base alone")
	flags.StringVar(&f.headFlags, "head-flags", "", "compiler flags added to head alone")
}

// place adds the flags of what is under test, whose rules count and where it runs.
func (f *runFlags) place(flags *pflag.FlagSet) {
	flags.StringVar(&f.config, "config", "", "configuration (default perfgate.yaml in the current folder, or in --head)")
	flags.StringVar(&f.head, "head", "", "folder or revision under test (default the working tree)")
	flags.StringVar(&f.trust, "trust", repo.TrustWorktree, "whose configuration and adapters: worktree (head's) or base")
	flags.StringVar(&f.gpu, "gpu", "", "GPU for CUDA kernels: index in PCI order, or UUID (default the first that CUDA sees)")
	flags.StringVar((*string)(&f.sandbox), "sandbox", string(result.SandboxAuto),
		"keep builds and kernels from files, network and processes of others: auto (as far as the kernel can, build.command only with --trust=base), on (everything, or no run) or off")
}

// results adds the flags of what is left and printed.
func (f *runFlags) results(flags *pflag.FlagSet) {
	flags.StringVar(&f.out, "out", "perfgate-out", "folder for result.json, report.html, report.md, junit.xml and cases.csv")
	flags.StringVar(&f.format, "format", "text", "what to print: text, markdown or json")
}

// formats are what a report can be printed as.
var formats = []string{"text", "markdown", "json"}

// oneOf refuses a value of a flag that is none of those allowed.
func oneOf[T ~string](flag string, value T, allowed ...T) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return usagef("--%s %q is not one of %s", flag, value, strings.Join(result.Words(allowed), ", "))
}

// positive refuses a number that was given as 0 or less, by which the default cannot be meant.
func positive[T int | time.Duration](cmd *cobra.Command, flag string, value T) error {
	if value > 0 || !cmd.Flags().Changed(flag) {
		return nil
	}
	return usagef("--%s is %v; it must be more than 0", flag, value)
}

// noArgs refuses arguments in words that name them.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes no argument %q; see %s --help", cmd.CommandPath(), args[0], cmd.CommandPath())
	}
	return nil
}

// twoArgs wants the two that names say.
func twoArgs(names string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 2 {
			return usagef("%s takes two arguments, %s, not %d; see %s --help", cmd.CommandPath(), names, len(args), cmd.CommandPath())
		}
		return nil
	}
}

// verbs makes a command of those under it, which help lists.
func verbs(cmd *cobra.Command, help string, under ...*cobra.Command) *cobra.Command {
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usagef("unknown command %q;%s %s lists them", args[0], didYouMean(cmd, args[0]), help)
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.AddCommand(under...)
	return cmd
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
