package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// build makes the harness and both sides of every kernel.
func (r *run) build(ctx context.Context) error {
	if err := r.chooseDevice(); err != nil {
		return err
	}
	compiler, err := r.findCompiler(ctx)
	if err != nil {
		return err
	}
	r.progress(Progress{Stage: StageBuild, What: "harness"})
	if r.harness, err = kernels.BuildHarness(ctx, compiler, r.device.target, r.opt.Cache, r.opt.Scratch); err != nil {
		return err
	}
	r.res.Timings.CompileS += r.harness.Seconds
	r.res.Toolchain = result.Toolchain{Compiler: compiler.Path, Version: compiler.Version, Harness: r.harness.Fingerprint}
	r.builder = &kernels.Builder{Compiler: compiler, Target: r.device.target, Cache: r.opt.Cache, Scratch: r.opt.Scratch, Sandbox: r.sandbox}
	r.built, r.kept = map[string]kernels.Library{}, map[string]string{}
	for _, k := range r.kernels {
		if err := r.buildKernel(ctx, k); err != nil {
			return err
		}
	}
	return nil
}

// buildKernel builds base, then head. Either may fail by its own fault, which the kernel's record then says.
func (r *run) buildKernel(ctx context.Context, k *kernelRun) error {
	absent, err := r.absent(ctx, k.plan.Kernel)
	if err == nil {
		err = r.keepAdapters(ctx, k.plan.Kernel)
	}
	if err != nil {
		return err
	}
	if absent == "" && r.opt.Base.Tree != "" && !r.baseCanWait(ctx, k) {
		r.progress(Progress{Stage: StageBuild, What: k.record.Name + " (base)"})
		record, lib, err := r.buildSide(ctx, k.plan.Kernel, r.opt.Base)
		if err != nil {
			return err
		}
		k.record.Base, k.base = record, lib
	}
	r.progress(Progress{Stage: StageBuild, What: k.record.Name + " (head)"})
	record, lib, err := r.buildSide(ctx, k.plan.Kernel, r.opt.Head)
	if err != nil {
		return err
	}
	k.record.Head, k.head = record, lib
	if k.baseWaits() && !record.Failed && record.Libraries != k.record.Base.Libraries {
		if err := r.buildBase(ctx, k); err != nil { // what it needs was replaced since it was recorded, or head needs other libraries
			return err
		}
	}
	if err := r.checkAdapterFits(ctx, k); err != nil {
		return err
	}
	r.judgeBuilds(k, absent)
	return nil
}

// buildSide builds one side. Its fault is in the record; the error is ours or the machine's.
func (r *run) buildSide(ctx context.Context, k config.Kernel, side Side) (*result.Build, kernels.Library, error) {
	spec := r.spec(k, side)
	lib, err := r.buildOnce(ctx, spec)
	var fault *kernels.BuildError
	if errors.As(err, &fault) && fault.Cause == result.CauseAdapter {
		if adapter, ok := r.ownAdapter(k, side); ok {
			spec.AdapterTree, spec.Adapter = side.Tree, adapter
			if own, ownErr := r.buildOnce(ctx, spec); ownErr == nil {
				r.res.Notes = append(r.res.Notes, k.Name+": base does not fit head's adapter, so base was built with its own")
				lib, err = own, nil
			}
		}
	}
	r.res.Timings.CompileS += lib.Seconds
	if err == nil {
		return &result.Build{
			Fingerprint: lib.Fingerprint, Inputs: lib.Inputs, Libraries: r.librariesOf(lib), Command: lib.Command, Cached: lib.Cached, Seconds: lib.Seconds, Output: capText(lib.Output),
		}, lib, nil
	}
	if !errors.As(err, &fault) {
		return nil, lib, err
	}
	return &result.Build{Failed: true, Cause: fault.Cause, Unlinked: fault.Unlinked, Output: capText(fault.Error() + "\n" + fault.Output)}, lib, nil
}

// buildOnce builds what kernels with one adapter share, and what both sides do, once in a run. What a command builds may depend
// on more than it was told.
func (r *run) buildOnce(ctx context.Context, spec kernels.BuildSpec) (kernels.Library, error) {
	if spec.Command != "" {
		return r.builder.Build(ctx, spec)
	}
	key := builtKey(spec)
	if lib, ok := r.built[key]; ok {
		lib.Cached, lib.Seconds = true, 0
		return lib, nil
	}
	lib, err := r.builder.Build(ctx, spec)
	if err == nil {
		r.built[key] = lib
	}
	return lib, err
}

