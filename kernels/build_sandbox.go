package kernels

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/child"
	"github.com/org/perfgate/kernels/observe"
	"github.com/org/perfgate/kernels/sandbox"
)

// enter prepares one build: a folder for temporary files, the same for both sides so that no path of it makes equal code
// differ, and in a sandbox the list of files that the side has. leave ends the build.
func (b *Builder) enter(s *BuildSpec) (leave func(), err error) {
	if b.Sandbox != nil {
		if err := s.staysInside(); err != nil {
			return nil, err
		}
		if s.files, err = readable(s.root()); err != nil {
			return nil, err
		}
		s.files = s.files.With(sandbox.Policy{Read: s.Environment.Reads()}, sandbox.Variables("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH"), named(s.Flags))
	}
	b.shared.Lock()
	defer b.shared.Unlock()
	if err := os.MkdirAll(b.temporary(), 0o700); err != nil {
		return nil, fmt.Errorf("make a folder for temporary files: %w", err)
	}
	b.running++
	return b.leave, nil
}

// leave removes the folder for temporary files when no build uses it any more.
func (b *Builder) leave() {
	b.shared.Lock()
	defer b.shared.Unlock()
	if b.running--; b.running == 0 {
		_ = sandbox.Remove(b.temporary())
	}
}

func (b *Builder) temporary() string { return filepath.Join(b.Scratch, "tmp") }

// stage is the folder of the adapter and of perfgate.h while they are compiled.
func (b *Builder) stage(s BuildSpec) string { return filepath.Join(b.Scratch, "adapter", s.Kernel) }

func (s BuildSpec) root() string {
	if s.Root != "" {
		return s.Root
	}
	return s.Tree
}

// staysInside refuses a side whose folder is a link that leads out of it: the sandbox would open what it leads to.
func (s BuildSpec) staysInside() error {
	root, err := filepath.EvalSymlinks(s.root())
	if err != nil {
		return fmt.Errorf("find the side's files: %w", err)
	}
	tree, err := filepath.EvalSymlinks(s.Tree)
	if err != nil {
		return fmt.Errorf("find the side's files: %w", err)
	}
	if rel, err := filepath.Rel(root, tree); err != nil || !filepath.IsLocal(rel) {
		return &BuildError{Kernel: s.Kernel, Cause: result.CauseSources, Err: fmt.Errorf("the folder %s is a link that leads out of the repository", filepath.Base(s.Tree))}
	}
	return nil
}

// NamedByFlags are the files and folders that a sandboxed build with these flags may read because they name them.
func NamedByFlags(flags []string) []string { return named(flags).Read }

// named are the files and folders that compiler flags name by absolute paths, such as -I/opt/cutlass/include. Flags come
// from the configuration and the command line, which are trusted.
func named(flags []string) sandbox.Policy {
	var paths []string
	for _, flag := range flags {
		for _, part := range strings.FieldsFunc(flag, func(r rune) bool { return r == ',' || r == '=' }) { // what compilers join an option and its arguments with
			if at := strings.IndexByte(part, '/'); at >= 0 && (at == 0 || strings.HasPrefix(part, "-")) {
				paths = append(paths, part[at:])
			}
		}
	}
	return sandbox.Folders(paths...)
}

// compiler is one step of a build: the compiler, or a tool beside it, that writes into out.
func (b *Builder) compiler(s BuildSpec, out string, args []string) child.Spec {
	spec := child.Spec{Path: b.Compiler.Path, Args: args, Dir: s.Tree, Env: child.With(compilerEnv(b.temporary()), s.Environment.Variables()...), Memory: b.Memory, Log: b.Log}
	if b.Sandbox == nil {
		return spec
	}
	return b.confine(spec, s, sandbox.Policy{Write: []string{out}})
}

// step is a compiler whose requests for files are seen, but for what perfgate itself puts before it and takes from it.
func (b *Builder) step(s BuildSpec, out string, args []string) child.Spec {
	spec := b.compiler(s, out, args)
	spec.Observe = &observe.Options{Own: b.ownFolders(s, out), Caches: observe.SharedCaches(os.Environ()), Kept: EnvironmentFolders(b.Cache)}
	return spec
}

