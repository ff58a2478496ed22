package kernels

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/checkout"
	"github.com/org/perfgate/kernels/observe"
)

// unit is one file to compile.
type unit struct {
	path    string // as given to the compiler
	name    string // for people
	adapter bool
}

func (s BuildSpec) units(stage string) []unit {
	units := []unit{{path: filepath.Join(stage, filepath.Base(s.Adapter)), name: s.Adapter, adapter: true}}
	for _, source := range s.Sources {
		units = append(units, unit{path: filepath.FromSlash(source), name: source})
	}
	return units
}

// at is where a unit lies.
func (s BuildSpec) at(u unit) string {
	if u.adapter {
		return u.path
	}
	return filepath.Join(s.Tree, u.path)
}

// withUnitRead is what the compiler of a unit asked for of others' files. One whose requests for files were all seen and that did not read the unit took what it
// made from somewhere else: where that goes by names or times, it may be the code of the other side or of an earlier run. The error is the machine's.
func (s BuildSpec) withUnitRead(u unit, asked observe.Report) (observe.Report, error) {
	path, err := checkout.RealPath(s.at(u))
	if err != nil {
		return asked, fmt.Errorf("find %s: %w", u.name, err)
	}
	isUnit := func(a observe.Access) bool { return a.Path == path }
	isRead := slices.ContainsFunc(asked.Paths, func(a observe.Access) bool { return isUnit(a) && a.Asked.Has(observe.Opened) })
	if !isRead && asked.HasAllReads() {
		return asked, fmt.Errorf("the compiler of %s did not read %s: a cache that goes by names or times stands in for it, or what another build left; name a compiler without (CXX, NVCC)",
			s.Kernel, u.name)
	}
	if u.adapter { // perfgate's own copy
		asked.Paths = slices.DeleteFunc(asked.Paths, isUnit)
	}
	return asked, nil
}

// slots are for compilers that run at once, in all builds of a builder: as many as there are cores.
func (b *Builder) slots() chan struct{} {
	b.shared.Lock()
	defer b.shared.Unlock()
	if b.compiling == nil {
		b.compiling = make(chan struct{}, runtime.NumCPU())
	}
	return b.compiling
}

// eachUnit calls f with the index of every unit, as many at once as there are slots, and returns the error of a source before the
// adapter's, which is the first unit. Every unit is tried: whether only the adapter fails decides whose fault it is.
func eachUnit(slots chan struct{}, units []unit, f func(i int) error) error {
	errs := make([]error, len(units))
	var wg sync.WaitGroup
	for i := range units {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			errs[i] = f(i)
		})
	}
	wg.Wait()
	return cmp.Or(slices.Concat(errs[1:], errs[:1])...)
}

// flags of one unit. The adapter's own folder in the tree is searched for quoted includes, as if it lay there.
func (b *Builder) flags(s BuildSpec, u unit, stage string) []string {
	if b.Target.IsCUDA() {
		return b.nvccUnitFlags(s, u, stage)
	}
	flags := []string{"-include", filepath.Join(stage, firstHeader), "-fPIC", "-O2"}
	if strings.HasSuffix(u.path, ".c") {
		flags = append(flags, "-x", "c")
	} else {
		flags = append(flags, "-std=c++17")
	}
	flags = append(flags, s.Flags...)
	return append(flags, "-iquote", filepath.Dir(s.Adapter), "-I", stage, "-ffile-prefix-map="+stage+"=/perfgate")
}

func (b *Builder) compile(ctx context.Context, s BuildSpec, stage string) (Library, error) {
	if err := s.checkSources(); err != nil {
		return Library{}, err
	}
	out, err := b.buildFolder()
	if err != nil {
		return Library{}, err
	}
	p, err := b.placesOf(s, stage, out)
	if err != nil {
		return Library{}, err
	}
	if s.Keep {
		for known := range b.matching(ctx, p) {
			if path := filepath.Join(out, libraryName); b.takeCached(known.Inputs, path) {
				known.Path, known.Command, known.Cached = path, b.describe(s), true
				return known, nil
			}
		}
	}
	return b.compileAll(ctx, s, p, stage, out)
}

// compileAll makes the library of a side in the folder out, and keeps what was observed meanwhile.
func (b *Builder) compileAll(ctx context.Context, s BuildSpec, p places, stage, out string) (Library, error) {
	units, began := s.units(stage), time.Now()
	lib := Library{Path: filepath.Join(out, libraryName), Command: b.describe(s)}
	entries, r, err := b.make(ctx, s, units, stage, out)
	if err != nil {
		return Library{}, s.blame(err, units)
	}
	lib.Entries, lib.Asked, lib.Told, lib.Resources = entries, r.all(), p.told(r, lib.Path), slices.Concat(r.needs...)
	if o, known := b.observed(p, lib, began); known {
		lib.Inputs = b.keep(p, o)
	}
	if s.Keep {
		err = b.keepCached(lib.Inputs, lib.Path)
	}
	return lib, err
}

