package kernels

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/untrusted"
	"github.com/org/perfgate/kernels/child"
	"github.com/org/perfgate/kernels/sandbox"
)

// EnvironmentSpec says what the environment of a side is made of: commands, and files of the side. The commands see a copy of those files and nothing else
// of the repository, so that equal files make an environment that both sides, and later runs, can use.
type EnvironmentSpec struct {
	Kernel string // for messages
	Side   string // base, head, referee or other-commit
	Fetch  string // for sh, with a network; "" fetches nothing
	Build  string // for sh, without one
	Tree   string
	Inputs []string // files, relative to Tree and in order
}

// Environment is one that was made. Its processes read it, and nothing writes to it any more.
type Environment struct {
	Key     string // names all that it was made of
	Folder  string // has the environment itself in env, and in tree the inputs, which it may lead to
	Cached  bool
	Seconds float64

	stamp string   // of the folder when it was checked
	lock  *os.File // as long as this process lives nobody else removes it
}

// Name is the key of an environment; "" of none, which is what is installed.
func (e *Environment) Name() string {
	if e == nil {
		return ""
	}
	return e.Key
}

// Path is the folder that its commands filled.
func (e *Environment) Path() string { return filepath.Join(e.Folder, "env") }

func (e *Environment) tree() string { return filepath.Join(e.Folder, "tree") }

// mostEnvironment is how long the commands of an environment may take together.
const mostEnvironment = 30 * time.Minute

// EnvironmentFolders is where a cache keeps environments: none without a cache.
func EnvironmentFolders(cache string) []string {
	if cache == "" {
		return nil
	}
	return []string{filepath.Join(cache, "environments")}
}

// Environment takes an environment from the cache, where what is there is as it was when it was made, or makes it. That it cannot be made is a *BuildError.
func (b *Builder) Environment(ctx context.Context, s EnvironmentSpec) (*Environment, error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(b.Limit, mostEnvironment))
	defer cancel()
	began := time.Now()
	sums, err := s.sums(nil)
	if err != nil {
		return nil, err
	}
	key := b.environmentKey(s, sums)
	kept := EnvironmentFolders(cmp.Or(b.Cache, b.Scratch))[0]
	if err := os.MkdirAll(kept, 0o755); err != nil {
		return nil, fmt.Errorf("make the cache folder (PERFGATE_CACHE names another): %w", err)
	}
	if kept, err = filepath.EvalSymlinks(kept); err != nil { // what an environment holds names its own place
		return nil, fmt.Errorf("find the cache folder: %w", err)
	}
	e := &Environment{Key: key, Folder: filepath.Join(kept, key)}
	if err = e.openLock(); err != nil {
		return nil, err
	}
	if err = b.ready(ctx, s, e, sums); err != nil {
		e.lock.Close()
		return nil, err
	}
	e.Seconds = time.Since(began).Seconds()
	return e, nil
}

// ready sees to it that an environment is there, and keeps others from removing it.
func (b *Builder) ready(ctx context.Context, s EnvironmentSpec, e *Environment, sums []string) error {
	if err := e.hold(ctx, shared); err != nil {
		return err
	}
	if e.Cached = b.isSealed(e); !e.Cached {
		if err := e.hold(ctx, exclusive); err != nil {
			return err
		}
		if err := b.makeEnvironment(ctx, s, e, sums); err != nil {
			e.remove()
			return err
		}
		if err := e.hold(ctx, shared); err != nil {
			return err
		}
	}
	var err error
	e.stamp, _, err = folderDigest(e.Folder, stampOf)
	return err
}

// makeEnvironment fills the folder of an environment, unless another run has done so since.
func (b *Builder) makeEnvironment(ctx context.Context, s EnvironmentSpec, e *Environment, sums []string) error {
	if b.isSealed(e) {
		e.Cached = true
		return nil
	}
	if err := errors.Join(sandbox.Remove(e.Folder), os.MkdirAll(e.tree(), 0o755)); err != nil {
		return fmt.Errorf("make room for an environment: %w", err)
	}
	if s.Fetch != "" {
		if err := b.fetch(ctx, s, e); err != nil {
			return err
		}
	}
	staged, err := s.sums(func(name string) string { return filepath.Join(e.tree(), name) })
	if err != nil {
		return err
	}
	if !slices.Equal(staged, sums) {
		return fmt.Errorf("inputs of %s's environment changed while it was built", s.Side)
	}
	if err := b.environmentCommand(ctx, s, e, "build", s.Build); err != nil {
		return err
	}
	if info, err := os.Lstat(e.Path()); err != nil || !info.IsDir() {
		return s.failed("build", "", errors.New("it ended well and made nothing in PERFGATE_ENV"))
	}
	for _, name := range []string{"wheels", "cache"} {
		if err := sandbox.Remove(filepath.Join(e.Folder, name)); err != nil {
			return fmt.Errorf("remove what an environment was made of: %w", err)
		}
	}
	return b.seal(e)
}

