package kernels

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/child"
	"github.com/org/perfgate/kernels/observe"
	"github.com/org/perfgate/kernels/sandbox"
)

// BuildSpec says what one side of one kernel is built from. Paths but the trees are relative to a tree.
type BuildSpec struct {
	Kernel      string
	Tree        string       // folder of the side; the compiler runs there
	Root        string       // folder around Tree that belongs to the side; "" means Tree
	AdapterTree string       // folder that the adapter is taken from; it may be the other side's
	Adapter     string       // C, C++ or CUDA file
	Sources     []string     // compiled with the adapter into one library
	Flags       []string     // of the configuration, then of the side
	Command     string       // instead of compiling: a shell command run in Tree …
	Output      string       // … and the library that it makes
	Program     string       // the program that it makes beside that, or alone, relative to Tree; "" where that is not known
	Python      *Interpreter // of an adapter in Python; nil of any other
	Checkouts   []string     // of an adapter in Python: other folders of the repository, which editable installs may lead to
	Pins        []Pin        // of an adapter in Python: choices that its autotuners do not have
	Variables   []string     // NAME=VALUE, for the environment of Command and of an adapter in Python
	Environment *Environment // what it is built and run with; nil: what is installed
	TreeID      string       // names what Root holds, and nothing else does: git's name of a tree, or a hash of all its files; "" where none is known
	Keep        bool         // the library may come from the cache and is kept there, as base's may and head's never

	files sandbox.Policy // the side's, for whatever builds it in a sandbox
}

// Library is a built adapter.
type Library struct {
	Path        string
	Fingerprint string         // of the code in it, see Fingerprint
	Inputs      string         // names what it was made of, see Builder.Inputs; "" where that is not known
	Asked       observe.Report // what compilers and the linker asked the Linux kernel for, but for perfgate's own folders, or what a build command asked for
	Told        []Told         // of that, what the compiler of the adapter and the linker asked for inside of the side's root
	Entries     []string       // functions of perfgate.h that the adapter's own object defines; nil of a build command or from the cache
	Command     []string       // what built it, for people
	Cached      bool
	Seconds     float64
	Output      string     // the compiler's warnings
	Imports     *Imports   // of an adapter in Python: what it has loaded; nil of any other
	Reads       []string   // folders of its environment, which its processes read
	Caches      string     // of an adapter in Python: folder of what frameworks compile in its processes
	Ahead       bool       // of an adapter in Python: a process can import its packages while another one measures, and it in its turn
	Resources   []Resource // CUDA: what each kernel needs of a multiprocessor, as ptxas reports it
}

// BuildError is a build that failed by the fault of what was built.
type BuildError struct {
	Kernel   string
	Cause    result.BuildCause
	Unlinked bool   // all of it compiles, and it does not link
	Missing  string // file of the side that is not there, as a source or an include names it; "" if that is not the fault, or not known
	Output   string // the compiler's words, capped, not escaped
	Err      error
}

func (e *BuildError) Error() string { return fmt.Sprintf("%s: %v", e.Kernel, e.Err) }

func (e *BuildError) Unwrap() error { return e.Err }

// Builder builds adapters with one compiler for one target. Scratch is a private folder, Cache one that outlives the run. Several builds may run at
// once where they have one kernel and one adapter, as those with other flags do.
type Builder struct {
	Compiler Compiler // nvcc for a CUDA target
	Target   Target
	Cache    string
	Scratch  string
	Limit    time.Duration // of one build; 0 means 15 minutes
	Memory   int64         // bytes that a compiler or a build command may hold with all that it starts; 0 means no limit
	Sandbox  *Sandbox      // nil: what builds a side may touch what the user may
	Log      child.Log     // of compilers and build commands; may be nil
	// Repository are folders of the sides and of the checkout: a build command reads no other than its own.
	Repository []string
	Runner     RunnerSpec       // how what a build made is run, which an adapter in Python is to be imported; its library is not set
	shared     sync.Mutex       // of what follows, and of what builds write for each other
	count      int              // folders of builds so far
	running    int              // builds that use the temporary folder
	digests    *observe.Digests // nil until they are needed
	compiling  chan struct{}    // see slots; nil until it is needed
}

const mostBuilding = 15 * time.Minute

// Build makes the adapter library of one side. The fault of the code is a *BuildError; anything else is ours or the
// machine's.
func (b *Builder) Build(ctx context.Context, s BuildSpec) (Library, error) {
	if err := b.Compiler.check(b.Target); err != nil {
		return Library{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(b.Limit, mostBuilding))
	defer cancel()
	start := time.Now()
	leave, err := b.enter(&s)
	if err != nil {
		return Library{}, err
	}
	defer leave()
	stage, err := b.stageAdapter(s)
	if err != nil {
		return Library{}, err
	}
	var lib Library
	if s.Python != nil {
		lib, err = b.host(ctx, s, stage)
	} else if s.Command != "" {
		lib, err = b.runCommand(ctx, s, stage)
	} else {
		lib, err = b.compile(ctx, s, stage)
	}
	if err != nil {
		return Library{}, err
	}
	lib.Seconds, lib.Reads = time.Since(start).Seconds(), s.Environment.Reads()
	if s.Python != nil {
		return lib, nil
	}
	if lib.Fingerprint, err = Fingerprint(lib.Path); err != nil {
		return Library{}, &BuildError{Kernel: s.Kernel, Cause: result.CauseCommand, Err: err}
	}
	if s.Command != "" {
		err = s.checkExported(lib.Path, nil)
	}
	return lib, err
}

// buildFolder makes the private folder of one build.
func (b *Builder) buildFolder() (string, error) {
	b.shared.Lock()
	out := filepath.Join(b.Scratch, fmt.Sprintf("build-%d", b.count))
	b.count++
	b.shared.Unlock()
	if err := os.MkdirAll(out, 0o755); err != nil {
		return "", fmt.Errorf("make a folder for the build: %w", err)
	}
	return out, nil
}
