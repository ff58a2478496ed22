package result

import (
	"slices"
	"time"
)

// Method is how a case is timed, frozen for both sides before round 1.
type Method struct {
	Clock string `json:"clock"` // thread (CPU time of the launching thread), wall, event, host or benchmark (a program's own)
	// of clock event: single launches, a loop of them or a CUDA graph; of clock benchmark: whose, and which of its times
	How string `json:"how,omitempty"`
	// of clock event: the device begins when all of a sample is enqueued, so that the host's part of a launch is not
	// timed
	Block      bool    `json:"block,omitempty"`
	Launches   int     `json:"launches"`   // in one sample
	Pool       int     `json:"pool"`       // sets of buffers, used in turn
	Samples    int     `json:"samples"`    // planned for each process; on a GPU as many as a pilot on base showed to be enough
	Cache      string  `json:"cache"`      // cold (flushed before each sample) or hot
	Pin        bool    `json:"pin"`        // pinned to one core
	LaunchNS   float64 `json:"launchNs"`   // base's launch when calibrated
	QuantumNS  float64 `json:"quantumNs"`  // resolution of the clock
	FlushBytes int64   `json:"flushBytes"` // written to flush the cache
	LimitNS    float64 `json:"limitNs"`    // a process that has spent this on the case stops after 5 samples
	Oracle     string  `json:"oracle"`     // what outputs of timed launches are compared with: reference or relaunch
}

// ClockBenchmark is the clock of a benchmark that times itself. How then names its format, and which of its times it is.
const ClockBenchmark = "benchmark"

// ClockHost is the wall clock of the host around the call that launches, which is not the work that it launches.
const ClockHost = "host"

// IsOfHost says whether it is what a launch costs the host, and not the kernel, that was timed.
func (m Method) IsOfHost() bool { return m.Clock == ClockHost }

// IsGraph says whether launches are recorded in a CUDA graph, whose replay costs the host nothing of a launch.
func (m Method) IsGraph() bool { return m.How == "graph" }

// NeedsHost says whether what the host does meanwhile is in the times: only work that waits on a GPU until all of it is enqueued is apart from that.
func (m Method) NeedsHost() bool { return m.Clock != "event" || !m.Block || m.How == "loop" }

// IsForeign says whether the clock, the buffers and the caches are a benchmark's own.
func (m Method) IsForeign() bool { return m.Clock == ClockBenchmark }

// Case is a kernel and one assignment of its parameters.
type Case struct {
	Name          string  `json:"name"`                          // kernel and parameters, attention/B=32,S=512
	Kernel        string  `json:"kernel"`                        // its kernel
	Params        []Param `json:"params"`                        // its parameters in declared order
	Machine       string  `json:"machine,omitempty"`             // model of what it was measured on, where results of several machines were merged
	Verdict       Verdict `json:"verdict"`                       // of the case
	Reason        *Reason `json:"reason,omitempty"`              // why it has no numbers, or what to know of them
	ErrorSide     Side    `json:"errorSide,omitempty"`           // with error: base, head or both; missing if that is unknown
	ErrorCode     Code    `json:"errorCode,omitempty"`           // with error: what was wrong
	BudgetGone    bool    `json:"budgetGone,omitempty"`          // the budget ended its measuring
	BudgetNeededS float64 `json:"budgetNeededSeconds,omitempty"` // what all looks would take; missing if not known
	Method        *Method `json:"method,omitempty"`              // how it was timed
	Flops         float64 `json:"flops,omitempty"`               // of one launch, as the adapter counts
	Bytes         float64 `json:"bytes,omitempty"`               // moved by one launch, as the adapter counts
	// what one launch consists of on a GPU, as its driver recorded it; missing where a launch cannot be captured in a
	// CUDA graph, or is more than kernels
	Launched *Launched `json:"launched,omitempty"`
	Looks    []Look    `json:"looks,omitempty"` // what each interim look said
	Base     *Summary  `json:"base,omitempty"`  // base over all of its processes
	Head     *Summary  `json:"head,omitempty"`  // head over all of its processes
	// those of all variants, by purpose and in the order in which they ran; of a competitor until it had its answer
	Processes   []Process     `json:"processes,omitempty"`
	Comparisons []Comparison  `json:"comparisons,omitempty"` // what they say of one variant against another, each pair once
	Stored      *Stored       `json:"stored,omitempty"`      // what the stored records say of it
	Past        *Past         `json:"past,omitempty"`        // what records say of it before head; missing where that is unremarkable
	Evidence    *CaseEvidence `json:"evidence,omitempty"`    // why it changed, where that was examined
	Competitors []Versus      `json:"competitors,omitempty"` // what else is known of each competitor that it was compared with, in their order
}

