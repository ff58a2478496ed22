package run

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/measure"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/observe"
)

// A run is data on its way. Each stage is given the value before its own and returns what it found out; devices, builders and
// runners, which are no data, are in session.go. Everything here can be printed, saved as JSON and assembled again.
//
//	Config -> Asked -> Builds -> Checked -> Measured -> Evidence -> result.Result

// Values are what the stages of a run found out. Its result is made of them and of nothing else: see assemble.
type Values struct {
	Asked        Asked
	Builds       Builds
	Checked      Checked
	Measured     Measured
	Uncompared   []result.Uncompared // of head's change, of no kernel
	Evidence     *result.Evidence    // nil where nothing was measured
	Surroundings Surroundings
}

// Asked is what a run is to do, fixed before anything is built.
type Asked struct {
	Plan      *plan.Plan
	Frame     result.Result // what is known before: seed, policy, configuration, sides
	HourPrice float64       // of the machine; 0 if not known
	Dropped   []Dropped
	// NothingToDo says why nothing was built or timed; nil where something was to be.
	NothingToDo *result.Reason
}

// Kernels are those that a stage passes on, and all that have ended by then, with what they came to. Both are in the plan's order.
type Kernels struct {
	On    []Kernel
	Ended []result.Kernel
}

// Account is what a stage says and spent beside what it found.
type Account struct {
	Notes    []string
	CompileS float64
	RunnersS float64 // in runners
	Phases   result.PhaseSeconds
}

// Builds are the kernels that both sides, or head alone, built to something that can be run.
type Builds struct {
	Kernels
	Account
	Untimed map[string][]result.Case // by kernel: rows of benchmarks that cannot be compared, and why
}

// Checked are the kernels that parity found nothing wrong with, or was not asked about.
type Checked struct {
	Kernels
	Account
}

// Kernel is a kernel that goes on.
type Kernel struct {
	Plan        plan.KernelPlan
	Base, Head  Build
	Referee     kernels.Library // says what is right; without a path, base's does
	BaseAdapter string          // base's own, of a kernel that is nothing else; "" builds both sides with the configured one
	Absent      *result.Reason  // why base does not have it, where a base was asked for
	Limits      []result.OverLimit
	Parity      result.Parity
	Competitors []Competitor        // of the configuration, or libraries that its benchmark measures itself
	Lines       lines               // rows of the latter
	Cases       []Case              // in the plan's order, from when they are timed
	First       measure.ProgramRuns // of its benchmark
	Benchmark   *result.Benchmark   // what it said then
	Environment *result.Environment // how the sides' environments differ; nil where they do not
	Uncompared  []result.Uncompared // parts of head's change that both sides share
	// OwnBenchmarks says that each side runs its own files of the benchmark after all, since base does not build with head's.
	OwnBenchmarks bool
	OwnBase       Build // of base's own benchmark, which is asked for its cases alone where both sides run head's
}

// Build is one side of a kernel. Without a record the side has no such kernel.
type Build struct {
	Record      *result.Build
	Library     kernels.Library
	Runs        Side                 // where its processes run; the zero value where it is not built
	Python      kernels.Interpreter  // of its benchmark's script
	Environment *kernels.Environment // what it is built and run with; nil: what is installed
	Began       time.Time            // when a command began to build it; zero where none does
	Asked       observe.Report       // by the commands that built it
}

// Measured are the kernels that were timed, with their cases and why these changed.
type Measured struct {
	Kernels
	Account
	Rounds    []result.Round
	WarmUp    result.WarmUp
	Identical []plan.Case      // not timed, since their kernels are the same on both sides
	Baseline  *result.Baseline // nil where records have no part
}

// Case is a case that is timed. Its verdict is undecided as long as nothing has settled it.
type Case struct {
	Plan   plan.Case
	Record result.Case
	Base   *baseline.Base // what records know of base's code; nil where they know nothing
}

// Surroundings are where a run ran, as they were at its end.
type Surroundings struct {
	Machine   result.Machine
	Toolchain result.Toolchain
	Sandbox   *result.Sandbox
	Notes     []string
	CompileS  float64 // of the harness
	WaitS     float64 // for other measurements on this machine
	TotalS    float64
}

// Name is the kernel's in the configuration.
func (k Kernel) Name() string { return k.Plan.Kernel.Name }

// isNew says that head has the kernel and base does not.
func (k Kernel) isNew() bool { return k.Base.Record == nil }

// end is what a kernel comes to that goes no further, and why; nil where its status says it.
func (k Kernel) end(status result.KernelStatus, why *result.Reason) *result.Kernel {
	return &result.Kernel{
		Name: k.Name(), Status: status, Reason: why, Base: k.Base.Record, Head: k.Head.Record, Parity: k.Parity, Limits: k.Limits,
		Competitors: k.competitorRecords(why), Uncompared: k.Uncompared, Environment: k.Environment, Benchmark: k.Benchmark,
	}
}

// last is what a kernel comes to that went through all stages.
func (k Kernel) last() *result.Kernel {
	if k.isNew() {
		return k.end(result.KernelNew, k.Absent)
	}
	return k.end(result.KernelCompared, nil)
}

// isOpen says that nothing has settled the case yet.
func (c Case) isOpen() bool { return c.Record.Verdict == result.Undecided }

// through takes the kernels of one stage to the next: step returns the kernel that goes on, or what it ends as.
func through(in Kernels, step func(Kernel) (Kernel, *result.Kernel, error)) (Kernels, error) {
	out := Kernels{Ended: slices.Clip(in.Ended)}
	for _, k := range in.On {
		next, ended, err := step(k)
		switch {
		case err != nil:
			return out, err
		case ended != nil:
			out.Ended = append(out.Ended, *ended)
		default:
			out.On = append(out.On, next)
		}
	}
	return out, nil
}

// note notes what was not noted before.
func (a *Account) note(format string, args ...any) {
	a.Notes = addOnce(a.Notes, fmt.Sprintf(format, args...))
}

// addOnce adds what is not there yet.
func addOnce(all []string, one string) []string {
	if slices.Contains(all, one) {
		return all
	}
	return append(all, one)
}

// listed are names in order, each once.
func listed(names []string) string {
	return strings.Join(slices.Compact(slices.Sorted(slices.Values(names))), ", ")
}
