package kernels

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/untrusted"
	"github.com/org/perfgate/kernels/observe"
	"github.com/org/perfgate/kernels/sandbox"
	"github.com/org/perfgate/kernels/task"
)

// BuildSpec says what one side of one kernel is built from. Paths but the trees are relative to a tree.
type BuildSpec struct {
	Kernel      string
	Tree        string       // folder of the side; the compiler runs there
	Root        string       // folder around Tree that belongs to the side; "" means Tree
	AdapterTree string       // folder that the adapter is taken from; it may be the other side's
	Adapter     string       // C, C++ or CUDA file
	Sources     []string     // compiled with the adapter into one library
	Flags       []string     // of the configuration, then of the side
	Command     string       // instead of compiling: a shell command run in Tree …
	Output      string       // … and the library that it makes
	Python      *Interpreter // of an adapter in Python; nil of any other
	Checkouts   []string     // of an adapter in Python: other folders of the repository, which editable installs may lead to
	Pins        []Pin        // of an adapter in Python: choices that its autotuners do not have
	Variables   []string     // NAME=VALUE, for the environment of Command and of an adapter in Python
	TreeID      string       // names what Root holds, and nothing else does: git's name of a tree, or a hash of all its files; "" where none is known
	Keep        bool         // the library may come from the cache and is kept there, as base's may and head's never

	files sandbox.Policy // the side's, for whatever builds it in a sandbox
}

// Library is a built adapter.
type Library struct {
	Path        string
	Fingerprint string         // of the code in it, see Fingerprint
	Inputs      string         // names what it was made of, see Builder.Inputs; "" where that is not known
	Asked       observe.Report // what compilers and the linker asked the Linux kernel for, but for perfgate's own folders, or what a build command asked for
	Told        []Told         // of that, what the compiler of the adapter and the linker asked for inside of the side's root
	Entries     []string       // functions of perfgate.h that the adapter's own object defines; nil of a build command or from the cache
	Command     []string       // what built it, for people
	Cached      bool
	Seconds     float64
	Output      string     // the compiler's warnings
	Imports     *Imports   // of an adapter in Python: what it has loaded; nil of any other
	Caches      string     // of an adapter in Python: folder of what frameworks compile in its processes
	Ahead       bool       // of an adapter in Python: a process can import its packages while another one measures, and it in its turn
	Resources   []Resource // CUDA: what each kernel needs of a multiprocessor, as ptxas reports it
}

// BuildError is a build that failed by the fault of what was built.
type BuildError struct {
	Kernel   string
	Cause    result.BuildCause
	Unlinked bool   // all of it compiles, and it does not link
	Missing  string // file of the side that is not there, as a source or an include names it; "" if that is not the fault, or not known
	Output   string // the compiler's words, capped, not escaped
	Err      error
}

func (e *BuildError) Error() string { return fmt.Sprintf("%s: %v", e.Kernel, e.Err) }

func (e *BuildError) Unwrap() error { return e.Err }

// Builder builds adapters with one compiler for one target. Scratch is a private folder, Cache one that outlives the run. Several builds may run at
// once where they have one kernel and one adapter, as those with other flags do.
type Builder struct {
	Compiler Compiler // nvcc for a CUDA target
	Target   Target
	Cache    string
	Scratch  string
	Limit    time.Duration // of one build; 0 means 15 minutes
	Memory   int64         // bytes that a compiler or a build command may hold with all that it starts; 0 means no limit
	Sandbox  *Sandbox      // nil: what builds a side may touch what the user may
	// Repository are folders of the sides and of the checkout: a build command reads no other than its own.
	Repository []string
	Runner     RunnerSpec       // how what a build made is run, which an adapter in Python is to be imported; its library is not set
	shared     sync.Mutex       // of what follows, and of what builds write for each other
	count      int              // folders of builds so far
	running    int              // builds that use the temporary folder
	digests    *observe.Digests // nil until they are needed
}

const mostBuilding = 15 * time.Minute

