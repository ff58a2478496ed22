package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/render"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/gate/search"
)

// compareFlags are the flags of compare.
type compareFlags struct {
	output
	Paired          bool
	CPUTime         bool
	Tolerance       string
	Improvement     string
	Confidence      string
	OnInconclusive  string
	SessionSD       string
	TimerResolution float64 // ns
}

func newCompareCommand(s *streams) *cobra.Command {
	var f compareFlags
	return verb(&cobra.Command{
		Use:   "compare OLD NEW",
		Short: "Compare two saved results or sample files; measures nothing (see versus)",
		Long: `compare reads two sets of samples and decides each case that both have, as the gate does, but at a single look:
nothing is built or measured. perfgate versus measures two implementations.

OLD and NEW are each a file or a folder of files:
  result.json        of perfgate run: the head of OLD is compared with the head of NEW
  record             of perfgate baseline, a .json.gz
  samples.csv        with the header process,kernel,case,ns: each row is a sample; with the header
                     kernel,case,ns all rows are of one process
  Google Benchmark   JSON; a repetition is a sample
  nvbench            JSON, with the binary samples of --jsonbin if there are any
  pytest-benchmark   JSON of --benchmark-json; a round is a sample
  hyperfine          JSON of --export-json; each run of a command is a process

Samples of one process are correlated, so several processes a side are better than many samples. Each JSON file
in a folder counts as a process: run the benchmark ten times into ten files. With one file a side, a standard
deviation of 1 % between processes is assumed; --session-sd sets it.`,
		Example: `  perfgate compare old/result.json new/result.json
  perfgate compare --paired --tolerance 2% base.csv head.csv
  perfgate compare runs-before/ runs-after/ --format markdown`,
		Args: takes(2, 2, "two arguments, OLD and NEW"),
	}, &f, func(_ context.Context, args []string) error { return runCompare(s, f, args[0], args[1]) })
}

func runCompare(s *streams, f compareFlags, oldName, newName string) error {
	o, err := f.options()
	if err != nil {
		return result.Usage(err)
	}
	base, head, err := search.ReadBoth(oldName, newName, search.ReadOptions{CPUTime: f.CPUTime})
	if err != nil {
		return result.Usage(fmt.Errorf("compare: %w", err))
	}
	d, err := search.CompareSets(base, head, o)
	if err != nil {
		return result.Usage(err)
	}
	if f.Out != "" {
		if err := render.CheckFolder(f.Out); err != nil {
			return err
		}
	}
	values := func(w io.Writer) error { return render.CSV(w, report.ComparedValues(d)) }
	return s.answer(f.output, answer{document: report.CompareDocument(d), data: printed(d), csv: values, exit: d.Conclusion.Exit})
}

// options turns flags into the terms of a comparison; every error is the caller's.
func (f compareFlags) options() (search.CompareOptions, error) {
	p := rule.Default()
	p.OnInconclusive = result.OnInconclusive(f.OnInconclusive)
	o := search.CompareOptions{Paired: f.Paired, QuantumNS: f.TimerResolution}
	for _, flag := range []struct {
		name, text string
		to         *float64
	}{
		{"tolerance", f.Tolerance, &p.Tolerance},
		{"improvement", f.Improvement, &p.Improvement},
		{"confidence", f.Confidence, &p.Confidence},
	} {
		value, err := config.ParsePercent(flag.text)
		if err != nil {
			return search.CompareOptions{}, fmt.Errorf("--%s: %w", flag.name, err)
		}
		*flag.to = value
	}
	if f.SessionSD != "" {
		sd, err := config.ParsePercent(f.SessionSD)
		if err != nil {
			return search.CompareOptions{}, fmt.Errorf("--session-sd: %w", err)
		}
		o.SessionSD = &sd
	}
	if f.TimerResolution >= 1e9 {
		return search.CompareOptions{}, fmt.Errorf("--timer-resolution is %v, want nanoseconds", f.TimerResolution)
	}
	o.Policy = p
	return o, p.Validate()
}
