package main

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/calibrate"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
)

// calibrateFlags are the flags of calibrate.
type calibrateFlags struct {
	quick      bool
	seed       string
	suites     int
	suiteCases int
	trials     int
	tolerance  string
	noise      string
	recordings string
	enough     bool
	timerNS    float64
	figure     string
	noOthers   bool
	noCurve    bool
	searches   int
	candidates int
	injected   string
	exact      bool
	promises   bool
}

// ownRecordings is --injected without a file: those that come with the program.
const ownRecordings = "recorded"

const defaultTolerance = "1.5%"

func newCalibrateCommand(s *streams) *cobra.Command {
	var f calibrateFlags
	cmd := &cobra.Command{
		Use:   "calibrate",
		Short: "Simulate the decision rule: false positive rate and power",
		Long: `calibrate replays unchanged code and injected shifts, from a model of noise and from recordings of a real GPU, lets the
rule of the gate decide, and prints how often it is wrong, how often it finds what is there, how many rounds that takes,
and what other rules say of the same samples. Equal flags give equal numbers.

With --recordings it replays your own: a sample file (process,kernel,case,ns) of unchanged code, many processes of it.

With --searches it simulates searches judged as perfgate judge does: how many call any of 1,000 equal candidates better, what
others would have kept of the same candidates, and whether a true improvement among 100 is found, at what cost.

With --promises it prints one table of what the rule promises: how often it is wrong and what it costs, beside the rule before it.

With --injected nothing is modelled: it draws rounds from processes of a GPU whose code did 0, 1, 2, 3 and 5 % more work than
needed, and prints how often that is found, by tolerance and rounds. A file of your own is what
docs/measurements/run.sh record writes (case,dose,process,ns).`,
		Example: `  perfgate calibrate --quick
  perfgate calibrate --figure operating-curve.svg
  perfgate calibrate --recordings mine.csv --timer-resolution 32
  perfgate calibrate --injected --trials 300
  perfgate calibrate --searches 200 --noise H200`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runCalibrate(s, f)
		},
	}
	define(cmd, targets{
		"quick": &f.quick, "seed": &f.seed, "suites": &f.suites, "suite-cases": &f.suiteCases, "trials": &f.trials, "tolerance": &f.tolerance,
		"noise": &f.noise, "recordings": &f.recordings, "enough": &f.enough,
		"timer-resolution": &f.timerNS, "figure": &f.figure, "injected": &f.injected, "searches": &f.searches, "candidates": &f.candidates, "exact": &f.exact,
		"promises": &f.promises, "no-other-rules": &f.noOthers, "no-curve": &f.noCurve,
	})
	return cmd
}

func runCalibrate(s *streams, f calibrateFlags) error {
	o, err := f.options()
	if err != nil {
		return result.Usage(err)
	}
	o.Observe = func(done string) { fmt.Fprintln(s.progressTo(), "done:", done) }
	switch {
	case f.injected != "":
		return calibrateInjected(s, f, o)
	case f.searches > 0:
		return calibrateSearches(s, f, o)
	case f.promises:
		return calibratePromises(s, f, o)
	}
	report, err := calibrate.Run(o)
	if err != nil {
		return result.Usage(err)
	}
	if f.figure != "" {
		if err := writeFigure(f.figure, report); err != nil {
			return err
		}
	}
	return report.Render(s.out)
}

// options turns flags into what to simulate; every error is the caller's.
func (f calibrateFlags) options() (calibrate.Options, error) {
	o := calibrate.Default()
	if f.quick {
		o = calibrate.Quick()
	}
	seed, err := request.ParseSeed(f.seed)
	if err != nil {
		return o, err
	}
	o.Seed, o.Peers, o.Curve = seed, !f.noOthers, !f.noCurve
	if f.suites > 0 {
		o.Suites = f.suites
	}
	if f.suiteCases > 0 {
		o.SuiteCases = f.suiteCases
	}
	if f.trials > 0 {
		o.Cases = f.trials
	}
	tolerance, err := config.ParseTolerance(f.tolerance)
	if err != nil {
		return o, fmt.Errorf("--tolerance: %w", err)
	}
	o.Policy.Tolerance = tolerance
	if err := f.refuse(); err != nil {
		return o, err
	}
	if f.recordings != "" {
		data, err := os.ReadFile(f.recordings)
		if err != nil {
			return o, err
		}
		if o.Worlds, err = calibrate.ReadRecordings(filepath.Base(f.recordings), data, f.timerNS); err != nil {
			return o, err
		}
		if f.enough {
			o.Worlds = calibrate.Shortened(filepath.Base(f.recordings), o.Worlds, tolerance)
		}
	}
	return o, o.Select(f.noise)
}

