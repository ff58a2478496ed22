package action

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/org/perfgate/kernels/kernelstest"
)

// release is the action's folder, copied, with a release of its own.
type release struct {
	*testing.T
	action, tools, output string
	checkout              string // what a pull request has a say in
	url                   string
	served                []byte
	asked                 []string
}

const program = "#!/bin/sh\necho perfgate v9.9.9\n"

func newRelease(t *testing.T) *release {
	t.Helper()
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("there are binaries for x64 and arm64 alone")
	}
	kernelstest.Tool(t, "curl")
	dir := t.TempDir()
	r := &release{T: t, action: filepath.Join(dir, "action"), tools: filepath.Join(dir, "tools"), output: filepath.Join(dir, "output"), served: []byte(program)}
	r.checkout = t.TempDir()
	syscall.ForkLock.RLock() // as kernelstest.WriteProgram does, for each of these scripts
	err := os.CopyFS(filepath.Join(r.action, ".github", "action"), os.DirFS("../../.github/action"))
	syscall.ForkLock.RUnlock()
	must(t, err)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		r.asked = append(r.asked, q.URL.Path)
		w.Write(r.served)
	}))
	t.Cleanup(web.Close)
	r.url = web.URL
	return r
}

// stamp writes checksums of the program, as the release workflow does.
func (r *release) stamp() {
	r.Helper()
	sum := sha256.Sum256([]byte(program))
	text := hex.EncodeToString(sum[:])
	sums := filepath.Join(r.TempDir(), "SHA256SUMS")
	must(r, os.WriteFile(sums, []byte(text+"  perfgate_linux_x64\n"+text+"  perfgate_linux_arm64\n"), 0o644))
	if out, err := exec.Command(filepath.Join(r.action, ".github", "action", "stamp.sh"), "v9.9.9", sums).CombinedOutput(); err != nil {
		r.Fatalf("%v: %s", err, out)
	}
}

// install runs the step and returns what it printed, the binary that it names, and whether it succeeded.
func (r *release) install(mode string, env ...string) (log, bin string, ok bool) {
	r.Helper()
	os.Remove(r.output)
	cmd := exec.Command(filepath.Join(r.action, ".github", "action", "install.sh"))
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "INPUT_INSTALL_MODE=" + mode, "INPUT_DOWNLOAD_URL=" + r.url, "RUNNER_TEMP=" + r.TempDir(), "RUNNER_TOOL_CACHE=" + r.tools,
		"GITHUB_OUTPUT=" + r.output, "GITHUB_WORKSPACE=" + r.checkout,
	}, env...)
	cmd.Dir = r.checkout
	out, err := cmd.CombinedOutput()
	text, _ := os.ReadFile(r.output)
	return string(out), strings.TrimSpace(strings.TrimPrefix(string(text), "bin=")), err == nil
}

func TestInstallBinary(t *testing.T) {
	t.Parallel()
	r := newRelease(t)
	r.stamp()
	log, bin, ok := r.install("binary")
	if !ok || !strings.Contains(log, "v9.9.9") {
		t.Fatal(log)
	}
	if text, err := os.ReadFile(bin); err != nil || string(text) != program {
		t.Errorf("installed %q, %v", text, err)
	}
	if _, again, ok := r.install("binary"); !ok || again != bin || len(r.asked) != 1 {
		t.Errorf("a second run downloads again: %v", r.asked)
	}
	if !strings.HasPrefix(r.asked[0], "/v9.9.9/perfgate_linux_") {
		t.Errorf("asked for %v", r.asked)
	}
	// A binary that was tampered with since is not run.
	must(t, kernelstest.WriteProgram(bin, []byte("#!/bin/sh\necho forged\n")))
	if log, _, ok := r.install("binary"); !ok || strings.Contains(log, "forged") {
		t.Error(log)
	}
}

func TestInstallRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		mode string
		env  []string
		with func(*release)
		says string
	}{
		"no release":     {"binary", nil, func(*release) {}, "install-mode: source"},
		"other content":  {"binary", nil, func(r *release) { r.stamp(); r.served = []byte("#!/bin/sh\n") }, "SHA-256 differs"},
		"no network":     {"binary", []string{"INPUT_DOWNLOAD_URL=http://127.0.0.1:1"}, func(r *release) { r.stamp() }, "cannot download"},
		"no program":     {"none", []string{"PATH=/usr/bin:/bin"}, func(*release) {}, "on PATH"},
		"no checkout":    {"binary", []string{"GITHUB_WORKSPACE="}, func(r *release) { r.stamp() }, "GITHUB_WORKSPACE is not set"},
		"unknown":        {"magic", nil, func(*release) {}, "binary, source, none"},
		"a command":      {"x\n::add-mask::y", nil, func(*release) {}, "binary, source, none"},
		"does not start": {"binary", nil, func(r *release) { r.stamp(); r.broken() }, "does not start"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRelease(t)
			c.with(r)
			log, bin, ok := r.install(c.mode, c.env...)
			if ok || bin != "" || !strings.Contains(log, "::error title=perfgate::") || !strings.Contains(log, c.says) {
				t.Errorf("ok %v, bin %q:\n%s", ok, bin, log)
			}
			if strings.Contains(log, "\n::add-mask::") {
				t.Error("an input became a command")
			}
		})
	}
}

// broken serves a program that does not start, with its own checksum.
func (r *release) broken() {
	r.served = []byte("\x7fELF no program")
	sum := sha256.Sum256(r.served)
	text := hex.EncodeToString(sum[:])
	must(r, os.WriteFile(filepath.Join(r.action, ".github", "action", "binaries.txt"), []byte("v9.9.9 x64 "+text+"\nv9.9.9 arm64 "+text+"\n"), 0o644))
}

func TestInstallNone(t *testing.T) {
	t.Parallel()
	r := newRelease(t)
	dir := t.TempDir()
	must(t, kernelstest.WriteProgram(filepath.Join(dir, "perfgate"), []byte(program)))
	if log, bin, ok := r.install("none", "PATH="+dir+":"+os.Getenv("PATH")); !ok || bin != filepath.Join(dir, "perfgate") {
		t.Errorf("%q: %s", bin, log)
	}
}
