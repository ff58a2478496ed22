package profile

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
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/kernelstest"
)

// Run collects and reads at once, which a run of the gate does apart: the GPU is free while a report is exported.
func (t Nsight) Run(ctx context.Context, j Job) (Capture, error) {
	c, err := t.Collect(ctx, j)
	if err == nil {
		err = t.Read(ctx, j, &c)
	}
	return c, err
}

// fake is an ncu in a folder of its own that runs body before the program does.
func fake(t *testing.T, body string) Nsight {
	t.Helper()
	return fakeIn(t, t.TempDir(), "", body)
}

// fakeIn writes a program into a folder that behaves as ncu does towards us: it runs what comes after its own options, leaves a report, and
// exports recorded pages. It begins with the lines before, and runs body before the program.
func fakeIn(t *testing.T, dir, before, body string) Nsight {
	t.Helper()
	must(t, os.MkdirAll(dir, 0o755))
	for _, page := range []string{"raw", "details"} {
		name := "attn_good." + page + ".csv"
		text, err := os.ReadFile(filepath.Join(recorded, name))
		must(t, err)
		must(t, os.WriteFile(filepath.Join(dir, name), text, 0o644))
	}
	script := fmt.Sprintf(`#!/bin/sh
%s
pages=%s
if [ "$1" = --version ]; then echo "Version 2025.3.1.0 (build 1) (public-release)"; exit 0; fi
if [ "$1" = --import ]; then
  case "$*" in *"--page raw"*) cat $pages/attn_good.raw.csv ;; *) cat $pages/attn_good.details.csv ;; esac
  exit 0
fi
while [ $# -gt 0 ]; do
  case "$1" in
    --export) report=$2; shift 2 ;;
    --metrics) metrics=$2; shift 2 ;;
    --log-file) exec >"$2"; shift 2 ;;
    --section|--profile-from-start|--target-processes|--clock-control|--cache-control|--set) shift 2 ;;
    --*) shift ;;
    *) break ;;
  esac
done
echo "==PROF== Connected"
%s
"$@"
code=$?
[ -n "$TMPDIR" ] && touch "$TMPDIR/nsight-compute-lock"
echo report > $report.ncu-rep
exit $code
`, before, dir, body)
	path := filepath.Join(dir, "ncu")
	must(t, kernelstest.WriteProgram(path, []byte(script)))
	return Nsight{Path: path}
}

// job is a real harness with a real adapter, on the CPU.
func job(t *testing.T) Job {
	t.Helper()
	return jobOf(t, "../../kernels/examples/saxpy")
}

// jobOf is that of a folder with the files of the example saxpy.
func jobOf(t *testing.T, folder string) Job {
	t.Helper()
	ctx := context.Background()
	compiler, err := kernels.FindCompiler(ctx)
	if err != nil {
		t.Skip(err)
	}
	scratch := t.TempDir()
	cache, err := kernelstest.Shared()
	must(t, err)
	harness, err := kernels.BuildHarness(ctx, compiler, kernels.CPU, cache, scratch, nil)
	must(t, err)
	tree, err := filepath.Abs(folder)
	must(t, err)
	b := &kernels.Builder{Compiler: compiler, Target: kernels.CPU, Cache: cache, Scratch: scratch}
	lib, err := b.Build(ctx, kernels.BuildSpec{Kernel: "saxpy", Tree: tree, AdapterTree: tree, Adapter: "saxpy.pg.cc", Sources: []string{"saxpy.cc"}, Keep: true, TreeID: kernelstest.TreeID(t, tree)})
	must(t, err)
	return Job{
		Runner: kernels.RunnerSpec{Harness: harness.Path, Library: lib.Path, Dir: scratch}, Seed: "7", Cache: "cold", Limit: time.Minute,
		Case:   saxpy(1000),
		Report: filepath.Join(t.TempDir(), "profiles", "case1-base.ncu-rep"), Metrics: []string{"a.sum", "b.sum"},
	}
}

// saxpy is its case of so many elements.
func saxpy(n int64) kernels.CaseSpec {
	return kernels.CaseSpec{Kernel: "saxpy", Params: []kernels.CaseParam{{Name: "n", Text: fmt.Sprint(n), Value: n}}}
}

// TestRun takes a launch through a program that stands in for ncu: harness, report, export, profile.
func TestRun(t *testing.T) {
	c, err := fake(t, "").Run(context.Background(), job(t))
	must(t, err)
	if len(c.Profile.Kernels) != 1 || len(c.Profile.Rules) != 5 || c.Report == "" || len(c.Notes) != 0 {
		t.Errorf("%d kernels, %d rules, report %q, notes %q", len(c.Profile.Kernels), len(c.Profile.Rules), c.Report, c.Notes)
	}
	if _, err := os.Stat(c.Report); err != nil {
		t.Error(err)
	}
}

