package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/pipeline"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

func newVersusCommand(s *streams) *cobra.Command {
	var f runFlags
	var kernel, against string
	cmd := &cobra.Command{
		Use:   "versus A [B] --kernel NAME",
		Short: "Compare two implementations of a kernel, case by case",
		Long: `versus builds two adapters of a kernel's cases, checks both by the reference of A, and measures them in interleaved
rounds of fresh processes. It prints how many times as fast as B A is in every case, with its interval, and where along a
parameter the one overtakes the other.

A and B are adapters, by their paths from the configuration's folder, or the names of rivals in the configuration; the kernel's
own adapter is built with its sources and flags, as A alone. In the place of B --against takes a ready-made one: ` + strings.Join(kernels.Against, ", ") + `,
which give PyTorch the kernel's inputs in their order. The kernel's python, or the configuration's, is the interpreter.

Nothing is gated: exit code 0 says that all was measured, 3 that it could not be.`,
		Example: `  perfgate versus bench/new.pg.cu bench/old.pg.cu --kernel attention
  perfgate versus bench/attention.pg.cu --against torch:sdpa --kernel attention`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkVersus(args, kernel, against); err != nil {
				return err
			}
			return runVersus(cmd.Context(), s, f, args, kernel, against)
		},
	}
	flags := cmd.Flags()
	f.headAlone = true
	f.sides(flags)
	flags.StringVar(&kernel, "kernel", "", "kernel whose cases, tensors and tolerances count")
	flags.StringVar(&against, "against", "", "a ready-made rival in the place of B")
	flags.StringArrayVar(&f.cases, "case", nil, "compare only cases that match a pattern (default all)")
	flags.DurationVar(&f.budget, "budget", 0, "wall time of all rounds, such as 90s (default the configuration's)")
	flags.StringVar(&f.seed, "seed", "", "replay a run's random choices")
	return cmd
}

func checkVersus(args []string, kernel, against string) error {
	switch {
	case kernel == "":
		return usagef("versus needs --kernel: it says which cases there are")
	case against != "" && !slices.Contains(kernels.Against, against):
		return usagef("--against %q is not one of %s", against, strings.Join(kernels.Against, ", "))
	case against != "" && len(args) != 1:
		return usagef("versus with --against takes one adapter, A, not %d", len(args))
	case against == "" && len(args) != 2:
		return usagef("versus takes two adapters, A and B, or A and --against, not %d", len(args))
	}
	return nil
}

func runVersus(ctx context.Context, s *streams, f runFlags, args []string, kernel, against string) error {
	names := append(slices.Clone(args), against)[:2]
	found, err := inRun(ctx, s, f, func(opt pipeline.Options) (pipeline.Compared, error) {
		k, known := opt.Trusted.Config.Kernel(kernel)
		if !known {
			return pipeline.Compared{}, usagef("no kernel %q; the configuration has %s", kernel, kernelNames(opt.Trusted.Config))
		}
		v := pipeline.Versus{Kernel: kernel, A: adapterCalled(k, args[0]), Against: against, B: config.Rival{Name: against}}
		if against == "" {
			v.B = adapterCalled(k, args[1])
		}
		return pipeline.Compare(ctx, opt, v)
	})
	if err != nil {
		return err
	}
	if found.Fault != "" {
		for line := range strings.Lines(found.Output) {
			fmt.Fprintln(s.err, report.Visible(strings.TrimRight(line, "\n")))
		}
		return fmt.Errorf("nothing was compared: %s", found.Fault)
	}
	return s.duel(names, found)
}

// adapterCalled is what a user calls by the name of a rival or by the path of an adapter.
func adapterCalled(k config.Kernel, name string) config.Rival {
	for _, r := range k.Rivals {
		if r.Name == name {
			return r
		}
	}
	path := filepath.ToSlash(filepath.Clean(name))
	if path == k.Adapter {
		return config.Rival{Name: name, Adapter: path, Sources: k.Sources, Flags: k.Flags, Python: k.Python}
	}
	return config.Rival{Name: name, Adapter: path}
}

// duel prints what was found. A case that could not be measured is exit 3.
func (s *streams) duel(names []string, found pipeline.Compared) error {
	d := report.Duel{A: names[0], B: names[1]}
	unmeasured := 0
	for _, c := range found.Cases {
		one := report.DuelCase{Name: c.Case.Name(), A: c.A, B: c.B, Compared: c.Compared, Reason: c.Reason}
		for _, p := range c.Case.Params {
			one.Params = append(one.Params, result.Param{Name: p.Name, Value: p.Value.Text})
		}
		if c.Compared == nil {
			unmeasured++
		}
		d.Cases = append(d.Cases, one)
	}
	if err := d.Write(s.out, terminalOf(s)); err != nil {
		return err
	}
	for _, note := range found.Notes {
		fmt.Fprintln(s.out, report.Visible("note: "+note))
	}
	if unmeasured > 0 {
		return fmt.Errorf("%s could not be measured", report.Count(unmeasured, "case"))
	}
	return nil
}
