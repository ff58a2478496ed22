package kernels

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Inputs says of what Build would make, as far as that was observed before: an earlier build asked for the same files, they hold what they held
// then, and adapter, flags, compiler and environment are equal. So it makes equal code, and the Library that is returned has the Inputs, Asked, Told
// and Resources of that build, and no more. It compiles nothing.
//
// Inputs is "" where no observation that is kept matches: for a build command and an adapter in Python, for what was not built on this machine, and
// where not all that a build asked for could be seen.
func (b *Builder) Inputs(ctx context.Context, s BuildSpec) (Library, error) {
	if s.Command != "" || s.Python != nil {
		return Library{}, nil
	}
	leave, err := b.enter(&s)
	if err != nil {
		return Library{}, err
	}
	defer leave()
	stage, err := b.stageAdapter(s)
	if err != nil {
		return Library{}, err
	}
	p, err := b.placesOf(s, stage, b.temporary())
	if err != nil {
		return Library{}, err
	}
	for known := range b.matching(ctx, p) {
		return known, nil
	}
	return Library{}, nil
}

// inputsScheme changes where equal inputs no longer mean what they meant.
const inputsScheme = "observed 2"

// inputsKey names all that decides what a build makes but files that its programs ask for.
func (b *Builder) inputsKey(s BuildSpec, stage string) (string, error) {
	folder, err := filepath.Rel(s.root(), s.Tree)
	if err != nil {
		return "", fmt.Errorf("find the configuration's folder: %w", err)
	}
	adapter, err := hashFile(s.units(stage)[0].path)
	if err != nil {
		return "", fmt.Errorf("read the adapter: %w", err)
	}
	var d digest
	for _, list := range [][]string{
		{inputsScheme, folder, s.Adapter, adapter, string(Header()), b.Target.Device, b.Target.Arch, fmt.Sprint(b.Sandbox != nil)},
		s.Sources, s.Flags, {b.Compiler.Path, b.Compiler.Host, b.Compiler.Version}, compilerVariables(), processor(), s.Environment.Variables(),
	} {
		d.add(fmt.Sprintf("%q", list))
	}
	return d.sum(), nil
}

// variablesRead are what loaders, shells, compilers, linkers and nvcc take from the environment: which variables a process reads, nothing shows. The
// whole environment would be another one in each job of a workflow.
var variablesRead = []string{
	"PATH", "LD_LIBRARY_PATH", "LD_PRELOAD", "LD_AUDIT", "GLIBC_TUNABLES", "BASH_ENV", "ENV",
	"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX", "GCC_ROOT", "CCC_OVERRIDE_OPTIONS", "CLANG_CONFIG_FILE_SYSTEM_DIR",
	"DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES", "LD_RUN_PATH", "GNUTARGET", "LDEMULATION", "COLLECT_NO_DEMANGLE",
	"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN", "CUDA_HOME", "CUDA_PATH", "CICC_PATH", "NVVMIR_LIBRARY_DIR", buildDate,
}

func compilerVariables() []string {
	var lines []string
	for _, name := range variablesRead {
		value, set := os.LookupEnv(name)
		lines = append(lines, fmt.Sprintf("%s %t %s", name, set, value))
	}
	return lines
}

// processor is what Linux says that the processor is, which -march=native asks it itself.
func processor() []string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	first, _, _ := strings.Cut(string(text), "\n\n")
	return slices.DeleteFunc(strings.Split(first, "\n"), func(line string) bool {
		return !slices.ContainsFunc([]string{"cpu family", "model", "stepping", "flags", "Features", "CPU "}, func(key string) bool { return strings.HasPrefix(line, key) })
	})
}
