package machine

import (
	"fmt"
	"sync"
	"testing"

	"github.com/org/perfgate/gate/result"
)

type fakeDevice struct {
	name  string
	facts result.GPU

	mu     sync.Mutex
	now    sample
	pids   []int
	used   usage
	bus    string
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

func (d *fakeDevice) busID() string { return d.bus }

func (d *fakeDevice) usage() (usage, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.used, nil
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
	return reopened(devices), devices
}

// reopened is another view of a machine's GPUs.
func reopened(devices []*fakeDevice) *GPUs {
	var all []device
	for _, d := range devices {
		all = append(all, d)
	}
	gpus, err := newGPUs("570.133.20", "12.8", all, func() {})
	if err != nil {
		panic(err) // the fake does not fail
	}
	return gpus
}

// must ends a test where what it needs fails.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
