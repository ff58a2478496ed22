package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// place is a machine's files: a home with secrets, a runner in it, and a job's checkout.
type place struct {
	*testing.T
	home, runner, work, temp, opt string
}

func newPlace(t *testing.T) place {
	t.Helper()
	home := t.TempDir()
	runner := filepath.Join(home, "actions-runner")
	p := place{T: t, home: home, runner: runner, work: filepath.Join(runner, "_work", "repo", "repo"), temp: filepath.Join(runner, "_work", "_temp"), opt: t.TempDir()}
	t.Setenv("HOME", home)
	t.Setenv("GITHUB_WORKSPACE", p.work)
	t.Setenv("RUNNER_TEMP", p.temp)
	for _, name := range slices.Concat(p.secrets(), []string{p.work + "/perfgate.yaml", p.home + "/notes.txt"}) {
		p.file(name)
	}
	return p
}

// secrets are files that nothing may open.
func (p place) secrets() []string {
	return []string{
		p.home + "/.ssh/id_ed25519", p.home + "/.aws/credentials", p.home + "/.config/gh/hosts.yml", p.home + "/.docker/config.json", p.home + "/.netrc", p.home + "/.git-credentials",
		p.home + "/.local/share/keyrings/login", p.home + "/.cargo/credentials.toml", p.runner + "/.credentials", p.runner + "/.credentials_rsaparams", p.runner + "/.runner",
		p.temp + "/_runner_file_commands/set_env_1", p.temp + "/_github_workflow/event.json", p.work + "/.git/config", p.work + "/third_party/lib/.git/config",
	}
}

func (p place) file(names ...string) {
	p.Helper()
	for _, name := range names {
		must(p, os.MkdirAll(filepath.Dir(name), 0o755))
		must(p, os.WriteFile(name, []byte("x"), 0o755))
	}
}

func (p place) link(to, at string) string {
	p.Helper()
	must(p, os.MkdirAll(filepath.Dir(at), 0o755))
	must(p, os.Symlink(to, at))
	return at
}

// python makes an installed Python, and environment one that is made from it.
func (p place) python(root string) string {
	p.file(root+"/bin/python3.12", root+"/lib/python3.12/os.py", root+"/lib/libpython3.12.so.1.0", root+"/include/python3.12/Python.h", root+"/share/man/x")
	return root
}

func (p place) environment(root, base string) string {
	p.file(root+"/pyvenv.cfg", root+"/lib/python3.12/site-packages/numpy-2.dist-info/METADATA")
	p.link(base+"/bin/python3.12", root+"/bin/python3")
	return root
}

// reads says whether a policy lets a file be read, at the end of links as Landlock sees it.
func reads(policy Policy, file string) bool {
	return slices.ContainsFunc(policy.Read, func(path string) bool { return within(resolved(path), resolved(file)) })
}

func (p place) opensNoSecret(name string, policy Policy) {
	p.Helper()
	for _, secret := range p.secrets() {
		if reads(policy, secret) {
			p.Errorf("%s opens %s: %q", name, secret, policy.Read)
		}
	}
}

