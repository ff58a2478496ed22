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
	if err != nil {
		t.Fatal(err)
	}
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
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
}

// venvPython is an interpreter that makes virtual environments and has pip.
func venvPython(t *testing.T) string {
	t.Helper()
	const python = "/usr/bin/python3"
	if exec.Command(python, "-c", "import venv, ensurepip, pip").Run() != nil {
		kernelstest.Missing(t, "/usr/bin/python3 has no venv and pip (python3-venv, python3-pip)")
	}
	return python
}

// venvConfig is a benchmark in Python with an environment that pip fills from an index folder.
func venvConfig(t *testing.T, index string) string {
	python := venvPython(t)
	return "    bench: {command: python bench.py, format: csv}\n    environment:\n      build: '" + python + ` -m venv --without-pip "$PERFGATE_ENV" && ` + python +
		` -m pip --python "$PERFGATE_ENV/bin/python" install -q --no-index --find-links ` + index + " -r requirements.txt'\n      inputs: [requirements.txt]\n"
}

const benchOfDependency = "import os, fastdep\nprint('kernel,ns')\nprint(f'k,{fastdep.NS + os.getpid() % 100}')\n"

// A slower package is red where the side's lock file asks for it, and is named as what changed. An environment that does not change is built once.
func TestEnvironmentOfEachSide(t *testing.T) {
	t.Parallel()
	observed(t)
	index := t.TempDir()
	wheel(t, index, "fastdep", "1.0", "NS = 100000\n")
	wheel(t, index, "fastdep", "1.1", "NS = 130000\n")
	wheel(t, index, "other", "2", "")
	yaml := venvConfig(t, index)
	files := func(requirements, bench string) map[string]string {
		return map[string]string{"requirements.txt": requirements, "bench.py": bench}
	}
	cache, built := t.TempDir(), 0
	for name, c := range map[string]struct {
		head    map[string]string
		verdict result.Verdict
		want    string
	}{
		"a slower package":       {files("fastdep==1.1\n", benchOfDependency), result.Regression, "only fastdep 1.0 → 1.1"},
		"one more package":       {files("fastdep==1.0\nother\n", benchOfDependency), result.Same, "only other 2 added"},
		"a package and the code": {files("fastdep==1.1\n", "pass\n"+benchOfDependency), result.Regression, "fastdep 1.0 → 1.1"},
		"the code alone":         {files("fastdep==1.0\n", "pass\n"+benchOfDependency), result.Same, ""},
	} {
		t.Run(name, func(t *testing.T) {
			opt := benchSides(t, repo.TrustBase, yaml, files("fastdep==1.0\n", benchOfDependency), c.head)
			opt.Cache, opt.Device.Sandbox = cache, result.SandboxAuto
			opt.Log = func(command []string) {
				if strings.Contains(strings.Join(command, " "), "-m venv") {
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
	if built != 3 {
		t.Errorf("%d environments were built, want one for each list", built)
	}
}
