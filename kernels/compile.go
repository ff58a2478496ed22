package kernels

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"

	"github.com/org/perfgate/kernels/child"
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

// runCompiler turns a non-zero exit into a CompileError with the compiler's own words.
func runCompiler(ctx context.Context, spec child.Spec, source string) error {
	out, err := child.Run(ctx, spec)
	var exit *exec.ExitError
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fmt.Errorf("compile %s: %w", source, ctx.Err())
	}
	if strings.Contains(out.Stderr, diskFull) { // the machine's fault, and not the code's
		return fmt.Errorf("compile %s: the disk is full (TMPDIR names another): %w", source, syscall.ENOSPC)
	}
	if err := overDisk(out, "compiling "+source); err != nil {
		return err
	}
	if errors.As(err, &exit) {
		return &CompileError{File: source, Output: out.Stderr + out.Stdout, Sandboxed: spec.Sandbox != nil}
	}
	return fmt.Errorf("compile %s: %w", source, err)
}

// overDisk says that a child was ended because the disk ran out of room, which is the machine's fault. One that wrote more
// than it may is at fault itself, and like any that was killed.
func overDisk(out child.Output, doing string) error {
	if out.Disk != child.DiskFull {
		return nil
	}
	return fmt.Errorf("%s was ended because the disk has hardly any room left (TMPDIR names another): %w", doing, syscall.ENOSPC)
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

// inParallel runs f(0) … f(n-1), as many at once as there are cores, and returns the first error by index.
func inParallel(n int, f func(i int) error) error {
	errs := make([]error, n)
	slots := make(chan struct{}, runtime.NumCPU())
	var wg sync.WaitGroup
	for i := range n {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			errs[i] = f(i)
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
