package kernels

import (
	"context"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"slices"

	"github.com/org/perfgate/kernels/child"
)

// nvccUnitFlags compile one unit, whatever its language: nvcc hands C and C++ to its host compiler. It draws names of symbols at
// random, which would make equal code differ; a release that takes no seed hands it to the host compiler, which does. Device code that
// is not compressed can be compared but for those names, see unitDigests.
func (b *Builder) nvccUnitFlags(s BuildSpec, u unit, stage string) []string {
	seed := fmt.Sprintf("-frandom-seed=0x%08x", crc32.ChecksumIEEE([]byte(u.name)))
	flags := slices.Concat(b.Compiler.nvccFlags(b.Target), []string{"-include", filepath.Join(stage, firstHeader), seed, "-no-compress", "-Xcompiler", "-fPIC", "-O2", "-std=c++17"}, s.Flags)
	return append(flags, "-I", stage, "-Xcompiler", "-iquote"+filepath.Dir(s.Adapter), "-Xcompiler", "-ffile-prefix-map="+stage+"=/perfgate")
}

// dumpResources asks cuobjdump about a library of a build command: it knows all but the spills. Without the tool
// there is nothing to say.
func (b *Builder) dumpResources(ctx context.Context, s BuildSpec, library string) []Resource {
	tool, err := CUDATool(b.Compiler.Path, "cuobjdump")
	if err != nil {
		return nil
	}
	out, err := b.buildFolder()
	if err != nil {
		return nil
	}
	spec := b.compiler(s, out, []string{"--dump-resource-usage", library})
	if spec.Path = tool; spec.Sandbox != nil {
		spec.Sandbox.Read = append(spec.Sandbox.Read, library)
	}
	said, err := child.Run(ctx, spec)
	if err != nil {
		return nil
	}
	return ParseResourceDump(said.Stdout)
}
