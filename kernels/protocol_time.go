package kernels

import "github.com/org/perfgate/gate/result"

// Canary is how long the machine took for fixed pieces of work. What the work was is 0 where no rate follows from it.
type Canary struct {
	ComputeNS    float64 `json:"computeNs"`
	MemoryNS     float64 `json:"memoryNs"`
	ComputeFlops float64 `json:"computeFlops"`
	MemoryBytes  float64 `json:"memoryBytes"`
	TensorNS     float64 `json:"tensorNs"` // on tensor cores, where there are any
	TensorFlops  float64 `json:"tensorFlops"`
	ClockMHz     float64 `json:"clockMhz"` // counted inside a kernel
}

// WarmReply answers warm.
type WarmReply struct {
	NS     float64 `json:"ns"`
	Held   bool    `json:"held"`
	Canary Canary  `json:"canary"`
}

// ProbeReply answers probe.
type ProbeReply struct {
	Clock       string  `json:"clock"` // of the device: thread or event
	LaunchNS    float64 `json:"launchNs"`
	WallNS      float64 `json:"wallNs"`
	OthersNS    float64 `json:"othersNs"`
	Threaded    bool    `json:"threaded"` // on a CPU: other threads of the process work for a launch
	Waits       bool    `json:"waits"`    // on a CPU: the launching thread sleeps, or waits for a lock, another thread, a file
	Batchable   bool    `json:"batchable"`
	FlushNS     float64 `json:"flushNs"`
	FlushBytes  int64   `json:"flushBytes"`
	SetupNS     float64 `json:"setupNs"`
	ReferenceNS float64 `json:"referenceNs"`
	SetBytes    int64   `json:"setBytes"`
	QuantumNS   float64 `json:"quantumNs"`
	PoolLimit   int     `json:"poolLimit"`
	// Of clock event:
	Blockable    bool    `json:"blockable"`    // the stream can be held back until a launch is enqueued
	Capturable   bool    `json:"capturable"`   // launches can be recorded in a graph; asked of short ones only
	CaptureError string  `json:"captureError"` // why not
	GraphNS      float64 `json:"graphNs"`      // per launch of a graph, caches warm
	// What one pg_launch launches, as the driver records it; empty where it could not be recorded.
	Launches []LaunchShape `json:"launches"`
}

// LaunchShape is one launch of a GPU function.
type LaunchShape struct {
	Kernel             string `json:"kernel"` // as the compiler mangled it; "" where the driver does not say
	Grid               [3]int `json:"grid"`   // blocks
	Block              [3]int `json:"block"`  // threads
	Registers          int    `json:"registers"`
	SharedBytes        int    `json:"sharedBytes"`        // that the code declares
	DynamicSharedBytes int    `json:"dynamicSharedBytes"` // that the launch asks for beside them
	BlocksPerSM        int    `json:"blocksPerSm"`        // that fit a multiprocessor at once, by the driver's own count; 0 where unknown
}

// Ways of a Method to launch.
const (
	HowSingle = "single" // one launch a sample
	HowLoop   = "loop"   // one after the other
	HowGraph  = "graph"  // recorded in a CUDA graph, which is launched once
)

// Method is how samples are taken.
type Method struct {
	Clock    string `json:"clock"`
	How      string `json:"how,omitempty"`   // "" means HowLoop
	Block    bool   `json:"block,omitempty"` // clock event: the device begins when all is enqueued
	Launches int    `json:"launches"`
	Pool     int    `json:"pool"`
	Samples  int    `json:"samples"`
	Cache    string `json:"cache"`
	Pin      bool   `json:"pin"`
}

// TimeCommand asks for samples of a case.
type TimeCommand struct {
	Case    CaseSpec `json:"case"`
	Seed    string   `json:"seed"`
	Method  Method   `json:"method"`
	Checks  int      `json:"checks"`
	Oracle  string   `json:"oracle"`
	Atol    float64  `json:"atol"` // of floating outputs whose dtype is not in Tolerances; integers must be exact
	Rtol    float64  `json:"rtol"`
	LimitNS float64  `json:"limitNs"`
	// NoCanaries leaves out the canaries before and after the samples, where the clock of the machine is of no interest.
	NoCanaries bool `json:"noCanaries,omitempty"`
	// Deliver, with oracle "deliver", begins the names of the files that checked outputs are written to, for a JudgeCommand; what
	// follows is the number of the check, from 0.
	Deliver     string      `json:"deliver,omitempty"`
	TimingCheck TimingCheck `json:"timingCheck,omitempty"` // "" for none
	// RenewMade has pg_fill make other inputs before each sample as well, within the limit: what it takes counts as spent.
	RenewMade bool `json:"renewMade,omitempty"`

	Tolerances map[string]Tolerance `json:"tolerances,omitempty"` // by dtype
	Bound      *Bound               `json:"bound,omitempty"`
}

// CheckSeed is the seed of the inputs of a checked launch: those of parity's values "spec".
func CheckSeed(seed uint64, sample int) uint64 {
	const step = 0x9E3779B97F4A7C15
	return splitmix(splitmix(seed+step) + (1<<42+uint64(sample)+1)*step)
}

// splitmix is the output function of splitmix64, as native/harness/fill.h has it.
func splitmix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

// OutputCheck is one timed launch whose output was compared.
type OutputCheck struct {
	Sample int    `json:"sample"`
	Launch int    `json:"launch"`
	Oracle string `json:"oracle"`
}

// TimeReply answers time: ns per launch, one number a sample.
type TimeReply struct {
	Samples []float64 `json:"samples"`
	Planned int       `json:"planned"`
	Stopped string    `json:"stopped"`
	SpentNS float64   `json:"spentNs"`
	HostNS  float64   `json:"hostNs"` // of enqueuing one launch; 0 where the clock is that of the host
	// WaitedNS is what a launch waited beside its samples, which the CPU clock of its thread does not see: the mean over all launches. 0 with other clocks.
	WaitedNS float64       `json:"waitedNs"`
	Checks   []OutputCheck `json:"checks"`
	Canary   Canary        `json:"canary"`
	Chosen   string        `json:"chosen"` // by autotuners of an adapter in Python
	// Phases are the ns of each phase.
	Phases map[result.Phase]float64 `json:"phases"`
	// Seen is what passed by the external clock of TimeCommand.TimingCheck, in ns, with what it takes to look: all launches of each sample, or all
	// samples between two checks.
	Seen []float64 `json:"-"`
}