// TestRunInTheSandbox: the ncu of a toolkit is a script that starts that of a package, which lies elsewhere. Where that could not be
// started, its words are in the failure. Neither while it profiles nor when it reads the report can it read what is the user's, though
// it lies in a folder of the user's.
func TestRunInTheSandbox(t *testing.T) {
	kernelstest.NeedLandlock(t, 1)
	j, real, home := job(t), fake(t, ""), t.TempDir() // with the harness of the user, whose home is another one from here on
	t.Setenv("HOME", home)
	toolkit := Nsight{Path: filepath.Join(home, "bin", "ncu")}
	must(t, os.MkdirAll(filepath.Dir(toolkit.Path), 0o755))
	secret := filepath.Join(home, "secret")
	script := fmt.Sprintf("#!/bin/sh\nif read -r line <%s; then echo GAINED; exit 7; fi 2>/dev/null\nexec %s \"$@\"\n", secret, real.Path)
	must(t, errors.Join(kernelstest.WriteProgram(toolkit.Path, []byte(script)), os.WriteFile(secret, []byte("open sesame\n"), 0o600)))
	if _, err := toolkit.Run(context.Background(), j); err == nil || !strings.Contains(err.Error(), "status 7") {
		t.Errorf("without the sandbox the secret can be read, or this test shows nothing: %v", err)
	}
	j.Runner.Sandbox = &kernels.Sandbox{}
	_, err := toolkit.Run(context.Background(), j)
	var f *Failure
	if !errors.As(err, &f) || f.Kind != result.GapKernelFailed || !strings.Contains(f.Message, "ermission denied") {
		t.Errorf("where the package cannot be read: %v", err)
	}
	defer func(before string) { packages = before }(packages)
	packages = filepath.Dir(real.Path)
	if c, err := toolkit.Run(context.Background(), j); err != nil || len(c.Profile.Kernels) != 1 {
		t.Errorf("%v, %+v", err, c)
	}
}

// TestRunFails: whatever ncu or what runs under it does, a *Failure says what and what helps, within the limit.
func TestRunFails(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       result.GapKind
	}{
		{"permission", `echo "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission"; "$@"; exit 1`, result.GapPermission},
		{"driver", `echo "==ERROR== Cuda driver is not compatible with Nsight Compute."; exit 11`, result.GapDriverTooOld},
		{"lock", `echo "InterprocessLockFailed" >&2; exit 9`, result.GapLockFile},
		{"section", `echo "==ERROR== Failed to find section: InstructionStats"; exit 1`, result.GapUnknownSection},
		{"unsupported", `echo "==ERROR== Profiling is not supported on device 0. To find out supported GPUs refer --list-chips option."; "$@"; echo "==WARNING== No kernels were profiled."; exit 0`, result.GapNotSupported},
		{"no report", `"$@"; echo "==WARNING== No kernels were profiled."; exit 0`, result.GapNothingProfiled},
		{"hangs", `echo "==WARNING== Launching the workload is taking more time than expected."; sleep 600`, result.GapNotReplayable},
		{"slow", `sleep 600`, result.GapTimeLimit},
		{"ends at once", `exit 3`, result.GapKernelFailed},
		{"unreadable", `"$@"; rm -f /nowhere; echo x > $report.ncu-rep; rm $report.ncu-rep; ln -s /etc/passwd $report.ncu-rep; exit 0`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			j := job(t)
			if strings.Contains(c.body, "sleep") {
				j.Limit = 3 * time.Second
			}
			_, err := fake(t, c.body).Run(context.Background(), j)
			var f *Failure
			switch {
			case err == nil:
				t.Fatal("no error")
			case c.want == "" && !errors.As(err, &f): // a link in the place of the report is not followed
			case !errors.As(err, &f) || f.Kind != c.want || f.Cure == "":
				t.Errorf("%v (%T), want %s", err, err, c.want)
			}
			if _, err := os.Stat(j.Report); err == nil {
				t.Error("a report is left of a failure")
			}
		})
	}
}

