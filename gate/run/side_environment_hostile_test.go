package run

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/sandbox"
)

// madeBy is a benchmark whose time is what its environment has, which a script of the inputs makes.
func madeBy(keys string) string {
	return "    bench: {command: sh bench.sh, format: csv}\n    environment: {" + keys + "build: sh make.sh, inputs: [make.sh, list.txt]}\n"
}

const (
	makes  = "mkdir -p $PERFGATE_ENV/bin && echo 'echo kernel,ns; echo k,$((NS + $$ % 100))' >$PERFGATE_ENV/bin/measure && chmod +x $PERFGATE_ENV/bin/measure\n"
	starts = "exec measure\n" // found on the PATH
)

func ofNS(ns string) string { return strings.ReplaceAll(makes, "NS", ns) }

func environmentSides(t *testing.T, keys string, base, head map[string]string) Options {
	t.Helper()
	for _, files := range []map[string]string{base, head} {
		files["list.txt"] += "1\n"
		if files["bench.sh"] == "" {
			files["bench.sh"] = starts
		}
	}
	opt := benchSides(t, repo.TrustBase, madeBy(keys), base, head)
	opt.Cache, opt.Device.Sandbox = t.TempDir(), result.SandboxAuto
	return opt
}

// An environment that cannot be made is head's failure where head's is it, and nothing to compare with where base's is.
func TestEnvironmentThatCannotBeMade(t *testing.T) {
	t.Parallel()
	broken := "echo no such package >&2; exit 3\n"
	for name, c := range map[string]struct {
		base, head string
		exit       result.ExitCode
		side       result.Side
		says       string
	}{
		"head's":             {ofNS("100000"), broken, result.ExitFailed, result.SideHead, "environment.build of head failed: exit status 3"},
		"base's":             {broken, ofNS("100000"), result.ExitNotMeasurable, result.SideBase, "environment.build of base failed: exit status 3"},
		"both":               {broken, broken, result.ExitNotMeasurable, result.SideBase, "environment.build of base failed: exit status 3"},
		"it makes nothing":   {ofNS("100000"), "true\n", result.ExitFailed, result.SideHead, "made nothing in PERFGATE_ENV"},
		"it needs a network": {ofNS("100000"), ofNS("100000") + "bash -c 'exec 3<>/dev/udp/127.0.0.1/9' && exit 0; echo no network; exit 1", result.ExitFailed, result.SideHead, "no network"},
	} {
		res := benchRun(t, environmentSides(t, "", map[string]string{"make.sh": c.base}, map[string]string{"make.sh": c.head}))
		b := res.Kernels[0].Head
		if c.side == result.SideBase {
			b = res.Kernels[0].Base
		}
		found := res.Conclusion.Findings[0]
		if res.Conclusion.Exit != c.exit || found.Kind != result.FindingBuild || found.Side != c.side || b.Cause != result.CauseEnvironment || !strings.Contains(b.Output, c.says) {
			t.Errorf("%s: exit %d, %+v, %+v", name, res.Conclusion.Exit, found, b)
		}
		if strings.Contains(c.base+c.head, "no such") && !strings.Contains(b.Output, "no such package") {
			t.Errorf("%s: what it printed is missing: %q", name, b.Output)
		}
	}
}

