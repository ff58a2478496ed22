package run

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/kernelstest"
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

// attempts are ways in which a side may reach for the environment of the other, and what each has to come to. Each is Python that ends with whom it reached.
var attempts = map[string]struct{ code, want string }{
	"adapter":          {"import dep; who = dep.WHO", "own"},
	"search path":      {"sys.path.insert(0, other_site); who = __import__(only).WHO", "refused"},
	"pth":              {"assert other_site in sys.path; who = __import__(only).WHO", "refused"}, // a .pth file of its environment added it
	"PYTHONPATH":       {"who = run(sys.executable, '-c', f'import {only}; print({only}.WHO)', PYTHONPATH=other_site)", "refused"},
	"interpreter":      {"who = run(other + '/bin/python', '-c', 'import dep; print(dep.WHO)')", "refused"},
	"PATH":             {"who = run('sh', '-c', 'whose', PATH=other + '/bin:/usr/bin:/bin')", "refused"},
	"run path":         {"f = ctypes.CDLL('./reach.so').reach; f.restype = ctypes.c_char_p; who = f().decode()", "own"},
	"library path":     {"who = run('whose', LD_LIBRARY_PATH=other + '/lib')", "own"},
	"link":             {"at = tempfile.mkdtemp(); os.symlink(other_site, at + '/to'); sys.path.append(at + '/to'); who = __import__(only).WHO", "refused"},
	"file":             {"who = open(f'{other_site}/{only}.py').read()", "refused"},
	"folder":           {"who = os.listdir(other)", "refused"},
	"neighbours":       {"who = os.listdir(own + '/../..')", "refused"},
	"shared cache":     {"who = left_in(caches)", "refused"},
	"writes its own":   {"open(own + '/more', 'w'); who = 'wrote'", "refused"},
	"writes other's":   {"open(other + '/more', 'w'); who = 'wrote'", "refused"},
	"finds PYTHONPATH": {"who = os.environ['PYTHONPATH'] or exit()", "refused"},
}

const (
	// makesPython fills an environment with a module that both sides have, one that is only looked for in the other, a program and a library.
	makesPython = `set -e
python3 -m venv --without-pip "$PERFGATE_ENV"
cd "$PERFGATE_ENV"
site=$(echo lib/python3*/site-packages)
who=$(cat "$PERFGATE_TREE/list.txt")
echo "WHO = '$who'" | tee $site/dep.py >$site/only_$who.py
echo "import sys; sys.path += open('others').read().split()" >$site/reach.pth
printf 'extern "C" const char *who() { return "%s"; }' "$who" >lib/dep.cc
echo 'extern "C" const char *who(); extern "C" int puts(const char *); int main() { puts(who()); }' >lib/whose.cc
c++ -shared -fPIC -o lib/libdep.so lib/dep.cc
c++ -o bin/whose lib/whose.cc -Llib -ldep
`
	reaches = `import ctypes, glob, os, subprocess, sys, tempfile
import dep
own, other_site = os.environ["PERFGATE_ENV"], open("others").read().strip()
other = other_site.split("/lib/python")[0]
only = "only_head" if dep.WHO == "base" else "only_base"
caches = [at for name, at in os.environ.items() if name.endswith(("_DIR", "_HOME", "_PREFIX", "TMPDIR"))] + ["/tmp", "/var/tmp", "/dev/shm", os.path.expanduser("~")]

def run(*args, **more):
    return subprocess.run(args, env={**os.environ, **more}, capture_output=True, check=True, text=True).stdout.strip()

def left_in(folders):
    for folder in folders:
        try:
            open(folder + "/left-by-" + dep.WHO, "w")
        except OSError:
            pass
    return [name for f in folders for at in (f, f + "/..") for name in glob.glob(at + "/left-by-*") if not name.endswith(dep.WHO)][0]

def attempt(name, code):
    child = os.fork()
    if child == 0:
        found = {}
        try:
            exec(code, globals(), found)
        except BaseException:
            os._exit(1)
        os._exit(2 if found["who"] == dep.WHO else 3)
    print(f"{name},{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) * 100000 + os.getpid() % 100}", flush=True)

print("kernel,ns", flush=True)
`
)

