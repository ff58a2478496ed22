package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/compare"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/page"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// compareFlags are the flags of compare.
type compareFlags struct {
	paired         bool
	cpuTime        bool
	tolerance      string
	improvement    string
	confidence     string
	onInconclusive string
	sessionSD      string
	quantum        float64
	format         string
	out            string // "" leaves no page
}

func newCompareCommand(s *streams) *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare OLD NEW",
		Short: "Compare two saved sets of samples and decide, case by case",
		Long: `compare reads two sets of samples, compares every case that both have, and decides as the gate does, at one look.

OLD and NEW are each a file or a folder of files:
  result.json        of perfgate run; the head of OLD is compared with the head of NEW
  record             of perfgate baseline, a .json.gz
  samples.csv        header process,kernel,case,ns; a row is a sample, several rows make a process
  Google Benchmark   JSON; a repetition is a sample
  nvbench            JSON, with the binary samples of --jsonbin where there are any
  pytest-benchmark   JSON of --benchmark-json; a round is a sample
  hyperfine          JSON of --export-json; a run of a command is a process of its own
In a folder every JSON file is a process of its own: ten runs of a benchmark written into ten files are what a
comparison wants. Launches of one process share its luck; one file a side is compared, but processes are then taken to
scatter by 1 % unless --session-sd says better.`,
		Example: `  perfgate compare old/result.json new/result.json
  perfgate compare --paired --tolerance 2% base.csv head.csv
  perfgate compare runs-before/ runs-after/ --format markdown`,
		Args: twoArgs("OLD and NEW"),
		RunE: func(_ *cobra.Command, args []string) error { return runCompare(s, f, args[0], args[1]) },
	}
	p := rule.Default()
	flags := cmd.Flags()
	flags.BoolVar(&f.paired, "paired", false, "processes pair up in file order: each pair ran next to each other")
	flags.BoolVar(&f.cpuTime, "cpu-time", false, "of Google Benchmark, compare the CPU time")
	flags.StringVar(&f.tolerance, "tolerance", "1.5%", "slowdown that passes")
	flags.StringVar(&f.improvement, "improvement", "10%", "speed-up worth the name")
	flags.StringVar(&f.confidence, "confidence", "99%", "how sure to be, over all cases together")
	flags.StringVar(&f.onInconclusive, "on-inconclusive", string(p.OnInconclusive), "what an open case means: estimate, pass or fail")
	flags.StringVar(&f.sessionSD, "session-sd", "", "how much sessions scatter, such as 0.5% (default: one session)")
	flags.Float64Var(&f.quantum, "quantum", 0, "step of the timer in ns, where the files do not say")
	flags.StringVar(&f.format, "format", "text", "what to print: "+strings.Join(compare.Formats, ", "))
	flags.StringVarP(&f.out, "out", "o", "", "folder for report.html, a page to open in a browser (default none)")
	return cmd
}

func runCompare(s *streams, f compareFlags, oldName, newName string) error {
	o, err := f.options()
	if err != nil {
		return usage(err)
	}
	base, head, err := compare.ReadBoth(oldName, newName, compare.ReadOptions{CPUTime: f.cpuTime})
	if err != nil {
		return usage(fmt.Errorf("compare: %w", err))
	}
	d, err := compare.Sets(base, head, o)
	if err != nil {
		return usage(err)
	}
	render := func(w io.Writer) error { return d.Render(w, f.format, terminalOf(s)) }
	if err := printAs(s, f.format, render); err != nil {
		return fmt.Errorf("write the comparison: %w", err)
	}
	if err := saveComparison(f.out, d); err != nil {
		return err
	}
	return exitWith(d.Conclusion.Exit)
}

// options turns flags into the terms of a comparison; every error is the caller's.
func (f compareFlags) options() (compare.Options, error) {
	if err := oneOf("format", f.format, compare.Formats...); err != nil {
		return compare.Options{}, err
	}
	p := rule.Default()
	p.OnInconclusive = result.OnInconclusive(f.onInconclusive)
	o := compare.Options{Paired: f.paired, QuantumNS: f.quantum}
	for _, flag := range []struct {
		name, text string
		to         *float64
	}{
		{"tolerance", f.tolerance, &p.Tolerance},
		{"improvement", f.improvement, &p.Improvement},
		{"confidence", f.confidence, &p.Confidence},
	} {
		value, err := config.ParsePercent(flag.text)
		if err != nil {
			return compare.Options{}, fmt.Errorf("--%s: %w", flag.name, err)
		}
		*flag.to = value
	}
	if f.sessionSD != "" {
		sd, err := config.ParsePercent(f.sessionSD)
		if err != nil {
			return compare.Options{}, fmt.Errorf("--session-sd: %w", err)
		}
		o.SessionSD = &sd
	}
	if !(f.quantum >= 0 && f.quantum < 1e9) {
		return compare.Options{}, fmt.Errorf("--quantum is %v, want nanoseconds", f.quantum)
	}
	o.Policy = p
	return o, p.Validate()
}

// saveComparison leaves a page in a folder, if one was named.
func saveComparison(dir string, d compare.Document) error {
	if dir == "" {
		return nil
	}
	if err := ownRenderings(dir); err != nil {
		return err
	}
	run, words := d.Run()
	return replaceIn(dir, page.PageName, func(w io.Writer) error { return page.Write(w, run, words, page.Options{}) })
}
