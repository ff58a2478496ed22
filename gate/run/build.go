package run

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/identity"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/untrusted"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/child"
	"github.com/org/perfgate/kernels/observe"
)

// workshop builds both sides of kernels.
type workshop struct {
	Question
	harness  kernels.Harness
	builder  *kernels.Builder
	pythons  map[string]kernels.Interpreter                  // by what the configuration calls them, or by their paths in environments
	made     map[string]madeEnvironment                      // of sides, see environmentKey
	built    map[string]kernels.Library                      // by all that they were built from
	begun    *child.Pool[kernels.BuildSpec, kernels.Library] // builds of head while base's are made
	commands bool                                            // a build command may have written into the sides' folders, so that they hold more than git knows
	records  *records
	asks     func(config.Competitor) bool // whether a competitor is measured in this run
	before   identity.Snapshots           // the sides' trees, before anything was built
	leftOut  map[string]leftOut           // by kernel, as it was before anything was built
	ran      []observe.Report             // see ranIn
	started  time.Time                    // of the run
	turns    *turns
	uses     uses     // of the sides' files
	unseen   []string // builds that were not observed to the end, and why
}

// build makes both sides of every kernel. A kernel whose side does not build by its own fault ends here.
func (w *workshop) build(ctx context.Context, p *plan.Plan) (Builds, error) {
	var out Builds
	var planned Kernels
	for _, k := range p.Kernels {
		planned.On = append(planned.On, Kernel{Plan: k})
	}
	var err error
	out.Kernels, err = through(planned, func(k Kernel) (Kernel, *result.Kernel, error) { return w.kernel(ctx, k.Plan, &out.Account) })
	w.noteUnseen(&out.Account)
	return out, err
}

// noteUnseen says once of which builds not all that they asked for was seen, and what that leaves undone.
func (w *workshop) noteUnseen(a *Account) {
	if len(w.unseen) == 0 {
		return
	}
	undone := "base's builds were not kept for later runs"
	if w.Trusted.Trust == repo.TrustBase {
		undone += ", and whether head changes a file that tells compiler or linker what to do was checked only for files that flags name"
	}
	a.note("not all that compilers asked for was seen, so %s: %s", undone, listed(w.unseen))
}

// kernel builds what a kernel has: an adapter's library, a benchmark, or both.
func (w *workshop) kernel(ctx context.Context, p plan.KernelPlan, a *Account) (Kernel, *result.Kernel, error) {
	k := Kernel{Plan: p, Parity: result.Parity{Status: result.ParitySkipped}, Competitors: competitorsOf(p.Kernel, w.asks)}
	ended, err := w.environments(ctx, &k, a)
	if err != nil || ended != nil {
		return k, ended, err
	}
	if !p.Kernel.HasAdapter() {
		k.Parity = result.Parity{Status: result.ParityHidden}
		if check := p.Kernel.Bench.Check; check != nil && check.Off {
			k.Parity.Status = result.ParityOff
		}
	} else if k, ended, err = w.library(ctx, k, a); err == nil && ended == nil {
		k, err = w.competitors(ctx, k, a)
	}
	if err == nil && ended == nil && p.Kernel.IsSelfTimed() {
		k, ended, err = w.benchmarks(ctx, k, a)
	}
	if err == nil && ended == nil {
		k.Uncompared, err = w.staleBuild(k, k.settled(w.leftOut[k.Name()].uncompared()))
	}
	if ended != nil && k.Head.Record != nil && k.Head.Record.Failed {
		w.Progress(Progress{Stage: StageFailed, What: k.Name() + ": head does not build: " + firstLine(k.Head.Record.Output)})
	}
	return k, ended, err
}

