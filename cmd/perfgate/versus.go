package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/org/perfgate/gate/render"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/run"
	"github.com/org/perfgate/gate/saved"
	"github.com/org/perfgate/gate/search"
	"github.com/org/perfgate/kernels"
)

// versusFlags are the flags of versus.
type versusFlags struct {
	runFlags
	bFlags string
}

// versusFile is the name of a saved versus result.
const versusFile = "versus.json"

func newVersusCommand(s *streams) *cobra.Command {
	f := versusFlags{runFlags: runFlags{Run: request.Run{HeadAlone: true}}}
	cmd := &cobra.Command{
		Use:   "versus A B --kernel NAME",
		Short: "Measure two implementations of a kernel, case by case (saved data: see compare)",
		Long: `versus builds two adapters of a kernel's cases, checks both by the reference of A, and measures them in interleaved
rounds of fresh processes. It prints how many times as fast as B A is in every case, with its interval, and where along a
parameter the one overtakes the other, and leaves versus.json and report.html in a folder.

A and B are adapters, by their paths from the configuration's folder, or the names of competitors in the configuration; the kernel's
own adapter is built with its sources and flags, others with its flags. Both may be the same adapter, built differently: with --a-flags and --b-flags, or B as it
was, by its commit (HEAD~3:bench/attention.pg.cu). B may be built in: ` + strings.Join(kernels.Against, ", ") + `,
which give PyTorch the kernel's inputs in their order. The kernel's python, or the configuration's, is the interpreter.

Nothing is gated.`,
		Example: `  perfgate versus bench/new.pg.cu bench/old.pg.cu --kernel attention
  perfgate versus bench/attention.pg.cu HEAD~3:bench/attention.pg.cu --kernel attention
  perfgate versus bench/attention.pg.cu bench/attention.pg.cu --kernel attention --b-flags=-O2
  perfgate versus bench/attention.pg.cu torch:sdpa --kernel attention`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkVersus(args, f); err != nil {
				return err
			}
			return runVersus(cmd.Context(), s, f, args)
		},
	}
	define(cmd, f.targets())
	return cmd
}

func checkVersus(args []string, f versusFlags) error {
	switch {
	case len(f.Kernels) != 1:
		return result.Usagef("versus needs --kernel with one kernel: it says which cases there are")
	case len(args) != 2:
		return result.Usagef("versus takes two adapters, A and B, not %d; see perfgate versus --help", len(args))
	case strings.HasPrefix(args[1], "torch:") && !kernels.IsAgainst(args[1]):
		return result.Usagef("%s is not built in; there are %s", args[1], strings.Join(kernels.Against, ", "))
	case kernels.IsAgainst(args[0]):
		return result.Usagef("%s is built in: it can only be B", args[0])
	case kernels.IsAgainst(args[1]) && f.bFlags != "":
		return result.Usagef("--b-flags has no effect with %s: it is not compiled", args[1])
	}
	return nil
}

func runVersus(ctx context.Context, s *streams, f versusFlags, args []string) error {
	if err := cmp.Or(ownRenderings(f.out), saved.MakeFolder(f.out)); err != nil {
		return err
	}
	found, err := inRun(ctx, s, f.runFlags, func(opt run.Options) (run.Compared, error) {
		v, err := search.VersusOf(ctx, opt, f.Kernels[0], args[0], args[1], f.bFlags)
		if err != nil {
			return run.Compared{}, err
		}
		return run.Compare(ctx, opt, v)
	})
	if err != nil {
		return err
	}
	if found.Fault != "" {
		return s.adapterFault("nothing was compared", found.AdapterFault)
	}
	f.Seed = found.Versus.Seed
	found.Versus.Repro = commandLine("versus", f.targets(), args...)
	return s.versus(f, found.Versus)
}

// adapterFault shows what a compiler said, and is the error of a command that came to nothing by an adapter.
func (s *streams) adapterFault(what string, f run.AdapterFault) error {
	for line := range strings.Lines(f.Output) {
		fmt.Fprintln(s.err, report.Visible(strings.TrimRight(line, "\n")))
	}
	if f.Unlinked {
		fmt.Fprintln(s.err, "hint: an adapter that is named by its path is built without sources: list it under competitors in the configuration, with its sources, and use its name there")
	}
	if f.Reason != nil {
		return fmt.Errorf("%s: %s: %s", what, f.Fault, report.Reason(f.Reason))
	}
	return fmt.Errorf("%s: %s", what, f.Fault)
}

// targets are the variables of its options: A is built with the flags of head.
func (f *versusFlags) targets() targets {
	return f.runFlags.targets().with(targets{"a-flags": &f.HeadFlags, "b-flags": &f.bFlags})
}

// versus saves and prints what was found. A case that could not be measured is exit 3.
func (s *streams) versus(f versusFlags, d *result.VersusResult) error {
	err := cmp.Or(
		saved.ReplaceIn(f.out, versusFile, func(w io.Writer) error { return saved.Print(w, d) }),
		saved.ReplaceIn(f.out, render.HTMLName, func(w io.Writer) error { return render.HTML(w, report.VersusDocument(d)) }),
		s.showVersus(f.format, d))
	if n := d.Unmeasured(); err == nil && n > 0 {
		err = fmt.Errorf("%s could not be measured", report.Count(n, "case"))
	}
	return err
}

func (s *streams) showVersus(format string, d *result.VersusResult) error {
	if format == "json" {
		return printAs(s, format, func(w io.Writer) error { return saved.Print(w, d) })
	}
	return s.showDocument(format, report.VersusDocument(d))
}
