package doctor

import (
	"cmp"
	"fmt"

	"github.com/org/perfgate/gate/text"
)

// ofMachine are the checks of every machine.
var ofMachine = []check{
	{"machine", "processor", func(f Facts) Finding {
		m := f.Machine
		return fine(fmt.Sprintf("%s, %s, %s memory", cmp.Or(m.Processor, m.Model), text.Count(m.Cores, "core"), text.Bytes(m.MemoryBytes)))
	}},
	// No warning: most runners are virtual machines, and the A/A shows what their neighbours do.
	{"machine", "hypervisor", func(f Facts) Finding {
		if f.Machine.Virtual {
			return fine("a virtual machine: its neighbours cannot be seen, only their noise")
		}
		return fine("none seen")
	}},
	{"machine", "governor", func(f Facts) Finding {
		governor := f.Machine.Governor
		switch governor {
		case "":
			return fine("not shown: the host or the firmware sets the processor's clock")
		case "performance":
			return fine(governor)
		}
		return warn(governor+": the processor's clock follows its load", "sudo cpupower frequency-set -g performance")
	}},
	{"machine", "load", func(f Facts) Finding {
		m := f.Machine
		text := fmt.Sprintf("%.1f on %s", m.LoadBefore, text.Count(m.Cores, "core"))
		if m.LoadBefore > float64(m.Cores)/2 {
			return warn(text+": something else runs here", "end it, or measure when it is over")
		}
		return fine(text)
	}},
	// This and the next say nothing where no cgroup grants less than the machine has.
	{"machine", "quota", func(f Facts) Finding {
		share, cores := f.Quota.Processors, f.Machine.Cores
		if share == 0 || share >= float64(cores) {
			return Finding{}
		}
		return warn(fmt.Sprintf("%.3g of %s: processes are stopped now and then, which host times show as noise", share, text.Count(cores, "core")),
			"give whole processors: --cpuset-cpus in place of --cpus")
	}},
	{"machine", "memory", func(f Facts) Finding {
		most := f.Quota.MemoryBytes
		if most == 0 || most >= f.Machine.MemoryBytes {
			return Finding{}
		}
		return fine(text.Bytes(most) + " for all processes of this container: Linux ends one that needs more")
	}},
	// Nothing where no other perfgate is at work.
	{"machine", "queue", func(f Facts) Finding {
		if f.Queue == "" {
			return Finding{}
		}
		return warn(f.Queue+": a run waits for its turn", "ask again when it is done")
	}},
	{"machine", "locks", func(f Facts) Finding { return folder(f.Locks, "PERFGATE_LOCK_DIR", 1<<20, 0) }},
	{"machine", "cache", func(f Facts) Finding { return folder(f.Cache, "PERFGATE_CACHE", 200<<20, 1<<30) }},
	{"machine", "temporary", func(f Facts) Finding { return folder(f.Temporary, "TMPDIR", 500<<20, 2<<30) }},
	{"machine", "runner", runnerVersion},
	{"machine", "runner", runnerPorts},
}

// folder finds a folder that perfgate writes to, with the least bytes free that it needs and that it would like.
func folder(f Folder, variable string, needs, likes int64) Finding {
	switch {
	case f.Trouble != "" && f.Path == "":
		return bad(f.Trouble, "name a folder in "+variable)
	case f.Trouble != "":
		return bad(f.Trouble, fmt.Sprintf("let this user write to %s, or name another folder in %s", f.Path, variable))
	}
	said := f.Path
	if f.FreeBytes > 0 {
		said += ", " + text.Bytes(f.FreeBytes) + " free"
	}
	cure := "make room, or name another folder in " + variable
	switch {
	case f.NoExec:
		return bad(f.Path+" is mounted noexec: nothing that is built there can run", fmt.Sprintf("name a folder in %s on a file system whose programs may run, or mount it with exec", variable))
	case f.FreeBytes > 0 && f.FreeBytes < needs:
		return bad(said+": builds will not fit", cure)
	case f.FreeBytes > 0 && f.FreeBytes < likes:
		return warn(said+": it may fill up", cure)
	case f.Private:
		return warn(said+": it is this container's own, so runs in others know nothing of what is here", "name a folder of the host in "+variable+", mounted into each")
	}
	return fine(said)
}
