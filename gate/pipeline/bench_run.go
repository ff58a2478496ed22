package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/identity"
	"github.com/org/perfgate/gate/measure"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/untrusted"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/observe"
	"github.com/org/perfgate/kernels/pool"
)

// program is a kernel's benchmark, ready to run on both sides: it is a measure.Benchmark.
type program struct {
	kernel  Kernel
	format  benchmark.Format
	runners *runners
	opt     Options
	wants   []result.Side // of processes that wait while another one measures
	ahead   *pool.Pool[result.Side, benchProcess]
	observe bool // what a process asks the Linux kernel for is recorded
	afresh  bool // a process finds nothing compiled or tuned by another
}

var _ measure.Benchmark = (*program)(nil)

// newProgram is the benchmark of a kernel that has one.
func newProgram(k Kernel, r *runners, opt Options) *program {
	return &program{kernel: k, format: k.Plan.Kernel.Format(), runners: r, opt: opt}
}

func (p *program) subject(k Kernel, c plan.Case) measure.Subject {
	return measure.Subject{Name: c.Name(), Benchmark: p, Row: c.Row, Competitors: k.measuredLines(c)}
}

func (p *program) close() { p.ahead.Close() }

func (p *program) libraries(Kernel) identity.Pair { return identity.Pair{} }

// asked is of base's side also what built the benchmark.
func (p *program) asked(ctx context.Context, k Kernel, side result.Side) (observe.Report, string, error) {
	first := k.First.of(side)
	if first.Lived == 0 {
		return observe.Report{}, "its benchmark had no first run", nil
	}
	asked, why, err := newProgram(k, p.runners, p.opt).askedToLaunch(ctx, side)
	if side == result.SideBase {
		return observe.Union(k.askedFirst(), asked), why, err
	}
	return observe.Union(first.Asked, asked), why, err
}

func (p *program) claim(k Kernel) (c claim) {
	if p.opt.sameBenchmark(k) {
		c.proof, c.built = result.ReasonSameFiles, k.askedFirst()
	}
	return c
}

func (p *program) showsShared(Kernel) bool { return true }

// rows are those that are timed, and the libraries' beside them, each once.
func (p *program) rows() []string {
	var rows []string
	for _, c := range p.kernel.Plan.Measured {
		rows = append(rows, c.Row)
		for _, row := range p.kernel.Lines[c.Row] {
			rows = append(rows, row.Name)
		}
	}
	slices.Sort(rows)
	return slices.Compact(rows)
}

// list is a side's first run, which says what cases there are. Nothing is decided by its times. It runs what is wanted, as far as the format can ask
// for it; where that has no such row, all rows say what there is.
func (p *program) list(ctx context.Context, side result.Side, ask benchmark.Ask) (firstRun, error) {
	first, err := p.listOnce(ctx, side, ask)
	if !benchmark.NarrowsList(p.format, p.spec(), ask.Wanted) {
		return first, err
	}
	var fault *kernels.RunnerError
	none := !slices.ContainsFunc(first.Set.Cases, func(c benchmark.Case) bool { return benchmark.MatchesRow(ask.Wanted, c.Name) })
	if errors.As(err, &fault) && (fault.Code == result.CodeExited || fault.Code == result.CodeNonsense) || err == nil && none {
		ask.Wanted = nil
		return p.listOnce(ctx, side, ask)
	}
	return first, err
}

func (p *program) listOnce(ctx context.Context, side result.Side, ask benchmark.Ask) (firstRun, error) {
	ask.Mode = benchmark.List
	first, err := p.run(ctx, side, ask, p.opt.Trusted.Config.Gate.Budget)
	first.Launched = !p.format.Traits().Lists
	var fault *kernels.RunnerError
	if errors.As(err, &fault) && fault.Code == result.CodeHung {
		fault.Message = fmt.Sprintf("its first run, of all its cases, did not end within the budget of %s that all rounds have: it hangs, or takes too long for a gate: "+
			"give its command less to do, or raise --budget", p.opt.Trusted.Config.Gate.Budget)
	}
	return first, err
}