// library builds base's adapter, then head's.
func (w *workshop) library(ctx context.Context, k Kernel, a *Account) (Kernel, *result.Kernel, error) {
	var err error
	if k.Absent, err = w.absent(ctx, k); err != nil {
		return k, nil, err
	}
	if k.BaseAdapter, err = w.onlyAdapter(ctx, k.Plan.Kernel); err != nil {
		return k, nil, err
	}
	if k.BaseAdapter != "" && w.leftOut[k.Name()].epoch() == nil {
		a.note("%s: its code is in its adapter, so each side was built with its own", k.Name())
	}
	if k.Absent == nil && w.Base.Tree != "" {
		var waits bool
		if k.Base, waits = w.recorded(ctx, k); !waits {
			defer w.beginHead(ctx, k)()
			if k.Base, err = w.side(ctx, k, "base", w.Base, a); err != nil {
				return k, nil, err
			}
			k.withoutMeaning(w.leftOut[k.Name()], k.BaseAdapter != "" || k.Base.Record.Failed)
		}
	}
	if k.Head, err = w.side(ctx, k, "head", w.Head, a); err != nil {
		return k, nil, err
	}
	if k.baseWaits() && !k.Head.Record.Failed && k.Head.Record.Libraries != k.Base.Record.Libraries {
		// What it needs was replaced since it was recorded, or head needs other libraries.
		var ended *result.Kernel
		if k, ended, err = w.withBase(ctx, k, a); err != nil || ended != nil {
			return k, ended, err
		}
	}
	if err := w.withReferee(ctx, &k, a); err != nil {
		return k, nil, err
	}
	misfit, err := w.adapterMisfit(ctx, k, a)
	if err != nil {
		return k, nil, err
	}
	if misfit != "" {
		k.Head = Build{Record: &result.Build{Failed: true, Cause: result.CauseAdapter, Output: capText(misfit)}}
	}
	return k, w.judge(k, misfit), nil
}

// withReferee builds the side that says what is right, where that is not base. One that does not build is base's fault: nothing can be judged.
func (w *workshop) withReferee(ctx context.Context, k *Kernel, a *Account) error {
	if w.Referee.Tree == "" || k.isNew() || k.Base.Record.Failed || k.Head.Record.Failed {
		return nil
	}
	built, err := w.side(ctx, *k, "referee", w.Referee, a)
	if err == nil && built.Record.Failed {
		k.Base.Record = built.Record
	}
	k.Referee = built.Library
	return err
}

// ruling is the side whose adapters and words of what is right count.
func (w *workshop) ruling() Side {
	if w.Referee.Tree != "" {
		return w.Referee
	}
	return w.Base
}

// judge ends a kernel that cannot go on.
func (w *workshop) judge(k Kernel, misfit string) *result.Kernel {
	base, head := k.Base.Record, k.Head.Record
	noBase := base != nil && base.Failed
	switch {
	case !head.Failed && noBase:
		return k.end(result.KernelError, noBuildReason(result.SideBase, base))
	case !head.Failed:
		return nil
	}
	ended := k.end(result.KernelFailed, result.Message(misfit))
	if noBase {
		ended.Status = result.KernelError
	}
	if misfit != "" {
		ended.Adapter = result.AdapterNeedsLabel
	} else if ended.Adapter = w.adapterFault(k); ended.Adapter == result.AdapterNone {
		ended.Reason = noBuildReason(result.SideHead, head)
	}
	return ended
}

// side builds one side. Its fault is in the record; the error is ours or the machine's.
func (w *workshop) side(ctx context.Context, k Kernel, called string, side Side, a *Account) (Build, error) {
	w.Progress(Progress{Stage: StageBuild, What: fmt.Sprintf("%s (%s)", k.Name(), called)})
	spec, began := w.spec(k, side), time.Now()
	lib, err := w.whole(ctx, spec, side, a)
	var fault *kernels.BuildError
	if errors.As(err, &fault) && fault.Cause == result.CauseAdapter && w.leftOut[k.Name()].epoch() == nil {
		if adapter, ok := w.ownAdapter(k.Plan.Kernel, side); ok {
			w.begun.Drop() // builds at once have one adapter
			spec.AdapterTree, spec.Adapter = side.Tree, adapter
			if own, ownErr := w.once(ctx, spec); ownErr == nil {
				a.note("%s: base does not fit head's adapter, so base was built with its own", k.Name())
				lib, err = own, nil
			}
		}
	}
	a.CompileS += lib.Seconds
	w.uses.add(k.Name(), false, lib.Asked)
	w.uses.hidden = w.uses.hidden || err != nil
	if k.Plan.Kernel.IsCompiled() && spec.Command == "" && len(lib.Asked.Incomplete) > 0 {
		w.unseen = append(w.unseen, fmt.Sprintf("%s (%s)", k.Name(), lib.Asked.Incomplete[0]))
	}
	hint := ""
	if errors.As(err, &fault) {
		hint = w.ignoredHint(ctx, called, side, fault) + copyHint(side, fault) + w.policyHint(side, k.Plan.Kernel)
	}
	b, err := builtAs(lib, err, hint)
	b.Runs, b.Environment = side, spec.Environment
	if err == nil {
		b.Record.Output = side.inPlace(b.Record.Output)
	}
	if spec.Command != "" {
		b.Began = began
		w.askedBy(&b, side, lib.Asked)
	}
	return b, err
}