// builtKey is the same for specs that are made of the same files: of one folder, or of two that git laid out from one tree.
func builtKey(spec kernels.BuildSpec) string {
	files := []string{spec.Tree, spec.Root}
	if folder, err := filepath.Rel(spec.Root, spec.Tree); err == nil && spec.TreeID != "" {
		files = []string{spec.TreeID, folder}
	}
	return fmt.Sprintf("%q", [][]string{files, {spec.AdapterTree, spec.Adapter}, spec.Sources, spec.Flags})
}

// spec says what a side of a kernel is built from.
func (r *run) spec(k config.Kernel, side Side) kernels.BuildSpec {
	spec := kernels.BuildSpec{
		Kernel: k.Name, Tree: side.Tree, Root: side.Root, AdapterTree: r.config.Dir, Adapter: k.Adapter, Sources: r.sources(k, side),
		Flags: slices.Concat(k.Flags, side.Info.Flags),
	}
	if own, ok := r.kept[k.Name]; ok && side.Tree == r.opt.Base.Tree {
		spec.AdapterTree, spec.Adapter = side.Tree, own
	}
	if !r.commandsBuild() {
		spec.TreeID = side.TreeID
		spec.Keep = side.TreeID != "" && side.Tree != r.opt.Head.Tree && sameFile(filepath.Join(spec.AdapterTree, spec.Adapter), filepath.Join(side.Tree, spec.Adapter))
	}
	if k.Build != nil {
		spec.Command, spec.Output = k.Build.Command, k.Build.Output
	}
	return spec
}

// commandsBuild says whether a build command may have written into the sides' folders, so that they hold more than git knows.
func (r *run) commandsBuild() bool {
	return slices.ContainsFunc(r.kernels, func(k *kernelRun) bool { return k.plan.Kernel.Build != nil })
}

// sameFile says whether two files hold the same: what is kept of base for later runs has nothing of head in it, its adapter included.
func sameFile(a, b string) bool {
	one, err1 := os.ReadFile(a)
	two, err2 := os.ReadFile(b)
	return err1 == nil && err2 == nil && bytes.Equal(one, two)
}

// sources of a kernel on a side. Where head's configuration rules, base may still be made of other files: head adds or
// splits one, and base's own configuration knows what base consists of.
func (r *run) sources(k config.Kernel, side Side) []string {
	if side.Tree != r.opt.Base.Tree {
		return k.Sources
	}
	if base, ok := r.ofBase(k); ok {
		return base.Sources
	}
	return k.Sources
}

// maxOutput bounds what a result keeps of a compiler's words: enough for the first errors, which are the ones that count.
const maxOutput = 16 << 10

func capText(text string) string {
	text = strings.TrimSpace(text)
	if len(text) <= maxOutput {
		return text
	}
	return strings.ToValidUTF8(text[:maxOutput], "") + fmt.Sprintf("\n[%d bytes more]", len(text)-maxOutput)
}

// judgeBuilds settles a kernel that cannot go on, and one that base does not have.
func (r *run) judgeBuilds(k *kernelRun, absent string) {
	switch {
	case k.record.Head.Failed:
		k.record.Status, k.record.Reason = result.KernelFailed, r.headReason(k)
		if k.record.Base != nil && k.record.Base.Failed {
			k.record.Status = result.KernelError
		}
	case k.record.Base == nil:
		k.record.Status, k.record.Reason = result.KernelNew, absent
	case k.record.Base.Failed:
		k.record.Status, k.record.Reason = result.KernelError, buildReason("base", k.record.Base)
	}
}

// needsLabel begins the reasons that a writer can overrule with the label.
const needsLabel = "head needs an adapter change and the label: "

// headReason says why head does not build. At a desk, that it needs another adapter is known only where base builds with this
// one. In a pull request the adapter is base's, which stands for it.
func (r *run) headReason(k *kernelRun) string {
	head, fits := k.record.Head, r.baseFits(k)
	switch {
	case k.misfit != "":
		return needsLabel + k.misfit
	case head.Cause != result.CauseAdapter:
		return buildReason("head", head)
	case r.opt.Trusted.Trust == repo.TrustBase && (fits || k.record.Base == nil):
		return needsLabel + "base's adapter does not build against it"
	case fits:
		return buildReason("head", head)
	case head.Unlinked:
		return "the adapter does not link"
	}
	return "the adapter does not compile"
}

// baseFits says whether base builds with the adapter that head was given. A base that waits has a record of just that.
func (r *run) baseFits(k *kernelRun) bool {
	if k.baseWaits() {
		return true
	}
	_, ok := r.built[builtKey(r.spec(k.plan.Kernel, r.opt.Base))]
	return ok
}

func buildReason(side result.Side, b *result.Build) string {
	if b.Cause != result.CauseAdapter {
		return string(side) + " does not build: " + firstLine(b.Output)
	}
	return string(side) + " needs an adapter change: the adapter does not build against it"
}