// Param is one assignment, in declared order.
type Param struct {
	Name  string `json:"name"`  // of the parameter
	Value string `json:"value"` // as it was written
}

// Look is what one look at the data said.
type Look struct {
	Rounds  int     `json:"rounds"`  // complete by then
	Theta   float64 `json:"theta"`   // estimated shift of head against base (log)
	Low     float64 `json:"low"`     // lower bound (log)
	High    float64 `json:"high"`    // upper bound (log)
	Verdict Verdict `json:"verdict"` // undecided asks for another look
}

// TimingCheck compares what a process says of launches with what an external clock saw of the same. Of a benchmark that times itself, all that its
// process measured counts as one launch: the external clock sees nothing but the process's beginning and end.
type TimingCheck struct {
	ClaimedNS float64 `json:"claimedNs"`       // a launch, as the process says: valueNs, or of samples that were taken for the check
	BeyondNS  float64 `json:"beyondNs"`        // what it took beyond that by an external clock, the cost of reading it included
	CPUNS     float64 `json:"cpuNs,omitempty"` // CPU time of a benchmark's process, with all that it started
	Launches  int     `json:"launches"`        // of a sample; of a benchmark's process: all that it says it measured
}

// LivedNS is how long the process of a benchmark lived.
func (t TimingCheck) LivedNS() float64 { return t.ClaimedNS + t.BeyondNS }

// Process is one fresh process's measurement of one case.
type Process struct {
	Round       int          `json:"round"`                 // index of its round, from 0
	Position    int          `json:"position"`              // within the round, from 0: to 3, or with competitors to 9
	Variant     Variant      `json:"variant"`               // what it measured
	Purpose     Purpose      `json:"purpose,omitempty"`     // what it was started for, where that was not the rounds of all variants
	ValueNS     float64      `json:"valueNs"`               // of a launch: mean of the samples without the 20 % at each end
	TimingCheck *TimingCheck `json:"timingCheck,omitempty"` // what an external timing check found; missing where there was none
	// of a launch from its beginning to its end: the plain mean of all samples, and waitedNs; missing where a benchmark
	// times itself
	ElapsedNS float64   `json:"elapsedNs,omitempty"`
	WaitedNS  float64   `json:"waitedNs,omitempty"` // how long a launch that is timed by CPU time slept, or waited for a lock, a file or a child, on average
	Samples   int       `json:"samples"`            // taken
	Planned   int       `json:"planned"`            // planned; more than samples if it stopped early
	Stopped   string    `json:"stopped,omitempty"`  // why it stopped early
	Quantiles Quantiles `json:"quantiles"`          // of the samples
	// up to 16 of the samples, spread evenly over the process, in the order in which they were taken, to four digits
	// (ns)
	Raw          []float64 `json:"raw,omitempty"`
	CV           float64   `json:"cv"`                     // standard deviation over mean of the samples (fraction)
	Checks       int       `json:"checks"`                 // timed launches whose output was checked
	ComputeNS    float64   `json:"computeNs,omitempty"`    // canary: one chunk of arithmetic
	MemoryNS     float64   `json:"memoryNs,omitempty"`     // canary: writing the flush buffer; on a GPU a copy within its memory
	ComputeFlops float64   `json:"computeFlops,omitempty"` // what was computed in computeNs; on a GPU only
	MemoryBytes  float64   `json:"memoryBytes,omitempty"`  // what was read and written in memoryNs; on a GPU only
	TensorNS     float64   `json:"tensorNs,omitempty"`     // canary: products on tensor cores, where the GPU has some that mma.sync can use (compute capability 8.0)
	TensorFlops  float64   `json:"tensorFlops,omitempty"`  // what was computed in tensorNs
	ClockMHz     float64   `json:"clockMHz,omitempty"`     // the clock as a kernel counts it
	HostNS       float64   `json:"hostNs,omitempty"`       // what enqueuing one launch took the host, on a GPU
	Chosen       string    `json:"chosen,omitempty"`       // the configurations that autotuners chose, of a benchmark or of an adapter in Python
}