// TestUnknownMetricIsTolerated collects without a metric that is not known, or the sections alone where ncu does not say which, and says so.
func TestUnknownMetricIsTolerated(t *testing.T) {
	for body, want := range map[string]string{
		`case "$metrics" in *b.sum*) echo "==ERROR== Failed to find metric regex:^b\.sum(\.(sum|avg))?$"; exit 1 ;; "") exit 3 ;; esac`: "left away: Failed to find metric regex:^b",
		`if [ -n "$metrics" ]; then echo "==ERROR== Failed to find metric regex:^c"; exit 1; fi`:                                        "only the sections",
	} {
		c, err := fake(t, body).Run(context.Background(), job(t))
		must(t, err)
		if len(c.Profile.Kernels) != 1 || len(c.Notes) != 1 || !strings.Contains(c.Notes[0], want) {
			t.Errorf("%d kernels, notes %q", len(c.Profile.Kernels), c.Notes)
		}
	}
}

// TestNothingIsLeft: no folder of ours and no process stays behind, whether it went well or not.
func TestNothingIsLeft(t *testing.T) {
	for _, body := range []string{"", "exit 1"} {
		j := job(t)
		before := entries(t, j.Runner.Dir)
		_, _ = fake(t, body).Run(context.Background(), j)
		if after := entries(t, j.Runner.Dir); after != before {
			t.Errorf("%d entries are left of %d", after, before)
		}
	}
}

func entries(t *testing.T, dir string) int {
	t.Helper()
	all, err := os.ReadDir(dir)
	must(t, err)
	return len(all)
}

func TestFind(t *testing.T) {
	tool := fake(t, "")
	t.Setenv("NCU", tool.Path)
	found, err := FindNsight(context.Background(), "", "")
	if err != nil || found.Version != "2025.3.1.0" {
		t.Errorf("%+v, %v", found, err)
	}
	t.Setenv("NCU", filepath.Join(t.TempDir(), "none"))
	var f *Failure
	if _, err := FindNsight(context.Background(), "", ""); !errors.As(err, &f) || f.Kind != result.GapAbsent {
		t.Errorf("%v", err)
	}
}

func TestNsightVersion(t *testing.T) {
	for file, want := range map[string]string{"ncu-2024.3.2": "2024.3.2.0", "ncu-2025.1.1": "2025.1.1.0", "ncu-2025.3.1": "2025.3.1.0", "nvcc-12.8": ""} {
		path := filepath.Join(t.TempDir(), "ncu")
		said, err := filepath.Abs("../../testdata/machine/" + file + ".txt")
		if err == nil {
			err = kernelstest.WriteProgram(path, []byte("#!/bin/sh\ncat "+said+"\n"))
		}
		must(t, err)
		if got, err := AskNsight(context.Background(), path); err != nil || got.Version != want {
			t.Errorf("%s: %q, %v", file, got.Version, err)
		}
	}
}

func TestCommand(t *testing.T) {
	cold := strings.Join(Nsight{Path: "ncu"}.Command(Want{Cold: true, Report: "out/x.ncu-rep", Metrics: []string{"a", "b"}}), " ")
	for _, want := range []string{"--profile-from-start off", "--target-processes application-only", "--clock-control none", "--cache-control all", "--export out/x ", "--section WarpStateStats", "--metrics a,b"} {
		if !strings.Contains(cold, want) {
			t.Errorf("no %q in %s", want, cold)
		}
	}
	if n := strings.Count(cold, "--section "); n != len(Sections) || strings.Contains(cold, "SourceCounters") {
		t.Errorf("%d sections beside metrics: %s", n, cold)
	}
	alone := strings.Join(Nsight{Path: "ncu"}.Command(Want{Report: "x"}), " ")
	if n := strings.Count(alone, "--section "); n != len(allSections) || !strings.Contains(alone, "SourceCounters") {
		t.Errorf("%d sections without metrics: %s", n, alone)
	}
	named := strings.Join(Nsight{Path: "ncu"}.Command(Want{Kernel: "sum|max", Children: true}), " ")
	if !strings.Contains(named, "--kernel-name regex:sum|max --target-processes all --launch-skip 3 --launch-count 1 --kill yes") || strings.Contains(named, "from-start") {
		t.Error(named)
	}
	once := strings.Join(Nsight{Path: "ncu"}.Command(Want{Kernel: "sum", Once: true}), " ")
	if !strings.Contains(once, "--kernel-name regex:sum") || strings.Contains(once, "--launch") {
		t.Error(once)
	}
	hot := strings.Join(Nsight{Path: "ncu"}.Command(Want{Set: "full"}), " ")
	if !strings.Contains(hot, "--cache-control none") || !strings.HasSuffix(hot, "--set full") {
		t.Error(hot)
	}
}
