package run

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/identity"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/untrusted"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/observe"
)

// benchmarks makes both sides of a kernel's benchmark ready to run: the same files of the benchmark on both, and each built in its own
// tree.
func (w *workshop) benchmarks(ctx context.Context, k Kernel, a *Account) (Kernel, *result.Kernel, error) {
	laid, err := w.layBenchmark(k)
	if err != nil {
		return k, nil, err
	}
	if w.Base.Tree != "" && k.Absent == nil {
		if k.Base, err = w.benchSide(ctx, k, result.SideBase, laid.base, k.Base, a); err != nil {
			return k, nil, err
		}
		k.withoutMeaning(w.leftOut[k.Name()], k.Base.Record.Failed)
		if own := laid.ownBase; k.Absent == nil && own.Tree != laid.base.Tree && k.Base.Record.Failed {
			k.OwnBenchmarks = true
			a.note("%s: base does not build with head's files of the benchmark, so its own were used", k.Name())
			if k.Base, err = w.benchSide(ctx, k, result.SideBase, own, Build{}, a); err != nil {
				return k, nil, err
			}
		}
	}
	if k.Head, err = w.benchSide(ctx, k, result.SideHead, laid.head, k.Head, a); err != nil {
		return k, nil, err
	}
	if k.Base.Record != nil && k.Base.Record.Failed && !laid.baseHas {
		k.Base, k.Absent = Build{}, &result.Reason{Kind: result.ReasonAbsent, Name: w.Base.Info.Label, Names: k.Plan.Kernel.Files}
	}
	if k.Head.Record.Failed || k.Base.Record != nil && k.Base.Record.Failed {
		return k, w.judge(k, ""), nil
	}
	if own := w.ownBenchmarks(k); len(own) > 0 {
		a.note("%s: head changes its benchmark, and each side ran its own: %s (files of the configuration gives both sides the same)", k.Name(), few(own))
	}
	k.OwnBase, err = w.ownBase(ctx, k, laid, a)
	return k, nil, err
}

// ownBenchmarks are the files that start a benchmark, where head changes them and each side runs its own: a script, or what words of the command
// name. What a build makes is no file that a configuration could give both sides. It is for people alone.
func (w *workshop) ownBenchmarks(k Kernel) []string {
	c := k.Plan.Kernel
	if k.isNew() || w.Base.Tree == w.Head.Tree || len(c.Files) > 0 && !k.OwnBenchmarks {
		return nil
	}
	var out []string
	for _, file := range append(strings.Fields(c.Bench.Command), c.Bench.Script) {
		file = filepath.Clean(file)
		if filepath.IsLocal(file) && w.Base.has(file) && w.Head.has(file) && !slices.Contains(out, file) && !identity.IsMachineCode(filepath.Join(w.Head.Tree, file)) &&
			!identity.SameAt(filepath.Join(w.Base.Tree, file), filepath.Join(w.Head.Tree, file), observe.Opened) {
			out = append(out, file)
		}
	}
	return out
}

// laidBenchmark is where the sides of a benchmark run.
type laidBenchmark struct {
	base, head Side
	ownBase    Side // with the files that base itself has
	baseHas    bool // base itself has files of the benchmark, as far as the configuration names them
}

// layBenchmark gives both sides the benchmark's files of the side whose rules count. The other gets them in a copy of its own.
func (w *workshop) layBenchmark(k Kernel) (laidBenchmark, error) {
	out := laidBenchmark{base: w.Base, head: w.Head, ownBase: w.Base}
	shared, baseHas, err := sharedBenchmark(w.Question, k.Plan.Kernel.Files)
	out.baseHas = baseHas
	switch {
	case err != nil || len(shared) == 0:
	case whoRules(w.Question) == result.SideBase:
		out.head, err = w.layOver(k, w.Head, w.Base, shared)
	default:
		out.base, err = w.layOver(k, w.Base, w.Head, shared)
	}
	return out, err
}

// layOver is a copy of a side with files of the other.
func (w *workshop) layOver(k Kernel, side, from Side, files []string) (Side, error) {
	name := "head"
	if side.Tree == w.Base.Tree {
		name = "base"
	}
	root := filepath.Join(w.builder.Scratch, "bench-tree", k.Name(), name)
	dir, err := filepath.Rel(side.root(), side.Tree)
	if err != nil {
		return side, fmt.Errorf("find the folder of the configuration: %w", err)
	}
	if err := repo.CopyTree(side.root(), root); err != nil {
		return side, fmt.Errorf("copy %s for its benchmark: %w", side.Info.Label, err)
	}
	side.Root, side.Tree, side.TreeID = root, filepath.Join(root, dir), ""
	return side, repo.LayOver(from.Tree, side.Tree, files)
}