// Of are the processes of a variant in its rounds.
func (c Case) Of(v Variant) []Process {
	return c.processes(func(p Process) bool { return p.Purpose == PurposeRounds && p.Variant == v })
}

// Sides are the processes of base and head in their rounds: those that the case's verdict comes from.
func (c Case) Sides() []Process { return c.Pair(VariantBase) }

// Pair are the processes in the rounds of head and of a variant that it is compared with.
func (c Case) Pair(to Variant) []Process {
	return c.processes(func(p Process) bool {
		return p.Purpose == PurposeRounds && (p.Variant == VariantHead || p.Variant == to)
	})
}

// For are the processes of a purpose.
func (c Case) For(purpose Purpose) []Process {
	return c.processes(func(p Process) bool { return p.Purpose == purpose })
}

func (c Case) processes(which func(Process) bool) []Process {
	return slices.DeleteFunc(slices.Clone(c.Processes), func(p Process) bool { return !which(p) })
}

// SetProcesses gives a case the processes of a purpose, in place of those that it had.
func (c *Case) SetProcesses(purpose Purpose, processes []Process) {
	c.Processes = c.processes(func(p Process) bool { return p.Purpose != purpose })
	for _, p := range processes {
		p.Purpose = purpose
		c.Processes = append(c.Processes, p)
	}
}

// Quantiles of the samples of a process, in ns.
type Quantiles struct {
	Min float64 `json:"min"` // shortest sample (ns)
	P25 float64 `json:"p25"` // first quartile (ns)
	P50 float64 `json:"p50"` // median (ns)
	P75 float64 `json:"p75"` // third quartile (ns)
	P90 float64 `json:"p90"` // 90th percentile (ns)
	P99 float64 `json:"p99"` // 99th percentile (ns)
	Max float64 `json:"max"` // longest sample (ns)
}

// Summary describes one side of a case over all its processes.
type Summary struct {
	MedianNS     float64 `json:"medianNs"`                  // of a launch: median over processes of their medians
	P90NS        float64 `json:"p90Ns"`                     // the same of their 90th percentiles
	P99NS        float64 `json:"p99Ns"`                     // the same of their 99th percentiles
	ProcessCV    float64 `json:"processCv"`                 // standard deviation over mean of process values (fraction)
	SampleCV     float64 `json:"sampleCv"`                  // the same of samples within a process: median over processes (fraction)
	Processes    int     `json:"processes"`                 // that measured this side
	GFlops       float64 `json:"gflops,omitempty"`          // flops over the median
	GBytesPerSec float64 `json:"gbytesPerSecond,omitempty"` // bytes over the median (GB/s)
	// of what the machine can do: bytes a second over the memory canary's rate, or flops a second over the arithmetic
	// canary's (the tensor cores' where all floating inputs are of 16 or 8 bits), whichever is larger; on a GPU only
	// (fraction)
	RooflineShare float64 `json:"rooflineShare,omitempty"`
	// that rate of the arithmetic canary; missing, as the next, where the types of the inputs are not known (flop/s)
	FlopRoof float64 `json:"flopRoof,omitempty"`
	ByteRoof float64 `json:"byteRoof,omitempty"` // that rate of the memory canary (B/s)
}

// Round is the order in which fresh processes ran.
type Round struct {
	Index int `json:"index"` // from 0; a voided round and the one that repeats it have the same
	// of its fresh processes: A is base, B is head. With competitors R, S and T stand among them, as in ARBBRA. Empty of
	// a round of configurations, each of which has a process on the way there and one on the way back (position 0 and 1)
	Order   string     `json:"order"`
	Cases   []string   `json:"cases"`            // names of the cases that it counts for
	Voided  string     `json:"voided,omitempty"` // why it does not count and was repeated
	Seconds float64    `json:"seconds"`          // wall time
	Began   *time.Time `json:"began,omitempty"`  // when its first process did
}
