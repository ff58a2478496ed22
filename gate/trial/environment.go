package trial

import (
	"io/fs"
	"os/exec"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/config"
)

// installers are the environments that files of a project lead to. The first whose files are all there counts.
var installers = []struct {
	tool, assumes string
	made          config.Environment
}{
	{"uv", "uv brings all that the benchmark imports", config.Environment{
		Fetch:  `uv sync --frozen --no-install-project --project "$PERFGATE_TREE"`,
		Build:  `uv sync --offline --frozen --no-install-project --project "$PERFGATE_TREE"`,
		Inputs: []string{"uv.lock", "pyproject.toml"},
	}},
	{"pip", "there are wheels for all packages, versions are pinned, and the image's packages stay visible", config.Environment{
		Fetch: `pip download -q --only-binary :all: -d "$PERFGATE_WHEELS" -r requirements.txt`,
		// An image's python3 may be that of a virtual environment, whose packages --system-site-packages would hide.
		Build: `image=$(python3 -c "import site; print(*site.getsitepackages(), sep=chr(10))") && python3 -m venv "$PERFGATE_ENV" && ` +
			`echo "$image" >"$(echo "$PERFGATE_ENV"/lib/python3*/site-packages)/image.pth" && "$PERFGATE_ENV/bin/python" -m pip install -q --no-index --find-links "$PERFGATE_WHEELS" -r requirements.txt`,
		Inputs: []string{"requirements.txt"},
	}},
}

// environment is one a side for a benchmark in Python, by the list of packages that the project has; nil where it has none. It is not tried: that can
// fetch gigabytes. The run of unchanged code that follows does.
func (b Benchmark) environment(tree fs.FS) *config.Environment {
	if !startsPython(strings.Fields(b.Command)) {
		return nil
	}
	if i := slices.IndexFunc(strings.Fields(b.Command), isInterpreter); i >= 0 && strings.Contains(strings.Fields(b.Command)[i], "/") {
		b.Found("environment: none, since the command names its interpreter: both sides use what is installed for that")
		return nil
	}
	there := func(name string) bool { _, err := fs.Stat(tree, name); return err == nil }
	for _, i := range installers {
		if slices.ContainsFunc(i.made.Inputs, func(name string) bool { return !there(name) }) {
			continue
		}
		if _, err := exec.LookPath(i.tool); err != nil {
			b.Found("environment: none, since " + i.tool + ", which " + i.made.Inputs[0] + " is for, is not installed: both sides use what is installed (docs/environments.md)")
			return nil
		}
		b.Found("environment: each side has the packages that its version of " + i.made.Inputs[0] + " lists. Assumed: " + i.assumes +
			". Delete the key where both sides shall use what is installed (docs/environments.md)")
		return &i.made
	}
	if there("pyproject.toml") {
		b.Found("environment: none, since pyproject.toml pins no versions: both sides use what is installed. A uv.lock or a requirements.txt is what one can be made of")
	}
	return nil
}
