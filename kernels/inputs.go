package kernels

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/untrusted"
)

// Inputs names what Build would make a library of: the files of the side as git names them, those from elsewhere that it
// includes or its flags name, the adapter, perfgate.h, the flags, the toolchain and its environment. Builds with equal
// inputs make equal code, and Library.Inputs has the same name. It costs preprocessing, no compiling.
//
// Text alone would not do: what a compiler embeds (.incbin, #embed) is in no text that it preprocesses.
//
// The result is "" where that is not enough: for a side that is not just what git has, a build command, or flags that name more
// files than can be looked at. The fault of the code is a *BuildError.
func (b *Builder) Inputs(ctx context.Context, s BuildSpec) (string, error) {
	if s.Command != "" || s.Python != nil || s.TreeID == "" {
		return "", nil
	}
	var inputs string
	err := b.preprocess(s, func(s BuildSpec, units []unit, stage, out string) (err error) {
		inputs, err = b.inputs(ctx, s, units, stage, out)
		return err
	})
	return inputs, err
}

// preprocess prepares for a build that stops after preprocessing, and removes what it left.
func (b *Builder) preprocess(s BuildSpec, do func(s BuildSpec, units []unit, stage, out string) error) error {
	if err := b.Compiler.check(b.Target); err != nil {
		return err
	}
	if err := s.checkSources(); err != nil {
		return err
	}
	leave, err := b.enter(&s)
	if err != nil {
		return err
	}
	defer leave()
	stage, err := b.stageAdapter(s)
	if err != nil {
		return err
	}
	out, err := os.MkdirTemp(b.Scratch, "inputs-")
	if err != nil {
		return fmt.Errorf("make a folder for preprocessing: %w", err)
	}
	defer os.RemoveAll(out)
	units := s.units(stage)
	if err := do(s, units, stage, out); err != nil {
		return s.blame(err, units)
	}
	return nil
}

// inputsScheme changes where equal inputs no longer mean what they meant.
const inputsScheme = "files 2"

func (b *Builder) inputs(ctx context.Context, s BuildSpec, units []unit, stage, out string) (string, error) {
	if s.TreeID == "" {
		return "", nil
	}
	folder, err := filepath.Rel(s.root(), s.Tree)
	if err != nil {
		return "", fmt.Errorf("find the configuration's folder: %w", err)
	}
	adapter, err := hashFile(units[0].path)
	if err != nil {
		return "", fmt.Errorf("read the adapter: %w", err)
	}
	named, known := b.namedOutside(s)
	if !known {
		return "", nil
	}
	included, err := b.includedOutside(ctx, s, units, stage, out)
	if err != nil {
		return "", err
	}
	var d digest
	for _, list := range [][]string{
		{inputsScheme, s.TreeID, folder, s.Adapter, adapter, string(Header()), b.Target.Device, b.Target.Arch},
		s.Sources, s.Flags, b.toolchain(), compilerVariables(), named, included,
	} {
		d.add(fmt.Sprintf("%q", list))
	}
	return d.sum(), nil
}

// toolchain is what tells compilers from others under the same paths, and the tools that they find on the PATH.
func (b *Builder) toolchain() []string {
	lines := []string{b.Compiler.Version}
	for _, path := range []string{b.Compiler.Path, b.Compiler.Host} {
		if path != "" {
			lines = append(lines, path, stamp(path))
		}
	}
	for _, name := range []string{"as", "ld", "ld.bfd", "ld.gold", "ld.lld", "mold"} {
		if path, err := exec.LookPath(name); err == nil {
			lines = append(lines, path, stamp(path))
		}
	}
	return lines
}

// stamp is the size and the time of a file, links followed.
func stamp(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return "not there"
	}
	return fmt.Sprintf("%d %d", info.Size(), info.ModTime().UnixNano())
}

// searchVariables are lists of folders in which compilers look for files.
var searchVariables = []string{"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH"}

