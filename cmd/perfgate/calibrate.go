package main

import (
	"bufio"
	"cmp"
	"context"
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
	Quick           bool
	Seed            string
	Suites          int
	SuiteCases      int
	Trials          int
	Tolerance       string
	Noise           string
	Recordings      string
	Enough          bool
	TimerResolution float64
	Figure          string
	NoOtherRules    bool
	NoCurve         bool
	Searches        int
	Candidates      int
	Injected        string
	Exact           bool
	Promises        bool
}

// ownRecordings is --injected without a file: those that come with the program.
const ownRecordings = "recorded"

const defaultTolerance = "1.5%"

func newCalibrateCommand(s *streams) *cobra.Command {
	var f calibrateFlags
	return verb(&cobra.Command{
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
	}, &f, func(context.Context, []string) error { return runCalibrate(s, f) })
}

func runCalibrate(s *streams, f calibrateFlags) error {
	o, err := f.options()
	if err != nil {
		return result.Usage(err)
	}
	o.Observe = func(done string) { fmt.Fprintln(s.progressTo(), "done:", done) }
	switch {
	case f.Injected != "":
		return calibrateInjected(s, f, o)
	case f.Searches > 0:
		return calibrateSearches(s, f, o)
	case f.Promises:
		return calibratePromises(s, f, o)
	}
	report, err := calibrate.Run(o)
	if err != nil {
		return result.Usage(err)
	}
	if f.Figure != "" {
		if err := writeFigure(f.Figure, report); err != nil {
			return err
		}
	}
	return report.Render(s.out)
}

// options turns flags into what to simulate; every error is the caller's.
func (f calibrateFlags) options() (calibrate.Options, error) {
	o := calibrate.Default()
	if f.Quick {
		o = calibrate.Quick()
	}
	seed, err := request.ParseSeed(f.Seed)
	if err != nil {
		return o, err
	}
	o.Seed, o.Peers, o.Curve = seed, !f.NoOtherRules, !f.NoCurve
	if f.Suites > 0 {
		o.Suites = f.Suites
	}
	if f.SuiteCases > 0 {
		o.SuiteCases = f.SuiteCases
	}
	if f.Trials > 0 {
		o.Cases = f.Trials
	}
	tolerance, err := config.ParseTolerance(f.Tolerance)
	if err != nil {
		return o, fmt.Errorf("--tolerance: %w", err)
	}
	o.Policy.Tolerance = tolerance
	if err := f.refuse(); err != nil {
		return o, err
	}
	if f.Recordings != "" {
		data, err := os.ReadFile(f.Recordings)
		if err != nil {
			return o, err
		}
		if o.Worlds, err = calibrate.ReadRecordings(filepath.Base(f.Recordings), data, f.TimerResolution); err != nil {
			return o, err
		}
		if f.Enough {
			o.Worlds = calibrate.Shortened(filepath.Base(f.Recordings), o.Worlds, tolerance)
		}
	}
	return o, o.Select(f.Noise)
}

// refuse says which flags have no part in what was asked for: they are refused rather than ignored.
func (f calibrateFlags) refuse() error {
	switch {
	case f.Exact && f.Injected == "":
		return fmt.Errorf("--exact is for --injected")
	case f.Candidates > 0 && f.Searches == 0:
		return fmt.Errorf("--candidates is for --searches")
	case f.Figure != "" && f.NoCurve:
		return fmt.Errorf("--figure draws what --no-curve leaves out")
	case f.Enough && f.Recordings == "":
		return fmt.Errorf("--enough is for --recordings")
	case f.Enough && f.TimerResolution > 0:
		return fmt.Errorf("--enough replays samples as they were read: --timer-resolution has no part in that")
	}
	return nil
}

// calibrateInjected is calibrate --injected. What is only for models of noise is refused rather than ignored.
func calibrateInjected(s *streams, f calibrateFlags, o calibrate.Options) error {
	if f.Recordings != "" || f.Noise != "" || f.Figure != "" || f.Suites > 0 || f.SuiteCases > 0 || f.Tolerance != defaultTolerance {
		return result.Usagef("--injected draws from processes of a GPU, for tolerances of 0.5, 1 and 1.5 %%: --recordings, --noise, --figure, --suites, --suite-cases and --tolerance have no part in that")
	}
	all, err := readStreams(f.Injected)
	if err != nil {
		return result.Usage(err)
	}
	report, err := calibrate.Power(all, calibrate.PowerOptions{
		Seed: o.Seed, Runs: o.Cases, Policy: o.Policy, Exact: f.Exact, Observe: o.Observe,
	})
	if err != nil {
		return result.Usage(err)
	}
	return report.Render(s.out)
}

// calibratePromises is calibrate --promises.
func calibratePromises(s *streams, f calibrateFlags, o calibrate.Options) error {
	if f.Figure != "" || f.Suites > 0 || f.Enough {
		return result.Usagef("--promises prints one table of all: --figure, --suites and --enough have no part in that")
	}
	tolerances := calibrate.PowerTolerances
	if f.Tolerance != defaultTolerance {
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
	if f.Figure != "" || f.Suites > 0 || f.SuiteCases > 0 || f.Trials > 0 || f.Enough {
		return result.Usagef("--searches simulates searches: --figure, --suites, --suite-cases, --trials and --enough have no part in that")
	}
	search := calibrate.DefaultSearches()
	search.Seed, search.Searches, search.Candidates = o.Seed, f.Searches, cmp.Or(f.Candidates, search.Candidates)
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
