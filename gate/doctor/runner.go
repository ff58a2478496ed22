package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

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
