package doctor

import (
	"fmt"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

const onMachine group = "machine"

func machineFindings(f Facts) []Finding {
	return append([]Finding{
		processor(f.Machine), virtual(f.Machine), governor(f.Machine), load(f.Machine),
		folder("locks", f.Locks, "PERFGATE_LOCK_DIR", 1<<20, 0),
		folder("cache", f.Cache, "PERFGATE_CACHE", 200<<20, 1<<30),
		folder("temporary", f.Temporary, "TMPDIR", 500<<20, 2<<30),
	}, runnerPorts(f.Ports)...)
}

func processor(m result.Machine) Finding {
	model := m.Model
	if m.Processor != "" {
		model = m.Processor
	}
	return onMachine.ok("processor", fmt.Sprintf("%s, %s, %s memory", model, report.Count(m.Cores, "core"), report.Bytes(m.MemoryBytes)))
}

// virtual is no warning: most runners are virtual machines, and the A/A shows what their neighbours do.
func virtual(m result.Machine) Finding {
	if m.Virtual {
		return onMachine.ok("hypervisor", "a virtual machine: its neighbours cannot be seen, only their noise")
	}
	return onMachine.ok("hypervisor", "none seen")
}

func governor(m result.Machine) Finding {
	switch m.Governor {
	case "":
		return onMachine.ok("governor", "not shown: the host or the firmware sets the processor's clock")
	case "performance":
		return onMachine.ok("governor", m.Governor)
	}
	return onMachine.warn("governor", m.Governor+": the processor's clock follows its load", "sudo cpupower frequency-set -g performance")
}

func load(m result.Machine) Finding {
	text := fmt.Sprintf("%.1f on %s", m.LoadBefore, report.Count(m.Cores, "core"))
	if m.LoadBefore > float64(m.Cores)/2 {
		return onMachine.warn("load", text+": something else runs here", "end it, or measure when it is over")
	}
	return onMachine.ok("load", text)
}

// folder finds a folder that perfgate writes to, with the least bytes free that it needs and that it would like.
func folder(name string, f Folder, variable string, needs, likes int64) Finding {
	switch {
	case f.Trouble != "" && f.Path == "":
		return onMachine.bad(name, f.Trouble, "name a folder in "+variable)
	case f.Trouble != "":
		return onMachine.bad(name, f.Trouble, fmt.Sprintf("let this user write to %s, or name another folder in %s", f.Path, variable))
	}
	text := f.Path
	if f.FreeBytes > 0 {
		text += ", " + report.Bytes(f.FreeBytes) + " free"
	}
	cure := "make room, or name another folder in " + variable
	switch {
	case f.FreeBytes > 0 && f.FreeBytes < needs:
		return onMachine.bad(name, text+": builds will not fit", cure)
	case f.FreeBytes > 0 && f.FreeBytes < likes:
		return onMachine.warn(name, text+": it may fill up", cure)
	}
	return onMachine.ok(name, text)
}
