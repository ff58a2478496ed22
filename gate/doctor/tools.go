package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
)

const ofTools group = "tools"

func toolFindings(f Facts) []Finding {
	found := []Finding{compiler(f.Compiler)}
	if f.Machine.GPU == nil {
		return found // nvcc and ncu have nothing to work on
	}
	found = append(found, nvcc(f, f.Machine.GPU))
	profiler, usable := ncu(f)
	found = append(found, profiler)
	if usable {
		found = append(found, counters(f.Counters))
	}
	return found
}

func compiler(t Tool) Finding {
	if t.Named != "" { // installing what is not asked for would not help
		return ofTools.bad("compiler", t.Trouble, misnamed(t))
	}
	if t.Path == "" {
		return ofTools.bad("compiler", t.Trouble, "apt-get install g++, or name a C++ compiler in CXX")
	}
	return ofTools.ok("compiler", fmt.Sprintf("%s (%s)", t.Version, t.Path))
}

func misnamed(t Tool) string {
	return fmt.Sprintf("name a program that can be run in %s, or unset it", t.Named)
}

// nvcc must not be of a newer CUDA major than the driver. A newer minor is fine: kernels are compiled for the very GPU, and
// only intermediate code, which the driver translates, would need the driver's own version
// (docs.nvidia.com/deploy/cuda-compatibility, minor version compatibility).
func nvcc(f Facts, g *result.GPU) Finding {
	t := f.NVCC
	if t.Named != "" {
		return ofTools.bad("nvcc", t.Trouble, misnamed(t))
	}
	if t.Path == "" {
		return ofTools.bad("nvcc", t.Trouble, fmt.Sprintf("install a CUDA toolkit of %s or older, or name its nvcc in NVCC", cmp.Or(g.CUDA, "(unknown)")))
	}
	text := fmt.Sprintf("%s (%s)", cmp.Or(t.Version, "(unknown)"), t.Path)
	mine, ok1 := ParseVersion(t.Version)
	drivers, ok2 := ParseVersion(g.CUDA)
	if !ok1 || !ok2 {
		return ofTools.unknown("nvcc", text+": its match to the driver cannot be told", "see nvcc --version and nvidia-smi")
	}
	if mine.Major > drivers.Major {
		newer := fmt.Sprintf("a driver for CUDA %d", mine.Major)
		if least := leastDriver(mine.Major); least > 0 {
			newer = fmt.Sprintf("a driver of at least %d", least)
		}
		return ofTools.bad("nvcc", fmt.Sprintf("%s: what it builds needs a driver for CUDA %d, and the one here, %s, ends at %s", text, mine.Major, cmp.Or(g.Driver, "whose version is not shown"), g.CUDA),
			fmt.Sprintf("install %s, or a CUDA %d toolkit", newer, drivers.Major))
	}
	arch := "sm_" + strings.Replace(g.ComputeCapability, ".", "", 1)
	if len(f.NVCCCodes) > 0 && !slices.Contains(f.NVCCCodes, arch) {
		return ofTools.bad("nvcc", fmt.Sprintf("%s does not compile for %s: it knows %s to %s", text, arch, f.NVCCCodes[0], f.NVCCCodes[len(f.NVCCCodes)-1]),
			"install a CUDA toolkit that supports this GPU")
	}
	if !drivers.AtLeast(mine) {
		text += fmt.Sprintf(", newer than the driver's CUDA %s, which does no harm to code compiled for %s", g.CUDA, arch)
	}
	return ofTools.ok("nvcc", text)
}

// leastDriver is the oldest driver for a CUDA major, 0 if not known (CUDA Toolkit release notes; CUDA compatibility, table 1).
func leastDriver(cudaMajor int) int {
	return map[int]int{11: 450, 12: 525, 13: 580}[cudaMajor]
}

// cudaOfNCU is the CUDA major that a version of Nsight Compute came with: 2025.3 with CUDA 13.0, 2022.4 with 12.0, 2020.1
// with 11.0 (labels of the package nvidia/nsight-compute).
func cudaOfNCU(v Version) int {
	switch {
	case v.AtLeast(Version{2025, 3}):
		return 13
	case v.AtLeast(Version{2022, 4}):
		return 12
	}
	return 11
}

const noProfile = ": a regression will come without a profile of its cause"

// ncu finds the profiler that the driver accepts, and says whether there is one. Without it the gate still decides.
func ncu(f Facts) (found Finding, usable bool) {
	driver, known := ParseVersion(f.Machine.GPU.Driver)
	if len(f.NCU) == 0 {
		return ofTools.warn("ncu", "not found"+noProfile, "install Nsight Compute; "+fittingNCU(driver)), false
	}
	if !known {
		return ofTools.unknown("ncu", "the driver does not tell its version, so its match cannot be told", "see nvidia-smi"), false
	}
	for i, t := range f.NCU {
		v, ok := ParseVersion(t.Version)
		if !ok || driver.Major < leastDriver(cudaOfNCU(v)) {
			continue
		}
		text := fmt.Sprintf("%s (%s)", t.Version, t.Path)
		if i > 0 {
			text += fmt.Sprintf("; %s would refuse driver %s", f.NCU[0].Path, f.Machine.GPU.Driver)
		}
		return ofTools.ok("ncu", text), true
	}
	first := f.NCU[0]
	v, ok := ParseVersion(first.Version)
	if !ok {
		return ofTools.unknown("ncu", first.Path+" does not tell its version"+noProfile, "see "+first.Path+" --version"), false
	}
	return ofTools.warn("ncu", fmt.Sprintf("%s (%s) needs a driver of at least %d and refuses %s%s", first.Version, first.Path, leastDriver(cudaOfNCU(v)), f.Machine.GPU.Driver, noProfile),
		"update the driver, or install an older one beside it; "+fittingNCU(driver)), false
}

func fittingNCU(driver Version) string {
	switch {
	case driver.Major >= leastDriver(13):
		return "any version up to now works with this driver"
	case driver.Major >= leastDriver(12):
		return "2024.1.1 works with this driver, 2025.3 and newer do not"
	}
	return "with this driver one of CUDA 11, such as 2022.3"
}

func counters(c Counters) Finding {
	const name = "counters"
	switch {
	case !c.Known:
		return ofTools.unknown(name, "/proc/driver/nvidia/params cannot be read, so who may profile cannot be told", "mount /proc of the host's driver into the container")
	case c.AdminOnly && !c.Admin:
		return ofTools.warn(name, "performance counters are for admins alone (ERR_NVGPUCTRPERM)"+noProfile,
			"echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' | sudo tee /etc/modprobe.d/perfgate.conf, sudo update-initramfs -u, reboot")
	case c.AdminOnly:
		return ofTools.ok(name, "for admins alone, and this user is one")
	}
	return ofTools.ok(name, "open to every user")
}
