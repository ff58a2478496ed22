package kernels

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/kernelstest"
)

const sanitizerLogs = "../testdata/cuda/sanitizer"

// The logs are compute-sanitizer 2025.3.1's own, of testdata/parity/cuda/hidden.pg.cu on a GPU.
func TestSanitizerReportsAreRead(t *testing.T) {
	for name, want := range map[string]string{
		"memcheck-clean":  "",
		"racecheck-clean": "",
		"racecheck":       "Race reported between Write access at twice(long, const float *, float *, volatile float *)+0x150 in hidden.pg.cu:30, and Read access at twice(long, const float *, float *, volatile float *)+0x160 in hidden.pg.cu:31 [4096 hazards] (and 3 more reports on this case)",
	} {
		log, err := os.ReadFile(filepath.Join(sanitizerLogs, name+".log"))
		must(t, err)
		if got := firstFinding(string(log)); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestReportsOnTheHarnessAreNotTheKernels(t *testing.T) {
	const ours = "========= Uninitialized __global__ memory read of size 4 bytes\n=========     at void perfgate::compare_kernel<perfgate::F32>(int)+0x10\n"
	const theirs = "========= Uninitialized __global__ memory read of size 4 bytes\n=========     at mine(float *)+0x10\n"
	if got := firstFinding(ours); got != "" {
		t.Errorf("ours: %q", got)
	}
	if got := firstFinding(ours + theirs); !strings.Contains(got, "mine(float *)") || strings.Contains(got, "more reports") {
		t.Errorf("both: %q", got)
	}
	if got := firstFinding("========= " + strings.Repeat("x", 10_000) + "\n"); len(got) > 700 {
		t.Errorf("a report of %d bytes", len(got))
	}
	for _, noise := range []string{"", "no prefix\n", "=========\n", "========= Warning: something\n", "=========     at nothing before it\n"} {
		if got := firstFinding(noise); got != "" {
			t.Errorf("%q: %q", noise, got)
		}
	}
}

// A program in the sanitizer's place, which starts the harness as that does and writes a recorded log.
const standIn = `#!/bin/sh
while [ "$1" != "" ]; do
  case $1 in
  --tool) tool=$2; shift 2 ;;
  --log-file) log=$2; shift 2 ;;
  --*) shift 2 ;;
  *) break ;;
  esac
done
cat %s >"$log"
harness=$1
shift
exec "$harness" "$1" "$2" "$3" "$4" "$5" "$6"
`

func TestSanitizedRunner(t *testing.T) {
	r := newRig(t)
	lib := r.adapter("cheats/honest.cc")
	start := func(log string) *SanitizedRunner {
		t.Helper()
		path, err := filepath.Abs(filepath.Join(sanitizerLogs, log))
		must(t, err)
		program := filepath.Join(t.TempDir(), "compute-sanitizer")
		must(t, kernelstest.WriteProgram(program, fmt.Appendf(nil, standIn, path)))
		runner, err := StartSanitized(context.Background(), RunnerSpec{Harness: r.harness.Path, Library: lib.Path, Dir: t.TempDir()}, program, "racecheck")
		must(t, err)
		t.Cleanup(runner.Close)
		return runner
	}
	ask := func(runner *SanitizedRunner) error {
		return runner.Call(context.Background(), "spec", "k", map[string]any{"case": caseOf("k", "n=100")}, nil, time.Minute)
	}
	if err := ask(start("racecheck-clean.log")); err != nil {
		t.Errorf("a clean log: %v", err)
	}
	runner := start("racecheck.log")
	for range 2 { // the second time because the runner is gone
		if err := ask(runner); runnerFault(err).Code != result.CodeSanitizer || !strings.HasPrefix(runnerFault(err).Message, "racecheck: Race reported") {
			t.Errorf("a race: %v", err)
		}
	}
	dir := runner.dir
	runner.Close()
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the log was left behind: %v", err)
	}
}

func TestSanitizerThatDoesNotStartSaysWhy(t *testing.T) {
	r := newRig(t)
	program := filepath.Join(t.TempDir(), "compute-sanitizer")
	script := "#!/bin/sh\nwhile [ \"$1\" != --log-file ]; do shift; done\necho '========= Error: the device is not supported' >\"$2\"\nexit 1\n"
	must(t, kernelstest.WriteProgram(program, []byte(script)))
	_, err := StartSanitized(context.Background(), RunnerSpec{Harness: r.harness.Path, Library: "x.so", Dir: t.TempDir()}, program, "memcheck")
	if err == nil || !strings.Contains(err.Error(), "the device is not supported") {
		t.Errorf("err = %v", err)
	}
}
