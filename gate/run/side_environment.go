package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// madeEnvironment is what came of making the environment of a side.
type madeEnvironment struct {
	environment *kernels.Environment
	err         error // a *kernels.BuildError
}

// environmentSide is the side whose environment one gets, by its tree. An external contributor's list of packages is fetched only once somebody with write
// access has approved it: until then head gets base's.
func (o Question) environmentSide(k config.Kernel, side Side) (Side, string) {
	e := o.Trusted.Config.EnvironmentOf(k)
	switch side.Tree {
	case o.Base.Tree:
		return o.Base, "base"
	case o.Referee.Tree:
		return o.Referee, "referee"
	}
	if side.Tree != o.Head.Tree {
		return side, "other-commit"
	}
	if o.External && e != nil && e.Fetch != "" && o.Base.Tree != "" {
		return o.Base, "base"
	}
	return side, "head"
}

// isUnapproved says that the fetch command of a kernel is an external contributor's: base has no configuration, so head's counts.
func (o Question) isUnapproved(k config.Kernel) bool {
	e := o.Trusted.Config.EnvironmentOf(k)
	return o.External && o.Trusted.NoBaseConfig && e != nil && e.Fetch != ""
}

// sharesEnvironment says that both sides of a kernel have one environment although head may change its inputs.
func (o Question) sharesEnvironment(k config.Kernel) bool {
	side, _ := o.environmentSide(k, o.Head)
	return side.Tree != o.Head.Tree
}

// environmentConfig is how the environment of a side is made; nil where the side has what is installed. Where head's configuration rules, base has what
// its own says. A command with a network that an external contributor wrote is not run before somebody has approved it.
func (o Question) environmentConfig(k config.Kernel, side Side) *config.Environment {
	if o.isUnapproved(k) {
		return nil
	}
	if own, ok := o.ownOf(k); ok && side.Tree == o.Base.Tree && side.Tree != o.Head.Tree {
		return o.Trusted.Base.EnvironmentOf(own)
	}
	return o.Trusted.Config.EnvironmentOf(k)
}

// environmentKey is the same for kernels and sides that have one environment.
func (o Question) environmentKey(k config.Kernel, side Side) string {
	return fmt.Sprintf("%q %+v", side.Tree, o.environmentConfig(k, side))
}

// environmentOf is the environment that was made for a side, nil for none.
func (w *workshop) environmentOf(k config.Kernel, side Side) *kernels.Environment {
	side, _ = w.environmentSide(k, side)
	return w.made[w.environmentKey(k, side)].environment
}

// environment makes the environment of a side, once in a run. That it cannot be made is a *kernels.BuildError.
func (w *workshop) environment(ctx context.Context, k config.Kernel, side Side, a *Account) (*kernels.Environment, error) {
	side, called := w.environmentSide(k, side)
	e := w.environmentConfig(k, side)
	if e == nil {
		return nil, nil
	}
	key := w.environmentKey(k, side)
	if done, ok := w.made[key]; ok && done.err != nil {
		return nil, done.err
	} else if ok {
		return done.environment, w.findPython(ctx, k, done.environment)
	}
	w.Progress(Progress{Stage: StageBuild, What: fmt.Sprintf("environment (%s)", called)})
	files, err := inputsOf(e, side)
	if err != nil {
		return nil, err
	}
	var made *kernels.Environment
	spec := kernels.EnvironmentSpec{Kernel: k.Name, Side: called, Fetch: e.Fetch, Build: e.Build, Tree: side.Tree, Inputs: files}
	if failed := w.turns.offDevice(ctx, func() { made, err = w.builder.Environment(ctx, spec) }); failed != nil {
		return nil, failed
	}
	var fault *kernels.BuildError
	if err != nil && !errors.As(err, &fault) {
		return nil, err
	}
	if err == nil {
		a.CompileS += made.Seconds
		err = w.findPython(ctx, k, made)
	}
	w.made[key] = madeEnvironment{made, err}
	return made, err
}

// inputsOf are the files of a side that its environment is made of, in order.
func inputsOf(e *config.Environment, side Side) (files []string, err error) {
	err = repo.Walk(side.Tree, func(file string, kind fs.FileMode) error {
		if !kind.IsDir() && config.MatchesAny(e.Inputs, filepath.ToSlash(file)) {
			files = append(files, file)
		}
		if len(files) > mostCompared {
			return fmt.Errorf("environment.inputs name more than %d files", mostCompared)
		}
		return nil
	})
	return files, err
}