// otherVariables are what else compilers, linkers and nvcc read from the environment.
var otherVariables = []string{
	"GCC_EXEC_PREFIX", "GCC_ROOT", "CCC_OVERRIDE_OPTIONS", "CLANG_CONFIG_FILE_SYSTEM_DIR", "LD_LIBRARY_PATH", "LD_RUN_PATH", "GNUTARGET", "LDEMULATION", "COLLECT_NO_DEMANGLE",
	"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN", "CUDA_HOME", "CUDA_PATH", "CICC_PATH", "NVVMIR_LIBRARY_DIR", buildDate,
}

func compilerVariables() []string {
	var lines []string
	for _, name := range slices.Concat(searchVariables, otherVariables) {
		lines = append(lines, name+"="+os.Getenv(name))
	}
	return lines
}

// mostOutside is how many files outside of the tree are looked at before a build is not kept.
const mostOutside = 20000

// namedOutside stamps the files outside of the side's root that flags and the environment name, folders with all that is in them.
// known is false where there are too many. Their content is not read: libraries are large.
func (b *Builder) namedOutside(s BuildSpec) (lines []string, known bool) {
	paths := outsidePaths(s)
	for _, name := range searchVariables {
		paths = append(paths, filepath.SplitList(os.Getenv(name))...)
	}
	for _, path := range paths {
		err := filepath.WalkDir(path, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() {
				return nil
			}
			lines = append(lines, path+" "+stamp(path))
			if len(lines) > mostOutside {
				return fs.ErrInvalid
			}
			return nil
		})
		if err != nil {
			return nil, false
		}
	}
	return lines, true
}

// outsidePaths are the files and folders that flags name and that lie outside of the side's root.
func outsidePaths(s BuildSpec) []string {
	paths := named(s.Flags).Read
	for _, flag := range s.Flags {
		for _, part := range flagParts(flag) {
			if at := strings.Index(part, ".."); at >= 0 {
				paths = append(paths, filepath.Join(s.Tree, part[at:]))
			}
			if library, ok := strings.CutPrefix(part, "-l"); ok {
				paths = append(paths, systemLibraries(library)...)
			}
		}
	}
	paths = slices.DeleteFunc(paths, func(path string) bool {
		_, err := os.Stat(path)
		return err != nil || within(s.root(), path)
	})
	slices.Sort(paths)
	return slices.Compact(paths)
}

// systemLibraries are the files that -l may find in the folders of the system.
func systemLibraries(name string) []string {
	names := []string{"lib" + name + ".a", "lib" + name + ".so"}
	if file, ok := strings.CutPrefix(name, ":"); ok {
		names = []string{file}
	}
	var paths []string
	for _, dir := range systemLibraryDirs() {
		for _, name := range names {
			paths = append(paths, filepath.Join(dir, name))
		}
	}
	return paths
}

