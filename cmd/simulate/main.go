// Command simulate simulates the decision rule: how often it is wrong, how often it finds what is there, and what that costs, in noise whose
// truth is known.
//
//	go run ./cmd/simulate                                      # what the rule promises, in every noise model
//	go run ./cmd/simulate --noise H200 --trials 20000          # the same of some, with more cases behind each number
//	go run ./cmd/simulate --tables errors --floor 3us          # how often it is wrong where a floor is the margin of a case
//	go run ./cmd/simulate --recordings mine.csv                # in your own recording of unchanged code
//	go run ./cmd/simulate --figure operating-curve.svg         # chance of each verdict against the true shift
//	go run ./cmd/simulate --other-rules --noise "process sd"   # rules of other tools on the same samples
//	go run ./cmd/simulate --injected --exact                   # power, from processes of a GPU with injected work
//	go run ./cmd/simulate --suites --suite-cases 6 --noise H200 # a suite, and trades at the boundary of what they allow
//	go run ./cmd/simulate --goals --suite-cases 4 --noise H200 # a goal, where just enough cases reach it or one too few
//	go run ./cmd/simulate --searches 200 --noise H200          # searches that perfgate judge evaluates
//
// Tables go to standard output. Equal flags give equal numbers. Exit codes are those of perfgate: 0 done, 2 bad usage or input.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/simulate"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run prints what the arguments ask for and returns the exit code.
func run(args []string, out, log io.Writer) int {
	text, err := simulated(args, log)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintln(log, "simulate:", err)
		return 2
	}
	if _, err := io.WriteString(out, text); err != nil {
		fmt.Fprintln(log, "simulate:", err)
		return 3
	}
	return 0
}

// request is what the arguments ask for.
type request struct {
	options                      simulate.Options
	figure, injected, recordings string
	noise                        string
	timerNS                      float64
	enough, exact                bool
}

// kind is one simulation: the flag that asks for it, other flags that have a part in it, and its tables.
type kind struct {
	flag, takes string
	text        func(request) (string, error)
}

const ofNoise = " trials suite-cases tolerance noise recordings timer-resolution seed"

var kinds = []kind{
	{"figure", ofNoise, request.drawCurves},
	{"other-rules", ofNoise, func(r request) (string, error) { return render(r.options.OtherRule()) }},
	{"injected", "exact trials seed", request.readPower},
	{"suites", ofNoise, func(r request) (string, error) { return render(r.options.Suite()) }},
	{"goals", ofNoise, func(r request) (string, error) { return render(r.options.Goal()) }},
	{"searches", "candidates tolerance noise recordings timer-resolution seed", func(r request) (string, error) { return render(r.options.Search()) }},
	{"", "tables floor rule-2 enough" + ofNoise, func(r request) (string, error) { return render(r.options.Promise()) }},
}

// simulated is the tables that the arguments ask for.
func simulated(args []string, log io.Writer) (string, error) {
	r := request{options: simulate.Default()}
	r.options.Observe = func(done string) { fmt.Fprintln(log, "done:", done) }
	flags := r.flags(log)
	if err := flags.Parse(args); err != nil {
		return "", err
	}
	k, err := kindOf(flags)
	if err != nil {
		return "", err
	}
	if r.options.RuleTwo && slices.Contains(r.options.Tables, "effects") {
		return "", errors.New("effects are those of this rule only: --rule-2 needs --tables errors,costs,power, or some of them")
	}
	if err := r.readNoise(); err != nil {
		return "", err
	}
	return k.text(r)
}

