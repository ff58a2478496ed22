package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/machine"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// ofGPU are the checks of an NVIDIA GPU.
var ofGPU = []check{
	{"GPU", "model", func(f Facts) Finding {
		g := f.Machine.GPU
		parts := []string{f.Machine.Model}
		if arch := g.Arch(); arch != "" {
			parts = append(parts, arch)
		}
		if g.SMs > 0 {
			parts = append(parts, text.Count(g.SMs, "SM"))
		}
		if g.L2Bytes > 0 {
			parts = append(parts, text.Bytes(g.L2Bytes)+" L2")
		}
		parts = append(parts, text.Bytes(g.MemoryBytes), fmt.Sprintf("number %d of %d, %s", g.Index, f.GPUCount, g.UUID))
		return fine(strings.Join(parts, ", "))
	}},
	{"GPU", "driver", func(f Facts) Finding {
		g := f.Machine.GPU
		version, cuda := cmp.Or(g.Driver, "its version is not shown"), cmp.Or(g.CUDA, "a version that is not shown")
		text := fmt.Sprintf("%s, for CUDA up to %s", version, cuda)
		if g.Driver == "" || g.CUDA == "" {
			return unknown(text+": tools cannot be matched against it", "see nvidia-smi; where that is mute too, reinstall the driver")
		}
		return fine(text)
	}},
	{"GPU", "sharing", func(f Facts) Finding {
		g := f.Machine.GPU
		switch {
		case g.MIG:
			return bad("divided into MIG instances, whose neighbours share its power and clocks", fmt.Sprintf("sudo nvidia-smi -i %d -mig 0", g.Index))
		case f.MPS != "":
			return bad("shared through MPS ("+f.MPS+")", "echo quit | nvidia-cuda-mps-control, and remove what a dead one left")
		case g.VGPU:
			return warn("a vGPU: other virtual machines compute on the same GPU, unseen", "take a machine to which the whole GPU is passed through")
		}
		return fine("the whole GPU: no MIG, no MPS")
	}},
	{"GPU", "processes", foreignProcesses},
	// Nothing where no GPU's memory is held by nobody.
	{"GPU", "memory", func(f Facts) Finding {
		if len(f.LeftBehind) == 0 {
			return Finding{}
		}
		return warn(strings.Join(f.LeftBehind, "; "), "sudo fuser -v /dev/nvidia* shows who has it open; end that, or where nobody has: sudo nvidia-smi --gpu-reset, or reboot")
	}},
	{"GPU", "clocks", clocks},
	{"GPU", "power", func(f Facts) Finding {
		g := f.Machine.GPU
		if g.PowerLimitW == 0 {
			return fine("the driver does not tell")
		}
		text := fmt.Sprintf("cap %.0f W, drawing %.0f W", g.PowerLimitW, g.PowerW)
		if g.PowerDefaultW > 0 && g.PowerLimitW < g.PowerDefaultW-0.5 {
			return warn(fmt.Sprintf("%s: the cap is lower than the %.0f W that this GPU comes with", text, g.PowerDefaultW),
				fmt.Sprintf("sudo nvidia-smi -i %d -pl %.0f", g.Index, g.PowerDefaultW))
		}
		return fine(text)
	}},
	{"GPU", "temperature", func(f Facts) Finding {
		g := f.Machine.GPU
		if g.TemperatureC == 0 {
			return fine("the driver does not tell")
		}
		text := fmt.Sprintf("%d °C", g.TemperatureC)
		if g.SlowdownC == 0 {
			return fine(text)
		}
		text += fmt.Sprintf(", slows down at %d °C", g.SlowdownC)
		if g.TemperatureC > g.SlowdownC-warmMargin {
			return warn(text+": under load it will get there, and rounds will be voided", "improve its cooling: these cards need the airflow of a server")
		}
		return fine(text)
	}},
	{"GPU", "persistence", func(f Facts) Finding {
		if f.Machine.GPU.Persistence {
			return fine("on")
		}
		return warn("off: the driver starts again for every process, and forgets clocks that were set",
			"until the next boot: sudo nvidia-smi -pm 1. For good: sudo systemctl edit nvidia-persistenced, with the lines [Service], ExecStart= and "+
				"ExecStart=/usr/bin/nvidia-persistenced --user nvidia-persistenced --verbose, then sudo systemctl restart nvidia-persistenced (Ubuntu's own says --no-persistence-mode)")
	}},
	// A fact, not a fault: it costs some bandwidth on GPUs without HBM, the same on both sides.
	{"GPU", "ECC", func(f Facts) Finding {
		if f.Machine.GPU.ECC {
			return fine("on")
		}
		return fine("off, or this GPU has none")
	}},
	{"tools", "compiler", compiler},
	{"tools", "nvcc", nvcc},
	{"tools", "ncu", ncu},
	{"tools", "counters", counters},
}

