package kernels

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/org/perfgate/gate/untrusted"
	"github.com/org/perfgate/kernels/checkout"
	"github.com/org/perfgate/kernels/child"
	"github.com/org/perfgate/kernels/sandbox"
)

// Interpreter is a Python that runs adapters.
type Interpreter struct {
	Path    string   `json:"path"`    // as it is started: a virtual environment is known by the path of its link
	Version string   `json:"version"` // 3.12.3
	Folders []string `json:"folders"` // that it and its packages are installed in, and the file of its libpython; of a found one, what the sandbox opens
}

// InterpreterError says why an interpreter cannot run adapters, and what to do.
type InterpreterError struct {
	Name   string // as the configuration has it
	Reason string
}

func (e *InterpreterError) Error() string {
	return fmt.Sprintf("the Python interpreter %s %s; `python:` in the configuration names another", e.Name, e.Reason)
}

// leastPython is the oldest version whose C API the bridge knows.
const leastPython = "3.9"

// describeInterpreter makes an interpreter describe itself the way it will be started: -I and -S, then the packages of its site.
const describeInterpreter = `import json, sys, types
for name in ("sitecustomize", "usercustomize"):
    sys.modules[name] = types.ModuleType(name)
import site, sysconfig
site.ENABLE_USER_SITE = False
site.main()
print(json.dumps({"path": sys.executable, "version": ".".join(map(str, sys.version_info[:3])), "recent": sys.version_info >= (3, 9),
    "implementation": sys.implementation.name,
    "folders": sorted({sys.prefix, sys.base_prefix, sys.exec_prefix, *(p for p in sysconfig.get_paths().values() if p)})}))`

// InterpreterSpec says which interpreter is meant.
type InterpreterSpec struct {
	Name     string   // as the configuration has it: a program on the PATH, or a path
	Dir      string   // that a path is relative to
	Scratch  string   // private folder
	Checkout []string // folders whose files may be a pull request's: those of the sides, and the checkout
	Sandbox  *Sandbox // nil: it may touch what the user may
}

// interpreterLimit is how long an interpreter may take to say what it is. Some of those that choose one are slow scripts.
const interpreterLimit = 30 * time.Second

// FindInterpreter finds the interpreter that the configuration names. The error is an *InterpreterError where the interpreter is at fault.
//
// What the PATH has may be a shim, as those of pyenv, asdf and mise: a script that reads the home folder to choose an interpreter, which it
// may not in the sandbox. One that is the machine's is asked outside for the program that it starts; from then on that one is used, in the
// sandbox. What lies in a side or in the checkout may be a pull request's, and never runs outside.
func FindInterpreter(ctx context.Context, s InterpreterSpec) (Interpreter, error) {
	started, err := s.program(ctx)
	if err != nil {
		return Interpreter{}, err
	}
	told, err := s.ask(ctx, s.inSandbox(started))
	if err != nil {
		return Interpreter{}, err
	}
	if told.Implementation != "cpython" || !told.Recent {
		return Interpreter{}, &InterpreterError{s.Name, fmt.Sprintf("is %s %s, and adapters need CPython %s or later", told.Implementation, told.Version, leastPython)}
	}
	told.Folders = sandbox.Python(started.Path, slices.Concat(told.Folders, started.Folders, []string{installedIn(told.Path)})...).Read
	slices.Sort(told.Folders)
	told.Folders = slices.Compact(told.Folders)
	return told.Interpreter, nil
}

// program is what to start: what the name leads to, or where that is the machine's, the program that it starts.
func (s InterpreterSpec) program(ctx context.Context) (started Interpreter, err error) {
	path, err := exec.LookPath(InterpreterPath(s.Name, s.Dir))
	if err != nil {
		var lookup *exec.Error
		if errors.As(err, &lookup) {
			err = lookup.Err
		}
		return started, &InterpreterError{s.Name, "cannot be run: " + strings.TrimPrefix(err.Error(), "exec: ")}
	}
	if started.Path, err = filepath.Abs(path); err != nil || s.inCheckout(started.Path) {
		return started, err
	}
	told, err := s.ask(ctx, s.onMachine(started.Path))
	return told.Interpreter, err
}

// InterpreterPath is where a configuration's name of an interpreter leads: a path, or a program on the PATH as it is. dir is what a path is
// relative to.
func InterpreterPath(name, dir string) string {
	rest, ofUser := strings.CutPrefix(name, "~/")
	home, err := os.UserHomeDir()
	switch {
	case ofUser && err == nil:
		return filepath.Join(home, rest)
	case strings.Contains(name, "/") && !filepath.IsAbs(name):
		return filepath.Join(dir, name)
	}
	return name
}