// askedBy keeps what a command asked for that has built a side.
func (w *workshop) askedBy(b *Build, side Side, asked observe.Report) {
	b.Asked = observe.Union(b.Asked, asked)
	w.ranIn(side, asked)
}

// ranIn keeps what was asked for in base's tree, or in the one that is recorded: whoever finds there what that has made depends on it.
func (w *workshop) ranIn(side Side, asked observe.Report) {
	if side.Tree == cmp.Or(w.Base.Tree, w.Head.Tree) {
		w.ran = append(w.ran, asked)
	}
}

// once builds what kernels with one adapter share, and what both sides do, once in a run. What a command builds may depend
// on more than it was told.
func (w *workshop) once(ctx context.Context, spec kernels.BuildSpec) (kernels.Library, error) {
	if spec.Command != "" {
		return w.make(ctx, spec)
	}
	key := builtKey(spec)
	if lib, ok := w.built[key]; ok {
		lib.Cached, lib.Seconds = true, 0
		return lib, nil
	}
	start := time.Now()
	lib, waited, err := w.begun.Take(ctx, spec)
	if waited {
		lib.Seconds = time.Since(start).Seconds() // that the run waited
	}
	if err == nil {
		w.built[key] = lib
	}
	return lib, err
}

// make builds while nobody times what depends on processors, and without the device.
func (w *workshop) make(ctx context.Context, spec kernels.BuildSpec) (lib kernels.Library, err error) {
	if failed := w.turns.offDevice(ctx, func() { lib, err = w.builder.Build(ctx, spec) }); failed != nil {
		err = failed
	}
	return lib, err
}

// builtKey is the same for specs that are made of the same files: of one folder, or of two that git laid out from one tree.
func builtKey(spec kernels.BuildSpec) string {
	files := []string{spec.Tree, spec.Root}
	if folder, err := filepath.Rel(spec.Root, spec.Tree); err == nil && spec.TreeID != "" {
		files = []string{spec.TreeID, folder}
	}
	return fmt.Sprintf("%q", [][]string{files, {spec.AdapterTree, spec.Adapter}, spec.Sources, spec.Flags, spec.Environment.Reads()}) + fmt.Sprintf("%q%q", spec.Pins, spec.Variables)
}

// isBuiltAs says whether two specs are made of the same files.
func isBuiltAs(a, b kernels.BuildSpec) bool { return builtKey(a) == builtKey(b) }

// spec says what a side of a kernel is built from.
func (w *workshop) spec(k Kernel, side Side) kernels.BuildSpec {
	c := w.asBuilt(k.Plan.Kernel, side)
	spec := kernels.BuildSpec{
		Kernel: c.Name, Tree: side.Tree, Root: side.Root, AdapterTree: w.Trusted.Config.Dir, Adapter: c.Adapter, Sources: c.Sources,
		Flags: slices.Concat(c.Flags, side.Info.Flags),
	}
	if k.BaseAdapter != "" && side.Tree == w.Base.Tree {
		spec.AdapterTree, spec.Adapter = side.Tree, k.BaseAdapter
	}
	if !w.commands {
		spec.TreeID = side.TreeID
		spec.Keep = side.TreeID != "" && side.Tree != w.Head.Tree && sameFile(spec.Adapter, spec.AdapterTree, side.Tree)
	}
	spec.Environment = w.environmentOf(c, side)
	if spec.Python = w.interpreter(c.Adapter, w.pythonOf(c, side)); spec.Python != nil {
		spec.Checkouts, spec.Pins = w.repository(), c.Pin
	}
	if c.Build != nil {
		spec.Command, spec.Output, spec.Program = c.Build.Command, c.Build.Output, compiledProgram(c, side)
	}
	return spec
}

