package sandbox

import (
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// secretsOfHome are where tools keep credentials and what a person typed, in the home folder.
var secretsOfHome = []string{
	".ssh", ".gnupg", ".aws", ".azure", ".config", ".docker/config.json", ".docker/contexts", ".docker/trust", ".docker/desktop", ".kube",
	".oci", ".ngc", ".kaggle", ".huggingface", ".cache/huggingface/token", ".password-store",
	".local/share/keyrings", ".mozilla", ".terraform.d", ".vault-token", ".netrc", ".git-credentials", ".gitconfig", ".npmrc", ".pypirc", ".pgpass", ".my.cnf", ".databrickscfg",
	".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".m2/settings.xml", ".gradle/gradle.properties", ".bash_history", ".zsh_history", ".python_history",
}

// secretsOfRunner are the files by which GitHub's runner knows itself, in the folder that it is installed in.
var secretsOfRunner = []string{".credentials", ".credentials_rsaparams", ".runner", ".env", "_diag"}

// secretsOfJob are what the runner hands to steps and takes from them, in the folder of temporary files.
var secretsOfJob = []string{"_runner_file_commands", "_github_workflow"}

// homes are the home folder, by the environment and by the table of users: a job in a container has both.
func homes() []string {
	var all []string
	if home, err := os.UserHomeDir(); err == nil {
		all = append(all, home)
	}
	if u, err := user.Current(); err == nil && u.HomeDir != "" {
		all = append(all, u.HomeDir)
	}
	for i, home := range all {
		all[i] = resolved(filepath.Clean(home))
	}
	return slices.DeleteFunc(slices.Compact(all), func(home string) bool { return home == "/" || !filepath.IsAbs(home) })
}

// known are the secrets by the variables that say where they are: every process of a run asks, for every folder that it may read.
var known sync.Map

// secrets are the folders and files that no policy opens, whoever names them.
func secrets() []string {
	temp := os.Getenv("RUNNER_TEMP")
	key := os.Getenv("HOME") + "\x00" + temp
	if all, ok := known.Load(key); ok {
		return all.([]string)
	}
	var all []string
	below := func(folder string, names []string) {
		for _, name := range names {
			all = append(all, resolved(filepath.Join(folder, name)))
		}
	}
	for _, home := range homes() {
		below(home, secretsOfHome)
	}
	if filepath.IsAbs(temp) { // …/_work/_temp of the runner's folder
		below(temp, secretsOfJob)
		below(filepath.Join(temp, "..", ".."), secretsOfRunner)
	}
	known.Store(key, all)
	return all
}

// secret says whether a path without links is one of the secrets or lies in one, or in what git keeps of a checkout.
func secret(path string) bool {
	return slices.Contains(strings.Split(path, "/"), ".git") || slices.ContainsFunc(secrets(), func(s string) bool { return within(s, path) })
}

// within says whether a path is a folder or lies in it, by their names.
func within(folder, path string) bool {
	return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, "/")+"/")
}

// wide says whether a folder without links is one that everything lies in: the root and its like, a home or a folder around it, or around the
// checkout of a job, or the folder of a runner.
func wide(dir string) bool {
	system := []string{"/", "/home", "/root", "/opt", "/var", "/tmp", "/etc", "/proc", "/sys", "/dev", "/run", "/mnt", "/srv", "/media"}
	if slices.Contains(system, dir) || slices.ContainsFunc(homes(), func(home string) bool { return within(dir, home) }) {
		return true
	}
	if work := os.Getenv("GITHUB_WORKSPACE"); filepath.IsAbs(work) && within(dir, filepath.Dir(resolved(work))) {
		return true
	}
	return slices.ContainsFunc(secretsOfRunner[:2], func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err == nil
	})
}

// narrow says whether a file, or a folder with all that is in it, may be allowed where somebody names it: in a variable, or as an installation
// that a program belongs to. It is none that everything lies in, and no secret, nor is one in it.
func narrow(path string) bool {
	if !filepath.IsAbs(path) {
		return false
	}
	path = resolved(filepath.Clean(path))
	return !wide(path) && !secret(path) && !slices.ContainsFunc(secrets(), func(s string) bool { return within(path, s) })
}

// covers are what opened has found, by path: a large installation takes a while to walk, and every process of a run asks.
var covers sync.Map

// opened allows a file, or a folder without what git keeps in it.
func opened(path string) Policy {
	path = resolved(filepath.Clean(path))
	if known, ok := covers.Load(path); ok {
		return known.(Policy)
	}
	if within("/usr", path) || !isFolder(path) {
		return Policy{Read: []string{path}}
	}
	paths, folders, err := Without(path, ".git")
	if err != nil {
		return Policy{} // what we cannot read, the sandbox cannot
	}
	p := Policy{Read: paths, List: folders}
	covers.Store(path, p)
	return p
}

func isFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

func isFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}