// Calibrate asks a process where the format leaves the clock to us. The others time themselves, by what their first run on base said.
func (p *program) Calibrate(ctx context.Context, side result.Side, rows []string, methods map[string]result.Method) (map[string]measure.Calibrated, error) {
	out := map[string]measure.Calibrated{}
	first := p.kernel.First.of(side)
	if !p.format.Traits().OurClock {
		if p.kernel.First.base.Lived > 0 {
			first = p.kernel.First.base
		}
		timed := len(p.rows())
		for _, row := range rows {
			out[row] = p.selfTimed(first, row, timed)
		}
		return out, nil
	}
	run, err := p.run(ctx, side, benchmark.Ask{Mode: benchmark.Calibrate, Cases: rows, Methods: methods}, p.limit())
	for _, row := range rows {
		c, fault := p.caseOf(run.Set, row)
		if fault == nil && c.Method == nil {
			fault = &kernels.RunnerError{Code: result.CodeNonsense, Message: "it was asked how to time the case, and did not say"}
		}
		if fault != nil {
			out[row] = measure.Calibrated{Fault: fault}
			continue
		}
		out[row] = measure.Calibrated{Method: *c.Method, Flops: c.Flops, Bytes: c.Bytes}
	}
	return out, err
}

// selfTimed is how a program times a case that it times itself, one of so many rows.
func (p *program) selfTimed(first firstRun, row string, timed int) measure.Calibrated {
	c, fault := p.caseOf(first.Set, row)
	if fault != nil {
		return measure.Calibrated{Fault: fault}
	}
	value, err := c.Processes[0].Value()
	if err != nil {
		return measure.Calibrated{Fault: &kernels.RunnerError{Code: result.CodeNonsense, Message: err.Error()}}
	}
	how := p.format.Traits().Name
	if time := p.kernel.Plan.Kernel.Bench.Time; time != "" {
		how += " (" + time + ")"
	}
	return measure.Calibrated{Flops: c.Flops, Bytes: c.Bytes, Method: result.Method{
		Clock: result.ClockBenchmark, How: how, Launches: max(1, c.Launches), Samples: max(1, len(c.Processes[0].Samples)), LaunchNS: value, QuantumNS: c.QuantumNS,
		LimitNS: slowBenchmark * float64(first.Lived) / float64(timed),
	}}
}

// Time runs a fresh process of a side.
func (p *program) Time(ctx context.Context, side result.Side, rows []string, methods map[string]result.Method) (map[string]measure.Reading, error) {
	run, err := p.run(ctx, side, benchmark.Ask{Mode: benchmark.Measure, Cases: rows, Methods: methods}, p.limit())
	if err != nil {
		return nil, err
	}
	out := map[string]measure.Reading{}
	for _, row := range rows {
		c, fault := p.caseOf(run.Set, row)
		if fault != nil {
			out[row] = measure.Reading{Fault: fault}
			continue
		}
		one := c.Processes[0]
		if len(one.Samples) == 0 {
			one.Samples = []float64{one.ValueNS}
		}
		out[row] = measure.Reading{Samples: one.Samples, WaitedNS: one.WaitedNS, Planned: one.Planned, Stopped: one.Stopped, Chosen: c.Chosen}
	}
	return out, nil
}

// caseOf is a row in what a process wrote, or why it is not there.
func (p *program) caseOf(set benchmark.Set, row string) (benchmark.Case, *kernels.RunnerError) {
	i := slices.IndexFunc(set.Cases, func(c benchmark.Case) bool { return c.Name == row })
	switch {
	case i < 0:
		return benchmark.Case{}, &kernels.RunnerError{Code: result.CodeVanished, Message: "the benchmark no longer has the case, which its first run had"}
	case set.Cases[i].Coarse:
		return benchmark.Case{}, &kernels.RunnerError{Code: result.CodeCoarseClock, Message: set.Cases[i].Failed}
	case set.Cases[i].Failed != "":
		return benchmark.Case{}, &kernels.RunnerError{Code: result.CodeLaunchFailed, Message: set.Cases[i].Failed}
	}
	if first := p.kernel.First.head.row(row); first != nil && first.Differs(set.Cases[i]) != "" {
		return benchmark.Case{}, &kernels.RunnerError{Code: result.CodeNonsense, Message: "its first run and this one differ: " + first.Differs(set.Cases[i])}
	}
	return set.Cases[i], nil
}

