package kernels

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/org/perfgate/kernels/child"
)

// harnessFlags of a CPU must not depend on the machine (no -march=native): the harness is the clock, the same on every machine.
var harnessFlags = []string{"-std=c++17", "-O2", "-pthread", "-fPIC"}

// harnessCUDAFlags: no contraction into fused multiply-adds, or inputs would not be the CPU's, bit for bit.
var harnessCUDAFlags = []string{"-std=c++17", "-O2", "-fmad=false", "-Xcompiler", "-pthread,-fPIC"}

// timed are sources of which something runs between two readings of a clock, or goes through all elements. The others are most of the text: compiling
// them well would take twice as long as all the rest, before anybody's first run, and make nothing faster.
var timed = []string{
	"buffers", "command_time", "device_cpu", "device_cpu_bound", "device_cpu_features", "device_cpu_time", "dtype", "fill", "memory_cpu", "relation",
}

// untimedFlag follows the flags of all sources.
const untimedFlag = "-Og"

// Harness is the compiled harness: a program, and beside it the same as a library for an interpreter to load.
type Harness struct {
	Path        string // of the program
	Fingerprint string // of its sources, compiler and flags
	Cached      bool
	Seconds     float64 // spent compiling
}

const (
	harnessProgram = "harness"
	hostedHarness  = "harness.so"
	// harnessMain is what only the program has.
	harnessMain = "harness/program.cc"
)

// BuildHarness compiles the harness for a target with the machine's compiler, or takes it from the cache. scratch is a
// private folder. log may be nil.
func BuildHarness(ctx context.Context, c Compiler, t Target, cache, scratch string, log child.Log) (Harness, error) {
	if err := c.check(t); err != nil {
		return Harness{}, err
	}
	sources, key, err := harnessSources(c, t)
	if err != nil {
		return Harness{}, err
	}
	h := Harness{Path: filepath.Join(cache, harnessFolder, key, harnessProgram), Fingerprint: key}
	if _, err := os.Stat(h.Path); err == nil {
		h.Cached = true
		used(filepath.Dir(h.Path))
		return h, h.starts(ctx, scratch)
	}
	start := time.Now()
	dir, err := os.MkdirTemp(scratch, "harness-src-")
	if err != nil {
		return Harness{}, fmt.Errorf("make a folder for the harness: %w", err)
	}
	tree, err := fs.Sub(native, "native")
	if err != nil {
		return Harness{}, err
	}
	if err := os.CopyFS(dir, tree); err != nil {
		return Harness{}, fmt.Errorf("write the harness sources: %w", err)
	}
	if err := compileHarness(ctx, c, t, dir, sources, log); err != nil {
		return Harness{}, err
	}
	for _, name := range []string{hostedHarness, harnessProgram} { // the program last: where it is, all is
		if err := fill(filepath.Join(filepath.Dir(h.Path), name), moveFirst, copyOf(filepath.Join(dir, name+".out"))); err != nil {
			return Harness{}, err
		}
	}
	h.Seconds = time.Since(start).Seconds()
	return h, h.starts(ctx, scratch)
}

// usageExit is how the harness ends that is asked for nothing.
const usageExit = 2

// starts finds out whether the harness can run here, before any code under test has a part in it: a library of the system that it needs may be
// gone since it was kept, and would look like a kernel that ends its process.
func (h Harness) starts(ctx context.Context, scratch string) error {
	out, err := child.Run(ctx, child.Spec{Path: h.Path, Dir: scratch, Env: child.Scrub(os.Environ())})
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == usageExit || ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("the harness does not start on this machine (%w): %s; give the machine what it lacks, or remove %s to have it built again",
		cmp.Or(err, errors.New("exit status 0")), lastLines(out.Stderr, 1), filepath.Dir(h.Path))
}

