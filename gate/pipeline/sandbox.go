package pipeline

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/oracle"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/child"
	"github.com/org/perfgate/kernels/sandbox"
)

// Modes of Options.Sandbox.
const (
	SandboxAuto = "auto" // as far as the kernel can; build.command only where head is not trusted
	SandboxOn   = "on"   // everything, or no run
	SandboxOff  = "off"
)

// ErrNoSandbox says that a run which insists on the sandbox cannot have one.
var ErrNoSandbox = errors.New("this kernel has no Landlock (Linux 5.13 or newer, with landlock among the modules that it boots with), and --sandbox=on insists on it")

// ErrNoSeccomp says that a run which insists on the sandbox would have one that leaves sockets open, the runner's own among them.
var ErrNoSeccomp = errors.New("system calls cannot be filtered here (a kernel without seccomp, or a container that forbids it), and --sandbox=on insists on it")

// openSandbox settles what of the run is kept from the machine, and says so in the result.
func (r *run) openSandbox() error {
	r.segmentsBefore = child.Segments()
	mode := r.opt.Sandbox
	if mode == "" || mode == SandboxOff {
		if mode == SandboxOff {
			r.res.Sandbox = &result.Sandbox{Mode: mode}
		}
		return nil
	}
	abi := sandbox.LandlockABI()
	if abi == 0 && mode == SandboxOn {
		return ErrNoSandbox
	}
	filtered := sandbox.Seccomp()
	if !filtered && mode == SandboxOn {
		return ErrNoSeccomp
	}
	r.sandbox = &kernels.Sandbox{Commands: mode == SandboxOn || r.opt.Trusted.Trust == repo.TrustBase}
	r.res.Sandbox = &result.Sandbox{
		Mode: mode, Landlock: abi, Seccomp: filtered, Commands: r.sandbox.Commands, Kernels: abi > 0, Gaps: sandbox.Gaps(abi, filtered),
	}
	r.leftBefore = child.Left()
	return nil
}

// givesUpSandbox says whether to start a runner once more, without the sandbox: on auto, and where CUDA did not start in it.
// Drivers differ in what they open. Builds stay in it, and the report says that kernels did not.
func (r *run) givesUpSandbox(err error) bool {
	var fault *kernels.RunnerError
	if err == nil {
		r.sandboxWorks = true
	}
	if r.sandbox == nil || r.opt.Sandbox != SandboxAuto || r.sandboxWorks || !errors.As(err, &fault) || fault.Code != result.CodeNoDevice {
		return false
	}
	r.sandbox = nil
	r.res.Sandbox.Kernels = false
	r.res.Notes = append(r.res.Notes, "kernels ran outside of the sandbox, since CUDA does not start in it with this driver: "+firstLine(fault.Message))
	return true
}

// closeSandbox counts what code under test left: running, and in memory.
func (r *run) closeSandbox() {
	r.noteSegments(child.Segments())
	if n := child.Left() - r.leftBefore; n > 0 {
		verb := "were"
		if n == 1 {
			verb = "was"
		}
		r.res.Notes = append(r.res.Notes, fmt.Sprintf("processes that builds or kernels left running behind their backs: %d, which %s ended", n, verb))
	}
}

// noteSegments says what builds and kernels left in System V's memory, where the sandbox did not forbid it.
func (r *run) noteSegments(left child.SegmentsLeft) {
	if n := left.Removed - r.segmentsBefore.Removed; n > 0 {
		size := float64(left.Bytes-r.segmentsBefore.Bytes) / (1 << 20)
		r.res.Notes = append(r.res.Notes, fmt.Sprintf("SysV segments that builds or kernels left in memory: %d, of %.1f MiB in all, which were removed", n, size))
	}
	strays := left.Strays[len(r.segmentsBefore.Strays):]
	if len(strays) > 0 {
		ids := strings.Trim(fmt.Sprint(strays), "[]")
		r.res.Notes = append(r.res.Notes, "SysV segments that appeared during the run and that nobody uses, of processes that are gone: they may be the kernel's or "+
			"another program's, and stay until somebody removes them (ipcrm shm "+ids+")")
	}
}

