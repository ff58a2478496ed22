package profile

import (
	"regexp"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// Failure is why there is no profile, and what to do about it: a gap, which never fails a gate.
type Failure struct{ result.Gap }

func (f *Failure) Error() string {
	if f.Message == "" {
		return f.Text + "; " + f.Cure
	}
	return f.Text + " (" + f.Message + "); " + f.Cure
}

// LimitOption is how the time for profiles is set, on the command line and in a workflow.
const LimitOption = "--profile-budget (in a workflow: the input profile-budget)"

// cures are texts by kind.
var cures = map[result.GapKind][2]string{
	result.GapAbsent: {"Nsight Compute is not installed here",
		"install it (it comes with the CUDA toolkit, or as package nsight-compute of the same repository) and put ncu on the PATH"},
	result.GapPermission: {"the driver lets only administrators read performance counters",
		"on the host, write `options nvidia NVreg_RestrictProfilingToAdminUsers=0` into a file of /etc/modprobe.d and reboot, or give the container the capability SYS_ADMIN"},
	result.GapDriverTooOld: {"this ncu does not support the installed driver",
		"install an ncu no newer than the driver, or update the driver"},
	result.GapProfilerTooOld: {"this Nsight Compute is older than " + leastNsight.String() + ", and its exports are not read",
		"install " + leastNsight.String() + " or newer, which CUDA 12.1 has, and put its ncu on the PATH or name it in NCU"},
	result.GapLockFile: {"ncu cannot open its lock file, which another user left",
		"remove nsight-compute-lock in the temporary folder that is named, as its owner or as root"},
	result.GapOutOfMemory: {"ncu has no memory to save what the kernel overwrites between passes",
		"profile a smaller case (measure: a smaller one, or profile.cases: 1), or free memory on GPU and host"},
	result.GapCountersBusy: {"another program holds the performance counters",
		"stop it while profiling: another profiler, or DCGM (`dcgmi profile --pause`, then `--resume`)"},
	result.GapNotReplayable: {"a kernel does not end when only this kernel is replayed, pass by pass",
		"kernels that wait for each other or never do the same twice cannot be profiled so; profile by hand with --replay-mode range or application"},
	result.GapUnknownMetric: {"this ncu or GPU does not know a metric that its own sections ask for",
		"install the Nsight Compute of a newer CUDA toolkit"},
	result.GapUnknownSection: {"this ncu does not have a section that explanations need",
		"install the Nsight Compute of a newer CUDA toolkit, with the folder `sections` that belongs to it"},
	result.GapNotSupported: {"ncu does not support this GPU, or not the way it is reached (MIG, vGPU, WSL)",
		"use an ncu that lists the GPU among its chips (`ncu --list-chips`; those before Volta are in none), a whole GPU, and Linux itself instead of WSL"},
	result.GapNothingProfiled: {"ncu saw no kernel between start and stop",
		"see that pg_launch launches on this GPU in its own process, and not in a child"},
	result.GapTimeLimit:        {"profiling took longer than it may", "profile a smaller case, or raise " + LimitOption},
	result.GapKernelFailed:     {"the kernel fails under the profiler", "run compute-sanitizer on it: a kernel that reads what it has not written behaves otherwise when replayed"},
	result.GapUnreadableReport: {"what ncu exported cannot be read", "please report it with the .ncu-rep file"},
	result.GapUnloadableReport: {"this ncu cannot load the report: it is of a newer version, or the file is damaged",
		"export it with the ncu that made it (ncu --import FILE --csv --page raw --print-units base > FILE.csv), or install a newer Nsight Compute"},
	result.GapProfilerBusy: {"another perfgate profiles on this machine", "repeat when it is done, or raise " + LimitOption + ", which bounds the wait as well"},
	result.GapOther:        {"ncu failed", "see whether `ncu --set basic` can profile any CUDA program here: where it cannot, the installation is at fault; where it can, please report these words"},
}

type pattern struct {
	kind result.GapKind
	text func() *regexp.Regexp
}

// patterns recognise kinds in what ncu prints, the most telling first.
var patterns = []pattern{
	{result.GapPermission, text.Pattern(`ERR_NVGPUCTRPERM|does not have permission to (?:access|profile)`)},
	{result.GapDriverTooOld, text.Pattern(`(?i)driver is not compatible with Nsight Compute|driver version .*(?:insufficient|not supported)|Unsupported driver`)},
	{result.GapLockFile, text.Pattern(`InterprocessLockFailed|nsight-compute-lock|open/create lock file`)},
	{result.GapCountersBusy, text.Pattern(`driver resource was unavailable|ResourceUnavailable|another (?:tool|profiler)|already in use by another`)},
	{result.GapOutOfMemory, text.Pattern(`(?i)Failed to save memory for replay|ContextSaveFailed|Failed to (?:allocate|restore) memory|out of memory|OutOfMemory`)},
	{result.GapUnloadableReport, text.Pattern(`Failed to load report file`)},
	{result.GapUnknownSection, text.Pattern(`Failed to find section`)},
	{result.GapUnknownMetric, text.Pattern(`Failed to find metric`)},
	{result.GapNotSupported, text.Pattern(`(?i)Profiling is not supported on|is not supported on (?:this|the) (?:device|` +
		`GPU|chip)|not supported on (?:vGPU|MIG)|No supported GPU|unsupported (?:gpu|device|chip)`)},
	{result.GapNotReplayable, text.Pattern(`Launching the (?:workload|kernel) is taking more time than expected|replay-mode range`)},
	{result.GapKernelFailed, text.Pattern(`LaunchFailed|Failed to profile|Failed to prepare kernel|an illegal memory access`)},
	{result.GapNothingProfiled, text.Pattern(`No kernels were profiled|terminated before first instrumented API call`)},
}

// Recognise finds out from what ncu printed why it failed. Warnings count only where nothing else says more.
func Recognise(printed string) *Failure {
	for _, p := range patterns {
		for line := range strings.Lines(printed) {
			if p.text().MatchString(line) {
				return NewFailure(p.kind, line)
			}
		}
	}
	for line := range strings.Lines(printed) {
		if strings.HasPrefix(line, "==ERROR==") {
			return NewFailure(result.GapOther, line)
		}
	}
	return NewFailure(result.GapOther, "")
}

// NewFailure is a failure of a kind, with a line of what a tool said of it.
func NewFailure(kind result.GapKind, line string) *Failure {
	said := strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(line), "==ERROR=="), "==WARNING=="))
	if len(said) > mostSaid {
		said = strings.ToValidUTF8(said[:mostSaid], "") + "…"
	}
	return &Failure{result.Gap{Kind: kind, Message: said, Text: cures[kind][0], Cure: cures[kind][1]}}
}