// inCheckout says whether a path is one that a pull request may have a say in.
func (s InterpreterSpec) inCheckout(path string) bool {
	return checkout.In(append([]string{s.Scratch}, s.Checkout...)...).Holds(path)
}

// nameInterpreter makes an interpreter name its program and where it is installed. No code but its own runs: -S leaves out packages, of
// which an editable install would be the checkout's.
// Its libpython may lie elsewhere, and another of that name be found where it cannot be read.
const nameInterpreter = `import json, sys
try:
    with open("/proc/self/maps") as maps:
        library = {line.split(None, 5)[-1].strip() for line in maps if "/libpython" in line and not line.endswith("(deleted)\n")}
except OSError:
    library = set()
print(json.dumps({"path": sys.executable, "folders": sorted({sys.prefix, getattr(sys, "base_prefix", sys.prefix), sys.exec_prefix} | library)}))`

// onMachine asks an interpreter of the machine outside of the sandbox. Nothing of the checkout may choose for it: shims look for a
// .python-version in the folder that they start in and in those above, and for programs on the PATH.
func (s InterpreterSpec) onMachine(path string) child.Spec {
	search := slices.DeleteFunc(filepath.SplitList(os.Getenv("PATH")), func(dir string) bool { return !filepath.IsAbs(dir) || s.inCheckout(dir) })
	env := child.With(withoutPrefix(child.Scrub(os.Environ()), "PYENV_DIR=", "PYENV_FILE_ARG="),
		"PWD=/", "PATH="+strings.Join(search, string(filepath.ListSeparator)))
	return child.Spec{Path: path, Args: []string{"-I", "-S", "-c", nameInterpreter}, Dir: "/", Env: env}
}

// inSandbox asks an interpreter the way it will be used.
func (s InterpreterSpec) inSandbox(i Interpreter) child.Spec {
	spec := child.Spec{Path: i.Path, Args: []string{"-I", "-S", "-c", describeInterpreter}, Dir: s.Scratch, Env: child.Scrub(os.Environ())}
	if s.Sandbox == nil {
		return spec
	}
	return s.Sandbox.confined(spec, s.Scratch, sandbox.Python(i.Path, append(i.Folders, copiedFrom(i.Path))...))
}

// installedIn is the folder around the bin of a program.
func installedIn(program string) string { return filepath.Dir(filepath.Dir(program)) }

// answer is what an interpreter says of itself; what is not an Interpreter's, only where it describes itself.
type answer struct {
	Interpreter
	Recent         bool   `json:"recent"`
	Implementation string `json:"implementation"`
}

// ask runs an interpreter for its answer.
func (s InterpreterSpec) ask(ctx context.Context, spec child.Spec) (told answer, err error) {
	limited, cancel := context.WithTimeout(ctx, interpreterLimit)
	defer cancel()
	out, err := child.Run(limited, spec)
	switch {
	case ctx.Err() != nil:
		return told, ctx.Err()
	case limited.Err() != nil:
		return told, &InterpreterError{s.Name, fmt.Sprintf("does not say within %s what it is", interpreterLimit)}
	case err != nil:
		why := "does not run: " + strings.ReplaceAll(cmp.Or(lastLines(out.Stderr, 3), err.Error()), "\n", "; ")
		if spec.Sandbox != nil && s.inCheckout(spec.Path) { // it may run elsewhere
			why += " (a file or link of the checkout leads to it, so it runs only in the sandbox)"
		}
		return told, &InterpreterError{s.Name, why}
	case json.Unmarshal([]byte(out.Stdout), &told) != nil || !filepath.IsAbs(told.Path):
		return told, &InterpreterError{s.Name, "does not say what it is"}
	}
	return told, nil
}

// mostVenvBytes bounds what is read of a virtual environment's file, which may be a pull request's.
const mostVenvBytes = 64 << 10

// copiedFrom is the installation that a virtual environment with a copy of its program (venv --copies) finds its library in; "" for
// any other. A link leads there by itself.
func copiedFrom(path string) string {
	text, err := untrusted.Read(filepath.Join(installedIn(path), "pyvenv.cfg"), mostVenvBytes)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if key, home, _ := strings.Cut(line, "="); strings.TrimSpace(key) == "home" {
			return filepath.Dir(strings.TrimSpace(home))
		}
	}
	return ""
}
