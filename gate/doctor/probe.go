package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/machine"
	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/run"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/child"
)

// Options say what to look at.
type Options struct {
	GPU     string // index or UUID; "" is the least used that CUDA sees, if there is one
	Quick   bool   // leave the A/A out
	Scratch string // private folder; the caller removes it
	Cache   string // folder; "" where there is none, for the reason in CacheTrouble
	Version string
	Config  *config.Config // whose benchmarks are tried; nil: none is

	CacheTrouble string
	Progress     func(what string) // may be nil
	Log          child.Log         // of what is compiled and run; may be nil
}

// Examination is the whole of it: gather the facts, the A/A among them, and make findings of them. The error is the
// user's (a GPU that is not there) or the context's; all else is a finding.
func Examination(ctx context.Context, o Options) (Report, error) {
	f, err := gather(ctx, o)
	if err != nil {
		return Report{}, err
	}
	switch {
	case o.Quick:
		f.NoiseSkipped = true
	case f.Compiler.Path == "":
		f.NoiseTrouble = "there is no compiler to build it with"
	case o.Cache == "":
		f.NoiseTrouble = "there is no folder for what is built"
	default:
		f.measureNoise(ctx, o)
	}
	if o.Config != nil && !o.Quick && o.Cache != "" {
		f.measureBenchmarks(ctx, o)
	}
	if ctx.Err() != nil {
		return Report{}, context.Cause(ctx)
	}
	return Examine(f), nil
}

func gather(ctx context.Context, o Options) (Facts, error) {
	f := Facts{Machine: machine.Describe(), GPUWanted: o.GPU != "", PCI: nvidiaGPUs("/sys/bus/pci/devices"), MPS: machine.MPS(os.Getenv)}
	if err := f.askDriver(machine.OpenGPUs, o.GPU); err != nil {
		return f, err
	}
	if o.Config != nil {
		f.askOther(ctx, run.NewAccelerator(o.Config, o.Log))
	}
	f.Compiler = compilerTool(kernels.FindCompiler(ctx))
	if f.Machine.GPU != nil {
		f.askCUDATools(ctx)
	}
	f.Locks, f.Queue = probeFolder(machine.LockDir()), machine.Holder(machine.Host)
	if g := f.Machine.GPU; g != nil {
		f.Queue = cmp.Or(machine.Holder(g.UUID), f.Queue)
	}
	f.Cache = Folder{Trouble: o.CacheTrouble}
	if o.Cache != "" {
		f.Cache = probeFolder(o.Cache)
	}
	f.Temporary, f.Quota = probeFolder(os.TempDir()), machine.ReadQuota()
	f.Temporary.Private = false // nobody shares it
	f.Locks.NoExec = false      // nothing runs there, and /run often is
	f.Git, f.Python, f.Isolation = findGit(ctx), findPython(ctx), findIsolation()
	counter, _ := profile.FindCounter(ctx) // one that counts nothing has no name
	f.Counter = counter.Name
	if os.Getenv("GITHUB_ACTIONS") == "true" {
		f.Runner = findRunner("/proc", strconv.Itoa(os.Getpid()))
	}
	f.Ports = diagnosticPorts("/proc", os.TempDir(), "/tmp") // .NET takes TMPDIR, of which the runner may have had another one
	return f, ctx.Err()
}

// askDriver fills in the GPU, or why there is none. It is an error of usage where the user named a GPU that is not here.
func (f *Facts) askDriver(open func() (*machine.GPUs, error), want string) error {
	gpus, err := open()
	var allowed []*machine.GPU
	if err == nil {
		defer gpus.Close()
		allowed, err = gpus.Select(want, os.LookupEnv)
	}
	switch {
	case result.IsUsage(err):
		return err
	case err != nil:
		f.lackGPU(err)
		return nil
	}
	for _, g := range allowed {
		if left := g.LeftBehind(); left != "" {
			f.LeftBehind = append(f.LeftBehind, left)
		}
	}
	gpu := machine.LeastUsed(allowed)
	f.Machine, f.GPUCount = machine.DescribeGPU(gpu), len(gpus.List)
	f.LockNote, f.LockAlive = gpu.LeftLocked()
	f.Stranger = gpu.StrangersNote()
	f.Processes, err = gpu.Processes()
	f.ProcessesTrouble = words(err)
	f.Clocks, err = gpu.ClocksNow()
	f.ClocksTrouble = words(err)
	return nil
}

