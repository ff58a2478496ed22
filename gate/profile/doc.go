// Package profile measures what a clock does not show of a kernel, with the tools that can: Nsight Compute for the counters of a GPU, perf and
// callgrind for the instructions of a CPU, cuobjdump for compiled code. It runs them and reads what they print; package explain
// makes causes of it.
//
// Two exports of one report of Nsight Compute are read: the raw page (every metric of every kernel) and the details page (the
// rules, Nsight's own advice). Units are normalised to byte, second, hz and % on the way in, so that values of two profiles can
// be compared whatever the exporting version scaled them to. Names, units and texts come from files and from the code under
// test: they are untrusted.
//
//	command of a side -> profiler -> its export -> launches with counters, units normalised -> explain
//	library or fat binary -> compiled functions: registers, spills, instructions
package profile

import (
	"time"

	"github.com/org/perfgate/kernels"
)

// Job is one side of one case to look at.
type Job struct {
	Runner kernels.RunnerSpec // as in the gate's rounds: harness, library, environment, sandbox
	Case   kernels.CaseSpec
	Seed   string // of the inputs, the same for both sides
	Cache  string // cold or hot, as the case was measured
	Limit  time.Duration

	// Of Nsight Compute alone.
	Program *Program // in the place of Runner and Case
	Report  string   // where the .ncu-rep goes
	Set     string   // see Want
	Metrics []string // see Want
	Times   int      // launches of the case that are profiled, one after the other; 0 is 1. A program is launched once
}

// Program is a benchmark of the user's that launches a case in a process of its own.
type Program struct {
	Command kernels.CommandSpec
	Kernel  string // a regular expression, see Want; "" where the process itself starts and stops the profiler around what is to be seen
	Once    bool   // it launches the case once, with no launches before that warm it up
}
