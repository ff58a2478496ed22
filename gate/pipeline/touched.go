package pipeline

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/observe"
)

// Touch compiles both sides for arch, such as sm_89, where the kernels are CUDA, and runs nothing that was built: no GPU is needed. It says
// of each kernel what the change touches, and whether a run would time it.
func Touch(ctx context.Context, opt Options, arch string) (*result.Touched, error) {
	var asked Asked
	opt.Base.TreeID, opt.Head.TreeID = "", "" // both are compiled here: objects tell the parts apart, and the cache keeps libraries alone
	opt.Stored = nil
	s, err := newSession(opt, &asked)
	if err != nil {
		return nil, err
	}
	defer s.close()
	f := asked.Frame
	t := &result.Touched{Schema: result.TouchedSchema, Tool: f.Tool, Config: f.Config, Base: f.Base, Head: f.Head, Kernels: []result.TouchedKernel{}, Notes: f.Notes}
	if t.Nothing = unwatched(opt, asked.Plan); t.Nothing == nil {
		err = s.touch(ctx, asked.Plan, arch, t)
	}
	if err != nil {
		return nil, err
	}
	t.Kernels = withDropped(t.Kernels, asked.Dropped)
	rule.ConcludeTouched(t)
	return t, nil
}

func (s *session) touch(ctx context.Context, p *plan.Plan, arch string, t *result.Touched) error {
	if err := s.device.compileFor(s.opt, p, arch); err != nil {
		return err
	}
	t.Device, t.Arch = s.device.target.Device, s.device.target.Arch
	var compiler kernels.Compiler
	if slices.ContainsFunc(p.Kernels, func(k plan.KernelPlan) bool { return isCompiled(k.Kernel) }) {
		var err error
		if compiler, err = s.device.compiler(ctx); err != nil {
			return err
		}
	}
	s.records = newRecords(s.opt, s.device, result.Toolchain{})
	s.workshop = s.newWorkshop(p, compiler, kernels.Harness{}, nil)
	w := toucher{session: s, code: &profile.Disassembly{Nvcc: compiler.Path, Sandbox: s.box.builds, Scratch: s.opt.Scratch}}
	for _, k := range p.Kernels {
		touched, err := w.kernel(ctx, k)
		if err != nil {
			return err
		}
		t.Kernels = append(t.Kernels, touched)
	}
	w.workshop.noteUnseen(&w.Account)
	t.Notes = append(t.Notes, w.Notes...)
	return nil
}

// compileFor settles what is compiled for, where no GPU need be.
func (d *device) compileFor(opt Options, p *plan.Plan, arch string) error {
	reason, err := whyGPU(opt.Trusted.Config, p.Kernels)
	d.target = kernels.CPU
	if err != nil || reason == "" {
		return err
	}
	if arch == "" {
		return &DeviceError{reason + ": name the GPU's architecture with --arch, such as sm_89 (L4) or sm_90 (H100, H200)"}
	}
	d.target = kernels.Target{Device: result.DeviceCUDA, Arch: arch}
	return nil
}

// isCompiled says whether a kernel has an adapter that is compiled before it runs.
func isCompiled(k config.Kernel) bool { return k.HasAdapter() && !config.IsPython(k.Adapter) }

// toucher compares the sides of kernels without running them.
type toucher struct {
	*session
	Account
	code *profile.Disassembly
}

func (w *toucher) kernel(ctx context.Context, p plan.KernelPlan) (result.TouchedKernel, error) {
	out := result.TouchedKernel{Name: p.Kernel.Name, Touches: w.rules(p.Kernel)}
	read := w.readFiles(p.Kernel)
	out.Touches = append(out.Touches, read...)
	if !isCompiled(p.Kernel) {
		// What it imports and runs, nothing here can tell: any change of a file that it may read is one.
		out.Same = len(read) == 0 && len(out.Touches) == 0
		return out, nil
	}
	k, ended, err := w.workshop.library(ctx, Kernel{Plan: p}, &w.Account)
	if err != nil {
		return out, err
	}
	if ended != nil {
		out.Failed, out.Output = failedSides(k)
		return out, nil
	}
	if err := w.limits(k, &out); err != nil {
		return out, err
	}
	if k.isNew() {
		out.Touches = append(out.Touches, result.Touch{Kind: result.TouchNew})
		return out, nil
	}
	return out, w.compare(ctx, k, &out)
}

