package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/doctor"
	"github.com/org/perfgate/gate/machine"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/kernelstest"
)

// needsNoGPU skips a test about machines without one.
func needsNoGPU(t *testing.T) {
	t.Helper()
	if gpus, err := machine.OpenGPUs(); err == nil {
		gpus.Close()
		t.Skip("this machine has a GPU")
	}
}

// examined is the exit code and the report of doctor.
func examined(t *testing.T, args ...string) (code int, r doctor.Report) {
	t.Helper()
	code, out, said := executed(t, append([]string{"doctor", "--quick", "--format", "json"}, args...)...)
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%v: exit %d, %v\n%s%s", args, code, err, out, said)
	}
	return code, r
}

func TestDoctorOfAMachineWithoutGPU(t *testing.T) {
	needsNoGPU(t)
	t.Setenv("PERFGATE_CACHE", t.TempDir())
	for _, c := range []struct {
		args    []string
		code    result.ExitCode
		verdict string
		driver  doctor.Status
	}{
		{nil, result.ExitPassed, doctor.Fit, doctor.Absent}, {[]string{"--gpu", "0"}, result.ExitFailed, doctor.Unfit, doctor.Bad},
	} {
		code, r := examined(t, c.args...)
		if code != int(c.code) || r.Verdict != c.verdict || r.Exit != c.code || r.Schema != doctor.Schema {
			t.Errorf("%v: exit %d, %+v", c.args, code, r)
		}
		for _, f := range r.Findings {
			if f.Name == "driver" && f.Status != c.driver {
				t.Errorf("%v: %+v", c.args, f)
			}
		}
	}
}

// The lock folder of a machine may be read-only for the user of the job.
func TestDoctorFindsAnUnwritableFolder(t *testing.T) {
	t.Setenv("PERFGATE_LOCK_DIR", "/proc/no-such-folder")
	t.Setenv("PERFGATE_CACHE", t.TempDir())
	code, r := examined(t)
	for _, f := range r.Findings {
		if f.Name == "locks" && (f.Status != doctor.Bad || code != int(result.ExitFailed)) {
			t.Errorf("exit %d, %+v", code, f)
		}
	}
}

// A runner that listens for debuggers is found, by the name of its process.
func TestDoctorFindsARunnerThatListensForDebuggers(t *testing.T) {
	dir := t.TempDir()
	sleep, err := os.ReadFile("/bin/sleep")
	if err != nil {
		t.Skip(err)
	}
	runner := filepath.Join(dir, "Runner.Listener")
	must(t, kernelstest.WriteProgram(runner, sleep))
	cmd := exec.Command(runner, "60")
	must(t, cmd.Start())
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	port, err := net.Listen("unix", filepath.Join(dir, fmt.Sprintf("dotnet-diagnostic-%d-1-socket", cmd.Process.Pid)))
	must(t, err)
	defer port.Close()
	t.Setenv("TMPDIR", dir)
	t.Setenv("PERFGATE_CACHE", t.TempDir())
	_, out, _ := executed(t, "doctor", "--quick")
	if !strings.Contains(out, "listens for debuggers") || !strings.Contains(out, "DOTNET_EnableDiagnostics=0") {
		t.Error(out)
	}
}