// Build makes the adapter library of one side. The fault of the code is a *BuildError; anything else is ours or the
// machine's.
func (b *Builder) Build(ctx context.Context, s BuildSpec) (Library, error) {
	if err := b.Compiler.check(b.Target); err != nil {
		return Library{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(b.Limit, mostBuilding))
	defer cancel()
	start := time.Now()
	leave, err := b.enter(&s)
	if err != nil {
		return Library{}, err
	}
	defer leave()
	stage, err := b.stageAdapter(s)
	if err != nil {
		return Library{}, err
	}
	var lib Library
	if s.Python != nil {
		lib, err = b.host(ctx, s, stage)
	} else if s.Command != "" {
		lib, err = b.runCommand(ctx, s, stage)
	} else {
		lib, err = b.compile(ctx, s, stage)
	}
	if err != nil {
		return Library{}, err
	}
	lib.Seconds = time.Since(start).Seconds()
	if s.Python != nil {
		return lib, nil
	}
	if lib.Fingerprint, err = Fingerprint(lib.Path); err != nil {
		return Library{}, &BuildError{Kernel: s.Kernel, Cause: result.CauseCommand, Err: err}
	}
	if s.Command != "" {
		err = s.checkMade(lib.Path)
	}
	return lib, err
}

// firstHeader is included before anything else. Compilers use a precompiled header only where nothing was declared yet, so
// none is used that lies in a side's tree: it need not be what its header says.
const firstHeader = "perfgate_first.h"

// stageAdapter puts the adapter and perfgate.h into one private folder, under the same path for both sides: what a
// side ships as perfgate.h is never used, and paths cannot make equal code differ.
func (b *Builder) stageAdapter(s BuildSpec) (string, error) {
	stage := b.stage(s)
	if err := os.MkdirAll(stage, 0o755); err != nil {
		return "", fmt.Errorf("make a folder for the build: %w", err)
	}
	files := map[string][]byte{"perfgate.h": Header(), firstHeader: []byte("struct perfgate_first;\n")}
	if s.Adapter != "" {
		code, err := s.adapter()
		if errors.Is(err, os.ErrNotExist) {
			return "", fmt.Errorf("the adapter %s of kernel %s is not there: write it, or make one with `perfgate init`", filepath.Join(s.AdapterTree, s.Adapter), s.Kernel)
		}
		if err != nil {
			return "", fmt.Errorf("read the adapter: %w", err)
		}
		files[filepath.Base(s.Adapter)] = code
	}
	b.shared.Lock()
	defer b.shared.Unlock()
	for name, text := range files {
		if err := writeChanged(filepath.Join(stage, name), text); err != nil {
			return "", fmt.Errorf("write %s for the build: %w", name, err)
		}
	}
	return stage, nil
}

// writeChanged leaves a file alone that has its text: another build may be reading it.
func writeChanged(path string, text []byte) error {
	if present, err := untrusted.Read(path, int64(len(text))); err == nil && bytes.Equal(present, text) {
		return nil
	}
	return os.WriteFile(path, text, 0o644)
}

// adapter is the text of the adapter: its file, or what stands for a problem of a task format, with all that the problem is made of.
func (s BuildSpec) adapter() ([]byte, error) {
	if task.FormatOf(s.Adapter) == "" {
		return untrusted.ReadIn(s.AdapterTree, s.Adapter, mostText)
	}
	t, err := task.Read(task.Within(s.AdapterTree, "."), s.Adapter)
	if errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	if err != nil {
		return nil, &BuildError{Kernel: s.Kernel, Cause: result.CauseAdapter, Err: err}
	}
	solution := ""
	if len(s.Sources) > 0 {
		solution = s.Sources[0]
	}
	return t.Adapter(solution), nil
}

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

// eachUnit calls f with the index of every unit, as many at once as there are cores, and returns the error of a source before the
// adapter's, which is the first unit. Every unit is tried: whether only the adapter fails decides whose fault it is.
func eachUnit(units []unit, f func(i int) error) error {
	errs := make([]error, len(units))
	slots := make(chan struct{}, runtime.NumCPU())
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
			if b.takeCached(known.Inputs, out) {
				return known.fromCache(filepath.Join(out, libraryName), b.describe(s))
			}
		}
	}
	return b.compileAll(ctx, s, p, stage, out)
}

// fromCache is a library whose build was observed before, of which a copy lies at path.
func (l Library) fromCache(path string, command []string) (Library, error) {
	l.Path, l.Command, l.Cached = path, command, true
	known, err := readFacts(path)
	if known != nil {
		l.Resources = known.Resources
	}
	return l, err
}

// compileAll makes the library of a side in the folder out, and keeps what was observed meanwhile.
func (b *Builder) compileAll(ctx context.Context, s BuildSpec, p places, stage, out string) (Library, error) {
	units, began := s.units(stage), time.Now()
	lib := Library{Path: filepath.Join(out, libraryName), Command: b.describe(s)}
	entries, r, err := b.make(ctx, s, units, stage, out)
	if err != nil {
		return Library{}, s.blame(err, units)
	}
	lib.Entries, lib.Asked, lib.Told = entries, r.all(), p.told(r, lib.Path)
	if b.Target.IsCUDA() {
		if lib.Resources, err = keepFacts(out, len(units), lib.Path); err != nil {
			return Library{}, err
		}
	}
	if o, known := b.observed(p, lib, began); known {
		lib.Inputs = b.keep(p, o)
	}
	if s.Keep {
		err = b.keepCached(lib.Inputs, out)
	}
	return lib, err
}

