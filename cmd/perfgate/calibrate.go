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
)

// calibrateFlags are the flags of calibrate.
type calibrateFlags struct {
	quick      bool
	seed       uint64
	suites     int
	cases      int
	tolerance  string
	world      string
	recordings string
	enough     bool
	quantum    float64
	figure     string
	noPeers    bool
	noCurve    bool
	searches   int
	candidates int
	streams    string
	exact      bool
}

// ownStreams is --streams without a file: those that come with the program.
const ownStreams = "recorded"

const defaultTolerance = "1.5%"

func newCalibrateCommand(s *streams) *cobra.Command {
	var f calibrateFlags
	o := calibrate.Default()
	cmd := &cobra.Command{
		Use:   "calibrate",
		Short: "Measure the gate's own rule on noise whose truth is known",
		Long: `calibrate replays unchanged code and planted shifts, from a model of noise and from recordings of a real GPU, lets the
rule of the gate decide, and prints how often it is wrong, how often it finds what is there, how many rounds that takes,
and what other rules say of the same samples. Equal flags give equal numbers.

With --recordings it replays your own: a sample file (process,kernel,case,ns) of unchanged code, many processes of it.

With --searches it simulates searches judged as perfgate judge does: how many call any of 1,000 equal candidates better, what
others would have kept of the same candidates, and whether a true improvement among 100 is found, at what cost.

With --streams nothing is modelled: it draws rounds from processes of a GPU whose code did 0, 1, 2, 3 and 5 % more work than
it had to, and prints how often that is found, by tolerance and rounds. A file of your own is what
docs/measurements/run.sh record writes (case,dose,process,ns).`,
		Example: `  perfgate calibrate --quick
  perfgate calibrate --figure operating-curve.svg
  perfgate calibrate --recordings mine.csv --quantum 32
  perfgate calibrate --streams --cases 300
  perfgate calibrate --searches 200 --world H200`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := cmp.Or(positive(cmd, "suites", f.suites), positive(cmd, "cases", f.cases), positive(cmd, "searches", f.searches), positive(cmd, "candidates", f.candidates)); err != nil {
				return err
			}
			return runCalibrate(s, f)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.quick, "quick", false, "a small calibration: a few seconds, numbers not to quote")
	flags.Uint64Var(&f.seed, "seed", o.Seed, "seed of all chances")
	flags.IntVar(&f.suites, "suites", 0, fmt.Sprintf("suites of %d cases behind every error rate (default %d)", calibrate.SuiteCases, o.Suites))
	flags.IntVar(&f.cases, "cases", 0, fmt.Sprintf("cases behind every power (default %d)", o.Cases))
	flags.StringVar(&f.tolerance, "tolerance", defaultTolerance, "slowdown that passes")
	flags.StringVar(&f.world, "world", "", "only kinds of noise whose name contains one of these, such as middle-pair,two-clocks")
	flags.StringVar(&f.recordings, "recordings", "", "replay this sample file instead")
	flags.BoolVar(&f.enough, "enough", false, "with --recordings: suites of all its cases, with all samples of a process and with as many as a run on a GPU takes")
	flags.Float64Var(&f.quantum, "quantum", 0, "step of the timer of --recordings, in ns")
	flags.StringVar(&f.figure, "figure", "", "write the operating curve to this SVG file")
	flags.StringVar(&f.streams, "streams", "", "draw from this file of processes with planted work instead; without a file, from those that come with perfgate")
	flags.Lookup("streams").NoOptDefVal = ownStreams
	flags.IntVar(&f.searches, "searches", 0, "simulate so many searches instead")
	flags.IntVar(&f.candidates, "candidates", 0, fmt.Sprintf("with --searches: equal candidates of each (default %d)", calibrate.DefaultSearches().Candidates))
	flags.BoolVar(&f.exact, "exact", false, "with --streams: scale what was planted to exactly its percentage")
	flags.BoolVar(&f.noPeers, "no-peers", false, "leave out the rules of other tools")
	flags.BoolVar(&f.noCurve, "no-curve", false, "leave out the operating curve")
	return cmd
}

func runCalibrate(s *streams, f calibrateFlags) error {
	o, err := f.options()
	if err != nil {
		return usage(err)
	}
	o.Observe = func(done string) { fmt.Fprintln(s.err, "done:", done) }
	switch {
	case f.streams != "":
		return calibrateStreams(s, f, o)
	case f.searches > 0:
		return calibrateSearches(s, f, o)
	}
	report, err := calibrate.Run(o)
	if err != nil {
		return usage(err)
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
	o.Seed, o.Peers, o.Curve = f.seed, !f.noPeers, !f.noCurve
	if f.suites > 0 {
		o.Suites = f.suites
	}
	if f.cases > 0 {
		o.Cases = f.cases
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
		if o.Worlds, err = calibrate.ReadRecordings(filepath.Base(f.recordings), data, f.quantum); err != nil {
			return o, err
		}
		if f.enough {
			o.Worlds = calibrate.Shortened(filepath.Base(f.recordings), o.Worlds, tolerance)
		}
	}
	return o, o.Select(f.world)
}

// refuse says which flags have no part in what was asked for: they are refused rather than ignored.
func (f calibrateFlags) refuse() error {
	switch {
	case f.exact && f.streams == "":
		return fmt.Errorf("--exact is for --streams")
	case f.candidates > 0 && f.searches == 0:
		return fmt.Errorf("--candidates is for --searches")
	case f.figure != "" && f.noCurve:
		return fmt.Errorf("--figure draws what --no-curve leaves out")
	case !(f.quantum >= 0):
		return fmt.Errorf("--quantum is %v, want nanoseconds", f.quantum)
	case f.enough && f.recordings == "":
		return fmt.Errorf("--enough is for --recordings")
	case f.enough && f.quantum > 0:
		return fmt.Errorf("--enough replays samples as they were read: --quantum has no part in that")
	}
	return nil
}

// calibrateStreams is calibrate --streams. What is only for models of noise is refused rather than ignored.
func calibrateStreams(s *streams, f calibrateFlags, o calibrate.Options) error {
	if f.recordings != "" || f.world != "" || f.figure != "" || f.suites > 0 || f.tolerance != defaultTolerance {
		return usagef("--streams draws from processes of a GPU, for tolerances of 0.5, 1 and 1.5 %%: --recordings, --world, --figure, --suites and --tolerance have no part in that")
	}
	all, err := readStreams(f.streams)
	if err != nil {
		return usage(err)
	}
	report, err := calibrate.Power(all, calibrate.PowerOptions{
		Seed: o.Seed, Runs: o.Cases, Policy: o.Policy, Exact: f.exact, Observe: o.Observe,
	})
	if err != nil {
		return usage(err)
	}
	return report.Render(s.out)
}

// calibrateSearches is calibrate --searches.
func calibrateSearches(s *streams, f calibrateFlags, o calibrate.Options) error {
	if f.figure != "" || f.suites > 0 || f.cases > 0 || f.enough {
		return usagef("--searches simulates searches: --figure, --suites, --cases and --enough have no part in that")
	}
	search := calibrate.DefaultSearches()
	search.Seed, search.Searches, search.Candidates = o.Seed, f.searches, cmp.Or(f.candidates, search.Candidates)
	search.Worlds, search.Observe, search.Gain = o.Worlds, o.Observe, o.Policy.Tolerance
	report, err := calibrate.Search(search)
	if err != nil {
		return usage(err)
	}
	return report.Render(s.out)
}

func readStreams(path string) ([]calibrate.Stream, error) {
	if path == ownStreams {
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