// runnerSpec is how every runner starts. In the sandbox it reads both sides' files. What base computes for parity goes where
// head can read it and not change it.
func (r *run) runnerSpec(library string) (kernels.RunnerSpec, error) {
	s := kernels.RunnerSpec{
		Harness: r.harness.Path, Library: library, Dir: r.opt.Scratch, MemoryBytes: r.memoryLimit(), Env: r.device.environment(), Sandbox: r.sandbox,
	}
	if r.sandbox == nil {
		return s, nil
	}
	if r.readable == nil {
		if err := r.listReadable(); err != nil {
			return s, err
		}
	}
	given, made := oracle.Folders(r.opt.Scratch)
	for _, dir := range []string{given, made} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return s, fmt.Errorf("make a folder for parity: %w", err)
		}
	}
	s.Reads = append(slices.Clone(r.readable), given)
	if r.isLibraryOf(library, func(k *kernelRun) kernels.Library { return k.base }) {
		s.Writes = append(s.Writes, given)
		s.Reads = append(s.Reads, made) // a judge compares what head's library made
	}
	if r.isLibraryOf(library, func(k *kernelRun) kernels.Library { return k.head }) {
		s.Writes = append(s.Writes, made)
	}
	return s, nil
}

// What NVIDIA's tools need of the sandbox beyond the kernels that they watch: the part of them that sits in the harness's process connects
// to the tool by a Unix socket (docs/measurements/sandbox/ncu_probe.sh). The harness gives those up once the device is open, before it
// loads code under test, so what is left is the tool itself.
var (
	ofProfilers  = sandbox.Policy{Counters: true, Sockets: true}
	ofSanitizers = sandbox.Policy{Sockets: true}
)

// watchedFromOutside is spec for a runner that works under a profiler or a sanitizer, which needs opens. At a desk those run outside of
// the sandbox: they may speak to what they watch by ways that it closes. Where head is not trusted they stay inside, what they then
// cannot find out is a gap, and so is in the report what was opened for them.
func (r *run) watchedFromOutside(spec kernels.RunnerSpec, opens sandbox.Policy) kernels.RunnerSpec {
	if r.sandbox == nil {
		return spec
	}
	if !r.sandbox.Commands {
		spec.Sandbox = nil
		return spec
	}
	spec.Opens = opens
	for _, what := range opens.Opened() {
		if gap := what + ", while a profiler or sanitizer watches"; !slices.Contains(r.res.Sandbox.Gaps, gap) {
			r.res.Sandbox.Gaps = append(r.res.Sandbox.Gaps, gap)
		}
	}
	return spec
}

func (r *run) isLibraryOf(path string, side func(*kernelRun) kernels.Library) bool {
	return slices.ContainsFunc(r.kernels, func(k *kernelRun) bool { return side(k).Path == path })
}

// listReadable lists once what runners may read: the files of the sides, and what flags name, such as the library that an
// adapter is linked with.
func (r *run) listReadable() error {
	r.readable = []string{}
	for _, side := range []Side{r.opt.Base, r.opt.Head} {
		if side.Tree == "" {
			continue
		}
		paths, _, err := sandbox.Without(side.root(), ".git")
		if err != nil {
			return fmt.Errorf("list the files of %s: %w", side.Info.Label, err)
		}
		r.readable = append(r.readable, paths...)
	}
	for _, k := range r.kernels {
		r.readable = append(r.readable, kernels.NamedByFlags(k.plan.Kernel.Flags)...)
	}
	r.readable = append(r.readable, kernels.NamedByFlags(slices.Concat(r.opt.Base.Info.Flags, r.opt.Head.Info.Flags))...)
	return nil
}

// root is the folder that holds all of a side.
func (s Side) root() string {
	if s.Root == "" {
		return s.Tree
	}
	return filepath.Clean(s.Root)
}