// A side reaches no environment but its own, however it tries: it is not read, and not written.
func TestSideReachesNoOtherEnvironment(t *testing.T) {
	t.Parallel()
	observed(t)
	if sandbox.LandlockABI() == 0 {
		t.Skip("needs a kernel with Landlock")
	}
	const attempt = `for other in "$PERFGATE_ENV"/../../*/env "$OTHER"; do
  case $other in "$PERFGATE_ENV") continue ;; esac
  cat "$other/bin/measure" 2>/dev/null && exit 1            # as an adapter, a .pth or a run path would open it
  LD_LIBRARY_PATH=$other/lib PATH=$other/bin:/usr/bin:/bin sh -c measure 2>/dev/null && exit 1
done
touch "$PERFGATE_ENV/bin/more" 2>/dev/null && exit 1
[ -z "$PYTHONPATH" ] || exit 1
`
	opt := environmentSides(t, "", map[string]string{"make.sh": ofNS("100000"), "bench.sh": starts}, map[string]string{"make.sh": ofNS("100001"), "bench.sh": starts})
	benchRun(t, opt) // now the cache has both
	made, err := filepath.Glob(filepath.Join(opt.Cache, "environments", "*", "env"))
	if err != nil || len(made) != 2 {
		t.Fatalf("%q, %v", made, err)
	}
	tries := ""
	for _, other := range made {
		tries += "OTHER=" + other + "\n" + attempt
	}
	again := environmentSides(t, "", map[string]string{"make.sh": ofNS("100000"), "bench.sh": tries + starts}, map[string]string{"make.sh": ofNS("100001"), "bench.sh": tries + starts})
	again.Cache = opt.Cache
	if res := benchRun(t, again); len(res.Cases) != 1 || res.Cases[0].Verdict != result.Same {
		t.Errorf("%+v, %+v, %+v", res.Kernels[0].Reason, res.Cases, res.Conclusion.Findings)
	}
}

// Outside of the sandbox a process that writes to an environment ends the run, and the next run makes the environment again.
func TestEnvironmentThatIsWrittenTo(t *testing.T) {
	t.Parallel()
	write := "chmod -R u+w $PERFGATE_ENV; echo >>$PERFGATE_ENV/bin/measure\n"
	opt := environmentSides(t, "", map[string]string{"make.sh": ofNS("100000"), "bench.sh": write + starts}, map[string]string{"make.sh": ofNS("100000"), "bench.sh": write + starts + "#"})
	opt.Device.Sandbox = result.SandboxOff
	if _, err := Run(t.Context(), opt); err == nil || !strings.Contains(err.Error(), "was written to") || result.ExitCodeOf(err) != result.ExitNotMeasurable {
		t.Errorf("%v", err)
	}
	again := environmentSides(t, "", map[string]string{"make.sh": ofNS("100000")}, map[string]string{"make.sh": ofNS("100000"), "bench.sh": starts + "#"})
	again.Cache, again.Device.Sandbox = opt.Cache, result.SandboxOff
	benchRun(t, again)
	files, err := filepath.Glob(filepath.Join(opt.Cache, "environments", "*", "env", "bin", "measure"))
	if err != nil || len(files) != 1 || strings.HasSuffix(read(t, files[0]), "\n\n") {
		t.Errorf("%q, %v", files, err)
	}
}

// What a stranger lists is not fetched before somebody approves it: both sides run in base's environment, and nothing was compared. fetch sees lists and no
// code.
func TestExternalInputsAreNotFetched(t *testing.T) {
	t.Parallel()
	witness := filepath.Join(t.TempDir(), "fetched")
	if err := os.MkdirAll(witness, 0o755); err != nil {
		t.Fatal(err)
	}
	keys := "fetch: 'ls >" + witness + "/$(cksum <list.txt | cut -c1-8)', "
	for _, external := range []bool{true, false} {
		opt := environmentSides(t, keys, map[string]string{"make.sh": ofNS("100000")}, map[string]string{"make.sh": ofNS("100000"), "list.txt": "evil\n"})
		opt.External, opt.Device.Sandbox = external, result.SandboxOff
		res := benchRun(t, opt)
		fetched, err := os.ReadDir(witness)
		if err != nil || len(fetched) != map[bool]int{true: 1, false: 2}[external] {
			t.Errorf("external %t: %v, %v", external, fetched, err)
		}
		if text := read(t, filepath.Join(witness, fetched[0].Name())); text != "list.txt\n" {
			t.Errorf("fetch saw %q", text)
		}
		parts := res.Kernels[0].Uncompared
		shared := slices.ContainsFunc(parts, func(u result.Uncompared) bool {
			return u.Reason.Kind == result.ReasonEnvironmentLabel && slices.Equal(u.Reason.Names, []string{"list.txt"}) && u.Only
		})
		if shared != external || external && res.Conclusion.Exit != result.ExitNotMeasurable {
			t.Errorf("external %t: exit %d, %+v", external, res.Conclusion.Exit, parts)
		}
	}
}
