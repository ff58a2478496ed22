package kernels

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/org/perfgate/kernels/child"
	"github.com/org/perfgate/kernels/sandbox"
)

// Interpreter is a Python that runs adapters.
type Interpreter struct {
	Path    string   `json:"path"`    // as it is started: a virtual environment is known by the path of its link
	Version string   `json:"version"` // 3.12.3
	Folders []string `json:"folders"` // that it and its packages are installed in
}

// InterpreterError says why an interpreter cannot run adapters, and what to do.
type InterpreterError struct {
	Name string // as the configuration has it
	Why  string
}

func (e *InterpreterError) Error() string {
	return fmt.Sprintf("the Python interpreter %s %s; `python:` in the configuration names another", e.Name, e.Why)
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

// FindInterpreter finds the interpreter that name names: a program on the PATH, or a path, which is relative to dir. scratch is a private
// folder. The error is an *InterpreterError where the interpreter is at fault.
func FindInterpreter(ctx context.Context, name, dir, scratch string, box *Sandbox) (Interpreter, error) {
	path := name
	if strings.Contains(name, "/") && !filepath.IsAbs(name) {
		path = filepath.Join(dir, name)
	}
	path, err := exec.LookPath(path)
	if err != nil {
		return Interpreter{}, &InterpreterError{name, "cannot be run: " + lookupProblem(err)}
	}
	if path, err = filepath.Abs(path); err != nil {
		return Interpreter{}, err
	}
	spec := child.Spec{Path: path, Args: []string{"-I", "-S", "-c", describeInterpreter}, Dir: scratch, Env: child.Scrub(os.Environ())}
	out, err := child.Run(ctx, box.Tool(spec, scratch, besideLink(path)...))
	if ctx.Err() != nil {
		return Interpreter{}, ctx.Err()
	}
	var told struct {
		Interpreter
		Recent         bool   `json:"recent"`
		Implementation string `json:"implementation"`
	}
	switch {
	case err != nil:
		return Interpreter{}, &InterpreterError{name, "does not run: " + lastLines(out.Stderr, 1)}
	case json.Unmarshal([]byte(out.Stdout), &told) != nil || told.Path == "":
		return Interpreter{}, &InterpreterError{name, "does not say what it is"}
	case told.Implementation != "cpython" || !told.Recent:
		return Interpreter{}, &InterpreterError{name, fmt.Sprintf("is %s %s, and adapters need CPython %s or later", told.Implementation, told.Version, leastPython)}
	}
	return told.Interpreter, nil
}

// besideLink is what tells an interpreter that it is the one of a virtual environment.
func besideLink(path string) []string {
	return []string{filepath.Join(filepath.Dir(filepath.Dir(path)), "pyvenv.cfg")}
}

func lookupProblem(err error) string {
	var lookup *exec.Error
	if errors.As(err, &lookup) {
		err = lookup.Err
	}
	return strings.TrimPrefix(err.Error(), "exec: ")
}

// policy is what the interpreter reads of itself. What `python:` names was meant; folders of the system are allowed anyway.
func (i Interpreter) policy() sandbox.Policy {
	return sandbox.Folders(i.Folders...).With(sandbox.Toolchain(i.Path))
}
