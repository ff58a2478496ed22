package doctor

import (
	"github.com/org/perfgate/gate/machine"
	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/result"
)

// Facts are what the probes found out.
type Facts struct {
	Machine result.Machine

	// Of the GPU. Machine.GPU is nil where none can be used, and GPUTrouble says why.
	GPUCount   int
	GPUTrouble *machine.GPUError
	GPUFailed  bool                // a driver is there, and failed to answer a question about its GPUs
	GPUWanted  bool                // the user named one
	PCI        []string            // addresses of NVIDIA GPUs on the PCI bus, with or without a driver
	LeftBehind []string            // GPUs whose memory is held by nobody who can be seen
	Processes  []int               // that compute on the GPU, as the driver knows them
	Clocks     []result.ClockLimit // why its clocks are below the highest now
	MPS        string              // where a Multi-Process Service shares it
	LockNote   string              // file in which a perfgate noted that it locked the clocks; empty if there is none
	LockAlive  bool                // and that perfgate lives
	Stranger   string              // file that notes the same and is not believed: it belongs neither to us nor to root
	// Why the driver does not tell Processes and Clocks; empty where it does.
	ProcessesTrouble, ClocksTrouble string

	Other                                       bool   // the configuration's device is one that perfgate has no clock for
	Key                                         string // what its commands say; the troubles are empty where they answer
	OtherNow                                    string
	KeyTrouble, IdleTrouble, ClocksTroubleOther string

	Compiler, NVCC Tool
	NVCCCodes      []string         // architectures that nvcc compiles for, such as sm_89; empty if it did not tell
	NCU            []profile.Nsight // all that were found, the first on the PATH first
	Counters       Counters

	Git       Tool
	Python    Python
	Counter   string // of instructions on a CPU; empty: none
	Isolation Isolation

	Locks, Cache, Temporary Folder
	Quota                   machine.Quota
	Queue                   string // who measures or builds now, so that a run would wait; empty: nobody

	Runner Runner // the zero value: no job of GitHub's
	Ports  []Port // on which .NET processes of this user listen for debuggers

	Noise        []Noise
	NoiseTrouble string // why the canary could not be measured
	NoiseSkipped bool
	Benchmarks   []Benchmark // of the configuration
	Unsandboxed  bool        // the canary ran outside of the sandbox, since CUDA did not start in it
}

// Tool is a program that perfgate runs.
type Tool struct {
	Path    string // empty: not found
	Version string // as the tool writes it, shortened to what tells; empty if it could not be asked
	Trouble string // why it could not be found or asked
	Named   string // the environment variable that names a program which cannot be run; empty: it was searched for
}

// Counters is who may read the GPU's performance counters.
type Counters struct {
	Known     bool // the driver tells
	AdminOnly bool
	Admin     bool // we run with what the driver asks of an admin
}

// Folder is a place that perfgate writes to.
type Folder struct {
	Path      string
	Trouble   string // why it cannot be written to
	FreeBytes int64  // 0 if not known
	NoExec    bool   // nothing in it may be run
	Private   bool   // it belongs to the container that this process is in
}

// Noise is what the A/A of one canary kernel showed: the gate's own rounds, both sides the same code.
type Noise struct {
	Case      string  `json:"case"`
	MedianNS  float64 `json:"medianNs"`  // of a launch
	Processes int     `json:"processes"` // fresh ones
	Scatter   float64 `json:"scatter"`   // of one process: a standard deviation in log units, so 0.01 is about 1 %
	// Relative slowdowns that the gate sees with 90 % power, after its first look and after its last.
	SeenFirst  float64 `json:"seenFirst"`
	SeenLast   float64 `json:"seenLast"`
	Rounds     int     `json:"rounds"`              // until a slowdown of the default tolerance shows; 0 if never
	ComputeCV  float64 `json:"computeCv,omitempty"` // of the harness's canaries, over the processes
	MemoryCV   float64 `json:"memoryCv,omitempty"`
	Voided     int     `json:"voided,omitempty"` // rounds
	VoidReason string  `json:"voidReason,omitempty"`
}
