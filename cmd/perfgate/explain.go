package main

import (
	"encoding/json"
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
	ratio       float64
	baseDetails string
	headDetails string
	params      []string
	format      string
}

func newExplainCommand(s *streams) *cobra.Command {
	var f explainFlags
	cmd := &cobra.Command{
		Use:   "explain BASE.csv HEAD.csv",
		Short: "Say why one kernel is slower than another, from two exports of Nsight Compute",
		Long: `explain reads two profiles that Nsight Compute exported and names the cause of the difference, as run does after it has
measured. Export a profile with
  ncu --import report.ncu-rep --csv --page raw --print-units base > base.csv

What is explained is the measured ratio of head to base, --ratio. Without it the ratio of the cycles in the two profiles
stands in, which is no measurement: under a profiler every kernel runs differently.`,
		Example: `  perfgate explain base.csv head.csv --ratio 1.92
  perfgate explain base.csv head.csv --ratio 0.5 --param B=32 --param H=8`,
		Args: twoArgs("BASE.csv and HEAD.csv"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("ratio") && !(f.ratio > 0 && f.ratio < math.MaxFloat64) {
				return usagef("--ratio is %v, want head's time over base's, such as 1.92", f.ratio)
			}
			return runExplain(s, f, args[0], args[1])
		},
	}
	flags := cmd.Flags()
	flags.Float64Var(&f.ratio, "ratio", 0, "measured time of head over that of base (default the ratio of profiled cycles)")
	flags.StringVar(&f.baseDetails, "base-details", "", "base's details page as CSV, for Nsight's own rules")
	flags.StringVar(&f.headDetails, "head-details", "", "head's details page as CSV, for Nsight's own rules")
	flags.StringArrayVar(&f.params, "param", nil, "integer parameter of the case, NAME=VALUE, to recognise a dimension that is not in the grid")
	flags.StringVar(&f.format, "format", "text", "what to print: text, markdown or json")
	return cmd
}

func runExplain(s *streams, f explainFlags, base, head string) error {
	if err := oneOf("format", f.format, formats...); err != nil {
		return err
	}
	in, err := f.input(base, head)
	if err != nil {
		return usage(err)
	}
	c := result.Case{Name: base + " → " + head}
	c.Evidence = explain.Record(explain.Explain(in), "profiles of Nsight Compute")
	if f.ratio == 0 {
		c.Evidence.Notes = append(c.Evidence.Notes, "no --ratio was given: what is explained is the ratio of the profiled cycles, which is no measurement")
	}
	d := report.EvidenceOf(c)
	switch f.format {
	case "json":
		enc := json.NewEncoder(s.out)
		enc.SetIndent("", " ")
		return enc.Encode(c.Evidence)
	case "markdown":
		return report.MarkdownEvidence(s.out, d)
	}
	return report.TerminalEvidence(s.out, d, terminalOf(s))
}

func (f explainFlags) input(base, head string) (explain.Input, error) {
	var in explain.Input
	var err1, err2 error
	in.Base, err1 = profile.ReadFiles(base, f.baseDetails)
	in.Head, err2 = profile.ReadFiles(head, f.headDetails)
	errs := errors.Join(err1, err2)
	for _, text := range f.params {
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
	log := math.Log(f.ratio)
	if f.ratio == 0 {
		log = explain.ProfiledLog(in)
	}
	in.Measured = explain.Measured{Log: log, Low: log, High: log} // taken at its word
	return in, nil
}
