package result

// SandboxMode is how much of the sandbox a run insists on.
type SandboxMode string

// Modes of the sandbox.
const (
	SandboxAuto SandboxMode = "auto" // as far as the kernel can; build.command only where head is not trusted
	SandboxOn   SandboxMode = "on"   // everything, or no run
	SandboxOff  SandboxMode = "off"
)

// SandboxModes lists the modes of the sandbox.
var SandboxModes = []SandboxMode{SandboxAuto, SandboxOn, SandboxOff}

// Sandbox is what kept builds and kernels from the rest of the machine.
type Sandbox struct {
	Mode     SandboxMode `json:"mode"`           // what was asked for: auto, on or off
	Landlock int         `json:"landlock"`       // version of Landlock that the kernel has; 0: none, or the sandbox was off
	Seccomp  bool        `json:"seccomp"`        // system calls were filtered too
	Commands bool        `json:"commands"`       // build.command ran in it too; compilers always do, unless it is off
	Kernels  bool        `json:"kernels"`        // kernels ran in it; false where it is off, and where the GPU's driver does not start there
	Gaps     []string    `json:"gaps,omitempty"` // what it could not forbid, worst first
}

// Shard is which part of a plan a run measured.
type Shard struct {
	Index int    `json:"index"` // which shard, from 1
	Of    int    `json:"of"`    // how many shards there are
	Seed  string `json:"seed"`  // of all shards; the run's own seed is derived from it
}

// Part is one result of which a merged one is made.
type Part struct {
	Index   int        `json:"index"`        // which shard, from 1
	Of      int        `json:"of"`           // how many shards there are; 1 is a run of the whole plan
	Machine string     `json:"machine"`      // model of what it was measured on
	Key     string     `json:"key"`          // the machine's key
	Seed    string     `json:"seed"`         // of that run
	Verdict RunVerdict `json:"verdict"`      // of that run by itself, decided again from its samples
	Cases   int        `json:"cases"`        // that it measured
	Rounds  int        `json:"rounds"`       // that it took
	TotalS  float64    `json:"totalSeconds"` // wall time that it took
}
