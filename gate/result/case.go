package result

import (
	"slices"
	"time"
)

// Method is how a case is timed, frozen for both sides before round 1.
type Method struct {
	Clock      string  `json:"clock"`           // thread (CPU time of the launching thread), wall, event, host or benchmark
	How        string  `json:"how,omitempty"`   // of clock event: single, loop or graph; of benchmark: whose
	Block      bool    `json:"block,omitempty"` // of clock event: the device begins when all of a sample is enqueued
	Launches   int     `json:"launches"`        // per sample
	Pool       int     `json:"pool"`            // sets of buffers
	Samples    int     `json:"samples"`         // per process
	Cache      string  `json:"cache"`           // cold or hot
	Pin        bool    `json:"pin"`
	LaunchNS   float64 `json:"launchNs"`  // base's launch when calibrated
	QuantumNS  float64 `json:"quantumNs"` // resolution of the clock
	FlushBytes int64   `json:"flushBytes"`
	LimitNS    float64 `json:"limitNs"` // per process: after 5 samples a case stops here
	Oracle     string  `json:"oracle"`  // what timed outputs are checked against
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
	Name          string    `json:"name"`
	Kernel        string    `json:"kernel"`
	Params        []Param   `json:"params"`
	Machine       string    `json:"machine,omitempty"` // in results merged of several machines
	Verdict       Verdict   `json:"verdict"`
	Reason        *Reason   `json:"reason,omitempty"`
	ErrorSide     Side      `json:"errorSide,omitempty"`           // base, head or both; empty if that cannot be told
	ErrorCode     Code      `json:"errorCode,omitempty"`           // with Error: what was wrong; empty if it has no code
	BudgetGone    bool      `json:"budgetGone,omitempty"`          // the budget ended the measuring of this case
	BudgetNeededS float64   `json:"budgetNeededSeconds,omitempty"` // what all looks would take; 0 if not known
	Method        *Method   `json:"method,omitempty"`
	Flops         float64   `json:"flops,omitempty"`
	Bytes         float64   `json:"bytes,omitempty"`
	Launched      *Launched `json:"launched,omitempty"`
	Looks         []Look    `json:"looks,omitempty"`
	Base          *Summary  `json:"base,omitempty"`
	Head          *Summary  `json:"head,omitempty"`
	// Processes are those of all variants, by purpose and in the order in which they ran; of a competitor until it had its answer.
	Processes []Process `json:"processes,omitempty"`
	// Comparisons has each pair of variants once.
	Comparisons []Comparison  `json:"comparisons,omitempty"`
	Stored      *Stored       `json:"stored,omitempty"`
	Past        *Past         `json:"past,omitempty"` // where it is worth a word
	Evidence    *CaseEvidence `json:"evidence,omitempty"`
	Competitors []Versus      `json:"competitors,omitempty"` // that were measured, in the order of the kernel's
}

// Param is one assignment, in declared order.
type Param struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Look is what one look at the data said.
type Look struct {
	Rounds  int     `json:"rounds"`
	Theta   float64 `json:"theta"` // ln(head/base)
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
	Verdict Verdict `json:"verdict"`
}

// TimingCheck compares what a process says of launches with what an external clock saw of the same.
type TimingCheck struct {
	ClaimedNS float64 `json:"claimedNs"` // a launch, as the process says
	BeyondNS  float64 `json:"beyondNs"`  // what it took beyond that by the external clock, looking included
	Launches  int     `json:"launches"`  // of a sample
}

// Process is one fresh process's measurement of one case.
type Process struct {
	Round    int     `json:"round"`
	Position int     `json:"position"` // within the round, from 0
	Variant  Variant `json:"variant"`
	Purpose  Purpose `json:"purpose,omitempty"`
	ValueNS  float64 `json:"valueNs"` // 20 % trimmed mean of the samples
	// TimingCheck is nil where there was none.
	TimingCheck *TimingCheck `json:"timingCheck,omitempty"`
	// ElapsedNS is what a launch took from its beginning to its end: the plain mean of all samples, and WaitedNS. 0 of a benchmark that times itself.
	ElapsedNS float64   `json:"elapsedNs,omitempty"`
	WaitedNS  float64   `json:"waitedNs,omitempty"` // of a launch that is timed by CPU time: how long it slept, or waited for a lock, a file, a child
	Samples   int       `json:"samples"`
	Planned   int       `json:"planned"`
	Stopped   string    `json:"stopped,omitempty"`
	Quantiles Quantiles `json:"quantiles"`
	// Raw are some of the samples, spread evenly over the process, in the order in which they were taken, in ns.
	Raw       []float64 `json:"raw,omitempty"`
	CV        float64   `json:"cv"`
	Checks    int       `json:"checks"` // timed launches whose output was checked
	ComputeNS float64   `json:"computeNs,omitempty"`
	MemoryNS  float64   `json:"memoryNs,omitempty"`
	// What the canaries did in that time, and the clock that one counted; on a GPU only.
	ComputeFlops float64 `json:"computeFlops,omitempty"`
	MemoryBytes  float64 `json:"memoryBytes,omitempty"`
	TensorNS     float64 `json:"tensorNs,omitempty"` // where the GPU has tensor cores
	TensorFlops  float64 `json:"tensorFlops,omitempty"`
	ClockMHz     float64 `json:"clockMHz,omitempty"`
	HostNS       float64 `json:"hostNs,omitempty"` // of enqueuing one launch on a GPU
	Chosen       string  `json:"chosen,omitempty"` // by autotuners, of a benchmark or of an adapter in Python
}

// Of are the processes of a variant in its rounds.
func (c Case) Of(v Variant) []Process {
	return c.processes(func(p Process) bool { return p.Purpose == PurposeRounds && p.Variant == v })
}

// Sides are the processes of base and head in their rounds: those that the case's verdict comes from.
func (c Case) Sides() []Process {
	return c.processes(func(p Process) bool { return p.Purpose == PurposeRounds && p.Variant.Side() != SideNone })
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
	Min float64 `json:"min"`
	P25 float64 `json:"p25"`
	P50 float64 `json:"p50"`
	P75 float64 `json:"p75"`
	P90 float64 `json:"p90"`
	P99 float64 `json:"p99"`
	Max float64 `json:"max"`
}

// Summary describes one side of a case over all its processes.
type Summary struct {
	MedianNS      float64 `json:"medianNs"`
	P90NS         float64 `json:"p90Ns"`
	P99NS         float64 `json:"p99Ns"`
	ProcessCV     float64 `json:"processCv"`
	SampleCV      float64 `json:"sampleCv"`
	Processes     int     `json:"processes"`
	GFlops        float64 `json:"gflops,omitempty"`
	GBytesPerSec  float64 `json:"gbytesPerSecond,omitempty"`
	RooflineShare float64 `json:"rooflineShare,omitempty"`
	FlopRoof      float64 `json:"flopRoof,omitempty"` // what its canaries reached, a second
	ByteRoof      float64 `json:"byteRoof,omitempty"`
}

// Round is the order in which fresh processes ran.
type Round struct {
	Index   int      `json:"index"`
	Order   string   `json:"order"` // such as BAABBB or ABBA; A is base, B is head. Competitors R, S and T may stand among them: ARBBRA
	Cases   []string `json:"cases"`
	Voided  string   `json:"voided,omitempty"`
	Seconds float64  `json:"seconds"`
	// Began is when its first process did.
	Began *time.Time `json:"began,omitempty"`
}
