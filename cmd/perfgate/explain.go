package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/profile/explain"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// explainFlags are the flags of explain.
type explainFlags struct {
	output
	Ratio       float64
	BaseDetails string
	HeadDetails string
	Param       []string
}

func newExplainCommand(s *streams) *cobra.Command {
	var f explainFlags
	return verb(&cobra.Command{
		Use:   "explain PROFILE [HEAD]",
		Short: "Explain a difference between two Nsight Compute profiles, or what limits one",
		Long: `explain reads two profiles of Nsight Compute and names the cause of the difference, as run does after measuring.
From one profile it says what limits each kernel. A profile is a report (.ncu-rep, which needs ncu here) or its
export:
  ncu --import report.ncu-rep --csv --page raw --print-units base > base.csv

Give the measured ratio of head's time to base's with --ratio. Without it, explain uses the ratio of the cycles
in the profiles, which is less reliable: kernels run differently under a profiler.`,
		Example: `  perfgate explain base.csv head.csv --ratio 1.92
  perfgate explain base.ncu-rep head.csv --ratio 0.5 --param B=32,H=8
  perfgate explain kernel.ncu-rep`,
		Args: takes(1, 2, "one profile, or two: BASE and HEAD"),
	}, &f, func(ctx context.Context, args []string) error {
		if len(args) == 1 {
			return runLimits(ctx, s, f, args[0])
		}
		return runExplain(ctx, s, f, args[0], args[1])
	})
}

// runLimits says what limits the kernels of one profile.
func runLimits(ctx context.Context, s *streams, f explainFlags, path string) error {
	if f.Ratio != 0 || f.HeadDetails != "" || len(f.Param) > 0 {
		return result.Usagef("--ratio, --head-details and --param need two profiles; only %s was given", path)
	}
	p, err := readProfile(ctx, path, f.BaseDetails)
	if err != nil {
		return result.Usage(err)
	}
	limits := explain.Limits(p)
	if len(limits) == 0 {
		return result.Usagef("%s does not say how long its kernels took: cycles or the clock rate are missing", path)
	}
	return s.answer(f.output, answer{document: report.Limits(path, limits), data: printed(limits)})
}

// readProfile reads a profile. Of a report of perfgate's with several launches of a case, it is the one that a run explains.
func readProfile(ctx context.Context, path, details string) (profile.Profile, error) {
	p, err := profile.ReadEither(ctx, path, details)
	if err == nil {
		p, _ = explain.Typical(p, profile.LaunchesOf(path))
	}
	return p, err
}

func runExplain(ctx context.Context, s *streams, f explainFlags, base, head string) error {
	in, err := f.input(ctx, base, head)
	if err != nil {
		return result.Usage(err)
	}
	c := result.Case{Name: base + " → " + head}
	c.Evidence = explain.Record(explain.Explain(in), "profiles of Nsight Compute")
	if f.Ratio == 0 {
		c.Evidence.Notes = append(c.Evidence.Notes, "no --ratio was given: what is explained is the ratio of the profiled cycles, which is no measurement")
	}
	return s.answer(f.output, answer{document: report.Explanation(c), data: printed(c.Evidence)})
}

func (f explainFlags) input(ctx context.Context, base, head string) (explain.Input, error) {
	var in explain.Input
	var err1, err2 error
	in.Base, err1 = readProfile(ctx, base, f.BaseDetails)
	in.Head, err2 = readProfile(ctx, head, f.HeadDetails)
	errs := errors.Join(err1, err2)
	for _, text := range f.Param {
		name, value, _ := strings.Cut(text, "=")
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || name == "" {
			errs = errors.Join(errs, fmt.Errorf("--param %q is not NAME=VALUE with a whole number", text))
		}
		in.Params = append(in.Params, explain.Param{Name: name, Value: n})
	}
	if errs != nil {
		return in, errs
	}
	log := math.Log(f.Ratio)
	if f.Ratio == 0 {
		log = explain.ProfiledLog(in)
	}
	in.Measured = explain.Measured{Log: log, Low: log, High: log} // taken at its word
	return in, nil
}
