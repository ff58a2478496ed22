package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/org/perfgate/gate/text"
)

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
