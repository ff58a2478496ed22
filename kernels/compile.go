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
	"slices"
	"strings"
	"syscall"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
	"github.com/org/perfgate/gate/untrusted"
	"github.com/org/perfgate/kernels/child"
	"github.com/org/perfgate/kernels/observe"
)

// CompileError is a compiler's refusal, in its own words.
type CompileError struct {
	File      string
	Output    string
	Linking   bool // of units that compile
	Sandboxed bool // it ran where it may read its sources and the toolchain only
}

func (e *CompileError) Error() string {
	return fmt.Sprintf("%s does not compile:\n%s", e.File, strings.TrimSpace(e.Output))
}

// runCompiler turns a non-zero exit into a CompileError with the compiler's own words, and returns its words where all is well.
func runCompiler(ctx context.Context, spec child.Spec, source string) (words string, err error) {
	out, err := child.Run(ctx, spec)
	return compilerEnd(ctx, spec, source, out, err)
}

// runObserved is runCompiler for a step of a build: asked is what the step asked the Linux kernel for, as the observation of spec says.
func runObserved(ctx context.Context, spec child.Spec, source string) (words string, asked observe.Report, err error) {
	if ctx.Err() != nil {
		return "", asked, fmt.Errorf("compile %s: %w", source, ctx.Err())
	}
	process, err := child.Start(spec)
	if err != nil {
		return "", asked, fmt.Errorf("compile %s: %w", source, err)
	}
	out, err := process.Wait(ctx)
	words, err = compilerEnd(ctx, spec, source, out, err)
	return words, process.Observed(), err
}

func compilerEnd(ctx context.Context, spec child.Spec, source string, out child.Output, err error) (words string, _ error) {
	words = out.Stderr + out.Stdout
	var exit *exec.ExitError
	switch {
	case err == nil:
		return words, nil
	case ctx.Err() != nil:
		return "", fmt.Errorf("compile %s: %w", source, ctx.Err())
	case strings.Contains(out.Stderr, diskFull): // the machine's fault, and not the code's
		return "", fmt.Errorf("compile %s: the disk is full (TMPDIR names another): %w", source, syscall.ENOSPC)
	case out.Broke == child.DiskFull:
		return "", overDisk(out, "compiling "+source)
	case errors.As(err, &exit):
		_, why := stopped(out, spec)
		return "", &CompileError{File: source, Output: withoutPtxasInfo(words) + why, Sandboxed: spec.Sandbox != nil}
	}
	return "", fmt.Errorf("compile %s: %w", source, err)
}

// notThere is how gcc, nvcc and clang say that they cannot find what is included.
var notThere = text.Pattern(`fatal error: (?:'([^'\n]+)' file not found|([^:\n]+): No such file or directory)`)

// missingFile is the first file that a compiler's words say is not there; "" if they say no such thing.
func missingFile(words string) string {
	found := notThere().FindStringSubmatch(words)
	if found == nil {
		return ""
	}
	return cmp.Or(found[1], found[2])
}

// withoutPtxasInfo drops the report on other kernels from a compiler's refusal.
func withoutPtxasInfo(text string) string {
	lines := slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return strings.HasPrefix(line, "ptxas info") })
	return strings.Join(lines, "\n")
}

// overDisk says that a child was ended because the disk ran out of room, which is the machine's fault. One that wrote more
// than it may is at fault itself, and like any that was killed.
func overDisk(out child.Output, doing string) error {
	if out.Broke != child.DiskFull {
		return nil
	}
	return fmt.Errorf("%s was ended because the disk has hardly any room left (TMPDIR names another): %w", doing, syscall.ENOSPC)
}

// stopped says why a child was stopped by its own fault; "" where it was not.
func stopped(out child.Output, spec child.Spec) (code result.Code, message string) {
	switch out.Broke {
	case child.OverOutput:
		return result.CodeFlooded, "it printed without end and was stopped"
	case child.OverDisk:
		return result.CodeFilled, fmt.Sprintf("it wrote more than %d MiB to the disk and was stopped", spec.Disk.Bytes>>20)
	case child.OverMemory:
		return result.CodeFilled, fmt.Sprintf("it and what it started held more than %d MiB of memory and were stopped", spec.Memory>>20)
	case child.OverShared:
		return result.CodeFilled, "it made more SysV shared memory than the memory that it may have and was stopped"
	}
	return "", ""
}

// diskFull is what compilers and linkers say in the C locale.
const diskFull = "No space left on device"

// compilerEnv keeps the compiler's own temporary files in a folder that goes away with the run. Compiler caches are off: what
// one run compiles is nothing for another to find. __DATE__ and __TIME__ are the same for both sides.
func compilerEnv(scratch string) []string {
	env := child.With(child.Scrub(os.Environ()), "TMPDIR="+scratch, "LC_ALL=C", "CCACHE_DISABLE=1", "SCCACHE_RECACHE=1")
	if os.Getenv(buildDate) == "" {
		env = child.With(env, buildDate+"=0")
	}
	return env
}

// buildDate is the variable by which compilers are told what time it is.
const buildDate = "SOURCE_DATE_EPOCH"

// blame turns a compiler's refusal into a BuildError: the sources' fault if any source failed, else the adapter's.
func (s BuildSpec) blame(err error, units []unit) error {
	var compile *CompileError
	if !errors.As(err, &compile) {
		return err
	}
	// The compiler saw a copy of the adapter that is gone when its words are read, so that gets the name that the configuration has for it, and
	// perfgate.h its own. The rest of the text is kept: code under test may have written it.
	staged := units[0].path
	unstaged := strings.NewReplacer(staged, s.Adapter, filepath.Join(filepath.Dir(staged), "perfgate.h"), "perfgate.h")
	fault := &BuildError{
		Kernel: s.Kernel, Cause: result.CauseSources, Unlinked: compile.Linking, Missing: missingFile(compile.Output), Output: unstaged.Replace(compile.Output),
	}
	if compile.File == s.Adapter || compile.Linking && len(units) > 1 {
		fault.Cause = result.CauseAdapter
	}
	fails := "compile"
	if compile.Linking {
		fails = "link"
	}
	fault.Err = fmt.Errorf("%s does not %s%s%s", compile.File, fails, compile.hint(), s.hintInclude(fault.Missing))
	return fault
}

// hintInclude names the flag that lets a compiler find a header of the side that it did not find, in a folder where headers usually are.
func (s BuildSpec) hintInclude(missing string) string {
	if missing == "" {
		return ""
	}
	tree := untrusted.FS(s.Tree, untrusted.NoLimit)
	folders := []string{".", "include", "src"}
	for _, source := range s.Sources {
		folders = append(folders, filepath.Dir(source))
	}
	for _, folder := range folders {
		path := filepath.Join(folder, missing)
		if info, err := fs.Stat(tree, path); err == nil && info.Mode().IsRegular() {
			return fmt.Sprintf("; flags: [-I%s] would let it find %s", folder, path)
		}
	}
	return ""
}
