package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/identity"
	"github.com/org/perfgate/gate/machine"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
	"github.com/org/perfgate/gate/untrusted"
	"github.com/org/perfgate/kernels"
)

// ErrNeedsGPU says that a run needs a GPU that this machine does not offer. It is never measured on a CPU instead.
var ErrNeedsGPU = errors.New("a CUDA GPU is needed")

// device is where the kernels of a run run.
type device struct {
	target  kernels.Target
	machine result.Machine // as it is described in the result
	notes   []string
	gpus    *machine.GPUs // nil on a CPU
	gpu     *machine.GPU
	allowed []*machine.GPU // that it may be, all of one model
	other   *Accelerator   // nil but for device: other
	devices []string       // files by which processes open it in the sandbox
	cpus    []int          // processors that its processes run on; nil means all
	learned bool           // what CUDA's runtime says: by the first runner, as later ones start while others read it
	watch   *machine.Watch // nil as long as the run does not have the GPU to itself
}

// MachineKey is the key under which records of a configuration are on this machine: its GPU's where its kernels run on one,
// else its CPU's. gpu is the one that was asked for; "" is the first.
func MachineKey(ctx context.Context, c *config.Config, gpu string) (string, error) {
	p, err := plan.New(c, nil)
	if err != nil {
		return "", err
	}
	d := &device{machine: machine.Describe()}
	defer func() { d.gpus.Close() }()
	err = d.choose(ctx, Options{Question: Question{Trusted: repo.Trusted{Config: c}}, Device: DeviceOptions{GPU: gpu}}, p)
	return d.machine.Key, err
}

// lockName is what keeps two measurements apart.
func (d *device) lockName() string {
	if d.gpu != nil {
		return d.gpu.Facts.UUID
	}
	if d.other != nil {
		return d.machine.Key
	}
	return machine.Host
}

func (d *device) environment() []string {
	if d.gpu == nil {
		return nil
	}
	return d.gpu.Environment()
}

// health is nil where there is no watch.
func (d *device) health() func() string {
	if d.watch == nil {
		return nil
	}
	return d.watch.Health
}

// watched tells the watch of a process that may use the device, and what it returns tells of its end.
func (d *device) watched(pid int) (ended func()) {
	if d.watch == nil {
		return func() {}
	}
	watch := d.watch // the process may outlive the use of the device
	watch.Began(pid)
	return func() { watch.Ended(pid) }
}

// shares says whether a process may measure the kernels of its side one after the other, and the next one open the device meanwhile: on a
// GPU, where opening it is most of what a process costs, and measuring does not notice either.
func (d *device) shares() bool { return d.target.IsCUDA() }

// multiprocessors is how many the GPU has, 0 on a CPU.
func (d *device) multiprocessors() int {
	if d.machine.GPU == nil {
		return 0
	}
	return d.machine.GPU.SMs
}

// capability is the compute capability of the GPU, zero where it is not known.
func (d *device) capability() profile.Version {
	if d.machine.GPU == nil {
		return profile.Version{}
	}
	v, _ := profile.ParseVersion(d.machine.GPU.ComputeCapability) // zero where it cannot be read
	return v
}

// choose settles what the run runs on.
func (d *device) choose(ctx context.Context, opt Options, p *plan.Plan) error {
	c := opt.Trusted.Config
	if err := refuseCollective(c, p.Kernels); err != nil {
		return err
	}
	reason, err := whyGPU(c, p.Kernels)
	if err != nil {
		return err
	}
	if reason == "" {
		d.target = kernels.CPU
		switch { // who names a GPU believes to measure on it
		case opt.Device.GPU != "":
			return result.Usagef("--gpu %s: no kernel of this run is CUDA (a .cu among its files, or device: cuda in %s), so it would run on the CPU", opt.Device.GPU, c.File)
		case opt.Device.LockClocks != nil:
			return result.Usagef("--lock-gpu-clocks locks the clocks of a GPU, and this run uses none that it can lock")
		}
		if d.other = NewAccelerator(c, opt.Log); d.other != nil {
			if opt.Trusted.NoBaseConfig { // these commands and devices would be head's choice, and the commands run outside of the sandbox
				return result.Usagef("%s: device: other runs the commands of machine by base's policy, and base has no configuration: merge one first, or approve this one by the label", c.File)
			}
			d.devices = charDevices(c.Devices)
			d.machine, err = d.other.Describe(ctx)
		}
		return err
	}
	if d.gpus, err = opt.Device.open(); err != nil {
		return fmt.Errorf("%s: %w: %w", reason, ErrNeedsGPU, err)
	}
	if d.allowed, err = d.gpus.Select(opt.Device.GPU, os.LookupEnv); err != nil {
		return err
	}
	d.chooseIdle()
	if opt.Device.CPUs != nil {
		d.cpus = opt.Device.CPUs
	}
	if err := d.gpu.Measurable(); err != nil {
		return err
	}
	d.target = kernels.Target{Device: result.DeviceCUDA, Arch: d.gpu.Target()}
	return nil
}

