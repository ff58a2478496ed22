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

// library is what we need of the driver's management library. nvml.go binds it; there is none without cgo.
type library interface {
	// versions returns the driver's version and the newest CUDA version that it supports.
	versions() (driver, cuda string)
	count() (int, error)
	device(index int) (device, error)
	close()
}

// device is one GPU. It is used by one goroutine at a time.
type device interface {
	describe() (name string, facts result.GPU, err error)
	sample() (sample, error)
	// processes are the ids of those that compute on the device, as the driver knows them: in a container the host's.
	processes() ([]int, error)
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

// GPUs is an open driver and its GPUs, in PCI order.
type GPUs struct {
	Driver, CUDA string
	List         []*GPU
	lib          library
}

// OpenGPUs asks the driver for the GPUs of this machine. Without a driver, without a GPU and without cgo the error is a
// *GPUError: a normal state of a machine.
func OpenGPUs() (*GPUs, error) {
	lib, err := openLibrary()
	if err != nil {
		return nil, err
	}
	return gather(lib)
}

func gather(lib library) (*GPUs, error) {
	n, err := lib.count()
	if err == nil && n == 0 {
		err = &GPUError{"the NVIDIA driver runs, but shows no GPU", "give the container or virtual machine a GPU (docker: --gpus all), or see nvidia-smi"}
	}
	if err != nil {
		lib.close()
		return nil, err
	}
	all := &GPUs{lib: lib}
	all.Driver, all.CUDA = lib.versions()
	for i := range n {
		g, err := all.describe(i)
		if err != nil {
			lib.close()
			return nil, err
		}
		all.List = append(all.List, g)
	}
	return all, nil
}

func (a *GPUs) describe(index int) (*GPU, error) {
	dev, err := a.lib.device(index)
	if err != nil {
		return nil, err
	}
	g := &GPU{dev: dev}
	g.Facts.Index, g.Facts.Driver, g.Facts.CUDA = index, a.Driver, a.CUDA
	return g, g.Refresh()
}

// Refresh reads again what may have changed since the GPU was described.
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
	if a != nil && a.lib != nil {
		a.lib.close()
		a.lib = nil
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

// Measurable returns a *GPUError for a GPU that is shared or divided in a way that makes its times nobody's.
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
