package run

import (
	"time"

	"github.com/org/perfgate/gate/machine"
	"github.com/org/perfgate/gate/parity"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/kernels/child"
)

// Options say what to run: the question that all stages answer, and what each of them alone is told.
type Options struct {
	Question
	BaseNamed bool // this base was asked for: a run that compares nothing with it does not pass
	Version   string
	Repro     string // command line that makes the same run
	Device    DeviceOptions
	Parity    ParityOptions
	Rounds    RoundOptions
	Profile   Profile
	Stored    *Stored
	siblings  *siblings      // nil where one run measures the whole plan
	arrive    func()         // tells siblings that this one is built
	opened    func(*session) // of tests: gets what builds and runs kernels, before anything is built
}

// Question is what is asked of which sides, and where a run has its files. The configuration has all overrides applied.
type Question struct {
	Trusted    repo.Trusted
	Only       []string // kernels; empty means all
	Cases      []string // patterns of timed cases; empty means all
	Base, Head Side
	// Referee is the side whose build says what is right, where Base is code under test itself. Without a Tree it is Base. It needs the
	// trust in base's rules.
	Referee Side
	// ChangedFiles are relative to the configuration's folder; ChangesKnown is false where git cannot tell.
	ChangedFiles []string
	ChangesKnown bool
	NoSkip       bool // time identical code all the same
	MayDrop      bool // head's configuration may drop cases of base's: a writer vouches for it, or it alone is asked about
	// External says that head comes from people who may not write to the repository, and that nobody who may has approved it.
	External    bool
	Competitors bool // measure competitors with when: manual, too
	Seed        uint64
	Shard       *plan.Shard // nil: all of the plan; otherwise Seed is made of its
	Desk        string      // folder of the configuration in the checkout that the run was started in; an interpreter's path is relative to it
	Checkout    string      // its top folder
	Scratch     string      // private folder; the caller removes it
	Cache       string
	Progress    func(Progress) // may be nil
	Log         child.Log      // of compilers and of what they build; may be nil
	recording   bool           // head alone is measured, to be recorded
}

// DeviceOptions are what is measured on, and what of it processes may have.
type DeviceOptions struct {
	GPU         string                        // an index in PCI order or a UUID; "" and machine.Idle are the least used that CUDA sees
	CPUs        []int                         // processors that its processes run on; nil means those next to the GPU
	Open        func() (*machine.GPUs, error) // nil is machine.OpenGPUs
	LockClocks  *machine.ClockLock            // nil for clocks as they are
	MemoryBytes int64                         // of a process; 0 means most of what is free
	Sandbox     result.SandboxMode            // "" is off
}

func (o DeviceOptions) open() (*machine.GPUs, error) {
	if o.Open != nil {
		return o.Open()
	}
	return machine.OpenGPUs()
}

// ParityOptions are what is asked of parity beyond the configuration.
type ParityOptions struct {
	parity.Wishes
	Command   string        // command line that parity's reproduction arguments are appended to
	Whole     string        // command line of this run and its sides, for a check that only a run makes
	HangLimit time.Duration // of one case; 0 means the default of parity
	Sanitize  bool          // CheckParity alone: look for what a right result does not show, too
}

// RoundOptions are what is asked of the rounds.
type RoundOptions struct {
	MaxSamples int          // of a process; 0 means as many as measuring thinks right
	Course     *rule.Course // measures all cases together, as a search wants them; nil decides each by itself
}
