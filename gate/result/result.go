package result

import (
	"time"
)

// Schema names the format that this package reads and writes.
const Schema = "perfgate/result/v3"

// Kind is what a run was asked.
type Kind string

// Kinds of results.
const (
	KindGate   Kind = ""
	KindVersus Kind = "versus" // A, which is head, compared with B, its competitor: nothing is decided by it
	KindTune   Kind = "tune"   // configurations of a kernel compared with the fastest of them
)

// Result is one run of perfgate: of the gate, unless its kind says otherwise.
type Result struct {
	Schema     string       `json:"schema"`
	Kind       Kind         `json:"kind,omitempty"`
	Tool       Tool         `json:"tool"`
	Started    time.Time    `json:"started"`
	Repro      string       `json:"repro"`
	Seed       string       `json:"seed"`
	Conclusion Conclusion   `json:"conclusion"`
	Policy     Policy       `json:"policy"`
	BudgetS    float64      `json:"budgetSeconds"`
	Config     Config       `json:"config"`
	Base       Version      `json:"base"`
	Head       Version      `json:"head"`
	Machine    Machine      `json:"machine"`
	Toolchain  Toolchain    `json:"toolchain"`
	WarmUp     WarmUp       `json:"warmUp"`
	Kernels    []Kernel     `json:"kernels"`
	Uncompared []Uncompared `json:"uncompared,omitempty"` // of head's change, of no kernel
	Cases      []Case       `json:"cases"`
	Rounds     []Round      `json:"rounds"`
	Notes      []string     `json:"notes,omitempty"`
	Baseline   *Baseline    `json:"baseline,omitempty"`
	Evidence   *Evidence    `json:"evidence,omitempty"`
	Accepted   []Accepted   `json:"accepted,omitempty"`
	Cost       *Cost        `json:"cost,omitempty"`
	Sandbox    *Sandbox     `json:"sandbox,omitempty"`
	Shard      *Shard       `json:"shard,omitempty"`
	Merged     []Part       `json:"merged,omitempty"`
	// Use is what a build can read of a result of tune: the values of the fastest configuration of a case by the case's name, and of all cases together by
	// "*". No values are the kernel as it is shipped.
	Use     map[string]map[string]string `json:"use,omitempty"`
	Timings Timings                      `json:"timings"`
}

// Tool is the program that made the result.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Config says which configuration was used and what head changed in what it rules over.
type Config struct {
	File    string       `json:"file"`
	Path    string       `json:"path,omitempty"` // within the tree of a side, with slashes
	SHA256  string       `json:"sha256"`
	Trust   string       `json:"trust"`
	Changed []RuleChange `json:"changed,omitempty"`
}

// Side names who an error belongs to. The empty side means that it cannot be told.
type Side string

const (
	SideNone Side = ""
	SideBase Side = "base"
	SideHead Side = "head"
	SideBoth Side = "both"
)

// VersionKind is where a version comes from.
type VersionKind string

// Kinds of a version.
const (
	KindDirectory VersionKind = "directory"
	KindRevision  VersionKind = "revision"
	KindWorktree  VersionKind = "worktree"
)

// Version is one of the two things compared; of a base that there is not, without a kind.
type Version struct {
	Kind     VersionKind `json:"kind"`
	Label    string      `json:"label"`
	Revision string      `json:"revision,omitempty"`
	Dirty    bool        `json:"dirty,omitempty"`
	Flags    []string    `json:"flags,omitempty"`
}

// ShortID is as much of a commit's name or of a hash as tells it from others by eye.
func ShortID(id string) string { return id[:min(12, len(id))] }

// Toolchain is what built both sides.
type Toolchain struct {
	Compiler string `json:"compiler"`
	Version  string `json:"version"`
	Harness  string `json:"harness"`
}

// WarmUp is the duration that every process warms up for, found once on base.
type WarmUp struct {
	NS   float64 `json:"ns"`
	Held bool    `json:"held"`
}

// Timings says where the run's wall time went.
type Timings struct {
	TotalS    float64 `json:"totalSeconds"`
	CompileS  float64 `json:"compileSeconds"`
	RunnersS  float64 `json:"runnersSeconds"`
	OverheadS float64 `json:"overheadSeconds"`
	WaitS     float64 `json:"waitSeconds"`
	// Phases say what parity and the processes that time cases took, a part of RunnersS.
	Phases PhaseSeconds `json:"phases,omitempty"`
}
