package doctor

import (
	"cmp"
	"fmt"

	"github.com/org/perfgate/gate/text"
)

func processor(f Facts) Finding {
	m := f.Machine
	return fine(fmt.Sprintf("%s, %s, %s memory", cmp.Or(m.Processor, m.Model), text.Count(m.Cores, "core"), text.Bytes(m.MemoryBytes)))
}

// hypervisor is no warning: most runners are virtual machines, and the A/A shows what their neighbours do.
func hypervisor(f Facts) Finding {
	if f.Machine.Virtual {
		return fine("a virtual machine: its neighbours cannot be seen, only their noise")
	}
	return fine("none seen")
}

func governor(f Facts) Finding {
	governor := f.Machine.Governor
	switch governor {
	case "":
		return fine("not shown: the host or the firmware sets the processor's clock")
	case "performance":
		return fine(governor)
	}
	return warn(governor+": the processor's clock follows its load", "sudo cpupower frequency-set -g performance")
}

func load(f Facts) Finding {
	m := f.Machine
	text := fmt.Sprintf("%.1f on %s", m.LoadBefore, text.Count(m.Cores, "core"))
	if m.LoadBefore > float64(m.Cores)/2 {
		return warn(text+": something else runs here", "end it, or measure when it is over")
	}
	return fine(text)
}

// queue says nothing where no other perfgate is at work.
func queue(f Facts) Finding {
	if f.Queue == "" {
		return Finding{}
	}
	return warn(f.Queue+": a run waits for its turn", "ask again when it is done")
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
	}
	return fine(said)
}