// compileHarness compiles the sources in a few parts at once. Each part is one translation unit, since the standard
// headers are half of the work.
func compileHarness(ctx context.Context, c Compiler, t Target, dir string, sources []string, log child.Log) error {
	run := func(args ...string) error {
		spec := child.Spec{Path: c.Path, Args: slices.Concat(c.harnessFlags(t), args), Dir: dir, Env: compilerEnv(dir), Log: log}
		if _, err := runCompiler(ctx, spec, "the harness"); err != nil {
			return fmt.Errorf("with %s: %w", c.Version, err)
		}
		return nil
	}
	parts := harnessParts(t, sources)
	objects := make([]string, len(parts))
	failed := make([]error, len(parts))
	var compiling sync.WaitGroup
	for i, p := range parts {
		source := fmt.Sprintf("part%d%s", i, p.extension)
		objects[i] = source + ".o"
		compiling.Go(func() {
			if failed[i] = p.write(filepath.Join(dir, source)); failed[i] == nil {
				failed[i] = run(slices.Concat(p.flags, []string{"-I.", "-c", source, "-o", objects[i]})...)
			}
		})
	}
	compiling.Wait()
	if err := cmp.Or(failed...); err != nil {
		return err
	}
	if err := run(slices.Concat(objects, []string{harnessMain, "-o", harnessProgram + ".out", "-ldl"})...); err != nil {
		return err
	}
	return run(slices.Concat([]string{"-shared"}, objects, []string{"-o", hostedHarness + ".out", "-ldl"})...)
}

// harnessPart is a translation unit.
type harnessPart struct {
	extension      string
	sources, flags []string
}

// harnessParts divides sources. For CUDA there is one part, since device code is not linked across units. Else the untimed ones are the last: of an
// inline function that several parts have, the linker takes the first one's. Each further part compiles the standard headers again, so there are two,
// or twice as many where there are cores for them.
func harnessParts(t Target, sources []string) (parts []harnessPart) {
	if t.IsCUDA() {
		return []harnessPart{{extension: ".cu", sources: sources}}
	}
	of := map[bool][]string{} // by whether they are timed
	for _, source := range sources {
		isTimed := slices.Contains(timed, strings.TrimSuffix(filepath.Base(source), ".cc"))
		of[isTimed] = append(of[isTimed], source)
	}
	each := min(2, max(1, runtime.NumCPU()/2))
	for _, group := range []harnessPart{{sources: of[true]}, {sources: of[false], flags: []string{untimedFlag}}} {
		for some := range slices.Chunk(group.sources, (len(group.sources)+each-1)/each) {
			parts = append(parts, harnessPart{extension: ".cc", sources: some, flags: group.flags})
		}
	}
	return parts
}

// write writes a file that includes all sources.
func (p harnessPart) write(path string) error {
	var text strings.Builder
	for _, source := range p.sources {
		fmt.Fprintf(&text, "#include %q\n", source)
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
		return fmt.Errorf("write the harness sources: %w", err)
	}
	return nil
}

func (c Compiler) harnessFlags(t Target) []string {
	if t.IsCUDA() {
		return slices.Concat(c.nvccFlags(t), harnessCUDAFlags)
	}
	return harnessFlags
}

// harnessSources lists the harness's files for a target and derives its cache key. Whose name says cpu or cuda is for
// that device alone.
func harnessSources(c Compiler, t Target) (sources []string, key string, err error) {
	foreign := "_cuda"
	if t.IsCUDA() {
		foreign = "_cpu"
	}
	var d digest
	d.add(c.Path + "\x00" + c.Version)
	d.add(strings.Join(c.harnessFlags(t), " "))
	d.add(strings.Join(timed, " ") + untimedFlag)
	err = fs.WalkDir(native, "native", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.Contains(entry.Name(), foreign) {
			return err
		}
		b, err := native.ReadFile(path)
		if err != nil {
			return err
		}
		d.add(path)
		d.add(string(b))
		name := strings.TrimPrefix(path, "native/")
		if ext := filepath.Ext(path); (ext == ".cc" || ext == ".cu") && name != harnessMain {
			sources = append(sources, name)
		}
		return nil
	})
	return sources, d.sum(), err
}