// Whatever an interpreter says, or whoever made it, says where it is installed, what is opened is seen to be a part of a Python.
func TestAnInterpretersWordOpensNothing(t *testing.T) {
	p := newPlace(t)
	base := p.python(p.opt + "/python")
	venv := p.environment(p.work+"/.venv", base)
	named := p.work + "/libpython3.so"
	p.link(p.home+"/.netrc", named)
	p.file(p.work+"/fake/pyvenv.cfg", p.work+"/fake/bin/python3", p.work+"/bin/python3", p.work+"/pyvenv.cfg")
	for link, to := range map[string]string{
		"fake/lib": p.home + "/.ssh", "fake/share": p.home, "fake/include": p.runner, "python3.12": p.home + "/.aws", "site-packages": p.home + "/.config", "lib": p.temp, "around": p.home,
	} {
		p.link(to, filepath.Join(p.work, link))
	}
	p.file(p.home+"/project/secret.py", p.home+"/project/.git/config")
	told := []string{
		"/", "", ".", "relative", p.home, filepath.Dir(p.home), p.runner, p.temp, p.work, p.work + "/.git", p.home + "/.ssh", p.home + "/.local", p.home + "/project", named,
		p.home + "/.netrc", p.work + "/fake", p.work + "/fake/lib", p.work + "/python3.12", p.work + "/site-packages", p.work + "/around", p.work + "/lib", p.work + "/around/.ssh", p.runner + "/_work", p.opt,
	}
	for _, path := range told {
		policy := Python(venv+"/bin/python3", path)
		p.opensNoSecret("an interpreter that names "+path, policy)
		for _, file := range []string{p.home + "/project/secret.py", p.work + "/perfgate.yaml"} {
			if reads(policy, file) {
				t.Errorf("an interpreter that names %q opens %s: %q", path, file, policy.Read)
			}
		}
	}
	for _, program := range []string{
		p.link(p.home+"/.ssh", p.work+"/e/bin") + "/id_ed25519", p.link(p.home, p.work+"/f/bin") + "/notes.txt", p.link(p.work, p.work+"/g/bin") + "/perfgate.yaml",
		p.link(p.home+"/.git-credentials", p.work+"/h/bin/python3"), p.home + "/.docker/config.json", "/etc/shadow",
	} {
		policy := Python(program)
		if program = filepath.Dir(program); reads(policy, p.work+"/.git/config") || reads(policy, p.home+"/.ssh/id_ed25519") || reads(policy, p.home+"/.git-credentials") || reads(policy, program+"/.") {
			t.Errorf("a program in %s opens %q", program, policy.Read)
		}
	}
}

// Pythons work wherever they are installed: what they import, their shared library and their packages can be read.
func TestPythonsThatCanBeRead(t *testing.T) {
	p := newPlace(t)
	for name, root := range map[string]string{
		"pyenv": p.home + "/.pyenv/versions/3.12.7", "uv": p.home + "/.local/share/uv/python/cpython-3.12.7-linux-x86_64-gnu", "conda": p.home + "/miniconda3/envs/k", "hidden conda": p.home + "/.conda/envs/k",
		"tool cache": p.runner + "/_work/_tool/Python/3.12.7/x64", "opt": p.opt + "/conda", "moved": p.opt + "/else where [1]", "temporary": p.temp + "/python",
	} {
		base := p.python(root)
		packages := root + "/lib/python3.12/site-packages/torch/lib/libtorch.so"
		p.file(packages)
		policy := Python(root+"/bin/python3.12", base, root+"/lib/libpython3.12.so.1.0")
		p.opensNoSecret(name, policy)
		for _, file := range []string{root + "/bin/python3.12", root + "/lib/python3.12/os.py", root + "/lib/libpython3.12.so.1.0", root + "/include/python3.12/Python.h", packages, root + "/share/man/x"} {
			if !reads(policy, file) {
				t.Errorf("%s cannot read %s: %q", name, file, policy.Read)
			}
		}
		for _, venv := range []string{p.work + "/." + name, p.temp + "/venv-" + name, p.home + "/." + name + "-venv"} {
			p.environment(venv, base)
			t.Setenv("PATH", venv+"/bin") // a cmake that pip installed is a script of the environment
			for way, policy := range map[string]Policy{"named": Python(venv+"/bin/python3", venv, base), "PATH": SearchPath()} {
				p.opensNoSecret(venv, policy)
				for _, file := range []string{venv + "/bin/python3", venv + "/pyvenv.cfg", venv + "/lib/python3.12/site-packages/numpy-2.dist-info/METADATA", root + "/lib/python3.12/os.py"} {
					if !reads(policy, file) {
						t.Errorf("%s (%s) cannot read %s: %q", venv, way, file, policy.Read)
					}
				}
			}
		}
	}
	elsewhere := p.opt + "/packages/python3.12/site-packages"
	p.file(elsewhere + "/numpy-2.dist-info/METADATA")
	if policy := Python(p.opt+"/conda/bin/python3.12", elsewhere); !reads(policy, elsewhere+"/numpy-2.dist-info/METADATA") {
		t.Errorf("a folder of packages elsewhere cannot be read: %q", policy.Read)
	}
}