// chooseIdle takes the least used of the GPUs that the run may use.
func (d *device) chooseIdle() {
	d.gpu = machine.LeastUsed(d.allowed)
	d.machine, d.cpus = machine.DescribeGPU(d.gpu), d.gpu.Processors()
}

// whyGPU says what about the kernels asks for a GPU, or "" if nothing does. One run is on one device.
func whyGPU(c *config.Config, planned []plan.KernelPlan) (string, error) {
	if c.Device == config.DeviceCUDA {
		return c.File + " says device: cuda", nil
	}
	reason, gpu, cpu := "", "", ""
	for _, k := range planned {
		needs := needsCUDA(c.Dir, k.Kernel)
		if format := k.Kernel.Format(); needs == "" && format != nil {
			if of := format.Traits(); of.CUDA && c.Device == config.DeviceAuto {
				reason, gpu = fmt.Sprintf("kernel %s is timed by %s (device: cpu says that it needs no GPU)", k.Kernel.Name, of.Name), k.Kernel.Name
			}
			continue // of any device
		}
		if needs == "" && config.IsTask(k.Kernel.Adapter) && c.Device == config.DeviceAuto {
			needs = fmt.Sprintf("%s of kernel %s is a problem for GPUs (device: cpu runs one that names none)", k.Kernel.Adapter, k.Kernel.Name)
		}
		if needs == "" {
			cpu = k.Kernel.Name
			continue
		}
		reason, gpu = needs, k.Kernel.Name
	}
	switch {
	case gpu != "" && c.Device == config.DeviceCPU:
		return "", result.Usagef("%s says device: cpu, but %s; leave device out, or say cuda", c.File, reason)
	case gpu != "" && cpu != "":
		return "", result.Usagef("%s, and %s has no file that is: one run is on one device, so choose with "+
			"--kernel, or say device: cuda in %s if %s runs on the GPU too", reason, cpu, c.File, cpu)
	}
	return reason, nil
}

// needsCUDA says which file of a kernel only a GPU can run, or "". An adapter in Python runs on both: it needs a GPU where it imports
// what there is on GPUs alone; any other says so by device: cuda.
func needsCUDA(dir string, k config.Kernel) string {
	for _, file := range append([]string{k.Adapter}, k.Sources...) {
		if filepath.Ext(file) == ".cu" {
			return fmt.Sprintf("%s of kernel %s is CUDA", file, k.Name)
		}
	}
	if !k.IsInterpreted() {
		return ""
	}
	text, err := untrusted.ReadIn(dir, k.Adapter, identity.MostBytes)
	if found := importsCUDA().FindSubmatch(text); err == nil && found != nil {
		return fmt.Sprintf("%s of kernel %s imports %s", k.Adapter, k.Name, found[1])
	}
	return ""
}

// refuseCollective refuses kernels that several GPUs compute together: a process sees one.
func refuseCollective(c *config.Config, planned []plan.KernelPlan) error {
	for _, k := range planned {
		for _, file := range append([]string{k.Kernel.Adapter}, k.Kernel.Sources...) {
			text, err := untrusted.ReadIn(c.Dir, file, identity.MostBytes)
			if found := collective().Find(text); file != "" && err == nil && found != nil {
				return result.Usagef("%s of kernel %s has %q: kernels that several GPUs compute together are not measured, since a process sees one GPU and the clock of one says "+
					"nothing of the others; measure what runs on each of them", file, k.Kernel.Name, strings.TrimSpace(string(found)))
			}
		}
	}
	return nil
}