// IsList says of an input's name that it lists packages and is not code.
func IsList(name string) bool { return slices.Contains(lists, filepath.Ext(name)) }

// lists are the kinds of files that say what to fetch. Others may be code, which does not run where there is a network.
var lists = []string{".txt", ".in", ".lock", ".toml", ".cfg", ".json", ".yaml", ".yml"}

// fetch runs the command that has a network next to the inputs that are lists.
func (b *Builder) fetch(ctx context.Context, s EnvironmentSpec, e *Environment) error {
	only := s
	only.Inputs = slices.DeleteFunc(slices.Clone(s.Inputs), func(name string) bool { return !IsList(name) })
	if _, err := only.sums(func(name string) string { return filepath.Join(e.tree(), name) }); err != nil {
		return err
	}
	if err := b.environmentCommand(ctx, s, e, "fetch", s.Fetch, sandbox.Network()); err != nil {
		return err
	}
	// It may have written to both: what was made next to a network is not what is used.
	return errors.Join(sandbox.Remove(e.Path()), sandbox.Remove(e.tree()), os.MkdirAll(e.tree(), 0o755))
}

// platformFiles are what installers read to know the platform and the kinds of files. Their own configuration is not among them: an index there may have a
// password, and what a pull request has a command run prints what it reads.
var platformFiles = sandbox.Policy{Read: []string{"/etc/os-release", "/etc/lsb-release", "/etc/debian_version", "/etc/redhat-release", "/etc/mime.types"}}

// environmentCommand runs one of the commands in the copy of the inputs.
func (b *Builder) environmentCommand(ctx context.Context, s EnvironmentSpec, e *Environment, key, line string, opens ...sandbox.Policy) error {
	spec := child.Spec{Path: "/bin/sh", Args: []string{"-c", line}, Dir: e.tree(), Env: b.environmentEnv(s, e, key), Memory: b.Memory, Log: b.Log}
	if b.Sandbox != nil {
		private, leave, err := privateFolder(b.Scratch, "environment-")
		if err != nil {
			return err
		}
		defer leave()
		spec = b.Sandbox.confined(spec, private, append(opens, sandbox.Policy{Write: []string{e.Folder}}, sandbox.SearchPath(), sandbox.Accounts(), platformFiles, named(strings.Fields(line)),
			sandbox.Folders(strings.Fields(os.Getenv("PIP_FIND_LINKS")+" "+os.Getenv("UV_FIND_LINKS"))...))...)
		spec.Disk.Folders = append(spec.Disk.Folders, e.Folder)
	}
	out, err := child.Run(ctx, spec)
	var exit *exec.ExitError
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return s.failed(key, out.Stdout+out.Stderr, fmt.Errorf("it did not end within %s", cmp.Or(b.Limit, mostEnvironment)))
	case ctx.Err() != nil:
		return fmt.Errorf("environment.%s of %s: %w", key, s.Side, context.Cause(ctx))
	case err == nil && out.Broke == "":
		return nil
	case err != nil && !errors.As(err, &exit):
		return fmt.Errorf("environment.%s of %s: %w", key, s.Side, err)
	}
	if err := overDisk(out, "environment."+key); err != nil {
		return err
	}
	return s.failed(key, out.Stdout+out.Stderr, fmt.Errorf("%w%s", cmp.Or(err, errors.New("it was stopped")), commandHint(spec, out)))
}

func (s EnvironmentSpec) failed(key, output string, err error) error {
	return &BuildError{Kernel: s.Kernel, Cause: result.CauseEnvironment, Output: output, Err: fmt.Errorf("environment.%s of %s failed: %w", key, s.Side, err)}
}

// environmentEnv are the variables of a command that makes an environment.
func (b *Builder) environmentEnv(s EnvironmentSpec, e *Environment, key string) []string {
	cache := filepath.Join(e.Folder, "cache")
	env := child.With(child.Scrub(os.Environ()), e.Variables()...)
	env = child.With(withoutPrefix(env, "PYTHONDONTWRITEBYTECODE="), "PERFGATE_TREE="+e.tree(), "PERFGATE_WHEELS="+filepath.Join(e.Folder, "wheels"),
		"UV_CACHE_DIR="+filepath.Join(cache, "uv"), "PIP_CACHE_DIR="+filepath.Join(cache, "pip"), "UV_LINK_MODE=copy", "UV_COMPILE_BYTECODE=1", "PIP_DISABLE_PIP_VERSION_CHECK=1")
	if key == "build" {
		env = child.With(env, "PIP_NO_INDEX=1", "UV_OFFLINE=1")
	}
	if s.asksSide() {
		env = child.With(env, "PERFGATE_SIDE="+s.Side)
	}
	return env
}

// Reads are the folders that its processes read.
func (e *Environment) Reads() []string {
	if e == nil {
		return nil
	}
	return []string{e.Folder}
}

