package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/machine"
	"github.com/org/perfgate/gate/oracle"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// ErrNeedsGPU says that a run needs a GPU that this machine does not offer. It is never measured on a CPU instead.
var ErrNeedsGPU = errors.New("a CUDA GPU is needed")

// DeviceError says that configuration and command line do not agree on a device.
type DeviceError struct{ text string }

func (e *DeviceError) Error() string { return e.text }

// device is where the kernels of a run run.
type device struct {
	target kernels.Target
	gpus   *machine.GPUs // nil on a CPU
	gpu    *machine.GPU
	watch  *machine.Watch
}

// lockName is what keeps two measurements apart.
func (d device) lockName() string {
	if d.gpu != nil {
		return d.gpu.Facts.UUID
	}
	return "cpu"
}

func (d device) environment() []string {
	if d.gpu == nil {
		return nil
	}
	return d.gpu.Environment()
}

// health is nil where nobody watches.
func (d device) health() func() string {
	if d.watch == nil {
		return nil
	}
	return d.watch.Health
}

// chooseDevice settles what the run runs on and says so in the result.
func (r *run) chooseDevice() error {
	reason, err := whyGPU(r.config, r.plan.Kernels)
	if err != nil {
		return err
	}
	if reason == "" {
		return r.expectNoGPUFlags()
	}
	gpus, err := machine.OpenGPUs()
	if err != nil {
		return fmt.Errorf("%s: %w: %w", reason, ErrNeedsGPU, err)
	}
	r.device.gpus = gpus
	gpu, err := gpus.Select(r.opt.GPU, os.LookupEnv)
	if err != nil {
		return err
	}
	if err := gpu.Measurable(); err != nil {
		return err
	}
	r.device.gpu = gpu
	r.device.target = kernels.Target{Device: result.DeviceCUDA, Arch: gpu.Target()}
	r.res.Machine = machine.DescribeGPU(gpu)
	return nil
}

// expectNoGPUFlags refuses flags that a run on the CPU would ignore: who names a GPU believes to measure on it.
func (r *run) expectNoGPUFlags() error {
	r.device.target = kernels.CPU
	switch {
	case r.opt.GPU != "":
		return &DeviceError{fmt.Sprintf("--gpu %s: no kernel of this run is CUDA (a .cu among its files, or device: cuda in %s), so it would run on the CPU", r.opt.GPU, r.config.File)}
	case r.opt.LockClocks != nil:
		return &DeviceError{"--lock-clocks locks the clocks of a GPU, and this run is on the CPU"}
	}
	return nil
}

// whyGPU says what about the kernels asks for a GPU, or "" if nothing does. One run is on one device.
func whyGPU(c *config.Config, planned []plan.KernelPlan) (string, error) {
	if c.Device == config.DeviceCUDA {
		return c.File + " says device: cuda", nil
	}
	reason, gpu, cpu := "", "", ""
	for _, k := range planned {
		file := cudaFile(k.Kernel)
		if file == "" {
			cpu = k.Kernel.Name
			continue
		}
		reason, gpu = fmt.Sprintf("%s of kernel %s is CUDA", file, k.Kernel.Name), k.Kernel.Name
	}
	switch {
	case gpu != "" && c.Device == config.DeviceCPU:
		return "", &DeviceError{fmt.Sprintf("%s says device: cpu, but %s; leave device out, or say cuda", c.File, reason)}
	case gpu != "" && cpu != "":
		return "", &DeviceError{fmt.Sprintf("%s, and %s has no file that is: one run is on one device, so choose with "+
			"--kernel, or say device: cuda in %s if %s runs on the GPU too", reason, cpu, c.File, cpu)}
	}
	return reason, nil
}

// cudaFile is the first file of a kernel that only a GPU can run, or "".
func cudaFile(k config.Kernel) string {
	for _, file := range append([]string{k.Adapter}, k.Sources...) {
		if filepath.Ext(file) == ".cu" {
			return file
		}
	}
	return ""
}

func (r *run) findCompiler(ctx context.Context) (kernels.Compiler, error) {
	if r.device.target.IsCUDA() {
		return kernels.FindNVCC(ctx)
	}
	return kernels.FindCompiler(ctx)
}

// prepareGPU begins the use of a GPU that this run has to itself. finish ends it, on every way out of the run.
func (r *run) prepareGPU() (finish func() error, err error) {
	gpu := r.device.gpu
	if gpu == nil {
		return func() error { return nil }, nil
	}
	// The lock may have come from a run that was killed with the clocks locked, before its supervisor could unlock them.
	unlocked, err := gpu.UnlockForgotten()
	if err != nil {
		return nil, err
	}
	if unlocked {
		r.res.Notes = append(r.res.Notes, "a perfgate that was killed had left the clocks of the GPU locked: they were unlocked before this run")
	}
	if note := gpu.StrangersNote(); note != "" {
		r.res.Notes = append(r.res.Notes, note+" says that the clocks of the GPU are locked, and is not believed: it belongs neither to root nor to the user of this run")
	}
	if err := gpu.Refresh(); err != nil {
		return nil, err
	}
	restore := func() error { return nil }
	if r.opt.LockClocks != nil {
		if restore, err = gpu.LockClocks(*r.opt.LockClocks); err != nil {
			return nil, err
		}
	}
	r.res.Machine = machine.DescribeGPU(gpu)
	if n := gpu.Facts.OtherProcesses; n > 0 {
		r.res.Notes = append(r.res.Notes, fmt.Sprintf("other processes (%d) had the GPU open to compute before the run began: what they do is in the numbers", n))
	}
	r.device.watch = gpu.Watch()
	return func() error {
		r.res.Machine.GPU.Watch = r.device.watch.Stop()
		return restore()
	}, nil
}

// start starts a runner on a library, within limits.
func (r *run) start(ctx context.Context, library string) (oracle.Runner, error) {
	spec, err := r.runnerSpec(library)
	if err != nil {
		return nil, err
	}
	runner, err := kernels.StartRunner(ctx, spec)
	if r.givesUpSandbox(err) {
		if spec, err = r.runnerSpec(library); err != nil {
			return nil, err
		}
		runner, err = kernels.StartRunner(ctx, spec)
	}
	if err != nil {
		return nil, err // not a nil *Runner in an interface
	}
	return r.watched(runner), nil
}

// watched tells the watch of a runner and of its end.
func (r *run) watched(runner *kernels.Runner) oracle.Runner {
	r.learn(runner.Hello.GPU)
	if r.device.watch == nil {
		return runner
	}
	r.device.watch.Began(runner.PID())
	return watchedRunner{runner, r.device.watch}
}

// learn fills in what only CUDA's runtime knows of the GPU.
func (r *run) learn(told *kernels.GPU) {
	if g := r.res.Machine.GPU; g != nil && told != nil {
		g.SMs, g.L2Bytes = told.SMs, told.L2Bytes
	}
}

// watchedRunner tells the watch of its end.
type watchedRunner struct {
	*kernels.Runner
	watch *machine.Watch
}

func (w watchedRunner) Close() {
	w.Runner.Close()
	w.watch.Ended(w.PID())
}

// closeDevice lets go of the driver.
func (r *run) closeDevice() { r.device.gpus.Close() }

// memoryLimit keeps a kernel that allocates without end from taking the machine with it. CUDA reserves far more
// addresses than it uses, so there is none for it.
func (r *run) memoryLimit() int64 {
	switch {
	case r.device.target.IsCUDA():
		return 0
	case r.opt.MemoryBytes > 0:
		return r.opt.MemoryBytes
	}
	return machine.AvailableBytes() / 10 * 8
}
