package machine

import (
	"errors"
	"fmt"
	"sync"

	"github.com/org/perfgate/gate/result"
)

// fakeLibrary is a driver with made-up GPUs.
type fakeLibrary struct {
	devices []*fakeDevice
	closed  bool
}

func (l *fakeLibrary) versions() (driver, cuda string) { return "570.133.20", "12.8" }
func (l *fakeLibrary) count() (int, error)             { return len(l.devices), nil }
func (l *fakeLibrary) close()                          { l.closed = true }

func (l *fakeLibrary) device(i int) (device, error) {
	if i >= len(l.devices) {
		return nil, errors.New("no such GPU")
	}
	return l.devices[i], nil
}

type fakeDevice struct {
	name  string
	facts result.GPU

	mu     sync.Mutex
	now    sample
	pids   []int
	locked []uint32 // every clock that was locked; 0 is a reset
	refuse error
}

func newFakeDevice(i int) *fakeDevice {
	return &fakeDevice{name: "NVIDIA L4", facts: result.GPU{
		UUID: fmt.Sprintf("GPU-%d0000000-1111-2222-3333-444444444444", i), ComputeCapability: "8.9", SMs: 58,
	}}
}

func (d *fakeDevice) describe() (string, result.GPU, error) { return d.name, d.facts, nil }

func (d *fakeDevice) sample() (sample, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.now, nil
}

func (d *fakeDevice) processes() ([]int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.pids, nil
}

func (d *fakeDevice) lockClocks(low, _ uint32) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.refuse == nil {
		d.locked = append(d.locked, low)
	}
	return d.refuse
}

func (d *fakeDevice) resetClocks() error { return d.lockClocks(0, 0) }

func (d *fakeDevice) set(s sample, pids ...int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now, d.pids = s, pids
}

// fakeGPUs opens a machine with n L4s.
func fakeGPUs(n int) (*GPUs, []*fakeDevice) {
	var devices []*fakeDevice
	for i := range n {
		devices = append(devices, newFakeDevice(i))
	}
	all, err := gather(&fakeLibrary{devices: devices})
	if err != nil {
		panic(err) // the fake does not fail
	}
	return all, devices
}