// interpreter is the one, by what the configuration calls it, that runs an adapter; nil where that is compiled.
func (w *workshop) interpreter(adapter, name string) *kernels.Interpreter {
	python, known := w.pythons[name]
	if !known || !config.IsPython(adapter) {
		return nil
	}
	return &python
}

// interpreterOf is what the configuration calls the interpreter of a kernel.
func interpreterOf(c *config.Config, k config.Kernel) string { return cmp.Or(k.Python, c.Python) }

// interpreters finds those that kernels of a plan need.
func interpreters(ctx context.Context, opt Question, p *plan.Plan, box *kernels.Sandbox) (map[string]kernels.Interpreter, error) {
	found := map[string]kernels.Interpreter{}
	for _, name := range interpreterNames(opt, p) {
		python, err := kernels.FindInterpreter(ctx, kernels.InterpreterSpec{Name: name, Dir: opt.Desk, Scratch: opt.Scratch, Checkout: opt.hostile(), Sandbox: box})
		if err == nil {
			err = opt.ownPython(name, python)
		}
		if err != nil {
			return nil, err
		}
		found[name] = python
	}
	return found, nil
}

// interpreterNames are what the configuration calls the interpreters that kernels of a plan need, each once.
func interpreterNames(opt Question, p *plan.Plan) []string {
	var names []string
	own := func(k plan.KernelPlan) bool { return opt.environmentConfig(k.Kernel, opt.Head) != nil }
	for _, k := range p.Kernels {
		for _, r := range k.Kernel.Competitors {
			if opt.asks(r) && r.IsInterpreted() && (r.Python != "" || !own(k)) {
				names = append(names, cmp.Or(r.Python, interpreterOf(opt.Trusted.Config, k.Kernel)))
			}
		}
		if k.Kernel.NeedsPython() && !own(k) {
			names = append(names, interpreterOf(opt.Trusted.Config, k.Kernel))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// repository are the folders that hold the sides, and those that they were copied from.
func (o Question) repository() []string {
	return nonEmpty(o.Base.root(), o.Head.root(), o.Referee.root(), o.Head.Copied.From, o.Checkout)
}

// hostile are the folders whose files may be a pull request's.
func (o Question) hostile() []string {
	return nonEmpty(append(o.repository(), o.Desk)...)
}

func nonEmpty(folders ...string) []string {
	return slices.DeleteFunc(folders, func(dir string) bool { return dir == "" })
}

// sameFile says whether a file holds the same in two trees: what is kept of base for later runs has nothing of head in it, its adapter included.
func sameFile(file, a, b string) bool {
	one, err1 := untrusted.ReadIn(a, file, identity.MostBytes)
	two, err2 := untrusted.ReadIn(b, file, identity.MostBytes)
	return err1 == nil && err2 == nil && bytes.Equal(one, two)
}

// asBuilt is a kernel with what a side is built from. Where head's configuration rules, base is still made of the files, with the flags and by
// the command that its own configuration names: what head changes of them is compared as its code is. A base that was not made in the same way
// (an adapter in another language, a build command on one side alone) has its own files at most.
func (w *workshop) asBuilt(k config.Kernel, side Side) config.Kernel {
	own, ok := w.ownOf(k)
	if !ok || side.Tree != w.Base.Tree {
		return k
	}
	k.Sources = own.Sources
	if own.IsInterpreted() == k.IsInterpreted() && (own.Build == nil) == (k.Build == nil) {
		k.Flags, k.Build = own.Flags, own.Build
	}
	return k
}

// maxOutput bounds what a result keeps of a compiler's words.
const maxOutput = 16 << 10

func capText(text string) string { return result.CutLog(text, maxOutput) }
