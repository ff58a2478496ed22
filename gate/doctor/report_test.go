package doctor

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/machine"
	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/render"
	"github.com/org/perfgate/gate/result"
)

const gib = 1 << 30

// healthy is a machine with an L4 about which nothing is to be said.
func healthy() Facts {
	return Facts{
		Machine: result.Machine{
			Device: "cuda", Model: "NVIDIA L4", Processor: "Example CPU", Cores: 8, MemoryBytes: 32 * gib, Governor: "performance", LoadBefore: 0.1,
			GPU: &result.GPU{
				UUID: "GPU-4fda7a7f", ComputeCapability: "8.9", SMs: 58, MemoryBytes: 24 * gib, Driver: "570.133.20", CUDA: "12.8",
				SMClockMHz: 210, MaxSMClockMHz: 2040, MemoryClockMHz: 405, MaxMemoryClockMHz: 6251, PowerW: 16, PowerLimitW: 72,
				PowerDefaultW: 72, TemperatureC: 41, SlowdownC: 93, ECC: true, Persistence: true,
				Watch: &result.GPUWatch{
					Samples: 160, MinSMClockMHz: 1500, MaxSMClockMHz: 2040, TemperatureC: 61, PowerW: 72.3,
					Clocks: []result.ClockReason{{Limit: "power cap", Share: 0.64}},
				},
			},
		},
		GPUCount: 1,
		Compiler: Tool{Path: "/usr/bin/c++", Version: "c++ 13.2.0"},
		NVCC:     Tool{Path: "/usr/local/cuda/bin/nvcc", Version: "12.8.93"}, NVCCCodes: []string{"sm_75", "sm_89", "sm_90"},
		NCU:      []profile.Nsight{{Path: "/usr/local/cuda/bin/ncu", Version: "2025.1.1"}},
		Counters: Counters{Known: true},
		Git:      Tool{Path: "/usr/bin/git", Version: "2.43.0"}, Counter: "callgrind",
		Python:    Python{Tool: Tool{Path: "/usr/bin/python3", Version: "3.12.3"}, Numpy: "1.26.4", Torch: "2.5.1", CUDA: "12.4"},
		Isolation: Isolation{Landlock: 7, Seccomp: true, Sockets: []string{"/run/dbus/system_bus_socket"}},
		Locks:     Folder{Path: "/run/lock", FreeBytes: gib}, Cache: Folder{Path: "/cache", FreeBytes: 50 * gib}, Temporary: Folder{Path: "/tmp", FreeBytes: 50 * gib},
		Noise: []Noise{{Case: "memory/n=16777216", MedianNS: 5e5, Processes: 16, Scatter: 0.004, SeenFirst: 0.017, SeenLast: 0.003, Rounds: 6, ComputeCV: 0.001, MemoryCV: 0.002}},
	}
}

func TestHealthyMachineIsFit(t *testing.T) {
	r := Examine(healthy())
	if r.Verdict != Fit || r.Exit != result.ExitPassed || r.Count(OK) != len(r.Findings) {
		t.Errorf("%s: %+v", r.Verdict, r.Findings)
	}
}