// failedSides are the sides that do not build, and what the compiler said of the first.
func failedSides(k Kernel) (sides []result.Side, said string) {
	for side, b := range map[result.Side]*result.Build{result.SideBase: k.Base.Record, result.SideHead: k.Head.Record} {
		if b != nil && b.Failed {
			sides = append(sides, side)
		}
	}
	slices.Sort(sides)
	if b := k.Head.Record; b != nil && b.Failed {
		return sides, b.Output
	}
	return sides, k.Base.Record.Output
}

// limits holds head's build against the limits of the configuration, as a run does.
func (w *toucher) limits(k Kernel, out *result.TouchedKernel) error {
	kept, ended, err := withinLimits(w.device.target)(k)
	if err != nil {
		return err
	}
	out.Limits = kept.Limits
	if ended != nil {
		out.Limits, out.Unchecked = ended.Limits, ended.Why
	}
	return nil
}

// rules are the keys of the configuration and the adapter that head changes. Where base rules they are not used, and said all the same.
func (w *toucher) rules(k config.Kernel) []result.Touch {
	var out []result.Touch
	t := w.opt.Trusted
	if k.Adapter != "" && t.ChangesAdapter(k.Adapter) {
		out = append(out, result.Touch{Kind: result.TouchAdapter, Files: []string{k.Adapter}})
	}
	if t.Base == nil {
		return out
	}
	path, err := filepath.Rel(w.opt.Head.root(), filepath.Join(w.opt.Head.Tree, filepath.Base(t.Config.File)))
	if err != nil {
		return out
	}
	head, err := config.LoadIn(w.opt.Head.root(), path)
	if err != nil {
		return out
	}
	if keys := config.DiffRules(t.Base, head, []string{k.Name}); len(keys) > 0 {
		out = append(out, result.Touch{Kind: result.TouchConfig, Files: keys})
	}
	return out
}

// mostFiles bounds what is listed of a large change.
const mostFiles = 20

// readFiles are the changed files of a kernel that is Python or a benchmark: no compiler tells which of them it reads.
func (w *toucher) readFiles(k config.Kernel) []result.Touch {
	if isCompiled(k) && k.Bench == nil {
		return nil
	}
	files := []string{"(git cannot tell which)"}
	if w.opt.ChangesKnown {
		files = plan.Watched(w.opt.Trusted.Config, w.opt.ChangedFiles)
	}
	kind := result.TouchFiles
	if k.NeedsPython() {
		kind = result.TouchPython
	}
	if len(files) == 0 {
		return nil
	}
	return []result.Touch{{Kind: kind, Files: files[:min(len(files), mostFiles)]}}
}