// refuse says which flags have no part in what was asked for: they are refused rather than ignored.
func (f calibrateFlags) refuse() error {
	switch {
	case f.exact && f.injected == "":
		return fmt.Errorf("--exact is for --injected")
	case f.candidates > 0 && f.searches == 0:
		return fmt.Errorf("--candidates is for --searches")
	case f.figure != "" && f.noCurve:
		return fmt.Errorf("--figure draws what --no-curve leaves out")
	case !(f.timerNS >= 0):
		return fmt.Errorf("--timer-resolution is %v, want nanoseconds", f.timerNS)
	case f.enough && f.recordings == "":
		return fmt.Errorf("--enough is for --recordings")
	case f.enough && f.timerNS > 0:
		return fmt.Errorf("--enough replays samples as they were read: --timer-resolution has no part in that")
	}
	return nil
}

// calibrateInjected is calibrate --injected. What is only for models of noise is refused rather than ignored.
func calibrateInjected(s *streams, f calibrateFlags, o calibrate.Options) error {
	if f.recordings != "" || f.noise != "" || f.figure != "" || f.suites > 0 || f.suiteCases > 0 || f.tolerance != defaultTolerance {
		return result.Usagef("--injected draws from processes of a GPU, for tolerances of 0.5, 1 and 1.5 %%: --recordings, --noise, --figure, --suites, --suite-cases and --tolerance have no part in that")
	}
	all, err := readStreams(f.injected)
	if err != nil {
		return result.Usage(err)
	}
	report, err := calibrate.Power(all, calibrate.PowerOptions{
		Seed: o.Seed, Runs: o.Cases, Policy: o.Policy, Exact: f.exact, Observe: o.Observe,
	})
	if err != nil {
		return result.Usage(err)
	}
	return report.Render(s.out)
}

// calibratePromises is calibrate --promises.
func calibratePromises(s *streams, f calibrateFlags, o calibrate.Options) error {
	if f.figure != "" || f.suites > 0 || f.enough {
		return result.Usagef("--promises prints one table of all: --figure, --suites and --enough have no part in that")
	}
	tolerances := calibrate.PowerTolerances
	if f.tolerance != defaultTolerance {
		tolerances = []float64{o.Policy.Tolerance}
	}
	report, err := calibrate.PromiseOptions{
		Seed: o.Seed, Trials: o.Cases, SuiteCases: o.SuiteCases, Policy: o.Policy, Tolerances: tolerances, Worlds: o.Worlds, Observe: o.Observe,
	}.Promise()
	if err != nil {
		return result.Usage(err)
	}
	return report.Render(s.out)
}

// calibrateSearches is calibrate --searches.
func calibrateSearches(s *streams, f calibrateFlags, o calibrate.Options) error {
	if f.figure != "" || f.suites > 0 || f.suiteCases > 0 || f.trials > 0 || f.enough {
		return result.Usagef("--searches simulates searches: --figure, --suites, --suite-cases, --trials and --enough have no part in that")
	}
	search := calibrate.DefaultSearches()
	search.Seed, search.Searches, search.Candidates = o.Seed, f.searches, cmp.Or(f.candidates, search.Candidates)
	search.Worlds, search.Observe, search.Gain = o.Worlds, o.Observe, o.Policy.Tolerance
	report, err := calibrate.Search(search)
	if err != nil {
		return result.Usage(err)
	}
	return report.Render(s.out)
}

func readStreams(path string) ([]calibrate.Stream, error) {
	if path == ownRecordings {
		return calibrate.Streams(), nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return calibrate.ReadStreams(path, file)
}

func writeFigure(path string, report calibrate.Report) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if closed := file.Close(); err == nil {
			err = closed
		}
	}()
	out := bufio.NewWriter(file)
	if err := report.WriteFigure(out); err != nil {
		return err
	}
	return out.Flush()
}
