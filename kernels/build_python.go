package kernels

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/untrusted"
	"github.com/org/perfgate/kernels/observe"
)

// host makes what runs an adapter in Python. Nothing is compiled but by a command, which leaves what it makes in the side's tree: the
// adapter is imported once, which shows that it can be, and what it is made of.
func (b *Builder) host(ctx context.Context, s BuildSpec, stage string) (Library, error) {
	var asked observe.Report
	if s.Command != "" {
		spec, err := b.command(s, stage)
		if err != nil {
			return Library{}, err
		}
		if _, asked, err = b.toTheEnd(ctx, s, spec); err != nil {
			return Library{}, err
		}
	}
	out, err := b.buildFolder()
	if err != nil {
		return Library{}, err
	}
	h := hosted{
		Interpreter: *s.Python, Package: filepath.Join(b.Scratch, "python"), File: filepath.Join(out, filepath.Base(s.Adapter)), Shown: s.Adapter,
		Tree: s.Tree, Root: s.Root, Checkouts: s.Checkouts, Pins: s.Pins, Variables: s.Variables,
		Environment: withoutPrefix(s.Environment.Variables(), "PYTHON"), Reads: s.Environment.Reads(), Caches: filepath.Join(out, "caches"),
	}
	b.shared.Lock()
	err = writePackage(h.Package)
	b.shared.Unlock()
	if err != nil {
		return Library{}, err
	}
	if err := os.Mkdir(h.Caches, 0o700); err != nil {
		return Library{}, fmt.Errorf("make a folder for what frameworks compile: %w", err)
	}
	if err := publish(filepath.Join(stage, filepath.Base(s.Adapter)), h.File); err != nil {
		return Library{}, err
	}
	lib := Library{Path: filepath.Join(out, hostedName), Caches: h.Caches, Command: []string{s.Python.Path, s.Adapter}, Asked: asked}
	if err := h.write(lib.Path); err != nil {
		return Library{}, err
	}
	imports, err := b.imports(ctx, s, lib.Path)
	if err != nil {
		return Library{}, err
	}
	lib.Imports = imports
	text, err := untrusted.Read(h.File, mostText)
	if err != nil {
		return Library{}, fmt.Errorf("read the adapter: %w", err)
	}
	h.ImportFirst = imports.first(text)
	lib.Ahead = len(h.ImportFirst) > 0
	if err := h.write(lib.Path); err != nil {
		return Library{}, err
	}
	lib.Fingerprint, err = h.fingerprint(imports)
	return lib, err
}

// importable are packages that can be imported before the adapter that does so.
var importable = []string{"numpy", "scipy", "torch", "numba", "cupy", "triton"}

// ImportableAhead keeps of names those of packages that a process may import before what it runs does.
func ImportableAhead(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !slices.Contains(importable, name) })
}

// first are the packages that can be imported before the adapter: none where that sets variables of the environment, which they may read when
// they are imported.
func (i *Imports) first(adapter []byte) []string {
	if i.Configures {
		return nil
	}
	names := slices.DeleteFunc(slices.Clone(importable), func(name string) bool { return i.Packages[name] == "" })
	// PyTorch imports this only when that is called, as the references of many problems do; an older one has no such module, and does without.
	if i.Packages["torch"] != "" && bytes.Contains(adapter, []byte("use_deterministic_algorithms")) {
		names = append(names, "torch._inductor.config")
	}
	return names
}

// imports starts a runner on the adapter, and asks what that has loaded.
func (b *Builder) imports(ctx context.Context, s BuildSpec, library string) (*Imports, error) {
	spec := b.Runner
	spec.Library = library
	runner, err := StartRunner(ctx, spec)
	if err != nil {
		return nil, s.blameImport(err)
	}
	defer runner.Close()
	var reply ImportsReply
	if err := runner.Call(ctx, "imports", s.Adapter, map[string]any{}, &reply, helloLimit); err != nil {
		return nil, s.blameImport(err)
	}
	imports := reply.Python
	if imports == nil {
		return nil, fmt.Errorf("import %s: the runner does not say what it has loaded", s.Adapter)
	}
	if len(imports.Elsewhere) > 0 {
		return nil, s.refused("it imports %s, which is neither a file of this side nor installed with %s, so both sides would run it: "+
			"install the package, or keep it in the repository", imports.Elsewhere[0], s.Python.Path)
	}
	return imports, nil
}

// blameImport turns a runner that did not come up into a BuildError: the fault of the side's modules where one of them raised, else
// the adapter's.
func (s BuildSpec) blameImport(err error) error {
	var fault *RunnerError
	if !errors.As(err, &fault) {
		return err
	}
	build := &BuildError{Kernel: s.Kernel, Cause: result.CauseAdapter, Output: fault.Printed, Err: errors.New(fault.Message)}
	if fault.Code == result.CodeSourcesLoad {
		build.Cause = result.CauseSources
	}
	return build
}

// fingerprint hashes what the adapter runs: itself, what was imported or read of the tree, the interpreter, and the packages that are
// loaded by their versions.
func (h *hosted) fingerprint(i *Imports) (string, error) {
	var d digest
	d.add(h.Shown)
	interpreter := h.Interpreter.Path
	if len(h.Reads) > 0 { // the folder of an environment is called by its key; where the cache is says nothing
		interpreter = filepath.Base(h.Reads[0]) + "/" + filepath.Base(interpreter)
	}
	d.add(interpreter + " " + i.Version)
	for _, v := range h.Variables {
		d.add(v)
	}
	for _, name := range slices.Sorted(maps.Keys(i.Packages)) {
		d.add(name + " " + i.Packages[name])
	}
	files := map[string]string{h.Shown: h.File}
	for _, file := range i.Files {
		if file != h.Shown {
			files[file] = filepath.Join(h.Tree, file)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		sum, err := hashFile(files[name])
		if err != nil {
			return "", fmt.Errorf("read what the adapter imports: %w", err)
		}
		d.add(name + " " + sum)
	}
	return d.sum(), nil
}
