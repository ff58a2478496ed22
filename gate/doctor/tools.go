package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

func compiler(f Facts) Finding {
	t := f.Compiler
	if t.Named != "" { // installing what is not asked for would not help
		return bad(t.Trouble, misnamed(t))
	}
	if t.Path == "" {
		return bad(t.Trouble, "apt-get install g++, or name a C++ compiler in CXX")
	}
	return fine(fmt.Sprintf("%s (%s)", t.Version, t.Path))
}

func misnamed(t Tool) string {
	return fmt.Sprintf("name a program that can be run in %s, or unset it", t.Named)
}

// nvcc must not be of a newer CUDA major than the driver. A newer minor is fine: kernels are compiled for the very GPU, and
// only intermediate code, which the driver translates, would need the driver's own version
// (docs.nvidia.com/deploy/cuda-compatibility, minor version compatibility).
func nvcc(f Facts) Finding {
	t, g := f.NVCC, f.Machine.GPU
	if t.Named != "" {
		return bad(t.Trouble, misnamed(t))
	}
	if t.Path == "" {
		return bad(t.Trouble, fmt.Sprintf("install a CUDA toolkit of %s or older, or name its nvcc in NVCC", cmp.Or(g.CUDA, "(unknown)")))
	}
	text := fmt.Sprintf("%s (%s)", cmp.Or(t.Version, "(unknown)"), t.Path)
	mine, ok1 := profile.ParseVersion(t.Version)
	drivers, ok2 := profile.ParseVersion(g.CUDA)
	if !ok1 || !ok2 {
		return unknown(text+": its match to the driver cannot be told", "see nvcc --version and nvidia-smi")
	}
	if mine.Major > drivers.Major {
		newer := fmt.Sprintf("a driver for CUDA %d", mine.Major)
		if least := profile.LeastDriver(mine.Major); least > 0 {
			newer = fmt.Sprintf("a driver of at least %d", least)
		}
		return bad(fmt.Sprintf("%s: what it builds needs a driver for CUDA %d, and the one here, %s, ends at %s", text, mine.Major, cmp.Or(g.Driver, "whose version is not shown"), g.CUDA),
			fmt.Sprintf("install %s, or a CUDA %d toolkit", newer, drivers.Major))
	}
	target := g.Arch()
	if len(f.NVCCCodes) > 0 && !slices.Contains(f.NVCCCodes, target) {
		return bad(fmt.Sprintf("%s does not compile for %s: it knows %s to %s", text, target, f.NVCCCodes[0], f.NVCCCodes[len(f.NVCCCodes)-1]),
			"install a CUDA toolkit that supports this GPU")
	}
	if !drivers.AtLeast(mine) {
		text += fmt.Sprintf(", newer than the driver's CUDA %s, which does no harm to code compiled for %s", g.CUDA, target)
	}
	return fine(text)
}

const noProfile = ": a regression will come without a profile of its cause"

// ncu finds the profiler that the driver accepts. Without it the gate still decides.
func ncu(f Facts) Finding {
	driver, known := profile.ParseVersion(f.Machine.GPU.Driver)
	switch {
	case len(f.NCU) == 0:
		return warn("not found"+noProfile, "install Nsight Compute; "+fittingNCU(driver))
	case !known:
		return unknown("the driver does not tell its version, so its match cannot be told", "see nvidia-smi")
	}
	first := f.NCU[0]
	if i := accepted(f.NCU, f.Machine.GPU.Driver); i >= 0 {
		text := fmt.Sprintf("%s (%s)", f.NCU[i].Version, f.NCU[i].Path)
		switch {
		case i > 0 && first.IsTooOld():
			text += fmt.Sprintf("; %s is %s, and exports of that are not read", first.Path, first.Version)
		case i > 0:
			text += fmt.Sprintf("; %s would refuse driver %s", first.Path, f.Machine.GPU.Driver)
		}
		return fine(text)
	}
	if first = readable(f.NCU); first.IsTooOld() {
		failure := profile.NewFailure(result.GapProfilerTooOld, "")
		return warn(fmt.Sprintf("%s (%s): %s%s", first.Version, first.Path, failure.Text, noProfile), failure.Cure+"; "+fittingNCU(driver))
	}
	least, told := first.LeastDriver()
	if !told {
		return unknown(first.Path+" does not tell its version"+noProfile, "see "+first.Path+" --version")
	}
	return warn(fmt.Sprintf("%s (%s) needs a driver of at least %d and refuses %s%s", first.Version, first.Path, least, f.Machine.GPU.Driver, noProfile),
		"update the driver, or install an older one next to it; "+fittingNCU(driver))
}