// finding returns the one of a name, or fails.
func finding(t *testing.T, r Report, name string) Finding {
	t.Helper()
	for _, f := range r.Findings {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("no finding %q in %+v", name, r.Findings)
	return Finding{}
}

// Each change of a healthy machine is found under its name, with a cure that names what to do.
func TestFindings(t *testing.T) {
	for what, c := range map[string]struct {
		change func(*Facts)
		name   string
		status Status
		says   string // in text or cure
	}{
		"processor's clock follows load":  {func(f *Facts) { f.Machine.Governor = "powersave" }, "governor", Warn, "cpupower"},
		"virtual machine without cpufreq": {func(f *Facts) { f.Machine.Governor, f.Machine.Virtual = "", true }, "hypervisor", OK, "virtual"},
		"busy":                            {func(f *Facts) { f.Machine.LoadBefore = 5 }, "load", Warn, "5.0 on 8 cores"},
		"lock folder":                     {func(f *Facts) { f.Locks.Trouble = "cannot be written to" }, "locks", Bad, "PERFGATE_LOCK_DIR"},
		"cache full":                      {func(f *Facts) { f.Cache.FreeBytes = 100 << 20 }, "cache", Bad, "PERFGATE_CACHE"},
		"temporary folder nearly full":    {func(f *Facts) { f.Temporary.FreeBytes = gib }, "temporary", Warn, "TMPDIR"},

		"locks of a container":  {func(f *Facts) { f.Locks.Private = true }, "locks", Warn, "PERFGATE_LOCK_DIR, mounted into each"},
		"cache of a container":  {func(f *Facts) { f.Cache.Private = true }, "cache", Warn, "own"},
		"quota":                 {func(f *Facts) { f.Quota.Processors = 1.5 }, "quota", Warn, "1.5 of 8 cores: processes are stopped"},
		"memory of a container": {func(f *Facts) { f.Quota.MemoryBytes = gib }, "memory", OK, "1 GiB for all processes"},
		"cache noexec":          {func(f *Facts) { f.Cache.NoExec = true }, "cache", Bad, "PERFGATE_CACHE"},
		"no git":                {func(f *Facts) { f.Git = Tool{} }, "git", Warn, "revisions cannot"},
		"no counter":            {func(f *Facts) { f.Counter = "" }, "counter", Warn, "valgrind"},
		"no Python":             {func(f *Facts) { f.Python = Python{} }, "python", Absent, "python3"},
		"Python that fails":     {func(f *Facts) { f.Python.Trouble = "exit status 1" }, "python", Warn, "exit status 1"},
		"torch for a CPU":       {func(f *Facts) { f.Python.CUDA = "" }, "python", Warn, "built for CUDA 12.8"},
		"no torch is no fault":  {func(f *Facts) { f.Python.Torch, f.Python.CUDA = "", "" }, "python", OK, "torch none"},
		"no Landlock":           {func(f *Facts) { f.Isolation.Landlock = 0 }, "Landlock", Warn, "5.13"},
		"no seccomp":            {func(f *Facts) { f.Isolation.Seccomp = false }, "seccomp", Warn, "CONFIG_SECCOMP_FILTER"},
		"sockets and a sandbox": {func(f *Facts) {}, "sockets", OK, "--sandbox=off does not"},
		"sockets and none":      {func(f *Facts) { f.Isolation.Seccomp = false }, "sockets", Warn, "Docker"},
		"many sockets": {func(f *Facts) { f.Isolation.Sockets = []string{"/a", "/b", "/c", "/run/docker.sock"} }, "sockets", OK,
			"4 sockets: /run/docker.sock, /a, /b, …"},

		"GitHub's runner":                     {func(f *Facts) { f.Runner = Runner{true, "2.336.0"} }, "runner", OK, "2.336.0"},
		"one that does not show":              {func(f *Facts) { f.Runner = Runner{InJob: true} }, "runner", OK, "the job's log"},
		"one without Node 24":                 {func(f *Facts) { f.Runner = Runner{true, "2.326.0"} }, "runner", Warn, "2.327.1 or later"},
		"a runner that listens for debuggers": {func(f *Facts) { f.Ports = []Port{{"/tmp/dotnet-diagnostic-7-1-socket", "Runner.Worker", "7"}} }, "runner", Warn, "DOTNET_EnableDiagnostics=0"},

		"MIG":                 {func(f *Facts) { f.Machine.GPU.MIG = true }, "sharing", Bad, "-mig 0"},
		"MPS":                 {func(f *Facts) { f.MPS = "process 42" }, "sharing", Bad, "nvidia-cuda-mps-control"},
		"vGPU":                {func(f *Facts) { f.Machine.GPU.VGPU = true }, "sharing", Warn, "passed through"},
		"foreign process":     {func(f *Facts) { f.Processes = []int{4711} }, "processes", Bad, "4711"},
		"many of them":        {func(f *Facts) { f.Processes = []int{1, 2, 3, 4, 5, 6, 7} }, "processes", Bad, "5, …"},
		"hot now":             {func(f *Facts) { f.Clocks = []result.ClockLimit{result.ClockHardwareThermal} }, "clocks", Bad, "cool it"},
		"clocks not shown":    {func(f *Facts) { f.ClocksTrouble = "the NVIDIA driver says No Permission" }, "clocks", Warn, "not shown (the NVIDIA driver says No Permission)"},
		"clocks untold":       {func(f *Facts) { f.Machine.GPU.SMClockMHz, f.Machine.GPU.MaxSMClockMHz = 0, 0 }, "clocks", OK, "SM not shown, memory 405"},
		"temperature untold":  {func(f *Facts) { f.Machine.GPU.TemperatureC = 0 }, "temperature", OK, "does not tell"},
		"processes not shown": {func(f *Facts) { f.ProcessesTrouble = "Not Supported" }, "processes", Warn, "not shown (Not Supported)"},
		"not even ours shown": {func(f *Facts) { f.Machine.GPU.Watch.Blind = true }, "processes", Warn, "not even our own"},
		"never looked at":     {func(f *Facts) { f.Machine.GPU.Watch = nil }, "processes", OK, "shows none"},
		"power cap now":       {func(f *Facts) { f.Clocks = []result.ClockLimit{result.ClockPowerCap} }, "clocks", OK, "power cap"},
		"application clocks":  {func(f *Facts) { f.Clocks = []result.ClockLimit{result.ClockApplication} }, "clocks", Warn, "reset"},
		"forgotten lock": {func(f *Facts) { f.LockNote = "/locks/perfgate-GPU-4fda7a7f.clocks" }, "clocks", Bad,
			"--reset-gpu-clocks && sudo rm /locks/perfgate-GPU-4fda7a7f.clocks"},
		"a stranger's note": {func(f *Facts) { f.Stranger = "/locks/perfgate-GPU-4fda7a7f.clocks" }, "clocks", Warn,
			"sudo rm -r /locks/perfgate-GPU-4fda7a7f.clocks"},
		"a stranger's note, and hot": {func(f *Facts) { f.Stranger, f.Clocks = "/locks/note", []result.ClockLimit{result.ClockHardwareThermal} }, "clocks", Bad, "cool it"},
		"lock of a living run":       {func(f *Facts) { f.LockNote, f.LockAlive = "/locks/note", true }, "clocks", Warn, "measures now"},
		"lowered power cap":          {func(f *Facts) { f.Machine.GPU.PowerLimitW = 60 }, "power", Warn, "-pl 72"},
		"near its limit":             {func(f *Facts) { f.Machine.GPU.TemperatureC = 80 }, "temperature", Warn, "cooling"},
		"no persistence":             {func(f *Facts) { f.Machine.GPU.Persistence = false }, "persistence", Warn, "ExecStart=/usr/bin/nvidia-persistenced --user nvidia-persistenced --verbose"},
		"driver mute":                {func(f *Facts) { f.Machine.GPU.Driver, f.NCU = "", nil }, "driver", Unknown, "nvidia-smi"},
		"CUDA untold":                {func(f *Facts) { f.Machine.GPU.CUDA = "" }, "driver", Unknown, "nvidia-smi"},
		"ECC off is no fault":        {func(f *Facts) { f.Machine.GPU.ECC = false }, "ECC", OK, "off"},

		"no compiler":            {func(f *Facts) { f.Compiler = Tool{Trouble: "none"} }, "compiler", Bad, "g++"},
		"CXX with arguments":     {func(f *Facts) { f.Compiler = Tool{Trouble: "CXX is wrong", Named: "CXX"} }, "compiler", Bad, "in CXX, or unset it"},
		"NVCC with arguments":    {func(f *Facts) { f.NVCC = Tool{Trouble: "NVCC is wrong", Named: "NVCC"} }, "nvcc", Bad, "in NVCC, or unset it"},
		"no nvcc":                {func(f *Facts) { f.NVCC = Tool{Trouble: "no nvcc found"} }, "nvcc", Bad, "12.8"},
		"nvcc of the next CUDA":  {func(f *Facts) { f.NVCC.Version = "13.0.88" }, "nvcc", Bad, "580"},
		"nvcc of a CUDA to come": {func(f *Facts) { f.NVCC.Version = "14.0.1" }, "nvcc", Bad, "install a driver for CUDA 14, or a CUDA 12 toolkit"},
		"nvcc a minor newer":     {func(f *Facts) { f.NVCC.Version = "12.9.41" }, "nvcc", OK, "no harm"},
		"nvcc mute":              {func(f *Facts) { f.NVCC.Version = "" }, "nvcc", Unknown, "nvidia-smi"},
		"nvcc without the GPU":   {func(f *Facts) { f.NVCCCodes = []string{"sm_50", "sm_86"} }, "nvcc", Bad, "sm_89"},

		"no ncu":                         {func(f *Facts) { f.NCU = nil }, "ncu", Warn, "2024.1.1"},
		"ncu 2025.3.1 on driver 570":     {func(f *Facts) { f.NCU[0].Version = "2025.3.1" }, "ncu", Warn, "at least 580"},
		"ncu 2024.1.1 on driver 570":     {func(f *Facts) { f.NCU[0].Version = "2024.1.1" }, "ncu", OK, "2024.1.1"},
		"ncu 2025.3.1 on driver 580":     {func(f *Facts) { f.NCU[0].Version = "2025.3.1"; f.Machine.GPU.Driver = "580.95.05" }, "ncu", OK, "2025.3.1"},
		"a fitting ncu behind a new one": {func(f *Facts) { f.NCU = append([]profile.Nsight{{Path: "/new/ncu", Version: "2025.4.1"}}, f.NCU...) }, "ncu", OK, "/new/ncu would refuse"},
		"ncu 2022.3.0 on driver 570":     {func(f *Facts) { f.NCU[0].Version = "2022.3.0" }, "ncu", Warn, "install 2023.1 or newer"},
		"ncu 2022.4.1 before a new one":  {func(f *Facts) { f.NCU = append([]profile.Nsight{{Path: "/old/ncu", Version: "2022.4.1"}}, f.NCU...) }, "ncu", OK, "/old/ncu is 2022.4.1"},
		"an old ncu, and one too new": {func(f *Facts) {
			f.NCU = []profile.Nsight{{Path: "/old/ncu", Version: "2022.4.1"}, {Path: "/new/ncu", Version: "2025.3.1"}}
		}, "ncu", Warn, "update the driver"},
		"no ncu, and driver 470":         {func(f *Facts) { f.NCU, f.Machine.GPU.Driver = nil, "470.1" }, "ncu", Warn, "at least 525"},
		"ncu mute":                       {func(f *Facts) { f.NCU[0].Version = "" }, "ncu", Unknown, "--version"},
		"counters restricted":            {func(f *Facts) { f.Counters.AdminOnly = true }, "counters", Warn, "NVreg_RestrictProfilingToAdminUsers=0"},
		"counters restricted, but admin": {func(f *Facts) { f.Counters.AdminOnly, f.Counters.Admin = true, true }, "counters", OK, "admin"},
		"counters: driver does not tell": {func(f *Facts) { f.Counters.Known = false }, "counters", Unknown, "/proc"},
		"canary failed":                  {func(f *Facts) { f.NoiseTrouble = "it crashed" }, "canary", Unknown, "it crashed"},
		"canary left out":                {func(f *Facts) { f.NoiseSkipped = true }, "canary", Absent, "leave out --quick"},
		"outside of the sandbox":         {func(f *Facts) { f.Unsandboxed = true }, "sandbox", Warn, "update the driver"},
		"cool under load":                {func(*Facts) {}, "under load", OK, "(160 samples): SMs at 1500 to 2040 of 2040 MHz, up to 61 °C, up to 72 W, power cap 64 % of the time"},
		"one clock under load":           {func(f *Facts) { f.Machine.GPU.Watch.MinSMClockMHz = 2040 }, "under load", OK, "SMs at 2040 of 2040 MHz"},
		"hot under load": {func(f *Facts) {
			f.Machine.GPU.Watch.Clocks = []result.ClockReason{{Limit: "hardware thermal slowdown", Share: 0.05}}
		}, "under load", Warn, "hardware thermal slowdown 5.0 % of the time"},
		"a change of clocks under load": {func(f *Facts) {
			f.Machine.GPU.Watch.Clocks = []result.ClockReason{{Limit: "hardware slowdown", Share: 0.01}}
		}, "under load", OK, "hardware slowdown 1.0 % of the time"},
		"blind under load":   {func(f *Facts) { f.Machine.GPU.Watch.Blind = true }, "under load", OK, "no process was shown, not even ours"},
		"nothing under load": {func(f *Facts) { f.Machine.GPU.Watch = &result.GPUWatch{} }, "under load", Warn, "not shown"},
		"hot, and so the canary failed": {func(f *Facts) {
			f.Noise, f.NoiseTrouble = nil, "eight rounds did not count"
			f.Machine.GPU.Watch.Clocks = []result.ClockReason{{Limit: "power brake", Share: 1}}
		}, "under load", Warn, "power brake"},
		"a round was voided":               {func(f *Facts) { f.Noise[0].Voided, f.Noise[0].VoidReason = 2, "thermal slowdown" }, "noise", Warn, "2 rounds voided: thermal"},
		"noisier than the tolerance":       {func(f *Facts) { f.Noise[0].SeenLast, f.Noise[0].Rounds = 0.02, 0 }, "MDE", Warn, "stay inconclusive"},
		"noisier than twice the tolerance": {func(f *Facts) { f.Noise[0].SeenLast, f.Noise[0].Rounds = 0.05, 0 }, "MDE", Bad, "gate.tolerance to 5.0 %"},
	} {
		f := healthy()
		c.change(&f)
		r := Examine(f)
		got := finding(t, r, c.name)
		if got.Status != c.status || !strings.Contains(got.Text+" "+got.Cure, c.says) {
			t.Errorf("%s: %+v, want %s saying %q", what, got, c.status, c.says)
		}
		if (got.Status == Bad || got.Status == Warn) && got.Cure == "" {
			t.Errorf("%s: no cure: %+v", what, got)
		}
		want := map[Status]string{OK: Fit, Warn: Fit, Absent: Fit, Bad: Unfit, Unknown: CantTell}[c.status]
		if f.NoiseTrouble != "" {
			want = CantTell
		}
		if r.Verdict != want {
			t.Errorf("%s: verdict %s, want %s", what, r.Verdict, want)
		}
	}
}

func withoutGPU() Facts {
	f := healthy()
	f.Machine.GPU, f.Machine.Device, f.Machine.Model = nil, "cpu", f.Machine.Processor
	f.GPUTrouble = &machine.GPUError{What: "there is no NVIDIA driver here", Cure: "install the driver"}
	return f
}

func TestMachineWithoutGPUIsFitForOtherSuites(t *testing.T) {
	r := Examine(withoutGPU())
	if got := finding(t, r, "driver"); r.Verdict != Fit || got.Status != Absent {
		t.Errorf("%s: %+v", r.Verdict, got)
	}
	for _, name := range []string{"nvcc", "ncu", "counters"} {
		for _, f := range r.Findings {
			if f.Name == name {
				t.Errorf("%s is looked at without a GPU: %+v", name, f)
			}
		}
	}
}

func TestExpectedGPUThatIsNotThereIsUnfit(t *testing.T) {
	for what, change := range map[string]func(*Facts){
		"on the PCI bus":  func(f *Facts) { f.PCI = []string{"0000:00:04.0"} },
		"named by --gpu":  func(f *Facts) { f.GPUWanted = true },
		"does not answer": func(f *Facts) { f.GPUFailed = true },
	} {
		f := withoutGPU()
		change(&f)
		if r := Examine(f); r.Exit != result.ExitFailed || finding(t, r, "driver").Cure != "install the driver" {
			t.Errorf("%s: exit %d, %+v", what, r.Exit, r.Findings)
		}
	}
}

func printed(t *testing.T, f Facts) string {
	t.Helper()
	var b strings.Builder
	must(t, render.Terminal(&b, Examine(f).Document(), render.TerminalOptions{Width: 90}))
	return b.String()
}

func TestText(t *testing.T) {
	f := healthy()
	f.Machine.GPU.Persistence = false
	f.NVCC = Tool{Trouble: "no nvcc found"}
	text := printed(t, f)
	for _, want := range []string{
		"\nGPU\nok        model: NVIDIA L4, sm_89, 58 SMs, 24 GiB,",
		"\nwarn      persistence: off: the driver starts again",
		"          → until the next boot: sudo nvidia-smi -pm 1.",
		"\nbad       nvcc: no nvcc found\n",
		"UNFIT  fix 1 problem first, with 1 warning\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for line := range strings.Lines(text) {
		if n := len([]rune(strings.TrimRight(line, "\n"))); n > 90 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if strings.Contains(text, "\x1b") {
		t.Error("colour without being asked")
	}
}

// What a tool calls itself must not act on the terminal.
func TestTextIsVisible(t *testing.T) {
	f := healthy()
	f.Compiler.Version = "evil \x1b[2J\x1b]0;title\x07 compiler\r\nFIT  all is well"
	if text := printed(t, f); strings.ContainsAny(text, "\x1b\r\x07") || strings.Contains(text, "\nFIT  all is well") {
		t.Errorf("%q", text)
	}
}

func TestJSON(t *testing.T) {
	var b bytes.Buffer
	must(t, Examine(healthy()).JSON(&b))
	var back Report
	must(t, json.Unmarshal(b.Bytes(), &back))
	if back.Schema != Schema || back.Verdict != Fit || len(back.Findings) == 0 || back.Machine.GPU == nil || len(back.Noise) != 1 {
		t.Errorf("read back: %+v", back)
	}
}