// A side reaches no environment but its own, however it tries: it is not read, and not written.
func TestSideReachesNoOtherEnvironment(t *testing.T) {
	t.Parallel()
	observed(t)
	kernelstest.NeedLandlock(t, 1)
	cache := t.TempDir()
	sides := func(bench string, others map[string]string) Options {
		files := func(side string) map[string]string {
			return map[string]string{
				"make.sh": makesPython, "list.txt": side, "bench.py": bench, "others": others[side], "reach.cc": `extern "C" const char *who(); extern "C" const char *reach() { return who(); }`,
				"build.sh": `c++ -shared -fPIC -o reach.so reach.cc -Wl,--disable-new-dtags,-rpath,"$(dirname "$(dirname "$(cat others)")")" -L"$PERFGATE_ENV/lib" -ldep`,
			}
		}
		opt := benchSides(t, repo.TrustBase, "    bench: {command: python bench.py, format: csv}\n    build: {command: sh build.sh}\n"+
			"    environment: {build: sh make.sh, inputs: [make.sh, list.txt]}\n", files("base"), files("head"))
		opt.Cache, opt.Device.Sandbox = cache, result.SandboxAuto
		return opt
	}
	benchRun(t, sides("exit(1)\n", nil)) // it measures nothing, and now the cache has both
	others := map[string]string{}
	made, err := filepath.Glob(filepath.Join(cache, "environments", "*", "env", "lib", "python3*", "site-packages"))
	if err != nil || len(made) != 2 {
		t.Fatalf("%q, %v", made, err)
	}
	for _, site := range made {
		side := map[bool]string{true: "base", false: "head"}[strings.Contains(read(t, filepath.Join(site, "dep.py")), "head")] // the other one
		others[side] = site
	}
	bench := reaches
	for _, name := range slices.Sorted(maps.Keys(attempts)) {
		bench += fmt.Sprintf("attempt(%q, %q)\n", name, attempts[name].code)
	}
	res := benchRun(t, sides(bench, others))
	if len(res.Cases) != len(attempts) {
		t.Errorf("%d cases, %+v, %+v", len(res.Cases), res.Kernels[0], res.Conclusion.Findings)
	}
	for _, c := range res.Cases {
		name := strings.TrimPrefix(c.Name, "k/")
		for side, of := range map[string]*result.Summary{"base": c.Base, "head": c.Head} {
			if of == nil || attempts[name].want != []string{"", "refused", "own", "other"}[int(of.MedianNS/100000)] {
				t.Errorf("%s of %s: %+v, want %s (100000 is refused, 200000 is its own, 300000 is the other's)", name, side, of, attempts[name].want)
			}
		}
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
	must(t, os.MkdirAll(witness, 0o755))
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

// Where base has no configuration the command with the network is a stranger's: it is not run for either side before somebody approves it.
func TestExternalFetchIsNotRun(t *testing.T) {
	t.Parallel()
	witness := filepath.Join(t.TempDir(), "fetched")
	const installed = "echo kernel,ns; echo k,$((100000 + $$ % 100))\n"
	opt := environmentSides(t, "fetch: 'echo >>"+witness+"', ", map[string]string{"make.sh": ofNS("100000"), "bench.sh": installed}, map[string]string{"make.sh": ofNS("100000"), "bench.sh": installed})
	must(t, os.Remove(filepath.Join(opt.Base.Tree, "perfgate.yaml")))
	opt.External, opt.Device.Sandbox = true, result.SandboxOff
	opt.Trusted = repo.Trusted{Config: opt.Trusted.Config, Head: opt.Trusted.Config, Trust: repo.TrustWorktree, NoBaseConfig: true}
	res := benchRun(t, opt)
	if _, err := os.Stat(witness); err == nil {
		t.Error("fetch was run")
	}
	parts := res.Kernels[0].Uncompared
	if len(parts) != 1 || parts[0].Reason.Kind != result.ReasonEnvironmentLabel || !parts[0].Only || res.Conclusion.Exit != result.ExitNotMeasurable {
		t.Errorf("exit %d, %+v", res.Conclusion.Exit, parts)
	}
}