// libraryName is what a build makes in its folder.
const libraryName = "adapter.so"

// checkSources says that a source is missing before a compiler says so in its own words.
func (s BuildSpec) checkSources() error {
	for _, source := range s.Sources {
		if _, err := os.Stat(filepath.Join(s.Tree, source)); err != nil {
			return &BuildError{Kernel: s.Kernel, Cause: result.CauseSources, Missing: source, Err: fmt.Errorf("the source %s is not there", source)}
		}
	}
	return nil
}

// describe is the command line that a person would type in the side's tree.
func (b *Builder) describe(s BuildSpec) []string {
	cmd := []string{filepath.Base(b.Compiler.Path), "-std=c++17", "-O2", "-fPIC", "-shared"}
	if b.Target.IsCUDA() {
		cmd = slices.Concat([]string{"nvcc", "-std=c++17", "-O2", "-shared", "-Xcompiler", "-fPIC"}, b.Target.archFlags())
	}
	return slices.Concat(cmd, s.Flags, []string{s.Adapter}, s.Sources)
}

// make compiles every unit and links them into the library of the folder out. It returns the functions of perfgate.h that are the
// adapter's.
func (b *Builder) make(ctx context.Context, s BuildSpec, units []unit, stage, out string) ([]string, requests, error) {
	r := requests{units: make([]observe.Report, len(units)), needs: make([][]Resource, len(units))}
	err := eachUnit(b.slots(), units, func(i int) error {
		args := slices.Concat(b.flags(s, units[i], stage), []string{"-c", units[i].path, "-o", objectPath(out, i)})
		if b.Target.IsCUDA() {
			args = append([]string{"-Xptxas", "-v"}, args...)
		}
		step := b.step(s, out, args)
		step.Observe.Kept = append(step.Observe.Kept, s.at(units[i]))
		words, asked, err := runObserved(ctx, step, units[i].name)
		if err == nil {
			asked, err = s.withUnitRead(units[i], asked)
		}
		if r.units[i] = asked; b.Target.IsCUDA() {
			r.needs[i] = resourcesOf(units[i], words)
		}
		return err
	})
	if err != nil {
		return nil, r, err
	}
	own, entries, err := b.checkObjects(ctx, s, units, stage, out)
	if err != nil {
		return nil, r, err
	}
	if err := b.checkNames(ctx, s, units[0], own, entries, stage, out); err != nil {
		return nil, r, err
	}
	if r.link, err = b.link(ctx, s, len(units), out); err != nil {
		return nil, r, err
	}
	library := filepath.Join(out, libraryName)
	if err := own.checkLibrary(s, library); err != nil {
		return nil, r, err
	}
	return entries, r, s.checkExported(library, entries)
}

func (b *Builder) link(ctx context.Context, s BuildSpec, units int, out string) (observe.Report, error) {
	objects := make([]string, units)
	for i := range objects {
		objects[i] = objectPath(out, i)
	}
	built := filepath.Join(out, libraryName)
	kind, checks := []string{"-shared", "-fPIC"}, []string{"-Wl,--no-undefined"}
	if b.Target.IsCUDA() {
		kind, checks = slices.Concat(b.Compiler.nvccFlags(b.Target), []string{"-shared", "-Xcompiler", "-fPIC"}), []string{"-Xlinker", "--no-undefined"}
	}
	// A missing function is an error of the build, with its name, and not one of the loader. Sanitizers leave symbols open on purpose.
	if slices.ContainsFunc(s.Flags, func(f string) bool { return strings.HasPrefix(f, "-fsanitize") }) {
		checks = nil
	}
	// A library among the flags is searched for what stands before it.
	args := slices.Concat(kind, objects, s.Flags, checks, []string{"-o", built})
	_, asked, err := runObserved(ctx, b.step(s, out, args), "the library")
	var refused *CompileError
	if errors.As(err, &refused) {
		refused.Linking = true
	}
	if err == nil {
		err = whole(built)
	}
	return asked, err
}

// whole says whether a linker that ended well wrote all of a library: where the disk is full as it closes the file, GNU ld ends well and leaves a part.
func whole(library string) error {
	f, err := openLibrary(library)
	switch {
	case err == nil:
		return f.Close()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the linker left a part of the library, as it does where the disk is full (TMPDIR names another): %w", syscall.ENOSPC)
	}
	return err
}

func objectPath(out string, unit int) string { return filepath.Join(out, fmt.Sprintf("%d.o", unit)) }