// askOther asks the commands of the configuration about an accelerator; nil is none.
func (f *Facts) askOther(ctx context.Context, a *run.Accelerator) {
	if a == nil {
		return
	}
	m, err := a.Describe(ctx)
	f.Other, f.Key, f.KeyTrouble = true, m.Model, words(err)
	f.IdleTrouble = words(a.Idle(ctx))
	f.OtherNow, err = a.Clocks(ctx)
	f.ClocksTroubleOther = words(err)
}

// lackGPU notes why no GPU can be used: a state of the machine that the driver's binding knows and has a cure for, or another
// answer of the driver.
func (f *Facts) lackGPU(err error) {
	if errors.As(err, &f.GPUTrouble) {
		return
	}
	f.GPUTrouble = &machine.GPUError{What: err.Error(), Cure: "see what nvidia-smi and dmesg say; a reboot may help"}
	f.GPUFailed = true
}

func words(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func compilerTool(c kernels.Compiler, err error) Tool {
	t := Tool{Path: c.Path, Version: c.Version, Trouble: words(err)}
	var named *kernels.NamedError
	if errors.As(err, &named) {
		t.Named = named.Variable
	}
	return t
}

func (f *Facts) askCUDATools(ctx context.Context) {
	f.NVCC = compilerTool(kernels.FindNVCC(ctx))
	if f.NVCC.Path != "" {
		f.NVCC.Version = parseNVCC(output(ctx, f.NVCC.Path, "--version"))
		f.NVCCCodes = parseCodes(output(ctx, f.NVCC.Path, "--list-gpu-code"))
	}
	for _, path := range profile.NsightPaths(f.NVCC.Path) {
		tool, _ := profile.AskNsight(ctx, path) // one that does not answer has no version
		f.NCU = append(f.NCU, tool)
	}
	driver, _ := profile.ParseVersion(f.Machine.GPU.Driver)
	params, _ := os.ReadFile("/proc/driver/nvidia/params")
	status, _ := os.ReadFile("/proc/self/status")
	f.Counters.AdminOnly, f.Counters.Known = parseAdminOnly(string(params))
	f.Counters.Admin = parseCapabilities(string(status), driver)
}

// askLimit bounds a question to a tool.
const askLimit = 20 * time.Second

// output is what a tool prints, or "" if it fails.
func output(ctx context.Context, path string, args ...string) string {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	out, err := child.Run(ctx, child.Spec{Path: path, Args: args})
	if err != nil {
		return ""
	}
	return out.Stdout
}

// nvidiaGPUs lists the addresses of NVIDIA display controllers, which is what PCI calls GPUs, driven or not.
func nvidiaGPUs(devices string) []string {
	vendors, _ := filepath.Glob(filepath.Join(devices, "*/vendor"))
	var found []string
	for _, path := range vendors {
		dir := filepath.Dir(path)
		vendor, _ := os.ReadFile(path)
		class, _ := os.ReadFile(filepath.Join(dir, "class"))
		if strings.TrimSpace(string(vendor)) == "0x10de" && strings.HasPrefix(string(class), "0x03") {
			found = append(found, filepath.Base(dir))
		}
	}
	return found
}

// probeFolder makes a file in a folder, which is made if need be, and asks how much room there is.
func probeFolder(path string) Folder {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return Folder{Path: path, Trouble: fmt.Sprintf("cannot be made: %v", err)}
	}
	file, err := os.CreateTemp(path, ".perfgate-*")
	if err != nil {
		return Folder{Path: path, Trouble: fmt.Sprintf("cannot be written to: %v", err)}
	}
	file.Close()
	if err := os.Remove(file.Name()); err != nil {
		return Folder{Path: path, Trouble: fmt.Sprintf("files cannot be removed from it: %v", err)}
	}
	f := Folder{Path: path, NoExec: kernels.NoExec(path), Private: machine.IsPrivate(path)}
	var stat syscall.Statfs_t
	if err := syscall.Statfs(path, &stat); err == nil {
		f.FreeBytes = int64(stat.Bavail) * stat.Bsize
	}
	return f
}
