package baseline

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/org/perfgate/gate/result"
)

// State is a part of the machine or of what runs on it.
type State string

const (
	StateDevice     State = "device"
	StateModel      State = "model"
	StateCores      State = "number of cores"
	StateGovernor   State = "frequency governor"
	StateOS         State = "operating system"
	StateKernel     State = "kernel of the system"
	StateDriver     State = "driver"
	StateCUDA       State = "CUDA"
	StateCapability State = "compute capability"
	StateGPUMemory  State = "GPU memory"
	StatePowerLimit State = "power limit"
	StateClock      State = "locked clock"
	StateECC        State = "ECC"
	StateMIG        State = "MIG"
	StateMPS        State = "MPS"
	StateHarness    State = "harness"
	StateGPU        State = "GPU"      // another card of the model
	StateCompiler   State = "compiler" // what it changes is in the code's fingerprint
)

// StateChange is a part that is no longer as it was when a record was taken.
type StateChange struct {
	What State  `json:"what"`
	Then string `json:"then"` // "" where the record does not tell
	Now  string `json:"now"`
}

// String words the change, such as "driver was 570.86, is 580.12".
func (c StateChange) String() string {
	return fmt.Sprintf("%s was %s, is %s", c.What, cmp.Or(c.Then, "not known"), cmp.Or(c.Now, "not known"))
}

// Hinders says whether times from before the change must not be compared with times after it. Another card of the same model is what
// the learnt scatter of sessions stands for, and other compilers build other code.
func (c StateChange) Hinders() bool { return c.What != StateGPU && c.What != StateCompiler }

// Changes says in words why two records cannot be compared; nothing if they can.
func Changes(then, now *Record) []string {
	var out []string
	for _, c := range StateChanges(then, now) {
		if c.Hinders() {
			out = append(out, c.String())
		}
	}
	return out
}

// StateChanges are all parts that differ between two records of one machine.
func StateChanges(then, now *Record) []StateChange {
	a, b := then.Machine, now.Machine
	out := []StateChange{
		{StateDevice, a.Device, b.Device},
		{StateModel, a.Model, b.Model},
		{StateCores, fmt.Sprint(a.Cores), fmt.Sprint(b.Cores)},
		{StateGovernor, a.Governor, b.Governor},
	}
	if a.GPU != nil && b.GPU != nil {
		out = append(out, gpuStates(*a.GPU, *b.GPU)...)
	} else {
		out = append(out, StateChange{StateOS, a.OS, b.OS}, StateChange{StateKernel, a.Kernel, b.Kernel})
	}
	c, d := then.Toolchain, now.Toolchain
	out = append(out, StateChange{StateHarness, result.ShortID(c.Harness), result.ShortID(d.Harness)},
		StateChange{StateCompiler, compilerOf(c), compilerOf(d)})
	return slices.DeleteFunc(out, func(s StateChange) bool { return s.Then == s.Now })
}

func compilerOf(t result.Toolchain) string {
	if t.Version == "" {
		return t.Compiler
	}
	return t.Compiler + " " + t.Version
}

func gpuStates(a, b result.GPU) []StateChange {
	return []StateChange{
		{StateDriver, a.Driver, b.Driver},
		{StateCUDA, a.CUDA, b.CUDA},
		{StateCapability, a.ComputeCapability, b.ComputeCapability},
		{StateGPUMemory, fmt.Sprint(a.MemoryBytes>>20, " MiB"), fmt.Sprint(b.MemoryBytes>>20, " MiB")},
		{StatePowerLimit, fmt.Sprint(a.PowerLimitW, " W"), fmt.Sprint(b.PowerLimitW, " W")},
		{StateClock, a.LockedClock, b.LockedClock},
		{StateECC, onOff(a.ECC), onOff(b.ECC)},
		{StateMIG, onOff(a.MIG), onOff(b.MIG)},
		{StateMPS, onOff(a.MPS), onOff(b.MPS)},
		{StateGPU, a.UUID, b.UUID},
	}
}

func onOff(b bool) string {
	if b {
		return "on"
	}
	return "off"
}
