package kernels

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/untrusted"
	"github.com/org/perfgate/kernels/child"
	"github.com/org/perfgate/kernels/observe"
)

// runCommand lets a kernel's own build system make its library.
func (b *Builder) runCommand(ctx context.Context, s BuildSpec, stage string) (Library, error) {
	spec, err := b.command(s, stage)
	if err != nil {
		return Library{}, err
	}
	out, asked, err := b.toTheEnd(ctx, s, spec)
	if err != nil {
		return Library{}, err
	}
	fail := func(err error) error {
		return &BuildError{Kernel: s.Kernel, Cause: result.CauseCommand, Output: out.Stderr + out.Stdout, Err: err}
	}
	// Copied at once: the command builds the other side into the same place when both sides are one tree.
	// What it made may be a link: one that leads out of the tree is not followed, since that file may be none that the command could read itself.
	made, err := untrusted.ReadIn(s.Tree, s.Output, mostLibrary)
	if err != nil {
		return Library{}, fail(fmt.Errorf("build.command ended well, and %s is not a library that can be taken: %w", s.Output, err))
	}
	kept, err := keep(b.Scratch, s.Tree, s.Output, made)
	if err != nil {
		return Library{}, fail(err)
	}
	lib := Library{Path: kept, Command: []string{"sh", "-c", s.Command}, Output: out.Stderr, Asked: asked}
	if b.Target.IsCUDA() {
		lib.Resources = b.dumpResources(ctx, s, kept)
	}
	return lib, nil
}

// toTheEnd runs build.command, and returns what it asked for as well. That it fails is a *BuildError, and so is that it builds another folder than its side's.
func (b *Builder) toTheEnd(ctx context.Context, s BuildSpec, spec child.Spec) (child.Output, observe.Report, error) {
	if err := s.withoutProducts(); err != nil {
		return child.Output{}, observe.Report{}, err
	}
	spec.Observe = &observe.Options{Trees: []string{s.root()}, Caches: observe.SharedCaches(spec.Env), Kept: EnvironmentFolders(b.Cache)}
	if b.Cache != "" {
		spec.Observe.Own = []string{b.Cache}
	}
	process, err := child.Start(spec)
	if err != nil {
		return child.Output{}, observe.Report{}, fmt.Errorf("build.command of %s: %w", s.Kernel, err)
	}
	out, err := process.Wait(ctx)
	if ctx.Err() != nil { // the run was ended
		return out, observe.Report{}, fmt.Errorf("build.command of %s: %w", s.Kernel, context.Cause(ctx))
	}
	if err := overDisk(out, "build.command of "+s.Kernel); err != nil {
		return out, observe.Report{}, err
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return out, observe.Report{}, fmt.Errorf("build.command of %s: %w", s.Kernel, err)
	}
	if err != nil {
		return out, observe.Report{}, &BuildError{
			Kernel: s.Kernel, Cause: result.CauseCommand, Output: out.Stderr + out.Stdout, Err: fmt.Errorf("build.command failed: %w%s", err, commandHint(spec, out)),
		}
	}
	asked := process.Observed()
	if file := ForeignFile(asked, s.root(), b.Repository); file != "" {
		err = &BuildError{Kernel: s.Kernel, Cause: result.CauseCommand, Err: fmt.Errorf("build.command read %s, and not this side's own: %s", file, Elsewhere)}
	}
	return out, asked, err
}

// withoutProducts takes away what build.command is to make. A product that is committed, or that an earlier build left, would pass for one of this build
// where the command ends well and makes none.
func (s BuildSpec) withoutProducts() error {
	root, err := os.OpenRoot(s.Tree)
	if err != nil {
		return fmt.Errorf("open the folder of %s: %w", s.Kernel, err)
	}
	defer root.Close()
	for _, name := range []string{s.Output, s.Program} {
		info, missing := root.Lstat(name) // a link is the project's own, and what lies outside is none of the side's
		if name == "" || missing != nil || !info.Mode().IsRegular() {
			continue
		}
		if err := root.Remove(name); err != nil {
			return fmt.Errorf("take away what build.command of %s is to make: %w", s.Kernel, err)
		}
	}
	return nil
}

// commandHint says what may have stopped a command, beyond its own words.
func commandHint(spec child.Spec, out child.Output) string {
	if _, why := stopped(out, spec); why != "" {
		return "; " + why
	}
	if spec.Sandbox == nil {
		return ""
	}
	return hintDenied(out.Stderr + out.Stdout)
}

// Bounds of what a side may have: a library with code for many GPUs, a text, and any file that is compared with another.
const (
	mostLibrary = 2 << 30
	mostText    = 64 << 20
	mostHashed  = 16 << 30
)
