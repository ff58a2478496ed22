package doctor

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What listens for debuggers is found by its socket, if its process lives and is ours.
func TestDiagnosticPorts(t *testing.T) {
	proc, tmp := t.TempDir(), t.TempDir()
	for pid, name := range map[int]string{7: "Runner.Listener", 8: "MSBuild"} {
		dir := filepath.Join(proc, fmt.Sprint(pid))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "comm"), []byte(name+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"dotnet-diagnostic-7-123-socket", "dotnet-diagnostic-8-1-socket", "dotnet-diagnostic-9-1-socket", "other-socket"} {
		l, err := net.Listen("unix", filepath.Join(tmp, name))
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
	}
	if err := os.WriteFile(filepath.Join(tmp, "dotnet-diagnostic-7-124-socket"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
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
