package kernels

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/org/perfgate/kernels/child"
)

// hostPath is the C++ compiler: itself, or the one that nvcc drives.
func (c Compiler) hostPath() string {
	if c.Host != "" {
		return c.Host
	}
	return c.Path
}

// nvccUnitFlags compile one unit, whatever its language: nvcc hands C and C++ to its host compiler. It draws names of symbols at
// random, which would make equal code differ; a release that takes no seed hands it to the host compiler, which does. Device code that
// is not compressed can be compared but for those names, see unitDigests.
func (b *Builder) nvccUnitFlags(s BuildSpec, u unit, stage string) []string {
	seed := fmt.Sprintf("-frandom-seed=0x%08x", crc32.ChecksumIEEE([]byte(u.name)))
	flags := slices.Concat(b.Compiler.nvccFlags(b.Target), []string{"-include", filepath.Join(stage, firstHeader), seed, "-no-compress", "-Xcompiler", "-fPIC", "-O2", "-std=c++17"}, s.Flags)
	return append(flags, "-I", stage, "-Xcompiler", "-iquote"+filepath.Dir(s.Adapter), "-Xcompiler", "-ffile-prefix-map="+stage+"=/perfgate")
}

func (b *Builder) nvccLinkArgs(s BuildSpec, built string, objects []string) []string {
	checks := []string{}
	if len(s.linkChecks()) > 0 {
		checks = []string{"-Xlinker", "--no-undefined"}
	}
	return slices.Concat(b.Compiler.nvccFlags(b.Target), []string{"-shared", "-Xcompiler", "-fPIC"}, s.Flags, checks, []string{"-o", built}, objects)
}

// compileCUDA compiles one unit and keeps what ptxas says about its kernels.
func (b *Builder) compileCUDA(ctx context.Context, s BuildSpec, u unit, args []string, usage string) error {
	said, err := compilerOutput(ctx, b.compiler(s, filepath.Dir(usage), append([]string{"-Xptxas", "-v"}, args...)), u.name)
	if err != nil {
		return err
	}
	return os.WriteFile(usage, []byte(said), 0o644)
}

func usagePath(out string, i int) string { return filepath.Join(out, fmt.Sprintf("%d.ptxas", i)) }

// dumpResources asks cuobjdump about a library that somebody else built: it knows all but the spills. Without the tool
// there is nothing to say.
func (b *Builder) dumpResources(ctx context.Context, s BuildSpec, library string) []Resource {
	tool, err := CUDATool(b.Compiler.Path, "cuobjdump")
	if err != nil {
		return nil
	}
	spec := b.compiler(s, filepath.Dir(library), []string{"--dump-resource-usage", library})
	spec.Path = tool
	out, err := child.Run(ctx, spec)
	if err != nil {
		return nil
	}
	return parseResourceDump(out.Stdout)
}

// compilerOutput is runCompiler for whoever wants to read what the compiler says when all is well.
func compilerOutput(ctx context.Context, spec child.Spec, source string) (string, error) {
	out, err := child.Run(ctx, spec)
	var exit *exec.ExitError
	switch {
	case err == nil:
		return out.Stderr + out.Stdout, nil
	case ctx.Err() != nil:
		return "", fmt.Errorf("compile %s: %w", source, ctx.Err())
	case out.Disk == child.DiskFull:
		return "", overDisk(out, "compiling "+source)
	case errors.As(err, &exit):
		return "", &CompileError{File: source, Output: withoutPtxasInfo(out.Stderr + out.Stdout), Sandboxed: spec.Sandbox != nil}
	}
	return "", fmt.Errorf("compile %s: %w", source, err)
}

// withoutPtxasInfo drops the report on other kernels from a compiler's refusal.
func withoutPtxasInfo(text string) string {
	lines := slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return strings.HasPrefix(line, "ptxas info") })
	return strings.Join(lines, "\n")
}
