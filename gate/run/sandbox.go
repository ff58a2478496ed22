package run

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/machine"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/child"
	"github.com/org/perfgate/kernels/sandbox"
)

// ErrNoSandbox says that a run which insists on the sandbox cannot have one.
var ErrNoSandbox = errors.New("this kernel has no Landlock (Linux 5.13 or newer, with landlock among the modules that it boots with), and --sandbox=on insists on it")

// ErrNoSeccomp says that a run which insists on the sandbox would have one that leaves sockets open, the runner's own among them.
var ErrNoSeccomp = errors.New("system calls cannot be filtered here (a kernel without seccomp, or a container that forbids it), and --sandbox=on insists on it")

// box is what of a run is kept from the machine.
type box struct {
	mode    result.SandboxMode
	builds  *kernels.Sandbox // nil: builds may touch what the user may
	runners *kernels.Sandbox // nil: so may runners, from the start or since CUDA does not start in it
	works   bool             // a runner has started in it
	inside  result.Sandbox   // as the result has it
	notes   []string

	sides    []Side
	named    []string // files that the flags of kernels name
	readable []string // by runners; nil until it was listed

	leftBefore     int
	segmentsBefore child.SegmentsLeft
}

// openBox settles what of the run is kept from the machine.
func openBox(opt Options, p *plan.Plan) (*box, error) {
	b := &box{mode: opt.Device.Sandbox, sides: []Side{opt.Base, opt.Head, opt.Referee}, segmentsBefore: child.Segments(), leftBefore: child.Orphaned()}
	if b.mode == "" || b.mode == result.SandboxOff {
		b.inside.Mode = result.SandboxOff
		return b, nil
	}
	abi, filtered := sandbox.LandlockABI(), sandbox.Seccomp()
	if abi == 0 && b.mode == result.SandboxOn {
		return nil, ErrNoSandbox
	}
	if !filtered && b.mode == result.SandboxOn {
		return nil, ErrNoSeccomp
	}
	b.builds = &kernels.Sandbox{Commands: b.mode == result.SandboxOn || opt.Trusted.AsksBase()}
	b.runners = b.builds
	b.inside = result.Sandbox{
		Mode: b.mode, Landlock: abi, Seccomp: filtered, Commands: b.builds.Commands, Kernels: abi > 0, Gaps: sandbox.Gaps(abi, filtered),
	}
	b.notes = lost(abi, filtered)
	for _, k := range p.Kernels {
		b.named = append(b.named, kernels.NamedByFlags(k.Kernel.Flags)...)
		if own, ok := opt.ownOf(k.Kernel); ok {
			b.named = append(b.named, kernels.NamedByFlags(own.Flags)...)
		}
	}
	b.named = append(b.named, kernels.NamedByFlags(slices.Concat(opt.Base.Info.Flags, opt.Head.Info.Flags))...)
	return b, nil
}

// lost says what a sandbox does not keep from code under test where the Linux kernel or a container has not all that it is made of.
func lost(abi int, filtered bool) (notes []string) {
	if abi == 0 {
		notes = append(notes, "sandbox: this Linux kernel or container has no Landlock, so builds and kernels may read and change what the user may, the other side's environment too")
	}
	if !filtered {
		notes = append(notes, "sandbox: this Linux kernel or container has no seccomp filters, so builds and kernels may use sockets, and environment.build a network")
	}
	return notes
}

// containerNotes say what a run loses in the container that it is in, whose cache and quota it had.
func containerNotes(cache string, before, after machine.Quota) (notes []string) {
	if locks := machine.LockDir(); machine.IsPrivate(locks) {
		notes = append(notes, "container: the lock folder "+locks+" is the container's own, so runs elsewhere on this host do not wait for this one: "+
			"mount the host's /run/lock, or name a shared folder in PERFGATE_LOCK_DIR")
	}
	if cache != "" && machine.IsPrivate(cache) {
		notes = append(notes, "container: the cache "+cache+" is the container's own, so the next container builds everything again: name a folder on a volume in PERFGATE_CACHE")
	}
	if times := after.Throttled - before.Throttled; times > 0 {
		notes = append(notes, fmt.Sprintf("container: a quota of %.3g processors stopped the processes of this run or its neighbours %d times, and the pauses are in host times: "+
			"give whole processors (--cpuset-cpus) in place of a share (--cpus)", after.Processors, times))
	}
	return notes
}

