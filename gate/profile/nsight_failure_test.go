package profile

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// TestRecognise: the texts are what ncu printed to people who reported it; names and paths are other ones.
func TestRecognise(t *testing.T) {
	for _, c := range []struct {
		printed string
		want    result.GapKind
	}{
		{"==PROF== Connected to process 9012 (/x/harness)\n==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters on the target device 0. For instructions on enabling permissions and to get more information see https://developer.nvidia.com/ERR_NVGPUCTRPERM\n==PROF== Disconnected from process 9012\n==WARNING== No kernels were profiled.\n", result.GapPermission},
		{"==ERROR== An error was reported by the driver:\n==ERROR== Cuda driver is not compatible with Nsight Compute.\n==PROF== Connected to process 2\n==ERROR== The application returned an error code (11).\n", result.GapDriverTooOld},
		{"Failed to open/create lock file /tmp/nsight-compute-lock\nInterprocessLockFailed\n", result.GapLockFile},
		{"==ERROR== InterprocessLockFailed\n", result.GapLockFile},
		{"==ERROR== An error was reported by the driver:\n==ERROR== Profiling failed because a driver resource was unavailable. Ensure that no other tool (like DCGM) is concurrently collecting profiling data. See https://docs.nvidia.com/nsight-compute/ProfilingGuide/index.html#faq for more details.\n", result.GapCountersBusy},
		{"Failed to create counter availability image (error = 20)\nFailed to get counter availability image (error = ResourceUnavailable)\n", result.GapCountersBusy},
		{"==WARNING== Backing up device memory in system memory. Kernel replay might be slow.\n==ERROR== Failed to save memory for replay.\n", result.GapOutOfMemory},
		{"cuda_context_state>> Failed to copy memory\nContextSaveFailed\n", result.GapOutOfMemory},
		{"==ERROR== Failed to find metric regex:^bad_metric_xyz(\\.(sum|avg|min|max|pct|ratio|max_rate))?$\n", result.GapUnknownMetric},
		{"==PROF== Profiling \"k\" - 0: 0%\n==WARNING== Launching the workload is taking more time than expected. If this continues to hang, terminate the profile and re-try by profiling the range of all related launches using '--replay-mode range'. See https://docs.nvidia.com/nsight-compute/ProfilingGuide/index.html#replay for more details.\n", result.GapNotReplayable},
		{"==ERROR== Failed to find section: SpeedOfLight_RooflineChart\n", result.GapUnknownSection},
		{"==PROF== Connected to process 4613 (/x/harness)\n==ERROR== Profiling is not supported on device 0. To find out supported GPUs refer --list-chips option.\n==PROF== Disconnected from process 4613\n==WARNING== No kernels were profiled.\n", result.GapNotSupported},
		{"==PROF== Connected to process 7\n==ERROR== Profiling is not supported on device 0 as it uses the Windows Subsystem for Linux (WSL).\n==WARNING== No kernels were profiled.\n", result.GapNotSupported},
		{"==ERROR== Profiling is not supported on this vGPU\n==WARNING== No kernels were profiled.\n", result.GapNotSupported},
		{"==ERROR== LaunchFailed\n==ERROR== An error occurred while trying to profile.\n", result.GapKernelFailed},
		{"==ERROR== Failed to prepare kernel for profiling\n==ERROR== Unknown Error on device 0.\n==ERROR== Failed to profile \"const:\" in process 4\n==WARNING== No kernels were profiled.\n", result.GapKernelFailed},
		{"==PROF== Connected to process 3\n==WARNING== No kernels were profiled.\n", result.GapNothingProfiled},
		{"==PROF== Target process 36054 terminated before first instrumented API call.\n", result.GapNothingProfiled},
		{"[libprotobuf ERROR /x/message_lite.cc:122] Can't parse message of type \"NV.Profiler.Messages.ProfileResult\" because it is missing required fields: RuleResults[2].Body.Items[0].Message.Type\n==ERROR== Failed to load report file 'x.ncu-rep'.\n", result.GapUnloadableReport},
		{"==ERROR== Something of the future\n", result.GapOther},
		{"", result.GapOther},
	} {
		f := Recognise(c.printed)
		if f.Kind != c.want {
			t.Errorf("%.60q is %s, want %s", c.printed, f.Kind, c.want)
		}
		if f.Text == "" || f.Cure == "" || len(f.Message) > mostSaid+4 {
			t.Errorf("%.60q: %+v", c.printed, f)
		}
		if c.printed != "" && f.Message == "" {
			t.Errorf("%.60q: nothing is quoted", c.printed)
		}
	}
}

// TestEveryKindHasACure keeps a new kind from being a line without help. Three have words where they arise.
func TestEveryKindHasACure(t *testing.T) {
	page, err := os.ReadFile("../../docs/evidence.md")
	must(t, err)
	elsewhere := []result.GapKind{result.GapLeftOut, result.GapNotCompared, result.GapNoDisassembly}
	for _, kind := range result.GapKinds {
		if !strings.Contains(string(page), "`"+string(kind)+"`") {
			t.Errorf("docs/evidence.md does not have %s", kind)
		}
		if f := NewFailure(kind, ""); (f.Text == "" || f.Cure == "") != slices.Contains(elsewhere, kind) {
			t.Errorf("%s: %+v", kind, f)
		}
		if f := NewFailure(kind, ""); strings.Contains(f.Cure, "result.json") || strings.Contains(f.Cure, "nothing") || strings.Contains(f.Cure, "were collected") {
			t.Errorf("%s: %q is no cure", kind, f.Cure)
		}
	}
}
