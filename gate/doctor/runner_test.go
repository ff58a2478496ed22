package doctor

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRunnerVersion: it is found from a step's process up, beside the program that the runner is.
func TestRunnerVersion(t *testing.T) {
	proc, bin := t.TempDir(), t.TempDir()
	for pid, p := range map[string]struct{ comm, parent string }{
		"1": {"systemd", "0"}, "5": {"Runner.Listener", "1"}, "7": {"Runner.Worker", "5"}, "8": {"bash", "7"}, "9": {"perfgate", "8"}, "20": {"sshd", "1"},
	} {
		for name, text := range map[string]string{"comm": p.comm + "\n", "status": "Name:\t" + p.comm + "\nPPid:\t" + p.parent + "\n"} {
			path := filepath.Join(proc, pid, name)
			must(t, os.MkdirAll(filepath.Dir(path), 0o755))
			must(t, os.WriteFile(path, []byte(text), 0o644))
		}
	}
	worker := filepath.Join(bin, "Runner.Worker")
	must(t, os.Symlink(worker, filepath.Join(proc, "7", "exe")))
	if got := findRunner(proc, "9"); got != (Runner{InJob: true}) {
		t.Errorf("without what .NET notes: %+v", got)
	}
	const deps = `{"targets": {".NETCoreApp,Version=v8.0/linux-x64": {"Runner.Worker/2.336.0": {"dependencies": {"Newtonsoft.Json": "13.0.3"}}}}}`
	must(t, os.WriteFile(worker+".deps.json", []byte(deps), 0o644))
	for pid, want := range map[string]string{"9": "2.336.0", "20": "", "404": ""} {
		if got := findRunner(proc, pid); got != (Runner{InJob: true, Version: want}) {
			t.Errorf("from process %s: %+v, want %q", pid, got, want)
		}
	}
}

// What listens for debuggers is found by its socket, if its process lives and is ours.
func TestDiagnosticPorts(t *testing.T) {
	proc, tmp := t.TempDir(), t.TempDir()
	for pid, name := range map[int]string{7: "Runner.Listener", 8: "MSBuild"} {
		dir := filepath.Join(proc, fmt.Sprint(pid))
		must(t, os.MkdirAll(dir, 0o755))
		must(t, os.WriteFile(filepath.Join(dir, "comm"), []byte(name+"\n"), 0o644))
	}
	for _, name := range []string{"dotnet-diagnostic-7-123-socket", "dotnet-diagnostic-8-1-socket", "dotnet-diagnostic-9-1-socket", "other-socket"} {
		l, err := net.Listen("unix", filepath.Join(tmp, name))
		must(t, err)
		defer l.Close()
	}
	must(t, os.WriteFile(filepath.Join(tmp, "dotnet-diagnostic-7-124-socket"), nil, 0o644))
	ports := diagnosticPorts(proc, tmp, tmp)
	if len(ports) != 2 || ports[0].Process != "Runner.Listener" || ports[1].Process != "MSBuild" {
		t.Fatalf("%+v", ports)
	}
	if f := runnerPorts(Facts{Ports: ports}); f.Status != Warn || !strings.Contains(f.Text, tmp) || !strings.Contains(f.Cure, "DOTNET_EnableDiagnostics=0") {
		t.Errorf("%+v", f)
	}
	if f := runnerPorts(Facts{Ports: ports[1:]}); f.Status != "" {
		t.Errorf("%+v", f)
	}
}