// compare says what of the code differs. The sides are the same where no file that differs can be read by what is built of equal code.
func (w *toucher) compare(ctx context.Context, k Kernel, out *result.TouchedKernel) error {
	if w.opt.mayLeave(k) && k.Plan.Kernel.Bench == nil && equalCode(k, w.device.target) && !w.headRules(out.Touches) {
		unread, err := w.notCompiled(ctx, k.Plan)
		if err != nil {
			return err
		}
		if len(unread) > 0 {
			out.Touches = append(out.Touches, result.Touch{Kind: result.TouchFiles, Files: unread[:min(len(unread), mostFiles)]})
			return nil
		}
		out.Same = true
	}
	if flags := w.ofThisMachine(k.Plan.Kernel); out.Same && len(flags) > 0 {
		out.Same, out.Touches = false, append(out.Touches, result.Touch{Kind: result.TouchMachine, Files: flags})
		return nil
	}
	if k.Base.Library.Fingerprint == k.Head.Library.Fingerprint {
		if !out.Same && len(out.Touches) == 0 { // bytes that no loader maps, such as the numbers of lines
			out.Touches = append(out.Touches, result.Touch{Kind: result.TouchCode})
		}
		return nil
	}
	touches, err := differentParts(k)
	if err != nil {
		return err
	}
	out.Touches = append(out.Touches, touches...)
	if w.device.target.IsCUDA() {
		out.Code, out.Gap = profile.StaticSides{
			Kernel: k.Name(), Base: k.Base.Library, Head: k.Head.Library, Arch: w.device.target.Arch, Code: w.code,
		}.Compare(ctx)
	}
	return nil
}

// notCompiled are the files that differ, that the kernel may read by what the configuration says, and of which nobody saw that a compiler or the linker has
// read them, which would show in what it made. What reads them may do so while it runs, where this cannot look.
func (w *toucher) notCompiled(ctx context.Context, p plan.KernelPlan) ([]string, error) {
	files := w.opt.ChangedFiles
	if !w.opt.ChangesKnown {
		var err error
		if files, err = allFiles(w.opt.Base, w.opt.Head); err != nil {
			return nil, err
		}
	}
	var compiled []string
	for _, side := range []Side{w.opt.Base, w.opt.Head} {
		if p.Kernel.Build != nil { // its command reads what it likes
			break
		}
		read, known, err := w.workshop.reads(ctx, p, side)
		if err != nil {
			return nil, err
		}
		if !known {
			compiled = nil
			break
		}
		compiled = append(compiled, read...)
	}
	return slices.DeleteFunc(slices.Clone(files), func(file string) bool {
		return slices.Contains(compiled, file) || !plan.MayRead(w.opt.Trusted.Config, p.Kernel, file) ||
			sameAt(filepath.Join(w.opt.Base.Tree, file), filepath.Join(w.opt.Head.Tree, file), observe.Opened)
	}), nil
}

// ofThisMachine are the flags of a kernel that mean the machine which compiles, such as -march=native. Where another one measures, code for
// processors that this one is not was not compiled here.
func (w *toucher) ofThisMachine(k config.Kernel) []string {
	flags := slices.Concat(k.Flags, w.opt.Base.Info.Flags, w.opt.Head.Info.Flags)
	if own, ok := ownOf(w.opt.Trusted, k); ok {
		flags = append(flags, own.Flags...)
	}
	flags = slices.DeleteFunc(flags, func(flag string) bool { return !strings.HasSuffix(flag, "=native") })
	slices.Sort(flags)
	return slices.Compact(flags)
}

// headRules says whether a change of the rules is in force: then equal code is another question, which parity answers where it runs.
func (w *toucher) headRules(touches []result.Touch) bool {
	return w.opt.Trusted.Trust == repo.TrustWorktree && len(touches) > 0
}

// differentParts says whose code differs between two libraries that do.
func differentParts(k Kernel) ([]result.Touch, error) {
	was, err := kernels.PartsOf(k.Base.Library.Path)
	if err != nil {
		return nil, err
	}
	is, err := kernels.PartsOf(k.Head.Library.Path)
	if err != nil {
		return nil, err
	}
	var out []result.Touch
	for _, part := range []struct {
		kind    result.TouchKind
		was, is string
	}{{result.TouchDevice, was.Device, is.Device}, {result.TouchHost, was.Host, is.Host}, {result.TouchAdapter, was.Adapter, is.Adapter}} {
		if part.was != part.is {
			out = append(out, result.Touch{Kind: part.kind})
		}
	}
	if len(out) == 0 { // of a finished library, or by what the linker was given
		out = append(out, result.Touch{Kind: result.TouchCode})
	}
	return out, nil
}