// within says whether a path lies in a folder, by their names.
func within(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

// includedOutside are the files outside of the side's root that the units include, with their content: headers of the system
// and of libraries.
func (b *Builder) includedOutside(ctx context.Context, s BuildSpec, units []unit, stage, out string) ([]string, error) {
	files, err := b.eachIncluded(ctx, s, units, stage, out)
	if err != nil {
		return nil, err
	}
	return hashed(outside(files, s.Tree, s.root(), stage))
}

// eachIncluded are the files that units are and include; some stand there more than once.
func (b *Builder) eachIncluded(ctx context.Context, s BuildSpec, units []unit, stage, out string) ([]string, error) {
	perUnit := make([][]string, len(units))
	err := eachUnit(units, func(i int) error {
		var err error
		perUnit[i], err = b.included(ctx, s, units[i], stage, filepath.Join(out, fmt.Sprintf("%d.d", i)))
		return err
	})
	return slices.Concat(perUnit...), err
}

// included are the files that a unit includes, directly or not, as the compiler names them; it writes its rule to the file to.
func (b *Builder) included(ctx context.Context, s BuildSpec, u unit, stage, to string) ([]string, error) {
	args := slices.Concat(b.flags(s, u, stage), []string{"-M", "-MF", to, u.path})
	if _, err := runCompiler(ctx, b.compiler(s, filepath.Dir(to), args), u.name); err != nil {
		return nil, err
	}
	rule, err := untrusted.Read(to, mostText)
	if err != nil {
		return nil, fmt.Errorf("read what is included: %w", err)
	}
	return ruleFiles(string(rule))
}

// outside are the files, some named from the folder tree, that lie in neither folder, also where a link in it leads to them.
func outside(files []string, tree string, folders ...string) []string {
	var found []string
	for _, file := range files {
		if !filepath.IsAbs(file) {
			file = filepath.Join(tree, file)
		}
		inside := func(folder string) bool { return within(resolved(folder), resolved(file)) }
		if !slices.ContainsFunc(folders, inside) {
			found = append(found, file)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// resolved is a path without links, as it is where there is no such file.
func resolved(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}

// hashed are files by name and content.
func hashed(files []string) ([]string, error) {
	lines := make([]string, len(files))
	for i, file := range files {
		sum, err := hashFile(file)
		if err != nil {
			return nil, fmt.Errorf("read what is included: %w", err)
		}
		lines[i] = file + " " + sum
	}
	return lines, nil
}

// ruleFiles are the files that a make rule names after its colon.
func ruleFiles(rule string) ([]string, error) {
	_, after, found := strings.Cut(rule, " : ")
	if !found {
		_, after, found = strings.Cut(rule, ": ")
	}
	if !found {
		return nil, fmt.Errorf("the compiler answered -M with what is no make rule: %.80q", rule)
	}
	// Names end at blanks; a backslash keeps a blank or joins lines.
	text := strings.NewReplacer("\\\r\n", " ", "\\\n", " ", "\\ ", "\x00", "\\#", "#", "$$", "$").Replace(after)
	var files []string
	for _, name := range strings.Fields(text) {
		files = append(files, strings.ReplaceAll(name, "\x00", " "))
	}
	return files, nil
}

// LibrariesFingerprint hashes the libraries that a library needs, as they are on this machine: the part of Fingerprint that
// equal inputs do not fix.
func LibrariesFingerprint(path string) (string, error) {
	f, err := openLibrary(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	lines, err := neededLibraries(f.File, path)
	var d digest
	for _, line := range lines {
		d.add(line)
	}
	return d.sum(), err
}

// Includes lists the files of the side that its adapter includes, directly or not, without perfgate's own header; slash-separated and
// relative to the side's tree. It costs preprocessing. The fault of the code is a *BuildError.
func (b *Builder) Includes(ctx context.Context, s BuildSpec) ([]string, error) {
	s.Sources = nil
	var files []string
	err := b.preprocess(s, func(s BuildSpec, units []unit, stage, out string) (err error) {
		files, err = b.included(ctx, s, units[0], stage, filepath.Join(out, "adapter.d"))
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.inside(files), nil
}

// Reads lists the files of the side that its adapter and its sources are and include, directly or not, as Includes does. What they
// embed otherwise (.incbin, #embed), and what is linked to them, is not among these.
func (b *Builder) Reads(ctx context.Context, s BuildSpec) ([]string, error) {
	var files []string
	err := b.preprocess(s, func(s BuildSpec, units []unit, stage, out string) error {
		found, err := b.eachIncluded(ctx, s, units, stage, out)
		files = found
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.inside(append(files, s.Adapter)), nil
}

// inside are those of some files that belong to the side, relative to its tree.
func (s BuildSpec) inside(files []string) []string {
	var out []string
	for _, file := range files {
		if !filepath.IsAbs(file) {
			file = filepath.Join(s.Tree, file)
		}
		within, err := filepath.Rel(s.root(), file)
		if err != nil || !filepath.IsLocal(within) || filepath.Base(file) == "perfgate.h" {
			continue
		}
		if name, err := filepath.Rel(s.Tree, file); err == nil && !slices.Contains(out, filepath.ToSlash(name)) {
			out = append(out, filepath.ToSlash(name))
		}
	}
	return out
}