// ownFolders are perfgate's own of a build that makes its parts in out.
func (b *Builder) ownFolders(s BuildSpec, out string) []string {
	return []string{b.stage(s), b.temporary(), out}
}

func (b *Builder) confine(spec child.Spec, s BuildSpec, more ...sandbox.Policy) child.Spec {
	tools := sandbox.Toolchain(b.Compiler.Path, b.Compiler.Host)
	stage := sandbox.Policy{Read: []string{b.stage(s)}}
	return b.Sandbox.confined(spec, b.temporary(), append(more, tools, stage, s.files)...)
}

// command is build.command. In a sandbox it may write into the side's tree, where it belongs, but not into what a checkout
// holds beside the sources: what git keeps, workflows, stored baselines. A copy that was laid out for this run has no such.
func (b *Builder) command(s BuildSpec, stage string) (child.Spec, error) {
	spec := child.Spec{Path: "/bin/sh", Args: []string{"-c", s.Command}, Dir: s.Tree, Env: b.commandEnv(s, stage), Memory: b.Memory, Log: b.Log}
	if b.Sandbox == nil || !b.Sandbox.Commands {
		return spec, nil
	}
	if err := makeWithin(s.Tree, filepath.Dir(s.Output)); err != nil {
		return spec, &BuildError{Kernel: s.Kernel, Cause: result.CauseCommand, Err: fmt.Errorf("make the folder of %s: %w", s.Output, err)}
	}
	write := []string{s.Tree}
	if rel, err := filepath.Rel(b.Scratch, s.Tree); err != nil || !filepath.IsLocal(rel) {
		if write, _, err = sandbox.Without(s.Tree, ".git", ".github", ".perfgate"); err != nil {
			return spec, fmt.Errorf("list the files of %s: %w", s.Tree, err)
		}
	}
	return b.confine(spec, s, sandbox.Policy{Write: write}, sandbox.SearchPath(), sandbox.Accounts()), nil
}

// commandEnv is the environment of build.command. PERFGATE_FLAGS may be empty: no flags are flags, too.
func (b *Builder) commandEnv(s BuildSpec, stage string) []string {
	env := child.With(child.Scrub(os.Environ()), "TMPDIR="+b.Scratch, "PERFGATE_FLAGS="+strings.Join(s.Flags, " "))
	if _, err := os.Stat(stage); err == nil {
		env = withKnown(env, "PERFGATE_INCLUDE", stage)
	}
	if s.Adapter != "" { // the same for both sides, so that a base that is older than the adapter builds with it
		env = withKnown(env, "PERFGATE_ADAPTER", filepath.Join(stage, filepath.Base(s.Adapter)))
	}
	env = withKnown(env, "PERFGATE_ARCH", b.Target.ArchName())
	env = withKnown(env, "CXX", cmp.Or(b.Compiler.Host, b.Compiler.Path)) // also of nvcc
	if b.Target.IsCUDA() {
		env = withKnown(env, "CUDACXX", b.Compiler.Path)
		env = withKnown(env, "NVCC", b.Compiler.Path)
		env = withKnown(env, "CUDAHOSTCXX", b.Compiler.Host)
	}
	return child.With(child.With(env, s.Environment.Variables()...), s.Variables...)
}

// withKnown sets a variable that has a value. Without one it stays as the user has it: an empty CXX would hide make's own, so that a recipe begins
// with "-O2", whose - has make ignore that the command fails.
func withKnown(env []string, name, value string) []string {
	if value == "" {
		return env
	}
	return child.With(env, name+"="+value)
}

// makeWithin makes a folder of a tree, following no link out of it.
func makeWithin(tree, path string) error {
	if path == "." {
		return nil
	}
	root, err := os.OpenRoot(tree)
	if err != nil {
		return err
	}
	defer root.Close()
	return root.MkdirAll(path, 0o755)
}

// hint says that the sandbox may be why a file does not compile.
func (e *CompileError) hint() string {
	if !e.Sandboxed {
		return ""
	}
	return hintDenied(e.Output)
}
