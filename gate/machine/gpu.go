package machine

import (
	"fmt"
	"os"
	"sync"

	"github.com/org/perfgate/gate/result"
)

// GPUError says why no GPU can be used, and what helps.
type GPUError struct {
	What string
	Cure string
}

func (e *GPUError) Error() string { return e.What + ": " + e.Cure }

// device is what we need of one GPU in the driver's management library: nvml.go binds it, and there is none without cgo. It is used by
// one goroutine at a time.
type device interface {
	describe() (name string, facts result.GPU, err error)
	sample() (sample, error)
	// processes are the ids of those that compute on the device, as the driver knows them: in a container the host's.
	processes() ([]int, error)
	usage() (usage, error)
	busID() string // such as 00000000:65:00.0; "" where the driver does not tell
	lockClocks(low, high uint32) error
	resetClocks() error
}

// GPU is one GPU of this machine.
type GPU struct {
	Name  string
	Facts result.GPU
	dev   device
	mu    sync.Mutex // keeps the uses of dev apart
}

// Target is what kernels for this GPU are compiled for, such as sm_89; empty if the driver does not tell.
func (g *GPU) Target() string {
	var major, minor int
	if n, _ := fmt.Sscanf(g.Facts.ComputeCapability, "%d.%d", &major, &minor); n != 2 {
		return ""
	}
	return fmt.Sprintf("sm_%d%d", major, minor)
}

// Environment makes CUDA see this GPU alone. NVML orders by PCI and knows nothing of it.
func (g *GPU) Environment() []string {
	return []string{"CUDA_DEVICE_ORDER=PCI_BUS_ID", "CUDA_VISIBLE_DEVICES=" + g.Facts.UUID}
}

// GPUs is an open driver with its GPUs, in PCI order.
type GPUs struct {
	List  []*GPU
	close func()
}

// newGPUs describes the devices of an open driver, of which there has to be one.
func newGPUs(driver, cuda string, devices []device, close func()) (*GPUs, error) {
	all := &GPUs{close: close}
	for i, dev := range devices {
		g := &GPU{dev: dev, Facts: result.GPU{Index: i, Driver: driver, CUDA: cuda}}
		if err := g.Refresh(); err != nil {
			close()
			return nil, err
		}
		all.List = append(all.List, g)
	}
	if len(all.List) == 0 {
		close()
		return nil, &GPUError{"the NVIDIA driver runs, but shows no GPU", "give the container or virtual machine a GPU (docker: --gpus all), or see nvidia-smi"}
	}
	return all, nil
}

// Refresh reads what the GPU is and how it feels, but for what the driver and a lock of its clocks are known to be.
func (g *GPU) Refresh() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	name, facts, err := g.dev.describe()
	if err != nil {
		return err
	}
	old := g.Facts
	facts.Index, facts.Driver, facts.CUDA, facts.LockedClock = old.Index, old.Driver, old.CUDA, old.LockedClock
	facts.MPS = MPS(os.Getenv) != ""
	if pids, err := g.dev.processes(); err == nil {
		facts.OtherProcesses = len(pids)
	}
	g.Name, g.Facts = name, facts
	return nil
}

// Close lets go of the driver.
func (a *GPUs) Close() {
	if a != nil && a.close != nil {
		a.close()
		a.close = nil
	}
}

// Processes are the ids of those that compute on the GPU now, as the driver knows them.
func (g *GPU) Processes() ([]int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.dev.processes()
}

// ClocksNow are the reasons that the driver gives now for clocks below the highest.
func (g *GPU) ClocksNow() ([]result.ClockLimit, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s, err := g.dev.sample()
	return clockLimits(s.reasons), err
}

// Measurable returns a *GPUError for a GPU that is shared or divided so that its times say nothing.
func (g *GPU) Measurable() error {
	switch {
	case g.Facts.MIG:
		return &GPUError{
			fmt.Sprintf("%s is divided into MIG instances, whose neighbours share its power and clocks", g.Name),
			fmt.Sprintf("end MIG for it (sudo nvidia-smi -i %d -mig 0), or choose another GPU with --gpu", g.Facts.Index),
		}
	case g.Facts.MPS:
		return &GPUError{
			"CUDA processes of this machine share their GPU through MPS (" + MPS(os.Getenv) + ")",
			"end it (echo quit | nvidia-cuda-mps-control), and remove what a dead one left",
		}
	case g.Target() == "":
		return &GPUError{fmt.Sprintf("the driver does not tell the compute capability of %s", g.Name), "update the driver"}
	}
	return nil
}
