package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/render"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/run"
	"github.com/org/perfgate/gate/search"
	"github.com/org/perfgate/gate/text"
	"github.com/org/perfgate/kernels"
)

// versusFlags are the flags of versus.
type versusFlags struct {
	runFlags
	AFlags, BFlags string
}

func newVersusCommand(s *streams) *cobra.Command {
	f := versusFlags{runFlags: runFlags{Run: request.Run{HeadAlone: true}}}
	return verb(&cobra.Command{
		Use:   "versus A B --kernel NAME",
		Short: "Measure two implementations of a kernel, case by case (saved data: see compare)",
		Long: `versus measures two implementations of a kernel in interleaved rounds of fresh processes, after checking both
with the reference of A. For each case it prints the speedup of A over B with an interval, and for each
parameter the value at which one overtakes the other. It is not a gate. perfgate compare is for saved results.

A and B are each
  an adapter, by its path from the folder of the configuration (all are built with the kernel's flags, and the
  kernel's own adapter also with its sources),
  an adapter at a commit, such as HEAD~3:bench/attention.pg.cu,
  or the name of a competitor in the configuration.
B may also be ` + strings.Join(kernels.Against, ", ") + `:
PyTorch, called with the kernel's inputs in their order by the Python of the kernel or of the configuration.
Both may be the same adapter, built with --a-flags and --b-flags.

versus.json and report.html are written into the folder of --out.`,
		Example: `  perfgate versus bench/new.pg.cu bench/old.pg.cu --kernel attention
  perfgate versus bench/attention.pg.cu HEAD~3:bench/attention.pg.cu --kernel attention
  perfgate versus bench/attention.pg.cu bench/attention.pg.cu --kernel attention --b-flags=-O2
  perfgate versus bench/attention.pg.cu torch:sdpa --kernel attention`,
		Args: cobra.ArbitraryArgs,
	}, &f, func(ctx context.Context, args []string) error { return f.measure(ctx, s, args) })
}

func (f versusFlags) check(args []string) error {
	switch {
	case len(f.Kernels) != 1:
		return result.Usagef("perfgate versus needs --kernel with one kernel, whose cases are measured; see perfgate versus --help")
	case len(args) != 2:
		return result.Usagef("perfgate versus takes two adapters, A and B, not %d; see perfgate versus --help", len(args))
	case strings.HasPrefix(args[1], "torch:") && !kernels.IsAgainst(args[1]):
		return result.Usagef("%s is not built in; there are %s", args[1], strings.Join(kernels.Against, ", "))
	case kernels.IsAgainst(args[0]):
		return result.Usagef("%s is built in: it can only be B", args[0])
	case kernels.IsAgainst(args[1]) && f.BFlags != "":
		return result.Usagef("--b-flags has no effect with %s: it is not compiled", args[1])
	}
	return nil
}

func (f versusFlags) measure(ctx context.Context, s *streams, args []string) error {
	if err := render.CheckFolder(f.Out); err != nil {
		return err
	}
	f.HeadFlags = f.AFlags // A is built as head is
	var fault run.AdapterFault
	found, err := inRun(ctx, s, f.runFlags, func(opt run.Options) (found *result.Result, err error) {
		v, err := search.VersusOf(ctx, opt, f.Kernels[0], args[0], args[1], f.BFlags)
		if err != nil {
			return nil, err
		}
		found, fault, err = run.Compare(ctx, opt, v)
		return found, err
	})
	if err != nil {
		return err
	}
	if fault.Fault != "" {
		return s.adapterFault("nothing was compared", fault)
	}
	f.Seed = found.Seed
	found.Repro = commandLine("versus", &f, args...)
	a := saidOf(found, "versus.json")
	if n := report.Unmeasured(found); n > 0 {
		a.reason = fmt.Errorf("%s could not be measured", text.Count(n, "case"))
	}
	return s.answer(f.output, a)
}

// adapterFault shows what a compiler said, and is the error of a command that came to nothing by an adapter.
func (s *streams) adapterFault(what string, f run.AdapterFault) error {
	for line := range strings.Lines(f.Output) {
		fmt.Fprintln(s.err, text.Visible(strings.TrimRight(line, "\n")))
	}
	if f.Unlinked {
		fmt.Fprintln(s.err, "hint: an adapter that is named by its path is built without sources: list it under competitors in the configuration, with its sources, and use its name there")
	}
	if f.Reason != nil {
		return fmt.Errorf("%s: %s: %s", what, f.Fault, report.Reason(f.Reason))
	}
	return fmt.Errorf("%s: %s", what, f.Fault)
}
