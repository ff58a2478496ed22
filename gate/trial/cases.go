package trial

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/machine"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/gate/untrusted"
)

// casesThatFit are the cases to begin with: all, written as none; those that can run here; or some, where there are more than the budget has time for.
// It is an error where no verdict is possible in the budget.
func (b Benchmark) casesThatFit(found benchmark.Recognised) ([]string, error) {
	runs, fails := sortedCases(found.Set)
	for _, c := range found.Set.Cases {
		if c.Failed != "" && !c.Skipped {
			b.Found(c.Name + " is left out: " + c.Failed)
		}
	}
	traits, budget := found.Format.Traits(), b.budget()
	most := min(len(runs), config.MaxCases)
	if !traits.Lists {
		each := found.Lived // of a process
		if traits.Filters {
			each /= time.Duration(len(runs))
		}
		if rule.MinProcesses*each > budget {
			return nil, fmt.Errorf("one process of the benchmark takes %s, and a first verdict takes %d of them, which have %s in all: give its command less to do",
				each.Round(time.Second), rule.MinProcesses, budget)
		}
		if traits.Filters && rule.MinProcesses*each*time.Duration(most) > budget {
			most = max(1, int(budget/(starterTimes*each)))
		}
	}
	if len(runs) <= most {
		return fails, nil
	}
	b.Found(fmt.Sprintf("cases: %d of %d, spread over all: more do not fit into a budget of %s", most, len(runs), budget))
	var names []string
	for i := range most {
		names = append(names, runs[i*(len(runs)-1)/max(1, most-1)])
	}
	return names, nil
}

// sortedCases are the cases that ran, and patterns that leave out those that cannot run here.
func sortedCases(set benchmark.Set) (runs, fails []string) {
	for _, c := range set.Cases {
		switch {
		case c.Failed == "":
			runs = append(runs, c.Name)
		case !c.Skipped:
			fails = append(fails, "!"+c.Name)
		}
	}
	return runs, fails
}

// driverDevice is there where an NVIDIA driver is loaded, also for a build of perfgate that cannot ask it.
const driverDevice = "/dev/nvidiactl"

// hasGPU says whether a benchmark may have run on a GPU here.
func hasGPU() bool {
	if gpus, err := machine.OpenGPUs(); err == nil {
		gpus.Close()
		return true
	}
	_, missing := os.Stat(driverDevice)
	return missing == nil
}

// programText is what the command's program holds, nil where it cannot be read.
func (t *trial) programText() []byte {
	program := benchmark.ProgramOf(os.DirFS(t.dir), t.Command)
	if !strings.Contains(program, "/") {
		if found, err := exec.LookPath(program); err == nil && !strings.HasSuffix(program, ".py") {
			program = found
		}
	}
	if !filepath.IsAbs(program) {
		program = filepath.Join(t.dir, program)
	}
	f, err := untrusted.OpenLinked(program, untrusted.NoLimit)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostProgram))
	if err != nil {
		return nil
	}
	return text
}
