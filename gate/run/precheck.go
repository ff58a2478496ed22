package run

import (
	"cmp"
	"context"
	"slices"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/kernels"
)

// Precheck compiles both sides for arch, such as sm_89, where the kernels are CUDA, and runs nothing that was built: no GPU is needed. It says
// of each kernel what the change touches, and whether a run would time it.
func Precheck(ctx context.Context, opt Options, arch string) (*result.Precheck, error) {
	stored := opt.Stored
	opt.Base.TreeID, opt.Head.TreeID = "", "" // both are compiled here: objects tell the parts apart, and the cache keeps libraries alone
	opt.Stored = nil
	t := &result.Precheck{Schema: result.PrecheckSchema, Kernels: []result.PrecheckKernel{}}
	v, err := runStages(ctx, opt, func(s *session) []stage {
		return []stage{s.needed, func(ctx context.Context, v *Values) error { return s.touch(ctx, v.Asked.Plan, arch, stored, t) }}
	})
	if err != nil {
		return nil, err
	}
	f := v.Asked.Frame
	t.Tool, t.Config, t.Base, t.Head, t.Nothing, t.Notes = f.Tool, f.Config, f.Base, f.Head, v.Asked.NothingToDo, append(f.Notes, t.Notes...)
	t.Kernels = withDropped(t.Kernels, v.Asked.Dropped)
	rule.ConcludePrecheck(t)
	return t, nil
}

func (s *session) touch(ctx context.Context, p *plan.Plan, arch string, stored *Stored, t *result.Precheck) error {
	if err := s.device.compileFor(s.opt, p, arch); err != nil {
		return err
	}
	t.Device, t.Arch = s.device.target.Device, s.device.target.Arch
	var compiler kernels.Compiler
	if slices.ContainsFunc(p.Kernels, func(k plan.KernelPlan) bool { return k.Kernel.IsCompiled() }) {
		var err error
		if compiler, err = s.device.compiler(ctx); err != nil {
			return err
		}
	}
	s.records = newRecords(s.opt, s.device, result.Toolchain{})
	s.workshop = s.newWorkshop(p, compiler, kernels.Harness{}, nil)
	w := changeAnalyzer{session: s, code: &profile.Disassembly{Nvcc: compiler.Path, Sandbox: s.box.builds, Scratch: s.opt.Scratch}}
	if err := w.settle(ctx, p, stored, t); err != nil { // before anything is built, which leaves files in the sides
		return err
	}
	for i, k := range p.Kernels {
		if err := w.kernel(ctx, k, &t.Kernels[i]); err != nil {
			return err
		}
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
		return result.Usagef("%s: name the GPU's architecture with --arch, such as sm_89 (L4) or sm_90 (H100, H200)", reason)
	}
	d.target = kernels.Target{Device: result.DeviceCUDA, Arch: arch}
	return nil
}

// changeAnalyzer compares the sides of kernels without running them.
type changeAnalyzer struct {
	*session
	Account
	code *profile.Disassembly
}

// settle says of each kernel what of it is known without building it.
func (w *changeAnalyzer) settle(ctx context.Context, p *plan.Plan, stored *Stored, t *result.Precheck) error {
	s, err := newSettler(ctx, w.opt.Question, stored)
	if err != nil {
		return err
	}
	open := false
	for _, k := range p.Kernels {
		out := result.PrecheckKernel{
			Kernel: result.Kernel{Name: k.Kernel.Name, Parity: result.Parity{Status: result.ParitySkipped}}, Touches: w.rules(k.Kernel),
		}
		// A change of the rules that is in force makes equal code another question, which parity answers where it runs.
		found, err := s.kernel(k, w.opt.Trusted.Trust == repo.TrustWorktree && len(out.Touches) > 0)
		if err != nil {
			return err
		}
		out.Same, out.Identity = found.same != nil, cmp.Or(found.same, found.open)
		switch {
		case out.Same:
		case len(found.differ) > 0:
			out.Touches = append(out.Touches, result.Touch{Kind: result.TouchAsked, Files: found.differ[:min(len(found.differ), mostFiles)]})
		default:
			out.Touches = append(out.Touches, w.readFiles(k.Kernel)...)
		}
		open = open || !out.Same
		t.Kernels = append(t.Kernels, out)
	}
	if open && s.note != "" {
		w.note("%s", s.note)
	}
	return nil
}

// kernel compiles both sides of a kernel, as far as it is compiled.
func (w *changeAnalyzer) kernel(ctx context.Context, p plan.KernelPlan, out *result.PrecheckKernel) error {
	if !p.Kernel.IsCompiled() {
		return nil
	}
	k, ended, err := w.workshop.library(ctx, Kernel{Plan: p, Parity: out.Parity}, &w.Account)
	if err != nil {
		return err
	}
	if ended != nil {
		out.Kernel = *ended
		return nil
	}
	if k, ended, err = withinLimits(w.device.target)(k); err != nil { // as a run does
		return err
	}
	out.Kernel = *cmp.Or(ended, k.last())
	if k.isNew() {
		out.Same, out.Touches = false, append(out.Touches, result.Touch{Kind: result.TouchNew})
		return nil
	}
	return w.compare(ctx, k, out)
}

// rules are the keys of the configuration and the adapter that head changes. Where base rules they are not used, and said all the same.
func (w *changeAnalyzer) rules(k config.Kernel) []result.Touch {
	var out []result.Touch
	t := w.opt.Trusted
	if k.Adapter != "" && t.ChangesAdapter(k.Adapter) {
		out = append(out, result.Touch{Kind: result.TouchAdapter, Files: []string{k.Adapter}})
	}
	if t.Base != nil && t.Head != nil {
		if keys := config.DiffRules(t.Base, t.Head, []string{k.Name}); len(keys) > 0 {
			out = append(out, result.Touch{Kind: result.TouchConfig, Files: keys})
		}
	}
	return out
}

// mostFiles bounds what is listed of a large change.
const mostFiles = 20

// readFiles are the changed files of a kernel that is Python or a benchmark: no compiler tells which of them it reads.
func (w *changeAnalyzer) readFiles(k config.Kernel) []result.Touch {
	if !k.ReadsWhenRun() {
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

// compare says what of the code differs: sides that only seemed to be the same are timed.
func (w *changeAnalyzer) compare(ctx context.Context, k Kernel, out *result.PrecheckKernel) error {
	if k.Base.Library.Fingerprint == k.Head.Library.Fingerprint {
		return nil
	}
	if out.Same {
		out.Same, out.Identity = false, nil
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
