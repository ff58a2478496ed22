package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/org/perfgate/cmd/perfgate/usertest"
)

// project is a user's folder with a kernel in it, and the places where perfgate could leave something behind.
type project struct {
	t    *testing.T
	dir  string
	tmp  string
	lock string
	env  []string
}

// quickConfig is of a kernel that takes no time to be made, checked and measured.
const quickConfig = `version: 1
kernels:
  - name: scale_add
    adapter: bench/scale_add.pg.cc
    sources: [bench/scale_add.cc]
    flags: [-O2]
    params: {n: {values: [20000]}, dtype: {values: [f32]}}
    cache: hot
    parity: {cases: 2}
gate: {tolerance: 50%, budget: 60s}
`

// newProject writes what perfgate init writes, made small. Its lock is its own: for runs whose numbers do not count.
func newProject(t *testing.T) *project {
	t.Helper()
	needHarness(t)
	home := t.TempDir()
	p := &project{t: t, dir: filepath.Join(home, "project"), tmp: filepath.Join(home, "tmp"), lock: filepath.Join(home, "lock")}
	for _, dir := range []string{p.dir, p.tmp, p.lock} {
		must(t, os.Mkdir(dir, 0o755))
	}
	must(t, usertest.WriteGitConfig(home))
	p.env = append(usertest.Env(home), "PATH="+os.Getenv("PATH"), "TMPDIR="+p.tmp, "PERFGATE_LOCK_DIR="+p.lock)
	p.copyOf("starter", func(from *project) { from.mustRun("perfgate", "init") })
	for old, small := range usertest.Small {
		p.edit("perfgate.yaml", old, small)
	}
	return p
}

// templates are folders of projects by their names: each is made once, and copied for every test that wants one.
var templates = struct {
	sync.Mutex
	made map[string]bool
}{made: map[string]bool{}}

// copyOf makes the project a copy of a template. make writes that into the folder of its project.
func (p *project) copyOf(name string, make func(from *project)) {
	p.t.Helper()
	templates.Lock()
	defer templates.Unlock()
	from := *p
	from.dir = filepath.Join(os.Getenv("PERFGATE_CACHE"), "templates", name)
	err := os.MkdirAll(from.dir, 0o755)
	if err == nil && !templates.made[name] {
		make(&from)
		templates.made[name] = true
	}
	must(p.t, errors.Join(err, os.RemoveAll(p.dir), os.CopyFS(p.dir, os.DirFS(from.dir))))
}

// commit makes the project a repository and commits everything.
func (p *project) commit(message string) {
	p.t.Helper()
	p.mustRun("git", "init", "-q")
	p.mustRun("git", "add", ".")
	p.mustRun("git", "commit", "-qm", message)
}

func (p *project) sha() string {
	p.t.Helper()
	return strings.TrimSpace(p.mustRun("git", "rev-parse", "HEAD"))
}

func (p *project) write(name, text string) {
	p.t.Helper()
	must(p.t, os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o644))
}

// edit replaces text in a file, where it must stand.
func (p *project) edit(name, old, text string) {
	p.t.Helper()
	was := p.read(name)
	if !strings.Contains(was, old) {
		p.t.Fatalf("%s does not hold %q", name, old)
	}
	p.write(name, strings.Replace(was, old, text, 1))
}

func (p *project) read(name string) string {
	p.t.Helper()
	return readText(p.t, filepath.Join(p.dir, name))
}

func (p *project) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = p.dir, p.env
	return cmd
}

// run runs a command to its end and returns what it printed, both streams together, and its exit code.
func (p *project) run(name string, args ...string) (string, int) {
	p.t.Helper()
	var out bytes.Buffer
	cmd := p.command(name, args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.t.Fatalf("%s: %v", name, err)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

func (p *project) mustRun(name string, args ...string) string {
	p.t.Helper()
	out, code := p.run(name, args...)
	if code != 0 {
		p.t.Fatalf("%s %s: exit code %d\n%s", name, strings.Join(args, " "), code, out)
	}
	return out
}

// expect runs a command to its end, wants an exit code and texts, with " | " between them, in what it prints, however that breaks lines, and returns that.
func (p *project) expect(code int, says, name string, args ...string) string {
	p.t.Helper()
	out, got := p.run(name, args...)
	words := strings.Join(strings.Fields(out), " ")
	lacks := slices.DeleteFunc(strings.Split(says, " | "), func(text string) bool { return strings.Contains(out, text) || strings.Contains(words, text) })
	if got != code || len(lacks) > 0 {
		p.t.Errorf("%s %s: exit code %d, want %d, without %q:\n%s", name, strings.Join(args, " "), got, code, lacks, out)
	}
	return out
}

// clean wants that nothing was left behind.
func (p *project) clean() {
	p.t.Helper()
	for _, left := range append(usertest.LeftBehind(p.tmp), usertest.FilesIn(p.lock)...) {
		p.t.Errorf("left behind: %s", left)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
