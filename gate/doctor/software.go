package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"

	"github.com/org/perfgate/kernels/child"
)

// software are the checks of programs that any suite may need.
var software = []check{
	{"tools", "git", func(f Facts) Finding {
		switch {
		case f.Git.Path == "":
			return warn("not found: folders can be compared, revisions cannot", "apt-get install git")
		case f.Git.Version == "":
			return warn(f.Git.Path+" does not tell its version", "see git --version")
		}
		return fine(fmt.Sprintf("%s (%s)", f.Git.Version, f.Git.Path))
	}},
	// About kernels on a CPU: it needs no GPU's counters.
	{"tools", "counter", func(f Facts) Finding {
		if f.Counter == "" {
			return warn("neither perf (with counters) nor valgrind is here: a change on a CPU comes without a count of its instructions", "apt-get install valgrind")
		}
		return fine(f.Counter + " counts the instructions of a launch on a CPU")
	}},
	{"tools", "python", func(f Facts) Finding {
		p := f.Python
		switch {
		case p.Path == "":
			return absent("no python3 on the PATH", "kernels and benchmarks in Python need it, with its library (apt-get install python3-dev) and numpy")
		case p.Trouble != "":
			return warn(fmt.Sprintf("%s cannot be asked: %s", p.Path, p.Trouble), "see what python3 --version says")
		}
		text := fmt.Sprintf("%s (%s), numpy %s, torch %s", p.Version, p.Path, orNone(p.Numpy), orNone(p.Torch))
		if p.Torch != "" {
			text += " for CUDA " + orNone(p.CUDA)
		}
		if f.Machine.GPU != nil && p.Torch != "" && p.CUDA == "" {
			return warn(text+": it computes nothing on the GPU", "install the torch that is built for CUDA "+f.Machine.GPU.CUDA)
		}
		return fine(text)
	}},
}

// Python is the interpreter on the PATH and what kernels in Python import.
type Python struct {
	Tool
	Numpy string // version; empty: it cannot be imported
	Torch string
	CUDA  string // that torch was built for; empty: none
}

// askPythonText tells versions without importing anything: torch takes seconds.
const askPythonText = `
import importlib.metadata as m, importlib.util as u, json, os, platform, sys
def version(name):
    try: return m.version(name) if u.find_spec(name) else ""
    except Exception: return ""
def cuda():
    try:
        names = {}
        exec(open(os.path.join(os.path.dirname(u.find_spec("torch").origin), "version.py")).read(), names)
        return names.get("cuda") or ""
    except Exception: return ""
json.dump({"Version": platform.python_version(), "Path": sys.executable, "Numpy": version("numpy"), "Torch": version("torch"), "CUDA": cuda()}, sys.stdout)
`

// findPython asks outside of any checkout, so that nothing of one is imported.
func findPython(ctx context.Context) Python {
	path, err := exec.LookPath("python3")
	if err != nil {
		return Python{}
	}
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	out, err := child.Run(ctx, child.Spec{Path: path, Args: []string{"-c", askPythonText}, Dir: "/"})
	p := Python{Tool: Tool{Path: path}}
	if err == nil {
		err = json.Unmarshal([]byte(out.Stdout), &p)
	}
	p.Trouble = words(err)
	return p
}

func findGit(ctx context.Context) Tool {
	path, err := exec.LookPath("git")
	if err != nil {
		return Tool{}
	}
	return Tool{Path: path, Version: strings.TrimPrefix(strings.TrimSpace(output(ctx, path, "--version")), "git version ")}
}

func orNone(version string) string {
	if version == "" {
		return "none"
	}
	return version
}