// Variables lead what is built and run to the environment, and to no other.
func (e *Environment) Variables() []string {
	if e == nil {
		return nil
	}
	path := e.Path()
	library := filepath.Join(path, "lib")
	also := func(first, name string) string {
		if old := os.Getenv(name); old != "" { // the image's, such as the folder of the driver
			first += ":" + old
		}
		return name + "=" + first
	}
	return []string{
		"PERFGATE_ENV=" + path, "VIRTUAL_ENV=" + path, "UV_PROJECT_ENVIRONMENT=" + path, also(filepath.Join(path, "bin"), "PATH"), also(library, "LD_LIBRARY_PATH"),
		"CMAKE_PREFIX_PATH=" + path, "PKG_CONFIG_PATH=" + filepath.Join(library, "pkgconfig"), "CPATH=" + filepath.Join(path, "include"), "LIBRARY_PATH=" + library,
		"LD_RUN_PATH=" + library, "PYTHONPATH=", "PYTHONHOME=", "PYTHONNOUSERSITE=1", "PYTHONDONTWRITEBYTECODE=1",
	}
}

// sums hashes the inputs, and copies each to where place says.
func (s EnvironmentSpec) sums(place func(name string) string) ([]string, error) {
	if len(s.Inputs) == 0 && place == nil {
		return nil, s.failed("build", "", errors.New("none of the files of environment.inputs is there"))
	}
	var out []string
	for _, name := range s.Inputs {
		sum, err := s.copyInput(name, place)
		if err != nil {
			return nil, s.failed("build", "", fmt.Errorf("read the input %s: %w", name, err))
		}
		out = append(out, name+" "+sum)
	}
	return out, nil
}

func (s EnvironmentSpec) copyInput(name string, place func(string) string) (sum string, err error) {
	in, err := untrusted.OpenIn(s.Tree, name, mostLibrary)
	if err != nil {
		return "", err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	to := io.Writer(h)
	if place != nil {
		path := place(name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return "", err
		}
		out, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, info.Mode().Perm()|0o600)
		if err != nil {
			return "", err
		}
		defer out.Close()
		to = io.MultiWriter(h, out)
	}
	_, err = io.Copy(to, in)
	return fmt.Sprintf("%t %x", info.Mode()&0o100 != 0, h.Sum(nil)), err
}

// asksSide says whether a command is told which side it is for. Then no other side uses what it makes.
func (s EnvironmentSpec) asksSide() bool { return strings.Contains(s.Fetch+s.Build, "PERFGATE_SIDE") }

// environmentVariables begin the names of variables that change what installers and compilers make.
var environmentVariables = []string{"PIP_", "UV_", "CMAKE_", "CC=", "CXX=", "CFLAGS=", "CXXFLAGS=", "LDFLAGS=", "CUDA_HOME=", "TORCH_CUDA_ARCH_LIST=", "NVCC_"}

// environmentKey names all that an environment is made of: commands, inputs, platform, and the tools of this machine that the commands may start.
func (b *Builder) environmentKey(s EnvironmentSpec, sums []string) string {
	system, _ := untrusted.ReadLinked("/etc/os-release", 64<<10)
	parts := []string{"environment 1", s.Fetch, s.Build, runtime.GOOS, runtime.GOARCH, string(system), fmt.Sprint(b.Sandbox != nil)}
	if s.asksSide() {
		parts = append(parts, s.Side)
	}
	for _, entry := range child.Scrub(os.Environ()) {
		if slices.ContainsFunc(environmentVariables, func(prefix string) bool { return strings.HasPrefix(entry, prefix) }) {
			parts = append(parts, entry)
		}
	}
	tools := append(strings.FieldsFunc(s.Fetch+"\n"+s.Build, func(r rune) bool { return strings.ContainsRune(" \t\n;&|()\"'", r) }), "python3", "cmake", "c++", "nvcc", "ninja")
	slices.Sort(tools)
	for _, tool := range slices.Compact(tools) {
		if path, err := exec.LookPath(tool); err == nil {
			parts = append(parts, programIdentity(path))
		}
	}
	var d digest
	for _, part := range append(parts, sums...) {
		d.add(part)
	}
	return d.sum()
}

// programIdentity tells an installed program from another version of it.
func programIdentity(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	info, err := os.Stat(path)
	if err != nil {
		return path
	}
	return fmt.Sprintf("%s %d %d", path, info.Size(), info.ModTime().UnixNano())
}

// folderDigest is that of all that a folder holds, each as of says, and how many bytes that is.
func folderDigest(folder string, of func(path string) (string, error)) (sum string, bytes int64, err error) {
	h := sha256.New()
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if info.Mode().IsRegular() {
			bytes += info.Size()
		}
		what, err := of(path)
		name, _ := filepath.Rel(folder, path)
		fmt.Fprintf(h, "%q %q\n", name, what)
		return err
	})
	return hex.EncodeToString(h.Sum(nil)[:16]), bytes, err
}
