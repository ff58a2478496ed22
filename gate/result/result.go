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
	Schema     string       `json:"schema"`               // perfgate/result/v3
	Kind       Kind         `json:"kind,omitempty"`       // what was asked; missing of a run of the gate
	Tool       Tool         `json:"tool"`                 // the program that made this
	Started    time.Time    `json:"started"`              // when the run began (RFC 3339, UTC)
	Repro      string       `json:"repro"`                // a command line that makes the same run
	Seed       string       `json:"seed"`                 // what the order of processes, the inputs and the parity cases were drawn from
	Conclusion Conclusion   `json:"conclusion"`           // the verdict of the run
	Policy     Policy       `json:"policy"`               // what the gate tolerates
	BudgetS    float64      `json:"budgetSeconds"`        // wall time that the rounds may take
	Config     Config       `json:"config"`               // whose configuration was used
	Base       Version      `json:"base"`                 // what head is compared with
	Head       Version      `json:"head"`                 // what is under test
	Machine    Machine      `json:"machine"`              // what it was measured on
	Toolchain  Toolchain    `json:"toolchain"`            // what built both sides
	WarmUp     WarmUp       `json:"warmUp"`               // how long every process warms up
	Kernels    []Kernel     `json:"kernels"`              // the kernels of the plan, in its order
	Uncompared []Uncompared `json:"uncompared,omitempty"` // parts of head's change that were not compared and are of no kernel
	Cases      []Case       `json:"cases"`                // the cases of the plan, in its order; none disappears
	Rounds     []Round      `json:"rounds"`               // the rounds in the order in which they ran
	Notes      []string     `json:"notes,omitempty"`      // remarks on the run, a sentence each
	Baseline   *Baseline    `json:"baseline,omitempty"`   // what the stored records had to do with it; missing where none were asked
	Evidence   *Evidence    `json:"evidence,omitempty"`   // what explains the measured changes
	Accepted   []Accepted   `json:"accepted,omitempty"`   // regressions that somebody accepted
	Cost       *Cost        `json:"cost,omitempty"`       // price of the machine's time; missing where the configuration has no cost.gpu-hour
	Sandbox    *Sandbox     `json:"sandbox,omitempty"`    // what kept builds and kernels from the rest of the machine; missing where nobody asked for it
	Shard      *Shard       `json:"shard,omitempty"`      // which part of the plan this is; missing where it is all of it
	Merged     []Part       `json:"merged,omitempty"`     // the results that this one was merged of; missing where it is one run's
	// of tune: by the name of a case, and by * for all of them, the value of each parameter of the fastest
	// configuration; none is the kernel as it is shipped
	Use     map[string]map[string]string `json:"use,omitempty"`
	Timings Timings                      `json:"timings"` // where the wall time went
}

// Tool is the program that made the result.
type Tool struct {
	Name    string `json:"name"`    // perfgate
	Version string `json:"version"` // its version
}

// Config says which configuration was used and what head changed in what it rules over.
type Config struct {
	File    string       `json:"file"`              // its name
	Path    string       `json:"path,omitempty"`    // its path within the tree of a side, with slashes
	SHA256  string       `json:"sha256"`            // hash of its bytes, hexadecimal
	Trust   string       `json:"trust"`             // whose it is: worktree or base
	Changed []RuleChange `json:"changed,omitempty"` // what head changes of what rules over the gate
}

// Side names who an error belongs to. The empty side means that it is unknown.
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
	Kind     VersionKind `json:"kind"`               // where it comes from; empty where there is no base
	Label    string      `json:"label"`              // as the user called it
	Revision string      `json:"revision,omitempty"` // full hash of the commit
	Dirty    bool        `json:"dirty,omitempty"`    // with changes that no commit has
	Flags    []string    `json:"flags,omitempty"`    // compiler flags that only this side got
}

// ShortID is as much of a commit's name or of a hash as tells it from others by eye.
func ShortID(id string) string { return id[:min(12, len(id))] }

// Toolchain is what built both sides.
type Toolchain struct {
	Compiler string `json:"compiler"` // command or path
	Version  string `json:"version"`  // first line of its version
	Harness  string `json:"harness"`  // fingerprint of the harness
}

// WarmUp is the duration that every process warms up for, found once on base.
type WarmUp struct {
	NS   float64 `json:"ns"`   // found once on base, the same for every process; 0 if nothing was timed
	Held bool    `json:"held"` // the clock of the canary was stable by then
}

// Timings says where the run's wall time went.
type Timings struct {
	TotalS    float64      `json:"totalSeconds"`     // wall time of the run
	CompileS  float64      `json:"compileSeconds"`   // spent in compilers
	RunnersS  float64      `json:"runnersSeconds"`   // spent in harness processes
	OverheadS float64      `json:"overheadSeconds"`  // perfgate's own: the total less all others
	WaitS     float64      `json:"waitSeconds"`      // waiting for another perfgate on this machine
	Phases    PhaseSeconds `json:"phases,omitempty"` // what parity and the phases of processes that time cases took, over all of them: a part of runnersSeconds
}
