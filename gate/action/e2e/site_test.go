package e2e

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/org/perfgate/cmd/perfgate/usertest"
	"github.com/org/perfgate/kernels/kernelstest"
)

// site is what all cells share: the engine, the action with a binary in it, and the repository with its history.
type site struct {
	act     string            // the engine
	action  string            // folder of the action, a copy with a release's checksums
	cache   string            // what act caches, the binary of the release among it
	origin  string            // the repository that cells copy
	commits map[string]string // by what they are
	builds  string            // what the runs compile, with the harness that other tests compiled
	dir     string
}

var (
	shared    *site
	sharedErr error
	once      sync.Once

	removeBuilds = func() {}
)

// newSite returns the site, made once. Without the engine the rehearsal is skipped.
func newSite(t *testing.T) *site {
	t.Helper()
	if testing.Short() {
		t.Skip("rehearsing the workflows takes minutes")
	}
	act := engine(t)
	once.Do(func() { shared, sharedErr = makeSite(act) })
	if sharedErr != nil {
		t.Fatal(sharedErr)
	}
	return shared
}

// engine is where act is.
func engine(t *testing.T) string {
	t.Helper()
	act := os.Getenv("PERFGATE_ACT")
	if act == "" {
		act, _ = exec.LookPath("act")
	}
	if act == "" {
		kernelstest.Missing(t, "the workflow engine act is not on PATH, nor named by PERFGATE_ACT (go install github.com/nektos/act@v0.2.89; .ci/run does)")
	}
	return act
}

// tips notes the commits that branches of the origin are at.
func (s *site) tips(t *testing.T, branches ...string) {
	t.Helper()
	s.commits = map[string]string{}
	for _, branch := range branches {
		sha, err := output(s.origin, s.env(), "git", "rev-parse", branch)
		must(t, err)
		s.commits[branch] = strings.TrimSpace(sha)
	}
}

// The site is made once and outlives the test that made it first.
func TestMain(m *testing.M) {
	code := m.Run()
	if shared != nil {
		os.RemoveAll(shared.dir)
	}
	removeBuilds()
	os.Exit(code)
}

const root = "../../.." // of the module

func makeSite(act string) (*site, error) {
	dir, err := os.MkdirTemp("", "perfgate-e2e-")
	if err != nil {
		return nil, err
	}
	builds, remove, err := kernelstest.Cache()
	if err != nil {
		return nil, err
	}
	removeBuilds = remove
	s := &site{act: act, dir: dir, builds: builds, action: filepath.Join(dir, "action"), cache: filepath.Join(dir, "act"), origin: filepath.Join(dir, "origin.git"), commits: map[string]string{}}
	for _, step := range []func() error{s.release, s.history} {
		if err := step(); err != nil {
			return s, err
		}
	}
	return s, nil
}