// noGPU is bad only where a GPU is to be expected: without one, a machine is fit for the suites that need none.
func noGPU(f Facts) Finding {
	what, cure := "none", ""
	if f.GPUTrouble != nil {
		what, cure = f.GPUTrouble.What, f.GPUTrouble.Cure
	}
	switch {
	case f.GPUFailed:
		return bad("an NVIDIA driver is here, and its GPU does not answer: "+what, cure)
	case len(f.PCI) > 0:
		return bad(fmt.Sprintf("%s, yet an NVIDIA GPU is on the PCI bus (%s)", what, strings.Join(f.PCI, ", ")), cure)
	case f.GPUWanted:
		return bad(what, cure)
	}
	return absent(what+"; suites without CUDA can be measured, a .cu ends with exit 3", cure)
}

// foreignProcesses claims that no other process computes on the GPU only where our own processes were seen on it: some containers show none.
func foreignProcesses(f Facts) Finding {
	const unseen = "another process on this GPU would not be seen"
	cure := "ask on the host (nvidia-smi), or let the container see its processes (docker: --pid=host)"
	watch := f.Machine.GPU.Watch
	switch {
	case len(f.Processes) > 0:
	case f.ProcessesTrouble != "":
		return warn("not shown ("+f.ProcessesTrouble+"): "+unseen, cure)
	case watch != nil && watch.Blind:
		return warn("not shown, not even our own: "+unseen, cure)
	case watch == nil || watch.Samples == 0:
		return fine("the driver shows none")
	default:
		return fine("no other computes on it")
	}
	const most = 5
	var ids []string
	for _, pid := range f.Processes[:min(most, len(f.Processes))] {
		ids = append(ids, fmt.Sprint(pid))
	}
	if len(f.Processes) > most {
		ids = append(ids, "…")
	}
	return bad(fmt.Sprintf("%s open to compute on it: %s", text.Count(len(f.Processes), "process has it", "processes have it"), strings.Join(ids, ", ")),
		"end them (in a container these are process ids of the host), or give them another GPU")
}

// slowed are the clock reasons that make a measurement worthless.
var slowed = []result.ClockLimit{result.ClockThermal, result.ClockHardwareThermal, result.ClockHardwareSlowdown, result.ClockPowerBrake}

const coolIt = "cool it, or let its power supply keep up; see nvidia-smi -q -d PERFORMANCE"

func clocks(f Facts) Finding {
	g := f.Machine.GPU
	text := "SM " + megahertz(g.SMClockMHz, g.MaxSMClockMHz) + ", memory " + megahertz(g.MemoryClockMHz, g.MaxMemoryClockMHz)
	if len(f.Clocks) > 0 {
		text += ", held down by: " + strings.Join(result.Words(f.Clocks), ", ")
	}
	switch {
	case f.LockNote != "" && !f.LockAlive:
		return bad(text+"; a perfgate that is gone left them locked", machine.UnlockCure(g.Index, f.LockNote))
	case f.LockNote != "":
		return warn(text+"; a perfgate that measures now has them locked", "ask again when it is done, which unlocks them")
	case f.ClocksTrouble != "":
		return warn(text+"; what holds them down is not shown ("+f.ClocksTrouble+"): a thermal slowdown would not be seen",
			"see nvidia-smi -q -d PERFORMANCE; where that is mute too, update the driver")
	case slices.ContainsFunc(f.Clocks, func(l result.ClockLimit) bool { return slices.Contains(slowed, l) }):
		return bad(text, coolIt)
	case slices.Contains(f.Clocks, result.ClockApplication):
		return warn(text, fmt.Sprintf("sudo nvidia-smi -i %d --reset-applications-clocks --reset-gpu-clocks, unless they are meant so", g.Index))
	case f.Stranger != "":
		return warn(text+"; "+f.Stranger+" says that they are locked, and is not believed: it belongs neither to this user nor to root",
			fmt.Sprintf("sudo rm -r %s; if they are locked and not meant so: sudo nvidia-smi -i %d --reset-gpu-clocks", f.Stranger, g.Index))
	}
	return fine(text)
}

// megahertz writes a clock and its highest; the driver may tell neither.
func megahertz(now, most int) string {
	switch {
	case now == 0 && most == 0:
		return "not shown"
	case now == 0:
		return fmt.Sprintf("not shown, at most %d MHz", most)
	case most == 0:
		return fmt.Sprintf("%d MHz", now)
	}
	return fmt.Sprintf("%d of %d MHz", now, most)
}

// warmMargin is how far from slowing down an idle GPU should be.
const warmMargin = 20 // °C
