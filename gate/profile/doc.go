// Package profile looks at a kernel beside the clock, through the tools that can: Nsight Compute for the counters of a GPU, perf and
// callgrind for the instructions of a CPU, cuobjdump for compiled code. It runs them and reads what they print; package explain
// makes causes of it.
//
// Two exports of one report of Nsight Compute are read: the raw page (every metric of every kernel) and the details page (the
// rules, Nsight's own advice). Units are normalised to byte, second, hz and % on the way in, so that values of two profiles can
// be compared whatever the exporting version scaled them to. Names, units and texts come from files and from the code under
// test: they are hostile.
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
	Report  string   // where the .ncu-rep goes
	Set     string   // see Want
	Metrics []string // see Want
}
