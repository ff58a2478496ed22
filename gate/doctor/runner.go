package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/text"
	"github.com/org/perfgate/gate/untrusted"
)

// Runner is GitHub's, of whose job this process is a step.
type Runner struct {
	InJob   bool
	Version string // such as 2.336.0; empty: not shown, as in a container, from which the runner is not seen
}

// findRunner looks among the processes that started one, whose folders in proc tell. What .NET notes beside a program has its version:
// asking the program itself would leave a log.
func findRunner(proc, pid string) Runner {
	for ; pid != "" && pid != "0"; pid = parent(proc, pid) {
		if name, _ := os.ReadFile(filepath.Join(proc, pid, "comm")); !strings.HasPrefix(string(name), runnerPrefix) {
			continue
		}
		program, _ := os.Readlink(filepath.Join(proc, pid, "exe"))
		deps, _ := untrusted.Read(program+".deps.json", 1<<20)
		if found := versionInDeps().FindSubmatch(deps); found != nil {
			return Runner{InJob: true, Version: string(found[1])}
		}
	}
	return Runner{InJob: true}
}

var (
	versionInDeps = text.Pattern(`"Runner\.\w+/([0-9]+\.[0-9]+\.[0-9]+)"`)
	parentLine    = text.Pattern(`(?m)^PPid:\s*([0-9]+)$`)
)

// parent is the process that started another; empty if that is not shown.
func parent(proc, pid string) string {
	status, _ := os.ReadFile(filepath.Join(proc, pid, "status"))
	if found := parentLine().FindSubmatch(status); found != nil {
		return string(found[1])
	}
	return ""
}

// node24 is the first runner that has Node 24 (README of actions/checkout, version 5), which the actions of our workflows need.
var node24 = profile.Version{Major: 2, Minor: 327}

func runnerVersion(f Facts) Finding {
	r := f.Runner
	v, ok := profile.ParseVersion(r.Version)
	switch {
	case !r.InJob:
		return Finding{}
	case !ok:
		return fine("GitHub's; its version does not show in here: the job's log begins with it")
	case !v.AtLeast(node24):
		return warn("GitHub's, "+r.Version+": too old for actions that run on Node 24, which the workflows of perfgate init --github use",
			"install 2.327.1 or later from github.com/actions/runner/releases, or let it update itself (without --disableupdate)")
	}
	return fine(fmt.Sprintf("GitHub's, %s", r.Version))
}

// Port is a diagnostic port of a .NET process: what may connect to it can make that process run any code.
type Port struct {
	Path    string
	Process string // its name, such as Runner.Listener
	PID     string
}

// portName is what .NET calls it: by process, and by when that was started.
var portName = text.Pattern(`^dotnet-diagnostic-([0-9]+)-[0-9]+-socket$`)

// diagnosticPorts are those in folders whose processes live and belong to this user, which the runner's do: jobs run as the runner's user.
func diagnosticPorts(proc string, folders ...string) []Port {
	var found []Port
	slices.Sort(folders)
	for _, dir := range slices.Compact(folders) {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			match := portName().FindStringSubmatch(e.Name())
			if match == nil || e.Type()&os.ModeSocket == 0 {
				continue
			}
			info, err := os.Stat(filepath.Join(proc, match[1]))
			if err != nil {
				continue // it was left by one that is gone
			}
			if stat, ok := info.Sys().(*syscall.Stat_t); !ok || int(stat.Uid) != os.Geteuid() {
				continue
			}
			name, _ := os.ReadFile(filepath.Join(proc, match[1], "comm"))
			found = append(found, Port{Path: filepath.Join(dir, e.Name()), Process: strings.TrimSpace(string(name)), PID: match[1]})
		}
	}
	return found
}

// runnerPrefix begins the names of the processes of GitHub's runner, of which the kernel keeps 15 characters.
const runnerPrefix = "Runner."

// runnerPorts finds what to say of diagnostic ports: of the runner's, since nothing else here has a token.
func runnerPorts(f Facts) Finding {
	i := slices.IndexFunc(f.Ports, func(p Port) bool { return strings.HasPrefix(p.Process, runnerPrefix) })
	if i < 0 {
		return Finding{}
	}
	p := f.Ports[i]
	return warn(
		fmt.Sprintf("%s (process %s) listens for debuggers at %s: any process of this user may take it over, "+
			"and with it the token of a job; --sandbox forbids that, and nothing else does", p.Process, p.PID, p.Path),
		"start the GitHub runner with DOTNET_EnableDiagnostics=0 in its environment: "+
			"Environment=DOTNET_EnableDiagnostics=0 in its service, or before ./run.sh (its .env file comes too late for Runner.Listener itself)")
}