const (
	slowBenchmark    = 10 // times what base's first run took …
	benchmarkReserve = 30 * time.Second
)

// limit is how long a process may take.
func (p *program) limit() time.Duration {
	first := p.kernel.First.base.Lived
	if first == 0 {
		first = p.kernel.First.head.Lived
	}
	return slowBenchmark*first + benchmarkReserve
}

// run runs one process of a side to its end and reads what it left. What the side's code does wrong is a *kernels.RunnerError.
func (p *program) run(ctx context.Context, side result.Side, ask benchmark.Ask, limit time.Duration) (done firstRun, err error) {
	ask.Seed, ask.Known = p.opt.Seed, p.kernel.First.of(side).Set.Cases
	started, err := p.process(ctx, side, ask, limit)
	if err != nil {
		return done, err
	}
	defer started.leave()
	end, err := started.command.Wait(ctx)
	var fault *kernels.RunnerError
	if exited := errors.As(err, &fault) && fault.Code == result.CodeExited; err != nil && !exited {
		return done, err
	}
	set, err := benchmark.Read(p.format, p.spec(), benchmark.Output{Folder: untrusted.FS(started.out, untrusted.NoLimit), Stdout: end.Stdout, Cut: end.Cut})
	if fault != nil {
		return done, withReason(fault, err)
	}
	done = firstRun{Set: set, Lived: end.Lived}
	if p.observe {
		done.Asked = started.command.Observed()
	}
	if err != nil {
		return done, illegible(err, end.Last)
	}
	return done, p.believable(set, end.Lived)
}

// benchProcess is a process of a benchmark. leave takes away what it was given.
type benchProcess struct {
	command *kernels.Command
	out     string
	leave   func()
}

func (p *program) start(side result.Side, limit time.Duration, command func(benchFolders) benchmark.Command, waits bool) (benchProcess, error) {
	folders, leave, err := p.folders(side)
	if err != nil {
		return benchProcess{}, err
	}
	spec := p.command(side, command(folders), folders, limit)
	spec.Waits = waits
	if p.observe {
		spec.Observe = p.observing(spec.Root)
	}
	started, err := p.runners.command(spec)
	if err != nil {
		leave()
		return benchProcess{}, err
	}
	return benchProcess{started, folders.out, leave}, nil
}

// observing leaves out the folders that perfgate gives a process. root holds all of its side.
func (p *program) observing(root string) *observe.Options {
	return &observe.Options{Own: nonEmpty(p.home(), p.opt.Cache), Trees: []string{root}, Caches: observe.SharedCaches(os.Environ())}
}

// home is where the folders are that processes of the benchmark are given.
func (p *program) home() string { return filepath.Join(p.runners.scratch, "bench", p.kernel.Name()) }

// spec is the benchmark with the interpreter that was found for it.
func (p *program) spec() benchmark.Spec {
	spec := p.kernel.Plan.Kernel.Bench.Spec
	spec.Python = p.kernel.Python.Path
	return spec
}

// illegible is the fault of a process that ended well and left no answer that can be read. Why it wrote none is in what it printed.
func illegible(err error, printed string) error {
	fault := &kernels.RunnerError{Code: result.CodeNonsense, Message: "what the benchmark wrote cannot be read: " + err.Error()}
	if errors.Is(err, benchmark.ErrNothing) {
		fault.Message, fault.Printed = err.Error(), printed
	}
	return fault
}

// withReason is the fault of a process that ended with an error, by the reason that it left where its format has one.
func withReason(fault *kernels.RunnerError, left error) error {
	var script *benchmark.ScriptError
	if errors.As(left, &script) {
		fault.Message, fault.Printed = script.Error(), ""
	}
	return fault
}

// benchFolders are what a process of a benchmark is given.
type benchFolders struct{ out, cache, support string }