// benchSide builds one side of a benchmark. The record of the adapter's library, where there is one, stays the side's.
func (w *workshop) benchSide(ctx context.Context, k Kernel, called result.Side, side Side, b Build, a *Account) (Build, error) {
	ofSide := w.Head
	if called == result.SideBase {
		ofSide = w.Base
	}
	b.Runs, b.Environment = side, w.environmentOf(k.Plan.Kernel, ofSide)
	b.Python = w.pythons[w.pythonOf(k.Plan.Kernel, ofSide)]
	if b.Record == nil {
		b.Library.Fingerprint = w.benchPrint(k, side)
		b.Record = &result.Build{Fingerprint: b.Library.Fingerprint}
	}
	// Base is built by its own command where head's configuration rules, see asBuilt; the one that is run is head's on both, since it is what is asked of them.
	command := k.Plan.Kernel.Bench.Build
	if own, ok := w.ownOf(k.Plan.Kernel); ok && called == result.SideBase && own.IsSelfTimed() && own.Bench.Build != "" && command != "" {
		command = own.Bench.Build
	}
	if made := k.Plan.Kernel.Build; made != nil {
		command, b.Began = "", w.started
		if side.Tree != w.Base.Tree && side.Tree != w.Head.Tree { // it was run for the library, in another tree
			command = made.Command
		}
	}
	if command == "" || b.Record.Failed {
		return b, nil
	}
	w.Progress(Progress{Stage: StageBuild, What: fmt.Sprintf("%s (%s)", k.Name(), called)})
	b.Began = time.Now()
	spec := kernels.BuildSpec{
		Kernel: k.Name(), Tree: side.Tree, Root: side.Root, Command: command, Program: compiledProgram(k.Plan.Kernel, side), Flags: side.Info.Flags, Environment: b.Environment,
	}
	var made kernels.BuildOutcome
	var err error
	if failed := w.turns.offDevice(ctx, func() { made, err = w.builder.BuildCommand(ctx, spec) }); failed != nil {
		err = failed
	}
	a.CompileS += made.Seconds
	b.Record.Seconds += made.Seconds
	b.Record.Command, b.Record.Output = []string{"sh", "-c", command}, capText(made.Printed)
	if fault, ok := errors.AsType[*kernels.BuildError](err); ok {
		b.failed(fault.Cause, side.inPlace(fault.Error()+copyHint(side, fault)+"\n"+fault.Output))
		return b, nil
	}
	if err == nil {
		w.askedBy(&b, side, made.Asked)
		w.uses.add(k.Name(), false, made.Asked)
		madeProgram(k, side, cmp.Or(spec.Program, kernels.StartedFile(k.Plan.Kernel.Bench.Command)), &b)
	}
	return b, err
}

// failed makes a build that ended otherwise one that failed.
func (b *Build) failed(cause result.BuildCause, output string) {
	b.Record = &result.Build{Failed: true, Cause: cause, Command: b.Record.Command, Seconds: b.Record.Seconds, Output: capText(output)}
}

// compiledProgram is the program of the side that bench.command starts, by itself or by another such as taskset, where a compiler made it; "" where there is
// none yet. A script is the project's own.
func compiledProgram(k config.Kernel, side Side) string {
	if !k.IsSelfTimed() || k.Bench.Command == "" {
		return ""
	}
	named := benchmark.ProgramOf(os.DirFS(side.Tree), k.Bench.Command)
	program, started := filepath.Clean(named), kernels.StartedFile(k.Bench.Command)
	if !strings.Contains(named, "/") || started != "" && started != program || !filepath.IsLocal(program) {
		return "" // PATH has it, or it is an argument of what is not there
	}
	code, err := untrusted.OpenProgram(filepath.Join(side.Tree, program), untrusted.NoLimit)
	if err != nil {
		return ""
	}
	code.Close()
	return program
}

// madeProgram fails a build whose command ended well and did not make the program that bench.command starts. What else than a path of the side a command
// starts is seen when it runs, see notStarted.
func madeProgram(k Kernel, side Side, program string, b *Build) {
	if program == "" {
		return
	}
	if _, err := os.Stat(filepath.Join(side.Tree, program)); errors.Is(err, os.ErrNotExist) {
		b.failed(result.CauseCommand, madeNothing(k, fmt.Sprintf("%s, which bench.command starts", program), b.Record.Output))
	}
}

func madeNothing(k Kernel, what, printed string) string {
	if printed == "" {
		printed = "it printed nothing"
	}
	return fmt.Sprintf("%s: build.command ended well and did not make %s; what it printed:\n%s", k.Name(), what, printed)
}

// notStarted fails the build of a side whose benchmark could not be started in its first run, where a build command was to make it. built is false
// where none was.
func (b *Build) notStarted(k Kernel, fault *kernels.RunnerError) (built bool) {
	if fault.Code != result.CodeNotStarted || b.Record == nil || len(b.Record.Command) == 0 {
		return false
	}
	b.failed(result.CauseCommand, madeNothing(k, "what bench.command starts ("+firstLine(fault.Printed)+")", b.Record.Output))
	return true
}

// ranStale fails the build of a side whose benchmark ran machine code among its own files, and none that its build command made: that is committed, or
// another build left it.
func (k *Kernel) ranStale(o identity.Owner, side result.Side, own []string) (stale bool) {
	b, run := k.build(side), k.First.Of(side)
	if b.Record == nil || len(b.Record.Command) == 0 || hides(run.Asked) != nil || hides(b.Asked) != nil {
		return false
	}
	old := o.NotMade(own, b.Asked)
	if old != "" {
		b.failed(result.CauseCommand, madeNothing(*k, fmt.Sprintf("anything that the benchmark opens: it runs %s, which was there before (if that is right, delete build)", old), b.Record.Output))
	}
	return old != ""
}

// benchPrint names what a benchmark is of: a commit, since what a program reads of its tree is not known. What is no commit is equal to
// nothing.
func (w *workshop) benchPrint(k Kernel, side Side) string {
	tree := side.Info.Revision
	if tree == "" || side.Info.Dirty {
		tree = fmt.Sprintf("%s at %s", side.Info.Label, w.started.Format(time.RFC3339Nano))
	}
	spec, err := json.Marshal(k.Plan.Kernel.Bench.Spec) // fmt would print addresses
	if err != nil {
		panic(err) // it is strings
	}
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%s %s %s", k.Name(), spec, tree)))
}