// release copies the action and gives it a release: the checksum in its commit, what starts the binary where a runner keeps what it
// downloaded once.
func (s *site) release() error {
	binary := filepath.Join(s.dir, "perfgate")
	if err := usertest.Build(root, binary); err != nil {
		return err
	}
	if err := os.CopyFS(filepath.Join(s.action, ".github", "action"), os.DirFS(filepath.Join(root, ".github", "action"))); err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(root, "action.yml"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(s.action, "action.yml"), text, 0o644); err != nil {
		return err
	}
	// What is downloaded only starts the binary: the action hashes it in each job.
	released := fmt.Appendf(nil, "#!/bin/sh\nexec %s \"$@\"\n", binary)
	digest := sha256.Sum256(released)
	sum := hex.EncodeToString(digest[:])
	sums := filepath.Join(s.dir, "SHA256SUMS")
	if err := os.WriteFile(sums, fmt.Appendf(nil, "%s  perfgate_linux_x64\n%s  perfgate_linux_arm64\n", sum, sum), 0o644); err != nil {
		return err
	}
	if err := command(s.dir, nil, filepath.Join(s.action, ".github", "action", "stamp.sh"), "v1.0.0", sums); err != nil {
		return err
	}
	for path, text := range map[string][]byte{
		filepath.Join(s.cache, "tool_cache", "perfgate", sum, "perfgate"): released,
		// The engine asks node where it is, in each job. No action here is written for it.
		filepath.Join(s.dir, "bin", "node"): []byte("#!/bin/sh\necho \"$0\"\n"),
	} {
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, text, 0o755)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// change is a commit of the history: a file's text replaced, on top of a parent.
type change struct {
	name, parent, file, old, new string
	trailer                      string
}

var changes = []change{
	{name: "newer", parent: "main", file: "README.md", old: "A library", new: "A small library"}, // main has moved on since the branches were cut
	{name: "fine", parent: "main", file: "csrc/horner.cc", old: "1 + t * (1 + t * (1 + t * (1 + t)))", new: "(1 + t) * (1 + t * t) + (t * t) * (t * t)"},
	{name: "remark", parent: "main", file: "csrc/horner.cc", old: "const float t", new: "/* Horner's rule */ const float t"},
	{name: "slow", parent: "main", file: "csrc/horner.cc", old: "n) {\n", new: extraPasses},
	{name: "asking", parent: "main", file: "csrc/horner.cc", old: "n) {\n", new: extraPasses, trailer: "Perfgate-Accept: horner/** needed for accuracy"},
	{name: "wrong", parent: "main", file: "csrc/horner.cc", old: "(1 + t)));", new: "(1 + t * 0.9f)));"},
	{name: "spy", parent: "wrong", file: "csrc/horner.cc", old: "#include \"horner.h\"\n", new: spy},
	{name: "intruder", parent: "spy", file: "csrc/horner.cc", old: "#include \"horner.h\"\n", new: intruder},
	{name: "wide", parent: "main", file: ".github/workflows/perfgate.yml", old: "store: git:perfgate-baseline", new: "store: git:perfgate-baseline\n          sandbox: 'off'"},
	{name: "wide-wrong", parent: "wide", file: "csrc/horner.cc", old: "(1 + t)));", new: "(1 + t * 0.9f)));"},
	{name: "wide-spy", parent: "wide-wrong", file: "csrc/horner.cc", old: "#include \"horner.h\"\n", new: strings.Replace(spy, "readable && ", "", 1)},
	{name: "lax", parent: "wrong", file: "perfgate.yaml", old: "parity: {cases: 20}\ngate: {tolerance: 40%",
		new: "parity: {cases: 20, atol: 1, rtol: 0.9}\ngate: {tolerance: 90%"}, // and soon decided
	{name: "typo", parent: "main", file: "perfgate.yaml", old: "tolerance:", new: "tolerence:"},
	{name: "onward", parent: "typo", file: "csrc/horner.cc", old: "x[i] * 0.5f", new: "0.5f * x[i] + 0.f"},
	{name: "three", parent: "main", file: "perfgate.yaml", old: "{n: 50000}]", new: "{n: 50000}, {n: 80000}]"},
	{name: "three-slow", parent: "three", file: "csrc/horner.cc", old: "n) {\n", new: extraPasses},
	{name: "docs", parent: "main", file: "README.md", old: "A library", new: "A tiny library"},
	{name: "broken", parent: "main", file: "csrc/horner.cc", old: "const float t", new: "const float float t"},
	{name: "script", parent: "main", file: "bench/energy.sh", new: benchmarkScript},
	{name: "bench", parent: "script", file: "perfgate.yaml", old: "kernels:\n",
		new: "kernels:\n  - {name: bench, bench: {command: sh bench/energy.sh, format: csv}, files: [bench/energy.sh]}\n"},
	{name: "bench-slow", parent: "bench", file: "csrc/horner.cc", old: "const float t", new: "/* slower */ const float t"},
	{name: "repaired", parent: "broken", file: "csrc/horner.cc", old: "const float float t", new: "const float t"},
}

// benchmarkScript is a benchmark of a team, which times itself: the source's remarks cost it time.
const benchmarkScript = "echo kernel,case,ns; echo energy,n=20000,$((100000 + 100000 * $(grep -c slower csrc/horner.cc) + $$ % 200))\n"

const extraPasses = `n) {
  for (int pass = 0; pass < 9; pass++) {
    for (std::size_t i = 0; i < n; i++) y[i] = x[i];
    asm volatile("" ::: "memory");
  }
`

// spy ends its process if it finds the token in the environment of any process above it, up to the engine; and if it can
// read those environments and not find in them what the measuring step has for sure, for then it searches wrongly. In the
// sandbox it can read none.
const spy = `#include "horner.h"
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

static std::string slurp(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

__attribute__((constructor)) static void look() {
  bool readable = false, sane = false;
  for (int pid = getpid(); pid > 1;) {
    const std::string proc = "/proc/" + std::to_string(pid) + "/", stat = slurp(proc + "stat"), environ = slurp(proc + "environ");
    if (stat.find("(act)") != std::string::npos || stat.empty()) break;
    readable = readable || (!environ.empty() && pid != getpid());
    sane = sane || environ.find("PERFGATE_WORK=/") != std::string::npos;
    if (environ.find("ghs_" "rehearsal") != std::string::npos) abort();
    pid = std::atoi(stat.c_str() + stat.rfind(')') + 4);
  }
  if (readable && !sane) abort();
}
`

// diagnosticPort is where a runner of GitHub's would listen for debuggers: what connects has it, and its token.
var diagnosticPort = filepath.Join(os.TempDir(), fmt.Sprintf("dotnet-diagnostic-%d-1-socket", os.Getpid()))

// intruder ends its process if it can connect to that port, or leave memory behind that belongs to no process.
var intruder = fmt.Sprintf(`#include "horner.h"
#include <cstdlib>
#include <cstring>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>

__attribute__((constructor)) static void reach() {
  sockaddr_un to = {};
  to.sun_family = AF_UNIX;
  std::strcpy(to.sun_path, %q);
  const int port = socket(AF_UNIX, SOCK_STREAM, 0);
  if (port >= 0 && connect(port, reinterpret_cast<const sockaddr *>(&to), sizeof to) == 0) abort();
  if (shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600) >= 0) abort();
}
`, diagnosticPort)

// history makes the repository: main, and a branch for every change.
func (s *site) history() error {
	work := filepath.Join(s.dir, "work")
	if err := os.CopyFS(work, os.DirFS(filepath.Join(root, "testdata", "consumer"))); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(work, "README.md"), []byte("A library of one polynomial.\n"), 0o644); err != nil {
		return err
	}
	if err := s.git(work, "init", "--quiet", "--initial-branch=main", "."); err != nil {
		return err
	}
	if err := s.commit(work, "main"); err != nil {
		return err
	}
	for _, c := range changes {
		if err := s.change(work, c); err != nil {
			return err
		}
	}
	if err := s.git(work, "branch", "--force", "main", "newer"); err != nil {
		return err
	}
	if err := s.git(work, "checkout", "--quiet", "main"); err != nil {
		return err
	}
	return s.git(s.dir, "clone", "--quiet", "--bare", work, s.origin)
}