// folders makes them; leave removes those of the process. Caches are a side's: no side finds what the other compiled.
func (p *program) folders(side result.Side) (f benchFolders, leave func(), err error) {
	home := p.home()
	f.cache, f.support = filepath.Join(home, string(side), "cache"), filepath.Join(home, "support")
	if err := os.MkdirAll(f.cache, 0o700); err != nil {
		return f, nil, fmt.Errorf("make a folder for a benchmark: %w", err)
	}
	if files, ok := p.format.(benchmark.Filed); ok {
		if _, err := os.Stat(f.support); errors.Is(err, os.ErrNotExist) {
			if err := os.CopyFS(f.support, files.Files()); err != nil {
				return f, nil, fmt.Errorf("lay out what a benchmark needs: %w", err)
			}
		}
	}
	if f.out, err = os.MkdirTemp(filepath.Join(home, string(side)), "out-"); err != nil {
		return f, nil, fmt.Errorf("make a folder for a benchmark: %w", err)
	}
	if p.afresh {
		f.cache = filepath.Join(f.out, "cache")
		if err := os.Mkdir(f.cache, 0o700); err != nil {
			return f, nil, fmt.Errorf("make a folder for a benchmark: %w", err)
		}
	}
	return f, func() { os.RemoveAll(f.out) }, nil
}

func (p *program) command(side result.Side, c benchmark.Command, f benchFolders, limit time.Duration) kernels.CommandSpec {
	at := p.kernel.Base.Runs
	if side == result.SideHead {
		at = p.kernel.Head.Runs
	}
	return kernels.CommandSpec{
		Line: c.Line, Args: c.Args, Env: c.Env, Dir: at.Tree, Root: at.root(), Writes: []string{f.out}, Reads: p.reads(f), Caches: f.cache, Limit: limit,
		Log: p.runners.log,
	}
}

// reads are what a process may read besides its side: the format's files, and the interpreter of a script with its packages.
func (p *program) reads(f benchFolders) []string {
	paths := []string{f.support}
	if python := p.kernel.Python; python.Path != "" {
		paths = append(paths, python.Folders...)
	}
	return paths
}

// lifeSlack is what is allowed for two clocks of one machine.
const lifeSlack = 1.02

// believable holds what a process says that it measured against how long it was seen to live. It cannot have measured for longer.
func (p *program) believable(set benchmark.Set, lived time.Duration) error {
	total := 0.0
	for _, c := range set.Cases {
		total += c.TotalNS
	}
	most := lifeSlack * float64(lived)
	if p.kernel.Plan.Kernel.Bench.Time == "cpu" || p.format.Traits().OwnClock { // of all cores
		most *= float64(runtime.NumCPU())
	}
	if total <= most {
		return nil
	}
	return &kernels.RunnerError{Code: result.CodeClock, Message: fmt.Sprintf(
		"the benchmark says that it measured for %.3g s, and its process lived for %.3g s: its clock is wrong, or its rows are not what it measured", total/1e9, lived.Seconds())}
}

// firstRun is what a side's first run said, how long it took, and what it asked the Linux kernel for where it was observed.
type firstRun struct {
	Set   benchmark.Set
	Lived time.Duration
	Asked observe.Report
	// Launched says that it ran its cases; else it was only asked which there are.
	Launched bool
}

type firstRuns struct{ base, head firstRun }

func (f firstRuns) of(side result.Side) firstRun {
	if side == result.SideBase {
		return f.base
	}
	return f.head
}

// row is the case of a name, nil where the run did not have it.
func (f firstRun) row(name string) *benchmark.Case {
	for i, c := range f.Set.Cases {
		if c.Name == name {
			return &f.Set.Cases[i]
		}
	}
	return nil
}

// differs says why a row of base is not what this run has by its name; "" where it is, or fails.
func (f firstRun) differs(base benchmark.Case) string {
	c := f.row(base.Name)
	if c == nil {
		return "base's benchmark does not have it in every run"
	}
	if differs := base.Differs(*c); differs != "" && c.Failed == "" {
		return "two runs of base's benchmark differ: " + differs
	}
	return ""
}
