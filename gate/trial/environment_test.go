package trial

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/config"
)

// An environment by a tool that is not there would end the first run.
func TestEnvironmentWithoutItsTool(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	said := ""
	made := Benchmark{Command: "pytest bench", Found: func(line string) { said += line }}.environment(fstest.MapFS{"uv.lock": {}, "pyproject.toml": {}})
	if made != nil || !strings.Contains(said, "uv, which uv.lock is for, is not installed") {
		t.Errorf("%+v, %q", made, said)
	}
}

// init says of an environment in the checkout that a pull request's gate refuses it.
func TestInitSaysThatAnEnvironmentLiesInTheCheckout(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, ".git"), 0o755))
	for _, venv := range []string{filepath.Join(dir, ".venv"), outside} {
		must(t, errors.Join(os.MkdirAll(filepath.Join(venv, "bin"), 0o755), os.WriteFile(filepath.Join(venv, "pyvenv.cfg"), nil, 0o644)))
	}
	for command, want := range map[string]string{
		".venv/bin/python bench.py": ".venv/bin/python", dir + "/.venv/bin/pytest -q": dir + "/.venv/bin/pytest", "python3 bench.py": "", outside + "/bin/python bench.py": "",
	} {
		if got := OwnEnvironment(dir, command); got != want {
			t.Errorf("%s: %q", command, got)
		}
	}
}

// A benchmark in Python gets the environment that the project's lists of packages lead to, and the configuration holds it as it is; what was assumed is said.
func TestEnvironmentFromListsOfPackages(t *testing.T) {
	tools := t.TempDir()
	t.Setenv("PATH", tools)
	for _, name := range []string{"uv", "pip"} {
		must(t, os.WriteFile(filepath.Join(tools, name), nil, 0o700))
	}
	for _, c := range []struct{ command, files, inputs, says string }{
		{"python3 bench.py", "uv.lock pyproject.toml requirements.txt", "uv.lock pyproject.toml", "Assumed: uv brings"},
		{"/opt/venv/bin/python3 bench.py", "uv.lock pyproject.toml", "", "names its interpreter"},
		{"pytest bench", "requirements.txt", "requirements.txt", "Assumed: there are wheels"},
		{"python3 bench.py", "pyproject.toml", "", "pins no versions"},
		{"python3 bench.py", "uv.lock README", "", ""},
		{"./bench", "requirements.txt", "", ""},
	} {
		tree, said := fstest.MapFS{}, ""
		for _, name := range strings.Fields(c.files) {
			tree[name] = &fstest.MapFile{}
		}
		made := Benchmark{Command: c.command, Found: func(line string) { said += line }}.environment(tree)
		inputs := ""
		if made != nil {
			inputs = strings.Join(made.Inputs, " ")
		}
		if inputs != c.inputs || !strings.Contains(said, c.says) || (c.says == "") != (said == "") {
			t.Errorf("%+v: %+v, %q", c, made, said)
		}
		starter := config.BenchStarter{Kernel: "k", Bench: config.Bench{Format: "csv", Spec: benchmark.Spec{Command: c.command}}, Environment: made}
		text, err := starter.Text()
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if got, err := config.Parse("perfgate.yaml", text); err != nil || !reflect.DeepEqual(got.Environment, made) {
			t.Errorf("%+v, %v, want %+v", got.Environment, err, made)
		}
	}
}