// accepted is the place of the first profiler that works with a driver, -1 if none does.
func accepted(all []profile.Nsight, driver string) int {
	return slices.IndexFunc(all, func(t profile.Nsight) bool { return t.Accepts(driver) })
}

// readable is the first profiler whose exports are read, which a run takes where the driver accepts none; the first of all where there is none.
func readable(all []profile.Nsight) profile.Nsight {
	return all[max(0, slices.IndexFunc(all, func(t profile.Nsight) bool { return !t.IsTooOld() }))]
}

func fittingNCU(driver profile.Version) string {
	switch {
	case driver.Major >= profile.LeastDriver(13):
		return "any version from 2023.1 on works with this driver"
	case driver.Major >= profile.LeastDriver(12):
		return "2024.1.1 works with this driver, 2025.3 and newer do not"
	}
	return fmt.Sprintf("every version whose exports are read needs a driver of at least %d", profile.LeastDriver(12))
}

// counters says who may profile, where there is a profiler.
func counters(f Facts) Finding {
	c := f.Counters
	switch {
	case accepted(f.NCU, f.Machine.GPU.Driver) < 0:
		return Finding{}
	case !c.Known:
		return unknown("/proc/driver/nvidia/params cannot be read, so who may profile cannot be told", "mount /proc of the host's driver into the container")
	case c.AdminOnly && !c.Admin:
		return warn("performance counters are for admins only (ERR_NVGPUCTRPERM)"+noProfile,
			"echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' | sudo tee /etc/modprobe.d/perfgate.conf, sudo update-initramfs -u, reboot")
	case c.AdminOnly:
		return fine("for admins only, and this user is one")
	}
	return fine("open to every user")
}

var nvccVersion = text.Pattern(`(?m)release (\d+\.\d+), V(\d+\.\d+\.\d+)`)

// parseNVCC reads the release out of what `nvcc --version` prints, such as 12.8.93; "" if it is not there.
func parseNVCC(text string) string {
	if m := nvccVersion().FindStringSubmatch(text); m != nil {
		return m[2]
	}
	return ""
}

// parseCodes reads what `nvcc --list-gpu-code` prints: sm_75 and so on, one a line.
func parseCodes(text string) []string {
	var codes []string
	for word := range strings.FieldsSeq(text) {
		if strings.HasPrefix(word, "sm_") {
			codes = append(codes, word)
		}
	}
	return codes
}

// parseAdminOnly reads /proc/driver/nvidia/params: whether only admins may read performance counters.
func parseAdminOnly(text string) (adminOnly, known bool) {
	value := field(text, "RmProfilingAdminOnly:")
	return value != "" && value != "0", value != ""
}

// Capabilities of a process that the driver takes for an admin's: CAP_SYS_ADMIN always, CAP_PERFMON from driver 565 on.
const (
	capSysAdmin = 21
	capPerfmon  = 38
)

// parseCapabilities reads the effective capabilities out of /proc/self/status, and says whether they make an admin for
// the driver.
func parseCapabilities(status string, driver profile.Version) bool {
	bits, err := strconv.ParseUint(field(status, "CapEff:"), 16, 64)
	return err == nil && (bits>>capSysAdmin&1 == 1 || driver.Major >= 565 && bits>>capPerfmon&1 == 1)
}

// field is what stands behind a label at the start of a line, "" where no line has it.
func field(text, label string) string {
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(line, label); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
