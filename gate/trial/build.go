package trial

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/observe"
)

// buildSystem is what may build a program, by a file that it needs.
type buildSystem struct {
	files   []string
	command func(tree fs.FS, program string) string // "" where it cannot build one there
}

// buildSystems are tried in this order.
var buildSystems = []buildSystem{
	{makefiles, func(_ fs.FS, program string) string { return "make " + kernels.ShellWord(program) }},
	{makefiles, func(fs.FS, string) string { return "make" }},
	{[]string{"CMakePresets.json"}, presetCommand},
	{[]string{"CMakeLists.txt"}, func(tree fs.FS, program string) string {
		return inBuildFolder(program, "cmake -S . -B %[1]s -DCMAKE_BUILD_TYPE=Release"+benchmarkOptions(tree)+" && cmake --build %[1]s")
	}},
	{[]string{"meson.build"}, func(_ fs.FS, program string) string {
		return inBuildFolder(program, "meson setup %[1]s --buildtype=release && meson compile -C %[1]s")
	}},
	{[]string{"build.sh"}, func(fs.FS, string) string { return "sh build.sh" }},
	{[]string{"build.sh"}, func(fs.FS, string) string { return "bash build.sh" }},
}

var makefiles = []string{"GNUmakefile", "makefile", "Makefile"}

// inBuildFolder is a command with the first folder of a program's path, which has to be none that the sources are in.
func inBuildFolder(program, command string) string {
	folder, _, below := strings.Cut(program, "/")
	if !below {
		return ""
	}
	return fmt.Sprintf(command, kernels.ShellWord(folder))
}

// presetCommand builds with the first preset of CMake whose folder is around the program.
func presetCommand(tree fs.FS, program string) string {
	var file struct {
		ConfigurePresets []struct {
			Name, BinaryDir string
			Hidden          bool
		}
	}
	text, err := fs.ReadFile(tree, "CMakePresets.json")
	if err != nil || json.Unmarshal(text, &file) != nil {
		return ""
	}
	for _, p := range file.ConfigurePresets {
		folder, inTree := strings.CutPrefix(strings.ReplaceAll(p.BinaryDir, "${presetName}", p.Name), "${sourceDir}/")
		if folder = path.Clean(folder); inTree && !p.Hidden && strings.HasPrefix(program, folder+"/") {
			return "cmake --preset " + kernels.ShellWord(p.Name) + benchmarkOptions(tree) + " && cmake --build " + kernels.ShellWord(folder)
		}
	}
	return ""
}

var cmakeOption = text.Pattern(`(?mi)^\s*(?:cmake_dependent_)?option\s*\(\s*(\w*BENCH\w*)\s`)

// benchmarkOptions are options of CMake that turn benchmarks on, as a folder's CMakeLists.txt has them.
func benchmarkOptions(tree fs.FS) (options string) {
	text, err := fs.ReadFile(tree, "CMakeLists.txt")
	if err != nil {
		return ""
	}
	for _, m := range cmakeOption().FindAllSubmatch(text, -1) {
		options += " -D" + string(m[1]) + "=ON"
	}
	return options
}

// candidates are the commands that may build a program, of the build systems whose files are in the folder or in the program's.
func candidates(tree fs.FS, program string) (commands []string) {
	for _, dir := range slices.Compact([]string{".", path.Dir(program)}) {
		folder, err := fs.Sub(tree, dir)
		if err != nil {
			continue
		}
		for _, b := range buildSystems {
			there := slices.ContainsFunc(b.files, func(name string) bool { _, err := fs.Stat(folder, name); return err == nil })
			inside := program
			if dir != "." {
				inside = path.Base(program)
			}
			command := b.command(folder, inside)
			if !there || command == "" {
				continue
			}
			if dir != "." {
				command = "cd " + kernels.ShellWord(dir) + " && " + command
			}
			commands = append(commands, command)
		}
	}
	return commands
}

// builtProgram is the program of a command that git does not keep, so that a checkout of base has none; "" where there is nothing to build, or
// no repository to say so.
func builtProgram(ctx context.Context, dir, command string) string {
	tree := os.DirFS(dir)
	named := benchmark.ProgramOf(tree, command)
	program := path.Clean(named)
	info, err := fs.Stat(tree, program)
	missing := err != nil && strings.Contains(named, "/") && len(candidates(tree, program)) > 0 && fs.ValidPath(program)
	if !missing && (err != nil || !info.Mode().IsRegular()) {
		return ""
	}
	kept, err := repo.Git{Dir: dir}.Files(ctx, false)
	if err != nil || slices.Contains(kept, program) {
		return ""
	}
	return program
}

