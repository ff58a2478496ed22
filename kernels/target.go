package kernels

import (
	"regexp"
	"runtime"

	"github.com/org/perfgate/gate/result"
)

// Target is what harness and adapters are built for.
type Target struct {
	Device string // result.DeviceCPU or result.DeviceCUDA; "" means result.DeviceCPU
	Arch   string // CUDA: "sm_89", resolved from the device present and never "native"
}

// CPU is the processor that this program runs on.
var CPU = Target{Device: result.DeviceCPU}

// IsCUDA says whether the target is an NVIDIA GPU.
func (t Target) IsCUDA() bool { return t.Device == result.DeviceCUDA }

// ArchName is what a build.command sees in PERFGATE_ARCH.
func (t Target) ArchName() string {
	if t.IsCUDA() {
		return t.Arch
	}
	return runtime.GOARCH
}

var archPattern = regexp.MustCompile(`^sm_[0-9]{2,3}[af]?$`)

// archFlags compile for the device present and no other, with no intermediate code that a driver would translate anew.
func (t Target) archFlags() []string {
	number := t.Arch[len("sm_"):]
	return []string{"-gencode", "arch=compute_" + number + ",code=" + t.Arch}
}