var collective = text.Pattern(`(?m)^\s*(?:#\s*include\s*[<"](?:nccl|rccl|nvshmem)\w*\.h|(?:import|from)\s+(?:torch\.distributed|nvshmem|cupy\.cuda\.nccl)\b)`)

var importsCUDA = text.Pattern(`(?m)^\s*(?:import|from)\s+(?:[\w., ]*,\s*)?(triton|cupy|cuda|pycuda|numba\.cuda)\b`)

// compiler finds the compiler.
func (d *device) compiler(ctx context.Context) (kernels.Compiler, error) {
	if d.target.IsCUDA() {
		return kernels.FindNVCC(ctx)
	}
	return kernels.FindCompiler(ctx)
}

// prepare begins the use of a GPU that this run has to itself, for the first time or again. finish ends it, on every way out of the run.
func (d *device) prepare(ctx context.Context, clocks *machine.ClockLock) (finish func() error, err error) {
	gpu, restore := d.gpu, func() error { return nil }
	if d.other != nil {
		return d.other.prepare(ctx, func(note string) { d.notes = append(d.notes, note) })
	}
	if gpu == nil {
		return restore, nil
	}
	// The lock may have come from a run that was killed with the clocks locked, before its supervisor could unlock them.
	unlocked, err := gpu.UnlockForgotten()
	if err != nil {
		return nil, err
	}
	if unlocked {
		d.notes = append(d.notes, "a perfgate that was killed had left the clocks of the GPU locked: they were unlocked before this run")
	}
	if note := gpu.StrangersNote(); note != "" && d.watch == nil {
		d.notes = append(d.notes, note+" says that the clocks of the GPU are locked, and is not believed: it belongs neither to root nor to the user of this run")
	}
	if err := gpu.Refresh(); err != nil {
		return nil, err
	}
	if clocks != nil {
		if restore, err = gpu.LockClocks(*clocks); err != nil {
			return nil, err
		}
	}
	if d.watch != nil { // it goes on, and takes no samples while nothing of this run lives
		return restore, nil
	}
	d.machine = machine.DescribeGPU(gpu)
	if n := len(d.allowed); n > 1 {
		d.notes = append(d.notes, fmt.Sprintf("GPU %d (%s) was measured on, the least used of %d", gpu.Facts.Index, gpu.Facts.UUID, n))
	}
	if d.cpus != nil {
		d.notes = append(d.notes, "processes of both sides ran on the same processors, "+machine.ProcessorList(d.cpus)+": those next to the GPU, as far as this run has them")
	}
	for _, g := range d.allowed {
		if left := g.LeftBehind(); left != "" {
			d.notes = append(d.notes, left)
		}
	}
	if n := gpu.Facts.OtherProcesses; n > 0 {
		d.notes = append(d.notes, fmt.Sprintf("other processes (%d) had the GPU open to compute before the run began: what they do is in the numbers", n))
	}
	d.watch = gpu.Watch()
	return restore, nil
}

// endWatch ends the watch of a GPU with the run's last use of it.
func (d *device) endWatch() {
	if d.watch != nil {
		d.machine.GPU.Watch = d.watch.Stop()
		d.watch = nil
	}
}

// learn fills in what only CUDA's runtime knows of the GPU.
func (d *device) learn(told *kernels.GPU) {
	if g := d.machine.GPU; g != nil && told != nil && !d.learned {
		g.SMs, g.L2Bytes, d.learned = told.SMs, told.L2Bytes, true
	}
}

// memoryLimit keeps a kernel that allocates without end from taking the machine with it, by the addresses that it may have. CUDA
// reserves far more of these than it uses, so there is none for it.
func (d *device) memoryLimit(wanted int64) int64 {
	if d.target.IsCUDA() {
		return 0
	}
	return mostMemory(wanted)
}

// mostMemory is what one process that runs code under test may have: what is wanted, or else most of what is free.
func mostMemory(wanted int64) int64 { return cmp.Or(wanted, machine.AvailableBytes()/10*8) }