func (r *request) flags(log io.Writer) *flag.FlagSet {
	o := &r.options
	flags := flag.NewFlagSet("simulate", flag.ContinueOnError)
	flags.SetOutput(log)
	flags.Uint64Var(&o.Seed, "seed", o.Seed, "seed of all random numbers")
	flags.IntVar(&o.Trials, "trials", o.Trials, "cases behind every number")
	flags.IntVar(&o.SuiteCases, "suite-cases", o.SuiteCases, "cases of a run, each tested at its share of the error rate")
	flags.StringVar(&r.noise, "noise", "", "only noise whose name contains one of these, such as middle-pair,two-clocks")
	flags.StringVar(&r.recordings, "recordings", "", "replay this sample file (process,kernel,case,ns) of unchanged code in place of the noise models")
	flags.Float64Var(&r.timerNS, "timer-resolution", 0, "with --recordings, resolution of its timer in ns")
	flags.Func("tables", "only these tables of the promises, joined by commas: "+strings.Join(o.Tables, ", "), r.readTables)
	flags.Func("floor", "floor of every case, such as 3us: a slowdown by less passes, too", func(text string) error {
		floor, err := time.ParseDuration(text)
		if err == nil && floor <= 0 {
			err = errors.New("must be more than 0")
		}
		o.FloorNS = float64(floor)
		return err
	})
	flags.BoolVar(&o.RuleTwo, "rule-2", false, "decide by rule 2, which this rule replaced")
	flags.BoolVar(&r.enough, "enough", false, "with --recordings, suites of all its cases, with all samples of a process and with as many as a run on a GPU takes")
	flags.StringVar(&r.figure, "figure", "", "write the operating curve to this SVG file, and print it")
	flags.Bool("other-rules", false, "compare with the decision rules of other tools, on the same samples")
	flags.BoolFunc("injected", "draw from processes with injected work: those that come with perfgate, or =FILE (case,slowdown,process,ns)", func(file string) error {
		r.injected = file
		return nil
	})
	flags.BoolVar(&r.exact, "exact", false, "with --injected, scale the injected slowdown to exactly its percentage")
	flags.Bool("suites", false, "runs whose cases are decided together as well, and trades of a slower case for a faster suite")
	flags.Bool("goals", false, "runs that are asked for a speedup over a competitor in some of their cases")
	flags.IntVar(&o.Searches, "searches", o.Searches, "simulate so many searches, in which candidates equal to base, or one improvement among others, are evaluated")
	flags.IntVar(&o.Candidates, "candidates", o.Candidates, "with --searches, equal candidates of each")
	given := false
	flags.Func("tolerance", "tolerance of the gate, such as 0.5%; the promises take several (default 1.5%)", func(text string) error {
		tolerance, err := config.ParseTolerance(text)
		if !given {
			o.Tolerances, given = nil, true
		}
		o.Tolerances = append(o.Tolerances, tolerance)
		return err
	})
	return flags
}

// readTables reads which tables of the promises are asked for.
func (r *request) readTables(text string) error {
	all := simulate.PromiseTables()
	r.options.Tables = strings.Split(text, ",")
	for _, name := range r.options.Tables {
		if !slices.Contains(all, name) {
			return fmt.Errorf("no table is called %q; there are: %s", name, strings.Join(all, ", "))
		}
	}
	return nil
}

// kindOf is what the flags ask for. A flag that has no part in it is refused rather than ignored.
func kindOf(flags *flag.FlagSet) (kind, error) {
	var set []string
	flags.Visit(func(f *flag.Flag) { set = append(set, f.Name) })
	if flags.NArg() > 0 {
		return kind{}, fmt.Errorf("%q is not a flag: simulate --help lists them", flags.Arg(0))
	}
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.flag == "" || slices.Contains(set, k.flag) })
	for _, name := range set {
		if name != kinds[i].flag && !slices.Contains(strings.Fields(kinds[i].takes), name) {
			return kind{}, fmt.Errorf("--%s has no part in this simulation: leave it out, or see simulate --help", name)
		}
	}
	return kinds[i], nil
}

// readNoise reads the user's recording, and keeps the noise that is asked for.
func (r *request) readNoise() error {
	o := &r.options
	if r.recordings == "" {
		if r.enough || r.timerNS != 0 {
			return errors.New("--enough and --timer-resolution need --recordings")
		}
		return o.Select(r.noise)
	}
	data, err := os.ReadFile(r.recordings)
	if err != nil {
		return err
	}
	name := filepath.Base(r.recordings)
	if o.Noise, err = simulate.ReadRecordings(name, data, r.timerNS); err != nil {
		return err
	}
	if r.enough {
		if r.timerNS != 0 {
			return errors.New("--enough replays samples as they were read: --timer-resolution has no part in that")
		}
		o.Noise = simulate.Shortened(name, o.Noise, o.Tolerances[0])
	}
	return o.Select(r.noise)
}

func (r request) readPower() (string, error) {
	if r.injected == "true" { // the flag without a file
		return render(r.options.Power(simulate.InjectedRecordings(), r.exact))
	}
	data, err := os.ReadFile(r.injected)
	if err != nil {
		return "", err
	}
	all, err := simulate.ReadInjected(filepath.Base(r.injected), data)
	if err != nil {
		return "", err
	}
	return render(r.options.Power(all, r.exact))
}

func (r request) drawCurves() (string, error) {
	curves, err := r.options.Curve()
	if err != nil {
		return "", err
	}
	return curves.Render(), os.WriteFile(r.figure, []byte(curves.Figure()), 0o644)
}

// render is the text of tables, unless there are none.
func render[T interface{ Render() string }](tables T, err error) (string, error) {
	if err != nil {
		return "", err
	}
	return tables.Render(), nil
}
