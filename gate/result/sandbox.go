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
	Mode     SandboxMode `json:"mode"`
	Landlock int         `json:"landlock"` // version of the kernel's Landlock; 0: it has none, or it was not asked for
	Seccomp  bool        `json:"seccomp"`  // system calls were filtered too
	Commands bool        `json:"commands"` // build.command ran in it too; compilers always do
	Kernels  bool        `json:"kernels"`  // kernels ran in it: not where the GPU's driver does not start there
	Gaps     []string    `json:"gaps,omitempty"`
}

// Shard is which part of a plan a run measured.
type Shard struct {
	Index int    `json:"index"` // from 1
	Of    int    `json:"of"`
	Seed  string `json:"seed"` // of all shards; the run's own is derived from it
}

// Part is one result of which a merged one is made.
type Part struct {
	Index   int        `json:"index"` // of the shard, from 1
	Of      int        `json:"of"`    // 1: it measured the whole plan
	Machine string     `json:"machine"`
	Key     string     `json:"key"` // of the machine
	Seed    string     `json:"seed"`
	Verdict RunVerdict `json:"verdict"` // of that run alone, decided again
	Cases   int        `json:"cases"`
	Rounds  int        `json:"rounds"`
	TotalS  float64    `json:"totalSeconds"`
}
