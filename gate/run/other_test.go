package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/machine"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
)

// standIn is a benchmark on an accelerator that is made up: it says what the sandbox and the environment let it see.
func standIn(t *testing.T, machineKeys, took string) Options {
	t.Helper()
	yaml := "    bench: {command: sh bench.sh, format: csv}\ngate: {tolerance: 3%}\ndevice: other\ndevices: [/dev/zero, /dev/none]\nmachine: {" + machineKeys + "}\n"
	script := func(ns string) map[string]string {
		return map[string]string{"bench.sh": "head -c 4 /dev/zero >/dev/null || exit 1; echo kernel,ns; echo k,$((" + ns + "000 + $$ % 100))"}
	}
	opt := benchSides(t, repo.TrustWorktree, yaml, script("100"), script(took))
	opt.NoSkip = true
	t.Setenv("PERFGATE_LOCK_DIR", t.TempDir())
	return opt
}

// Where base has no configuration, head's would be the one that names the commands, and they run outside of the sandbox.
func TestOtherAcceleratorOfHeadAlone(t *testing.T) {
	ran := filepath.Join(t.TempDir(), "ran")
	opt := standIn(t, "key: 'echo x >"+ran+"; echo model'", "100")
	opt.Trusted.NoBaseConfig = true
	_, err := Run(t.Context(), opt)
	if _, statErr := os.Stat(ran); !result.IsUsage(err) || statErr == nil {
		t.Errorf("%v, and the command ran: %v", err, statErr == nil)
	}
}

// A benchmark with its own clock is gated on an accelerator that perfgate knows by commands only: its key names the machine, and its lock is held.
func TestOtherAccelerator(t *testing.T) {
	log := filepath.Join(t.TempDir(), "asked")
	keys := "key: echo Wormhole n300, idle: 'echo idle >>" + log + "', clocks: 'echo AICLK $(wc -l <" + log + ") MHz'"
	for took, exit := range map[string]result.ExitCode{"100": result.ExitPassed, "130": result.ExitFailed} {
		opt := standIn(t, keys, took)
		res := runIt(t, opt)
		m := res.Machine
		if res.Conclusion.Exit != exit || m.Device != result.DeviceOther || m.Model != "Wormhole n300" || !strings.HasPrefix(m.Key, "wormhole-n300-") || m.Processor == "" {
			t.Errorf("exit %d, want %d, on %+v", res.Conclusion.Exit, exit, m)
		}
		if notes := strings.Join(res.Notes, "\n"); !strings.Contains(notes, "machine.clocks printed before the rounds: AICLK") {
			t.Errorf("notes %q", notes)
		}
		if key, err := MachineKey(t.Context(), opt.Trusted.Config, ""); err != nil || key != m.Key {
			t.Errorf("records are under %q, %v, and the run says %q", key, err, m.Key)
		}
	}
	d := &device{other: &Accelerator{}, machine: machine.DescribeOther("Wormhole n300")}
	x := turnsOn(t, d)
	if err := x.onDevice(t.Context(), func() error {
		if isFree(t, d.machine.Key, machine.Alone) || !isFree(t, machine.Host, machine.Alone) {
			t.Error("the accelerator is free, or the host is held")
		}
		return nil
	}); err != nil || !isFree(t, d.machine.Key, machine.Alone) {
		t.Errorf("it is still held: %v", err)
	}
}

// What a command prints is data, and bounded; one that fails says so and ends the run.
func TestCommandsOfAnAcceleratorAreBounded(t *testing.T) {
	for keys, want := range map[string]string{
		"key: exit 3":           "machine.key does not say what the accelerator is (exit status 3)",
		"key: 'true'":           "machine.key printed \"\"",
		"key: 'printf a\\\\nb'": "machine.key printed \"a\\nb\"",
		"key: 'seq 99'":         "one line of at most 100 characters",
		"key: cat /dev/zero":    "more than 64 KiB",
		"key: echo x, idle: 'echo pid 7 >&2; exit 1'": "the accelerator is in use (exit status 1): pid 7",
		"key: echo x, idle: exit 2":                   "it printed nothing",
	} {
		_, err := Run(t.Context(), standIn(t, keys, "100"))
		if err == nil || !strings.Contains(err.Error(), want) || result.IsUsage(err) {
			t.Errorf("%s: %v, want %q", keys, err, want)
		}
	}
	a := &Accelerator{commands: config.MachineCommands{Key: `printf '\033[31mx\a'`, Clocks: `printf '::error::1\n2\033[0m'`}, dir: t.TempDir()}
	m, err := a.Describe(t.Context())
	said, err2 := a.Clocks(t.Context())
	if err != nil || err2 != nil || strings.ContainsAny(m.Model+said, "\x1b\a\n") {
		t.Errorf("%q and %q, %v, %v", m.Model, said, err, err2)
	}
}

// A folder of devices stands for those in it; what is no character device is not opened for a sandbox.
func TestCharDevices(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Symlink("/dev/zero", filepath.Join(dir, "link")))
	if got := charDevices([]string{"/dev/zero", "/dev/no-such", dir}); len(got) != 1 || got[0] != "/dev/zero" {
		t.Errorf("got %q", got)
	}
}

func TestCollectiveKernelsAreRefused(t *testing.T) {
	for text, refused := range map[string]bool{
		"#include <nccl.h>\n": true, "  # include \"nvshmemx.h\"\n": true, "import torch.distributed as dist\n": true, "from torch.distributed import x\n": true,
		"import torch\n": false, "// nccl.h\n": false, "#include \"mynccl.h\"\n": false, "": false,
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "k.pg.py"), text)
		err := refuseCollective(&config.Config{Dir: dir}, []plan.KernelPlan{{Kernel: config.Kernel{Name: "k", Adapter: "k.pg.py"}}})
		if refused != result.IsUsage(err) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