// libraryName is what a build makes in its folder.
const libraryName = "adapter.so"

// buildFolder makes the private folder of one build.
func (b *Builder) buildFolder() (string, error) {
	b.shared.Lock()
	out := filepath.Join(b.Scratch, fmt.Sprintf("build-%d", b.count))
	b.count++
	b.shared.Unlock()
	if err := os.MkdirAll(out, 0o755); err != nil {
		return "", fmt.Errorf("make a folder for the build: %w", err)
	}
	return out, nil
}

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

// hashFile is the SHA-256 of a regular file in hexadecimal, links followed: a library under test can name any as one that it needs.
func hashFile(path string) (string, error) {
	f, err := untrusted.OpenLinked(path, mostHashed)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, io.LimitReader(f, mostHashed))
	return hex.EncodeToString(h.Sum(nil)), err
}

// make compiles every unit and links them into the library of the folder out. It returns the functions of perfgate.h that are the
// adapter's.
func (b *Builder) make(ctx context.Context, s BuildSpec, units []unit, stage, out string) ([]string, requests, error) {
	r := requests{units: make([]observe.Report, len(units))}
	err := eachUnit(units, func(i int) (err error) {
		args := slices.Concat(b.flags(s, units[i], stage), []string{"-c", units[i].path, "-o", objectPath(out, i)})
		if b.Target.IsCUDA() {
			r.units[i], err = b.compileCUDA(ctx, s, units[i], args, usagePath(out, i))
			return err
		}
		_, r.units[i], err = runObserved(ctx, b.step(s, out, args), units[i].name)
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
	return entries, r, s.checkExported(s.Adapter, library, entries)
}

func (b *Builder) link(ctx context.Context, s BuildSpec, units int, out string) (observe.Report, error) {
	objects := make([]string, units)
	for i := range objects {
		objects[i] = objectPath(out, i)
	}
	built := filepath.Join(out, libraryName)
	// A library among the flags is searched for what stands before it.
	args := slices.Concat([]string{"-shared", "-fPIC"}, objects, s.Flags, s.linkChecks(), []string{"-o", built})
	if b.Target.IsCUDA() {
		args = b.nvccLinkArgs(s, built, objects)
	}
	_, asked, err := runObserved(ctx, b.step(s, out, args), "the library")
	var refused *CompileError
	if errors.As(err, &refused) {
		refused.Linking = true
	}
	return asked, err
}

func objectPath(out string, unit int) string { return filepath.Join(out, fmt.Sprintf("%d.o", unit)) }

// linkChecks makes a missing function an error of the build, with its name, and not one of the loader. Sanitizers
// leave symbols open on purpose.
func (s BuildSpec) linkChecks() []string {
	if slices.ContainsFunc(s.Flags, func(f string) bool { return strings.HasPrefix(f, "-fsanitize") }) {
		return nil
	}
	return []string{"-Wl,--no-undefined"}
}

// blame turns a compiler's refusal into a BuildError: the sources' fault if any source failed, else the adapter's.
func (s BuildSpec) blame(err error, units []unit) error {
	var compile *CompileError
	if !errors.As(err, &compile) {
		return err
	}
	fault := &BuildError{Kernel: s.Kernel, Cause: result.CauseSources, Unlinked: compile.Linking, Missing: missingFile(compile.Output), Output: s.unstaged(compile.Output, units[0].path)}
	if compile.File == s.Adapter || compile.Linking && len(units) > 1 {
		fault.Cause = result.CauseAdapter
	}
	fails := "compile"
	if compile.Linking {
		fails = "link"
	}
	fault.Err = fmt.Errorf("%s does not %s%s", compile.File, fails, compile.hint())
	return fault
}

// unstaged gives the adapter, of which the compiler saw a copy that is gone when its words are read, the name that the
// configuration has for it, and perfgate.h its own. The rest of the text is kept: code under test may have written it.
func (s BuildSpec) unstaged(output, adapter string) string {
	return strings.NewReplacer(adapter, s.Adapter, filepath.Join(filepath.Dir(adapter), "perfgate.h"), "perfgate.h").Replace(output)
}