// buildCommand is what builds the benchmark's program: what was given, else what is found by trying in a copy of what git keeps, in which the
// benchmark is then tried: each side has no more.
func (t *trial) buildCommand(ctx context.Context, dir string) (string, error) {
	b := t.Benchmark
	program := builtProgram(ctx, dir, b.Command)
	if program == "" {
		return t.buildExtensions(ctx, dir)
	}
	commands := candidates(os.DirFS(dir), program)
	if b.Build != "" {
		commands = []string{b.Build}
	}
	last := ""
	for _, command := range commands {
		fmt.Fprintf(b.Progress, "trying in a copy: %s\n", command)
		tree, err := t.copyOf(ctx, dir)
		if err != nil {
			return "", err
		}
		if last, err = t.builds(ctx, dir, tree, program, command); err != nil {
			return "", err
		}
		if last == "" {
			b.Found(program + " is built by: " + command)
			t.dir = tree
			return command, nil
		}
	}
	if b.Build != "" {
		return "", result.Usagef("--build %q does not make %s in a copy of what git keeps: %s", b.Build, program, last)
	}
	why := "no build file was found that makes it"
	if last != "" {
		why = fmt.Sprintf("%s does not make it in a copy of what git keeps (%s)", commands[len(commands)-1], last)
	}
	return "", result.Usagef("git does not keep %s, so each side has to build it, and %s: add --build 'COMMAND', such as --build 'g++ -O2 bench.cc -o %s'", program, why, program)
}

// pythonBuilds build the extensions of a project of Python, by what a file of it holds.
var pythonBuilds = []struct{ file, holds, command string }{
	{"pyproject.toml", "scikit_build_core", "pip install -q --no-index --no-deps --no-build-isolation --target " + ownSite + " ."},
	{"setup.py", "ext_modules", "python3 setup.py build_ext --inplace"},
}

// ownSite is where a build in a side's tree installs the project itself.
const ownSite = "build/site"

// extensionsCommand builds the extensions of a project of Python; "" where it shows none.
func extensionsCommand(tree fs.FS) string {
	for _, b := range pythonBuilds {
		if text, err := fs.ReadFile(tree, b.file); err == nil && bytes.Contains(text, []byte(b.holds)) {
			return b.command
		}
	}
	return ""
}

// buildExtensions is what was given, or builds the extensions of a project of Python, tried in a copy. Where the latter fails, the benchmark may need no
// extension, so this is only said.
func (t *trial) buildExtensions(ctx context.Context, dir string) (string, error) {
	command := cmp.Or(t.Build, extensionsCommand(os.DirFS(dir)))
	if _, err := (repo.Git{Dir: dir}).Root(ctx); command == "" || err != nil { // without a repository there is nothing to copy
		return t.Build, nil
	}
	fmt.Fprintf(t.Progress, "trying in a copy: %s\n", command)
	tree, err := t.copyOf(ctx, dir)
	if err != nil {
		return "", err
	}
	problem, err := t.builds(ctx, dir, tree, "", command)
	switch {
	case err != nil:
		return "", err
	case problem != "" && t.Build != "":
		return "", result.Usagef("--build %q does not end well in a copy of what git keeps: %s", t.Build, problem)
	case problem != "":
		t.root = ""
		t.Found(fmt.Sprintf("%s does not build the project's extensions in a copy of what git keeps (%s): no build was written, so both sides import what is installed", command, problem))
		return "", nil
	}
	if t.Build == "" {
		t.Found("the project's extensions are built by: " + command)
	}
	t.dir = tree
	return command, nil
}

// copyOf makes a copy of what git keeps of the repository around a folder, as each side has one, and is the folder in it.
func (t *trial) copyOf(ctx context.Context, dir string) (string, error) {
	t.root = filepath.Join(t.scratch, "tree")
	if err := os.RemoveAll(t.root); err != nil {
		return "", fmt.Errorf("take away a copy: %w", err)
	}
	top, err := repo.Git{Dir: dir}.Root(ctx)
	if err != nil {
		return "", err
	}
	files, err := repo.Git{Dir: top}.Files(ctx, true)
	if err != nil {
		return "", err
	}
	if err := repo.CopyFiles(top, t.root, files); err != nil {
		return "", fmt.Errorf("copy what git keeps: %w", err)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", fmt.Errorf("find the current folder: %w", err)
	}
	within, err := filepath.Rel(top, real)
	if err != nil || !filepath.IsLocal(within) {
		return "", fmt.Errorf("%s is not in the repository %s", real, top)
	}
	copied := filepath.Join(t.root, within)
	if err := os.MkdirAll(copied, 0o700); err != nil {
		return "", fmt.Errorf("copy what git keeps: %w", err)
	}
	return copied, nil
}

// builds says why a command does not make a program in tree, a copy of a folder; "" where it does. program is "" where it may make anything.
func (t *trial) builds(ctx context.Context, dir, tree, program, command string) (problem string, err error) {
	if program != "" {
		if err := os.Remove(filepath.Join(tree, program)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("take away a program that git does not keep: %w", err)
		}
	}
	started, err := kernels.StartCommand(kernels.CommandSpec{
		Line: command, Doing: "build it", Dir: tree, Root: t.root, Scratch: t.scratch, Limit: buildLimit, Observe: &observe.Options{Trees: []string{t.root}}, Log: t.Log,
	})
	if err != nil {
		return "", err
	}
	end, err := started.Wait(ctx)
	if ctx.Err() != nil {
		return "", err
	}
	if err != nil {
		return err.Error(), nil
	}
	if file := kernels.ForeignFile(started.Observed(), t.root, []string{dir}); file != "" {
		return fmt.Sprintf("it read %s, and not the copy's own: %s", file, kernels.Elsewhere), nil
	}
	if info, err := os.Stat(filepath.Join(tree, program)); program != "" && (err != nil || !info.Mode().IsRegular()) {
		return "it ended well and did not make it; it printed: " + end.Last, nil
	}
	t.asked = started.Observed()
	return "", nil
}