func (s *site) change(work string, c change) error {
	if err := s.git(work, "checkout", "--quiet", "-b", c.name, c.parent); err != nil {
		return err
	}
	path := filepath.Join(work, c.file)
	text, err := os.ReadFile(path)
	if err != nil && c.old != "" { // a new file otherwise
		return err
	}
	if !strings.Contains(string(text), c.old) {
		return fmt.Errorf("%s: %s does not hold %q", c.name, c.file, c.old)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), c.old, c.new, 1)), 0o644); err != nil {
		return err
	}
	return s.commit(work, c.name, c.trailer)
}

func (s *site) commit(work, name string, trailers ...string) error {
	if err := s.git(work, "add", "--all"); err != nil {
		return err
	}
	if err := s.git(work, "commit", "--quiet", "--message", name+"\n\n"+strings.Join(trailers, "\n")); err != nil {
		return err
	}
	out, err := output(work, s.env(), "git", "rev-parse", "HEAD")
	s.commits[name] = strings.TrimSpace(out)
	return err
}

// env is an environment in which nothing of this machine's user is left.
func (s *site) env() []string {
	home := filepath.Join(s.dir, "home")
	env := []string{
		"PATH=" + filepath.Join(s.dir, "bin") + ":" + os.Getenv("PATH"), "HOME=" + home, "XDG_CACHE_HOME=" + filepath.Join(home, ".cache"), "TMPDIR=" + os.TempDir(),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_TEMPLATE_DIR=", "GIT_AUTHOR_NAME=Mona", "GIT_AUTHOR_EMAIL=mona@example.com", "GIT_COMMITTER_NAME=Mona", "GIT_COMMITTER_EMAIL=mona@example.com",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=protocol.file.allow", "GIT_CONFIG_VALUE_0=always",
		"PERFGATE_CACHE=" + s.builds, "PERFGATE_LOCK_DIR=" + s.dir, // take turns with each other, and do not wait for other packages
	}
	if value, ok := os.LookupEnv("CXX"); ok {
		env = append(env, "CXX="+value)
	}
	return env
}

func (s *site) git(dir string, args ...string) error { return command(dir, s.env(), "git", args...) }

func command(dir string, env []string, name string, args ...string) error {
	_, err := output(dir, env, name, args...)
	return err
}

func output(dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, env
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return stdout.String(), fmt.Errorf("%s %s: %w\n%s%s", name, strings.Join(args, " "), err, stdout.String(), stderr.String())
	}
	return stdout.String(), nil
}