// pythonOf is what the configuration calls the interpreter of a kernel, or its path in the environment of the side.
func (w *workshop) pythonOf(k config.Kernel, side Side) string {
	name := interpreterOf(w.Trusted.Config, k)
	if e := w.environmentOf(k, side); e != nil {
		return filepath.Join(e.Path(), "bin", name)
	}
	return name
}

// findPython asks the interpreter of an environment what it is. It may be a pull request's, so it runs in the sandbox alone.
func (w *workshop) findPython(ctx context.Context, k config.Kernel, e *kernels.Environment) error {
	name := filepath.Join(e.Path(), "bin", interpreterOf(w.Trusted.Config, k))
	if _, known := w.pythons[name]; known || !k.NeedsPython() {
		return nil
	}
	python, err := kernels.FindInterpreter(ctx, kernels.InterpreterSpec{Name: name, Dir: e.Path(), Scratch: w.Scratch, Checkout: append(w.hostile(), e.Folder), Sandbox: w.builder.Sandbox})
	if wrong, ok := errors.AsType[*kernels.InterpreterError](err); ok {
		return &kernels.BuildError{Kernel: k.Name, Cause: result.CauseEnvironment, Err: fmt.Errorf("environment.build ended well, and its bin/%s %s", filepath.Base(name), wrong.Reason)}
	}
	if err == nil {
		w.pythons[name] = python
	}
	return err
}

// environments makes those of a kernel's sides before anything of it is built. A kernel with a side whose environment cannot be made ends here.
func (w *workshop) environments(ctx context.Context, k *Kernel, a *Account) (*result.Kernel, error) {
	for _, side := range []struct {
		of Side
		to *Build
	}{{w.Base, &k.Base}, {w.Referee, &k.Base}, {w.Head, &k.Head}} {
		if side.of.Tree == "" || w.recording && side.to == &k.Base {
			continue
		}
		_, err := w.environment(ctx, k.Plan.Kernel, side.of, a)
		var fault *kernels.BuildError
		if err != nil && !errors.As(err, &fault) {
			return nil, err
		}
		if err != nil {
			side.to.Record = &result.Build{Failed: true, Cause: result.CauseEnvironment, Output: capText(fault.Error() + "\n" + fault.Output)}
			if k.Head.Record == nil { // it was not tried
				k.Head.Record = new(result.Build)
			}
			return w.judge(*k, ""), nil
		}
	}
	of := w.Base
	if w.recording {
		of = w.Head
	}
	if e := w.environmentOf(k.Plan.Kernel, of); e != nil {
		w.records.folders[k.Name()] = e.Folder
	}
	k.Environment = w.environmentChange(k.Plan.Kernel)
	return nil, nil
}

// mostPackages are as many packages as a result names of those that differ.
const mostPackages = 32

// environmentChange says how the environments of a kernel's sides differ, nil where they do not.
func (w *workshop) environmentChange(k config.Kernel) *result.Environment {
	base, head := w.environmentOf(k, w.Base), w.environmentOf(k, w.Head)
	if w.Base.Tree == "" || w.recording || base.Name() == head.Name() {
		return nil
	}
	packages := kernels.PackageChanges(base, head)
	return &result.Environment{Base: base.Name(), Head: head.Name(), Packages: packages[:min(len(packages), mostPackages)], Count: len(packages)}
}

// changedInputs are the inputs of a kernel's environment that head changes. listed says that all are lists of packages: others may be its own code.
func (w *workshop) changedInputs(k config.Kernel) (files []string, listed bool, err error) {
	e := w.environmentConfig(k, w.Head)
	if e == nil {
		return nil, true, nil
	}
	files, err = w.differing(func(file string) bool { return config.MatchesAny(e.Inputs, file) })
	return files, !slices.ContainsFunc(files, func(file string) bool { return !kernels.IsList(file) }), err
}

// environmentsChanged is an error where processes have written to an environment.
func (w *workshop) environmentsChanged() error {
	for _, key := range slices.Sorted(maps.Keys(w.made)) {
		if e := w.made[key].environment; e != nil {
			if err := e.Unchanged(); err != nil {
				return err
			}
		}
	}
	return nil
}

// environmentFiles are what head changes of an environment which both sides share: its inputs, and the configuration where that is head's or base has none.
func (o Question) environmentFiles(k config.Kernel) ([]string, error) {
	if !o.sharesEnvironment(k) {
		return nil, nil
	}
	inputs := cmp.Or(o.Trusted.Config.EnvironmentOf(k), &config.Environment{}).Inputs
	files, err := o.differing(func(file string) bool { return config.MatchesAny(inputs, file) })
	if name := path.Base(o.Trusted.Config.File); (o.isUnapproved(k) || o.installedOtherwise(k)) && !slices.Contains(files, name) {
		files = append(files, name)
	}
	return files, err
}
