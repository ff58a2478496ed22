package run

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/kernelstest"
)

// wheel makes a package of one module in an index folder, as pip takes it.
func wheel(t *testing.T, index, name, version, code string) {
	t.Helper()
	f, err := os.Create(filepath.Join(index, fmt.Sprintf("%s-%s-py3-none-any.whl", name, version)))
	must(t, err)
	defer f.Close()
	z := zip.NewWriter(f)
	note := fmt.Sprintf("%s-%s.dist-info/", name, version)
	record := ""
	for _, file := range [][2]string{
		{name + "/__init__.py", code},
		{note + "METADATA", "Metadata-Version: 2.1\nName: " + name + "\nVersion: " + version + "\n"},
		{note + "WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"},
		{note + "RECORD", ""},
	} {
		sum := sha256.Sum256([]byte(file[1]))
		if text := file[1]; text == "" {
			file[1] = record + file[0] + ",,\n"
		} else {
			record += fmt.Sprintf("%s,sha256=%s,%d\n", file[0], base64.RawURLEncoding.EncodeToString(sum[:]), len(text))
		}
		w, err := z.Create(file[0])
		if err == nil {
			_, err = w.Write([]byte(file[1]))
		}
		must(t, err)
	}
	must(t, z.Close())
}

// pipConfig is a benchmark in Python with an environment that pip fills from an index folder.
func pipConfig(t *testing.T, index string) string {
	t.Helper()
	const python = "/usr/bin/python3"
	if exec.Command(python, "-c", "import venv, pip").Run() != nil {
		kernelstest.Missing(t, "/usr/bin/python3 has no venv and pip (python3-venv, python3-pip)")
	}
	return benchOfEnvironment + "      build: '" + python + ` -m venv --without-pip "$PERFGATE_ENV" && ` + python +
		` -m pip --python "$PERFGATE_ENV/bin/python" install -q --no-index --find-links ` + index + " -r requirements.txt'\n      inputs: [requirements.txt]\n"
}

// uv stands in for the program of that name. It takes the command line of uv sync, and refuses what it does not know.
const uv = `#!/usr/bin/python3
import argparse, os, pathlib, shutil, sys, tomllib, zipfile
sync = argparse.ArgumentParser(prog="uv", allow_abbrev=False)
sync.add_argument("command", choices=["sync"])
for name in "--frozen", "--offline", "--no-install-project":
    sync.add_argument(name, action="store_true", required=name != "--offline")
sync.add_argument("--project", type=pathlib.Path, required=True)
sync.add_argument("--find-links", type=pathlib.Path)
args = sync.parse_args()
assert (args.project / "pyproject.toml").exists(), "No pyproject.toml found"
env, cache = (pathlib.Path(os.environ[name]) for name in ("UV_PROJECT_ENVIRONMENT", "UV_CACHE_DIR"))
offline = args.offline or os.environ.get("UV_OFFLINE") == "1"
site = env / "lib" / f"python3.{sys.version_info.minor}" / "site-packages"
(env / "bin").mkdir(parents=True)
site.mkdir(parents=True)
(env / "bin/python").symlink_to(sys.executable)
(env / "pyvenv.cfg").write_text("home = /usr/bin\n")
cache.mkdir(parents=True, exist_ok=True)
for package in tomllib.loads((args.project / "uv.lock").read_text())["package"]:
    wheel = package["wheels"][0]["path"]
    if not offline:
        shutil.copy(args.find_links / wheel, cache)
    assert (cache / wheel).exists(), f"{wheel} is not in the cache, and the network is off"
    zipfile.ZipFile(cache / wheel).extractall(site)
`

// uvConfig is one that the stand-in fills, by the commands of docs/environments.md.
func uvConfig(t *testing.T, index string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "uv")
	must(t, kernelstest.WriteProgram(program, []byte(uv)))
	page := read(t, "../../docs/environments.md")
	line := func(key string) string {
		_, after, _ := strings.Cut(page, "  "+key+": uv ")
		rest, _, found := strings.Cut(after, "\n")
		if !found {
			t.Fatalf("docs/environments.md shows no %s with uv", key)
		}
		return "      " + key + ": " + program + " " + rest
	}
	return benchOfEnvironment + line("fetch") + " --find-links " + index + "\n" + line("build") + "\n      inputs: [uv.lock, pyproject.toml]\n"
}

const (
	benchOfEnvironment = "    bench: {command: python bench.py, format: csv}\n    environment:\n"
	benchOfDependency  = "import os, fastdep\nprint('kernel,ns')\nprint(f'k,{fastdep.NS + os.getpid() % 100}')\n"
)

// packages are files of a side: lists of packages, for pip and for uv, and the benchmark.
func packages(bench string, pinned ...string) map[string]string {
	files := map[string]string{"requirements.txt": strings.Join(pinned, "\n"), "uv.lock": "version = 1\n", "pyproject.toml": "[project]\nname = 'k'\n", "bench.py": bench}
	for _, one := range pinned {
		name, version, _ := strings.Cut(one, "==")
		files["uv.lock"] += fmt.Sprintf("[[package]]\nname = %q\nversion = %q\nsource = { registry = \"index\" }\nwheels = [{ path = \"%s-%s-py3-none-any.whl\" }]\n",
			name, version, name, version)
	}
	return files
}

// A slower package is red where the side's lock file asks for it, and is named as what changed. An environment that does not change is built once. pip is
// real, and slow: it has one row.
func TestEnvironmentOfEachSide(t *testing.T) {
	t.Parallel()
	observed(t)
	index := t.TempDir()
	wheel(t, index, "fastdep", "1.0", "NS = 100000\n")
	wheel(t, index, "fastdep", "1.1", "NS = 130000\n")
	wheel(t, index, "other", "2", "")
	byPip, byUV := pipConfig(t, index), uvConfig(t, index)
	cache, built := t.TempDir(), 0
	for name, c := range map[string]struct {
		yaml    string
		head    map[string]string
		verdict result.Verdict
		want    string
	}{
		"a slower package":       {byPip, packages(benchOfDependency, "fastdep==1.1"), result.Regression, "only fastdep 1.0 → 1.1"},
		"one more package":       {byUV, packages(benchOfDependency, "fastdep==1.0", "other==2"), result.Same, "only other 2 added"},
		"a package and the code": {byUV, packages("pass\n"+benchOfDependency, "fastdep==1.1"), result.Regression, "fastdep 1.0 → 1.1"},
		"the code alone":         {byUV, packages("pass\n"+benchOfDependency, "fastdep==1.0"), result.Same, ""},
	} {
		t.Run(name, func(t *testing.T) {
			opt := benchSides(t, repo.TrustBase, c.yaml, packages(benchOfDependency, "fastdep==1.0"), c.head)
			opt.Cache, opt.Device.Sandbox = cache, result.SandboxAuto
			opt.Log = func(command []string) {
				if line := strings.Join(command, " "); strings.Contains(line, "-m venv") || strings.Contains(line, "--offline") {
					built++
				}
			}
			res := benchRun(t, opt)
			if len(res.Cases) != 1 || res.Cases[0].Verdict != c.verdict {
				t.Fatalf("%+v, %+v, %+v", res.Cases, res.Kernels, res.Kernels[0].Base)
			}
			got := ""
			if e := res.Kernels[0].Environment; e != nil {
				if got = strings.Join(e.Changes(), ", "); e.Only {
					got = "only " + got
				}
			}
			if got != c.want {
				t.Errorf("%q, want %q; notes %q", got, c.want, res.Notes)
			}
		})
	}
	if built != 2+3 {
		t.Errorf("%d environments were built, want one for each list and installer", built)
	}
}