// A bin on PATH opens itself and the parts of a toolchain beside it, and never the folder around it.
func TestTheFolderAroundABinIsNotOpened(t *testing.T) {
	p := newPlace(t)
	for name, c := range map[string]struct {
		root    string
		files   []string // that can be read
		private []string // that cannot
	}{
		"CUDA":         {p.opt + "/cuda-13.0", []string{"nvvm/bin/cicc", "include/cuda.h", "targets/x86_64-linux/lib/libcudart.so", "extras/CUPTI/include/cupti.h", "nsight-compute-2025.3/ncu"}, []string{"notes"}},
		"conda":        {p.home + "/miniconda3", []string{"lib/libstdc++.so", "x86_64-conda-linux-gnu/sysroot/usr/lib/libc.so", "share/x"}, []string{".condarc", "etc/token", "pkgs/x"}},
		"Go":           {p.opt + "/go", []string{"pkg/tool/link", "src/runtime/proc.go", "VERSION"}, []string{"test/x"}},
		"the checkout": {p.work, []string{"lib/x.so"}, []string{".git/config", "third_party/lib/.git/config", "lib/vendored/.git/config", "src/x.cc", "perfgate.yaml"}},
		"a project":    {p.home + "/project", []string{"include/x.h"}, []string{".git/config", ".env", "src/x.cc", "data/x"}},
		"the home":     {p.home, nil, []string{".ssh/id_ed25519", "lib/x", "share/x", "notes.txt"}},
		"~/.local":     {p.home + "/.local", []string{"lib/libx.so"}, []string{"share/keyrings/login", "state/x"}},
		"~/.docker":    {p.home + "/.docker", nil, []string{"config.json", "contexts/x"}},
		"~/.cargo":     {p.home + "/.cargo", nil, []string{"credentials.toml", "registry/x"}},
		"the runner":   {p.runner, nil, []string{".credentials", "lib/x"}},
		"a temporary":  {p.temp, nil, []string{"_runner_file_commands/set_env_1", "_github_workflow/event.json"}},
		"all work":     {filepath.Dir(p.work), nil, []string{"other/x", "lib/x"}},
	} {
		tool := filepath.Join(c.root, "bin", "tool")
		p.file(tool)
		for _, file := range slices.Concat(c.files, c.private) {
			p.file(filepath.Join(c.root, file))
		}
		t.Setenv("PATH", filepath.Dir(tool))
		for way, policy := range map[string]Policy{"PATH": SearchPath(), "a program": Toolchain(tool), "a link": Toolchain(p.link(tool, p.opt+"/links/"+strings.ReplaceAll(name, "/", "-")))} {
			p.opensNoSecret(name+", "+way, policy)
			for _, file := range append(c.files, "bin/tool") {
				if !reads(policy, filepath.Join(c.root, file)) {
					t.Errorf("%s, %s: cannot read %s: %q", name, way, file, policy.Read)
				}
			}
			for _, file := range c.private {
				if reads(policy, filepath.Join(c.root, file)) {
					t.Errorf("%s, %s: opens %s: %q", name, way, file, policy.Read)
				}
			}
		}
		must(t, os.RemoveAll(filepath.Join(p.opt, "links")))
	}
}

// What a variable or a flag names opens no secret, nor what git keeps: a checkout is opened without it.
func TestNamedFoldersOpenNoSecret(t *testing.T) {
	p := newPlace(t)
	p.file(p.work+"/lib/x.so", p.home+"/project/.git/config")
	for _, dir := range append(p.secrets(), p.work, filepath.Dir(p.work), p.temp, p.home+"/.config", p.home+"/.local", p.home+"/.local/share", p.runner+"/_work", p.home+"/.docker") {
		p.opensNoSecret(dir, Folders(dir).With(Toolchain(filepath.Join(dir, "tool"))))
		t.Setenv("LD_LIBRARY_PATH", dir+":"+p.link(dir, filepath.Join(t.TempDir(), "linked")))
		p.opensNoSecret("LD_LIBRARY_PATH="+dir, System())
		t.Setenv("PATH", dir)
		p.opensNoSecret("PATH="+dir, SearchPath())
	}
	if policy := Folders(p.work); !reads(policy, p.work+"/lib/x.so") || reads(policy, p.work+"/.git/config") || !slices.Contains(policy.List, p.work) {
		t.Errorf("the checkout: %+v", policy)
	}
}