// givesUp says whether to start a runner again, without the sandbox: on auto, and where CUDA did not start in it.
// Drivers differ in what they open. Builds stay in it, and the report says that kernels did not.
func (b *box) givesUp(err error) bool {
	var fault *kernels.RunnerError
	if err == nil {
		b.works = true
	}
	if b.runners == nil || b.mode != result.SandboxAuto || b.works || !errors.As(err, &fault) || fault.Code != result.CodeNoDevice {
		return false
	}
	b.runners = nil
	b.inside.Kernels = false
	b.notes = append(b.notes, "kernels ran outside of the sandbox, since CUDA does not start in it with this driver: "+firstLine(fault.Message))
	return true
}

// account is what the result says of the sandbox; with what code under test left, running and in memory. The sandbox is nil where
// there was no word of one.
func (b *box) account() (*result.Sandbox, []string) {
	notes := slices.Clone(b.notes)
	before, now := b.segmentsBefore, child.Segments()
	if n := now.Removed - before.Removed; n > 0 {
		size := float64(now.Bytes-before.Bytes) / (1 << 20)
		notes = append(notes, fmt.Sprintf("SysV segments that builds or kernels left in memory: %d, of %.1f MiB in all, which were removed", n, size))
	}
	if strays := now.Strays[len(before.Strays):]; len(strays) > 0 {
		ids := strings.Trim(fmt.Sprint(strays), "[]")
		notes = append(notes, "SysV segments that appeared during the run and that no process uses, of processes that are gone: they may be the kernel's or "+
			"another program's, and stay until they are removed by hand (ipcrm shm "+ids+")")
	}
	if n := child.Orphaned() - b.leftBefore; n > 0 {
		verb := "were"
		if n == 1 {
			verb = "was"
		}
		notes = append(notes, fmt.Sprintf("processes that builds or kernels left running behind their backs: %d, which %s ended", n, verb))
	}
	if b.mode == "" {
		return nil, notes
	}
	return &b.inside, notes
}

// What NVIDIA's tools need of the sandbox beyond the kernels that they watch: the part of them that sits in the harness's process connects
// to the tool by a Unix socket (docs/measurements/sandbox/ncu_probe.sh). The harness gives those up once the device is open, before it
// loads code under test, so what is left is the tool itself.
var (
	ofProfilers  = sandbox.Policy{Counters: true, Sockets: true}
	ofSanitizers = sandbox.Policy{Sockets: true}
)

// watched is spec for a runner that works under a profiler or a sanitizer, which needs opens. Locally those run outside of
// the sandbox: they may speak to what they watch by ways that it closes. Where head is not trusted they stay inside, what they then
// cannot find out is a gap, and so is in the report what was opened for them.
func (b *box) watched(spec kernels.RunnerSpec, opens sandbox.Policy) kernels.RunnerSpec {
	if b.runners == nil {
		return spec
	}
	if !b.runners.Commands {
		spec.Sandbox = nil
		return spec
	}
	spec.Opens = opens
	for _, what := range opens.Opened() {
		if gap := what + ", while a profiler or sanitizer watches"; !slices.Contains(b.inside.Gaps, gap) {
			b.inside.Gaps = append(b.inside.Gaps, gap)
		}
	}
	return spec
}

// reads lists once what runners may read: the files of the sides, and what flags name, such as the library that an
// adapter is linked with.
func (b *box) reads() ([]string, error) {
	if b.readable != nil {
		return b.readable, nil
	}
	all := []string{}
	for _, side := range b.sides {
		if side.Tree == "" {
			continue
		}
		paths, _, err := sandbox.Without(side.root(), ".git")
		if err != nil {
			return nil, fmt.Errorf("list the files of %s: %w", side.Info.Label, err)
		}
		all = append(all, paths...)
	}
	b.readable = append(all, b.named...)
	return b.readable, nil
}
