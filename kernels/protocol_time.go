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

// WarmReply answers warm, which runs the compute canary for exactly limitNs, or until the clock holds or limitNs is over. On a CPU it holds when the last
// five chunks are within 1 %; on CUDA when the clock, counted in a kernel after as long of the canary, has been the same for 250 ms, since an idle GPU
// stays at its idle clock for a while.
type WarmReply struct {
	NS     float64 `json:"ns"`
	Held   bool    `json:"held"`
	Canary Canary  `json:"canary"`
}

// ProbeReply answers probe, a first look at a case for calibration. LaunchNS is the median of at least 3 launches after warm-up. Threaded: others used
// over a fifth of the CPU time of the shortest launch and 20 µs, or did over launches of 24 ms, since some systems count a running thread only every 4 ms.
// Waits: in half of the launches or more the thread gave up its core by itself, and the wall clock ran 1.2x and 50 µs more than its own. QuantumNS is what
// the system claims, or the steps that the clock makes if they are over 10 µs. PoolLimit is how many sets of buffers fit into half of the memory left, at
// most 1024. A kernel whose first launch takes over 3 s is launched one more time only.
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

// Method is how samples are taken. The clock host is the wall clock around the call of pg_launch, with an idle device each time and without checks for
// off-stream work. With Block a kernel at the head of the stream holds it back until the sample is enqueued, 20 ms at most. A flush writes twice the L2
// cache. Sets of the pool are used in turn; with inout tensors there are at least Launches of them.
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

// TimeCommand asks for samples of a case. One launch of every sample has inputs of a seed that the checker knows, so that a checked sample is prepared as
// any other. Oracles: reference; relaunch, the same inputs again into buffers that the adapter has never seen, where other inputs must give other outputs
// at least once in 16 tries; deliver. Once LimitNS is over, preparation included and oracles excluded, and 5 samples were taken, it stops early.
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
	// WaitedNS is what a launch waited, which the CPU clock of its thread does not see: the mean over all launches, 0 with other clocks. In a sample without
	// a voluntary context switch nothing was waited; in others it is the wall time less CPU time and less the time in the queue for a core. Where Linux
	// has no schedstat, the queue is in it. sched_yield is no wait.
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
