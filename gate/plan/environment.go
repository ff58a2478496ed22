package plan

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/org/perfgate/gate/config"
)

// EnvironmentUse says what a file has to do with the environment that a kernel is built and run in. A run has one, for both sides.
type EnvironmentUse int

// Uses of a file.
const (
	NotUsed EnvironmentUse = iota
	MayBeUsed
	Used
)

// Files that say what is installed, by the tools' conventions.
var (
	// pythonFiles are those of a project's own environment.
	pythonFiles = strings.Fields(`requirements.txt constraints.txt pyproject.toml setup.py setup.cfg uv.lock poetry.lock pdm.lock pylock.toml Pipfile Pipfile.lock
		environment.yml environment.yaml conda-lock.yml pixi.toml pixi.lock .python-version`)
	// pythonNames may be of another: of a tool for the documentation, or of one machine.
	pythonNames = []string{"*requirements*.{txt,in,lock}", "*constraints*.txt", "environment*.{yml,yaml}", "pylock.*.toml"}
	// sideFiles are read by a build command, which runs in each side.
	sideFiles    = strings.Fields("pyproject.toml setup.py setup.cfg conanfile.txt conanfile.py conan.lock vcpkg.json vcpkg-configuration.json")
	packageFiles = strings.Fields("conanfile.txt conanfile.py conan.lock vcpkg.json vcpkg-configuration.json spack.yaml spack.lock")
	machineNames = []string{"Dockerfile*", "*.dockerfile", "Containerfile*", "flake.nix", "flake.lock", "shell.nix", ".tool-versions", "mise.toml"}
)

// EnvironmentOf says whether a changed file, by its path from the configuration's folder, says what is installed where a kernel is built and
// run, for both sides. Where its name and place do not tell, watch does: what it names is used. Without watch, or where it names
// everything, nothing is known.
func EnvironmentOf(cfg *config.Config, k config.Kernel, file string) EnvironmentUse {
	name := path.Base(file)
	standard, python := isOfPython(file)
	paths := slices.DeleteFunc(cfg.NamedPaths(), func(p string) bool { return p == "**" || p == "**/*" }) // all is not named by name
	watched := config.MatchesAny(paths, file)
	switch {
	case config.LeavesOut(cfg.Watch, file), python && cfg.EnvironmentOf(k) != nil:
		return NotUsed // nothing reads it; or its environment is made of its inputs and nothing else, and each side has its own
	case python && !k.RunsPython() && !(k.RunsCommands() && watched), !python && !slices.Contains(packageFiles, name) && !isNamed(machineNames, name):
		return NotUsed
	case k.BuildsByCommand() && slices.Contains(sideFiles, name):
		return MayBeUsed // each side's command may have read its own
	case slices.Contains(packageFiles, name) && !k.BuildsByCommand():
		return NotUsed
	case python && k.RunsPython() && isAround(k, path.Dir(file)) && (standard || len(paths) == 0), watched:
		return Used
	case len(paths) > 0:
		return NotUsed
	}
	return MayBeUsed
}

// IsOfEnvironment says whether a file may say what is installed, by its name alone.
func IsOfEnvironment(file string) bool {
	_, python := isOfPython(file)
	return python || slices.Contains(packageFiles, path.Base(file)) || isNamed(machineNames, path.Base(file))
}

// isOfPython says whether a file says which packages of Python are installed, and whether by its name it is a project's own.
func isOfPython(file string) (standard, python bool) {
	name := path.Base(file)
	standard = slices.Contains(pythonFiles, name)
	inFolder := path.Base(path.Dir(file)) == requirements && isNamed([]string{"*.{txt,in,lock}"}, name)
	return standard, standard || inFolder || isNamed(pythonNames, name)
}

const requirements = "requirements" // a folder of what its parent needs

func isNamed(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { ok, _ := doublestar.Match(p, name); return ok })
}

// isAround says whether a folder holds the configuration or a file of the kernel: a project's files lie above what they are about.
func isAround(k config.Kernel, folder string) bool {
	if path.Base(folder) == requirements {
		folder = path.Dir(folder)
	}
	return strings.Trim(folder, "./") == "" || slices.ContainsFunc(k.OwnFiles(), func(file string) bool { return strings.HasPrefix(file, folder+"/") })
}

// MayRead says whether a kernel may read a file when it is built or run: not what only other kernels name, nor what nothing reads that is built
// or run, nor the configuration, which is perfgate's to read.
func MayRead(cfg *config.Config, k config.Kernel, file string) bool {
	names := func(k config.Kernel) bool {
		return slices.Contains(k.OwnFiles(), file) || config.MatchesAny(k.Files, file)
	}
	switch {
	case names(k):
		return true
	case slices.ContainsFunc(cfg.Kernels, names), file == path.Base(cfg.File), isForServices(file):
		return false
	}
	return !isSeldomRead(file, k.ReadsWhenRun())
}

// Expects says whether one of the files that start a run is one that a kernel may read.
func Expects(cfg *config.Config, files []string) bool {
	return slices.ContainsFunc(Watched(cfg, files), func(file string) bool {
		return slices.ContainsFunc(cfg.Kernels, func(k config.Kernel) bool { return MayRead(cfg, k, file) })
	})
}

// isForServices says whether a file of any folder above is what the hosting service reads.
func isForServices(file string) bool {
	for strings.HasPrefix(file, "../") {
		file = strings.TrimPrefix(file, "../")
	}
	return strings.HasPrefix(file, ".github/")
}
