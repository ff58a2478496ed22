package action

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/org/perfgate/kernels/kernelstest"
)

// actionStep is a step of action.yml that runs a script.
type actionStep struct {
	ID    string            `yaml:"id"`
	Shell string            `yaml:"shell"`
	Run   string            `yaml:"run"`
	Env   map[string]string `yaml:"env"`
	Dir   string            `yaml:"working-directory"`
}

func actionSteps(t *testing.T) []actionStep {
	t.Helper()
	var action struct {
		Runs struct {
			Steps []actionStep `yaml:"steps"`
		} `yaml:"runs"`
	}
	must(t, yaml.Unmarshal([]byte(readRepo(t, "action.yml")), &action))
	return slices.DeleteFunc(action.Runs.Steps, func(s actionStep) bool { return s.Run == "" })
}

// start runs a step as the runner does: its variables win over the job's.
func (s actionStep) start(t *testing.T, job []string) (string, error) {
	t.Helper()
	script := filepath.Join(t.TempDir(), "script.sh")
	must(t, os.WriteFile(script, []byte(s.Run), 0o644))
	command := strings.Fields(strings.ReplaceAll(s.Shell, "{0}", script))
	path, err := exec.LookPath(command[0]) // a runner looks on the PATH of the job; an absolute path is what it is
	must(t, err)
	cmd := exec.Command(path, command[1:]...)
	cmd.Dir, cmd.Env = s.Dir, job
	for name, value := range s.Env {
		if !strings.Contains(value, "${{") {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// taken are programs of the system that the action starts, or what it starts, by their names.
var taken = []string{"bash", "sh", "env", "curl", "sha256sum", "awk", "uname", "mktemp", "mkdir", "chmod", "mv", "rm", "dirname", "readlink", "perfgate", "go", "tar", "git", "node", "gh"}

// hostile has a job's variables name folders of the checkout, in which everything says that it was run.
func (r *release) hostile(perfgateElsewhere bool) []string {
	r.Helper()
	bin, mark := filepath.Join(r.checkout, "bin"), "echo TAKEN-FROM-THE-CHECKOUT >&2\n"
	r.folder(bin)
	for _, name := range taken {
		if name == "perfgate" && perfgateElsewhere {
			continue
		}
		must(r, kernelstest.WriteProgram(filepath.Join(bin, name), []byte("#!/bin/sh\n"+mark+"exit 0\n")))
	}
	for name, text := range map[string]string{
		"start.sh": mark, ".curlrc": "output = /dev/null\nurl = \"file:///nothing\"\n", ".config/go/env": "GOFLAGS=-toolexec=" + bin + "/sh\n", "ld.so": "no library",
	} {
		r.folder(filepath.Dir(filepath.Join(r.checkout, name)))
		must(r, os.WriteFile(filepath.Join(r.checkout, name), []byte(text), 0o644))
	}
	start := filepath.Join(r.checkout, "start.sh")
	return []string{
		"PATH=bin::" + bin + ":" + os.Getenv("PATH"), "BASH_ENV=" + start, "ENV=" + start, "HOME=" + r.checkout, "CURL_HOME=" + r.checkout, "XDG_CONFIG_HOME=" + r.checkout + "/.config",
		"BASH_FUNC_printf%%=() { " + strings.TrimSpace(mark) + "; }", "BASH_FUNC_curl%%=() { " + strings.TrimSpace(mark) + "; }", "SHELLOPTS=xtrace", "PS4=TAKEN-FROM-THE-CHECKOUT ",
		"LD_PRELOAD=" + filepath.Join(r.checkout, "ld.so"), "AWKPATH=" + r.checkout, "TAR_OPTIONS=--to-command=" + bin + "/sh", "TMPDIR=" + r.checkout,
		"GOFLAGS=-toolexec=" + bin + "/sh", "GOBIN=" + bin, "GOENV=" + filepath.Join(r.checkout, ".config/go/env"), "GOROOT=" + r.checkout, "GOTOOLCHAIN=path", "CC=" + bin + "/sh",
	}
}

func (r *release) folder(path string) {
	r.Helper()
	must(r, os.MkdirAll(path, 0o755))
}

func (r *release) job(mode string, more ...string) []string {
	return append([]string{
		"INPUT_INSTALL_MODE=" + mode, "INPUT_DOWNLOAD_URL=" + r.url, "RUNNER_TEMP=" + r.TempDir(), "RUNNER_TOOL_CACHE=" + r.tools,
		"GITHUB_OUTPUT=" + r.output, "GITHUB_WORKSPACE=" + r.checkout, "GITHUB_ACTION_PATH=" + r.action,
	}, more...)
}

// Whatever of the checkout the job's variables name, no step of the action runs it: the shell, the programs of the install step, and what
// these are told by their own variables come from the system.
func TestNoStepTakesAProgramOfTheCheckout(t *testing.T) {
	t.Parallel()
	r := newRelease(t)
	r.stamp()
	job := r.job("binary", r.hostile(false)...)
	for _, s := range actionSteps(t) {
		if s.Shell != "/bin/bash --noprofile --norc -p -eo pipefail {0}" || s.Dir != "/" {
			t.Errorf("step %s: shell %q in %q", s.ID, s.Shell, s.Dir)
		}
		for _, name := range []string{"LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT"} {
			if value, ok := s.Env[name]; s.ID != "measure" && (!ok || value != "") {
				t.Errorf("step %s does not empty %s", s.ID, name)
			}
		}
		env := job
		if s.ID != "install" {
			env = append(slices.Clone(job), "PERFGATE_BIN=/bin/echo", "PAGE_URL=x", "GITHUB_STEP_SUMMARY=/dev/null", "LD_PRELOAD=")
		}
		out, err := s.start(t, env)
		if err != nil || strings.Contains(out, "TAKEN") {
			t.Errorf("step %s: %v\n%s", s.ID, err, out)
		}
	}
	if text, err := os.ReadFile(r.output); err != nil || !strings.HasPrefix(string(text), "bin="+r.tools) {
		t.Errorf("%q, %v", text, err)
	}
}

// The Go that builds the action is not the checkout's either, nor does it hear of it.
func TestSourceIsBuiltByNothingOfTheCheckout(t *testing.T) {
	t.Parallel()
	r := newRelease(t)
	install := actionSteps(t)[0]
	out, err := install.start(t, r.job("source", r.hostile(true)...))
	if err == nil || strings.Contains(out, "TAKEN") || !strings.Contains(out, "::error title=perfgate::the go on PATH is") || !strings.Contains(out, "in the checkout") {
		t.Errorf("%v\n%s", err, out)
	}
	// A Go of the machine sees none of the variables. It stands for the real one, which would build for a minute.
	machine := r.TempDir()
	text := "#!/bin/sh\nenv\nfor last; do :; done\nwhile [ $# -gt 0 ]; do [ \"$1\" != -o ] || { printf '#!/bin/sh\\necho perfgate built\\n' >\"$2\"; chmod 755 \"$2\"; }; shift; done\n"
	must(t, kernelstest.WriteProgram(filepath.Join(machine, "go"), []byte(text)))
	job := r.job("source", r.hostile(true)...)
	job = append(job, "PATH="+machine+":bin::"+filepath.Join(r.checkout, "bin")+":/usr/bin:/bin")
	out, err = install.start(t, job)
	if err != nil || !strings.Contains(out, "perfgate built") || strings.Contains(out, r.checkout+"/") || strings.Contains(out, "TAKEN") {
		t.Errorf("%v\n%s", err, out)
	}
	for _, want := range []string{"GOFLAGS=-mod=readonly", "GOTOOLCHAIN=local", "PATH=" + machine + ":/usr/bin:/bin:/usr/local/sbin"} {
		if !strings.Contains(out, want) {
			t.Errorf("%s is not in\n%s", want, out)
		}
	}
}

// A perfgate that a change could replace is not the one that judges it, however the PATH leads there.
func TestInstallNoneRefusesAPerfgateOfTheCheckout(t *testing.T) {
	t.Parallel()
	for name, place := range map[string]func(r *release, outside string) string{
		"a folder":               func(r *release, _ string) string { return filepath.Join(r.checkout, "bin") },
		"relative":               func(*release, string) string { return "bin" },
		"here":                   func(r *release, _ string) string { return "" },
		"by way of ..":           func(r *release, _ string) string { return r.checkout + "/../" + filepath.Base(r.checkout) + "/bin" },
		"a folder linked to it":  func(r *release, o string) string { return r.link(r.checkout+"/bin", o+"/linked") },
		"a program linked to it": func(r *release, o string) string { r.link(r.checkout+"/bin/perfgate", o+"/perfgate"); return o },
		"a link of it that leads out": func(r *release, o string) string {
			r.folder(o + "/real")
			r.write(o + "/real/perfgate")
			return r.link(r.link(o+"/real", r.checkout+"/out"), o+"/through")
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRelease(t)
			r.folder(filepath.Join(r.checkout, "bin"))
			r.write(filepath.Join(r.checkout, "bin", "perfgate"))
			r.write(filepath.Join(r.checkout, "perfgate"))
			log, bin, ok := r.install("none", "PATH="+place(r, r.TempDir())+":/usr/bin:/bin")
			if ok || bin != "" || !strings.Contains(log, "::error title=perfgate::the perfgate on PATH is") || !strings.Contains(log, "in the checkout") || strings.Contains(log, "v9.9.9") {
				t.Errorf("ok %v, bin %q:\n%s", ok, bin, log)
			}
		})
	}
}

func (r *release) link(to, at string) string {
	r.Helper()
	must(r, os.Symlink(to, at))
	return at
}

func (r *release) write(path string) {
	r.Helper()
	must(r, kernelstest.WriteProgram(path, []byte(program)))
}

// Libraries of the checkout would be loaded into the shell of the step that measures, before perfgate could look.
func TestLibrariesOfTheCheckoutAreRefusedFromAPullRequest(t *testing.T) {
	t.Parallel()
	r := newRelease(t)
	tools := r.TempDir()
	r.write(filepath.Join(tools, "perfgate"))
	for _, c := range []struct {
		event, libraries string
		refused          bool
	}{
		{"pull_request", "::/usr/local/cuda/lib64:", false}, {"pull_request", "::/usr/local/cuda/lib64:" + r.checkout + "/build", true},
		{"pull_request_target", r.checkout + "/x.so::", true}, {"pull_request", "::build/lib", true}, {"push", "::" + r.checkout + "/build", false},
	} {
		log, _, ok := r.install("none", "PATH="+tools, "JOB_LIBRARIES="+c.libraries, "GITHUB_EVENT_NAME="+c.event)
		if ok == c.refused || ok == strings.Contains(log, "in the checkout") {
			t.Errorf("%s, %q: ok %v\n%s", c.event, c.libraries, ok, log)
		}
	}
	if want := "${{ env.LD_PRELOAD }}:${{ env.LD_AUDIT }}:${{ env.LD_LIBRARY_PATH }}"; actionSteps(t)[0].Env["JOB_LIBRARIES"] != want {
		t.Errorf("install hears of the libraries: %v", actionSteps(t)[0].Env)
	}
}

// What the tool cache has is taken by its hash; one in the checkout is not used at all.
func TestToolCacheInTheCheckout(t *testing.T) {
	t.Parallel()
	r := newRelease(t)
	r.stamp()
	log, bin, ok := r.install("binary", "RUNNER_TOOL_CACHE="+filepath.Join(r.checkout, "tools"), fmt.Sprintf("HOME=%s", r.checkout))
	if !ok || strings.HasPrefix(bin, r.checkout) {
		t.Errorf("%q\n%s", bin, log)
	}
}
