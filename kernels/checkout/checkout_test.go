package checkout

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// rig is a checkout, a folder beside it that a link of the checkout leads to, and links from outside that lead in.
type rig struct {
	*testing.T
	checkout, outside, alias string
}

func newRig(t *testing.T) rig {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := rig{t, filepath.Join(top, "my repo"), filepath.Join(top, "outside"), filepath.Join(top, "alias")}
	r.file(filepath.Join(r.checkout, "bin", "tool"), "")
	r.file(filepath.Join(r.outside, "bin", "tool"), "")
	r.link(filepath.Join(r.checkout, "away"), r.outside)
	r.link(filepath.Join(r.outside, "in", "tool"), filepath.Join(r.checkout, "bin", "tool"))
	r.link(r.alias, r.checkout)
	r.link(filepath.Join(r.outside, "deep"), filepath.Join(r.checkout, "bin"))
	return r
}

func (r rig) file(path, text string) {
	r.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		r.Fatal(err)
	}
}

func (r rig) link(path, to string) {
	r.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.Fatal(err)
	}
	if err := os.Symlink(to, path); err != nil {
		r.Fatal(err)
	}
}

// What a variable of the environment leads to is found by where it lies, and by every link on the way.
func TestVariablesThatLeadIntoTheCheckout(t *testing.T) {
	r := newRig(t)
	t.Chdir(r.checkout)
	for entry, want := range map[string]bool{
		"PATH=" + r.outside + "/bin:/usr/bin":     false,
		"PATH=/usr/bin:" + r.checkout + "/bin":    true,
		"PATH=/usr/bin:":                          true, // an empty element
		"PATH=:/usr/bin":                          true,
		"PATH=":                                   true,
		"PATH=/usr/bin:bin":                       true, // a relative one
		"PATH=" + r.alias + "/bin":                true,
		"PATH=" + r.checkout + "/away/bin":        true, // the link is the checkout's
		"PATH=" + r.outside + "/in":               true, // a link in the folder
		"PATH=" + r.checkout + "/none":            true, // may be there tomorrow
		"PATH=" + r.checkout + "-x/bin":           false,
		"PATH=" + r.outside + "/../my repo/bin":   true,
		"PATH=" + r.outside + "/deep/../bin":      true, // the parent of where a link leads
		"PATH=" + r.outside + "/none/../bin":      false,
		"LD_LIBRARY_PATH=" + r.checkout + "/lib":  true,
		"LD_LIBRARY_PATH=":                        false,
		"LD_LIBRARY_PATH=/usr/lib:":               true,
		"LD_PRELOAD=libm.so.6 " + "/x/y.so":       false,
		"LD_PRELOAD=libm.so.6:" + r.alias + "/x":  true,
		"LD_PRELOAD=libm.so.6":                    false,
		"LD_AUDIT=libaudit.so":                    false,
		"OCL_ICD_FILENAMES=libpocl.so.2:libx.so":  false, // names, of which no folder is said
		"OCL_ICD_FILENAMES=libx.so:./libpocl.so":  true,
		"OMP_TOOL_LIBRARIES=libtool.so":           false,
		"CUDA_INJECTION64_PATH=libcupti.so":       false,
		"CUDA_INJECTION64_PATH=" + r.alias + "/x": true,
		"LD_AUDIT=" + r.alias + "/a.so":           true,
		"PYTHONPATH=" + r.alias + "/src":          true,
		"PYTHONPATH=src":                          true,
		"PYTHONHOME=" + r.checkout + "/.venv":     true,
		"PYTHONHOME=.venv":                        true,
		"PYTHONSTARTUP=" + r.checkout + "/s.py":   true,
		"PYTHONPYCACHEPREFIX=" + r.checkout:       true,
		"VIRTUAL_ENV=" + r.checkout + "/.venv":    true,
		"VIRTUAL_ENV=" + r.outside:                false,
		"CPATH=" + r.alias:                        true,
		"CPLUS_INCLUDE_PATH=/usr/include::":       true,
		"LIBRARY_PATH=" + r.alias:                 true,
		"COMPILER_PATH=" + r.alias:                true,
		"PKG_CONFIG_PATH=" + r.alias:              true,
		"CMAKE_PREFIX_PATH=/opt/x:" + r.alias:     true,
		"CMAKE_TOOLCHAIN_FILE=cmake/tools.cmake":  true,
		"CUDA_HOME=" + r.alias + "/cuda":          true,
		"CXX=g++":                                 false,
		"CXX=" + r.checkout + "/bin/tool":         true,
		"CXX=" + r.outside + "/in/tool":           true,
		"CXX=bin/tool":                            true,
		"CC=ccache " + r.alias + "/bin/tool":      true,
		"NVCC=" + r.outside + "/bin/tool":         false,
		"CFLAGS=-O2 -Iinclude":                    false, // of each side its own
		"CFLAGS=-O2 -I" + r.checkout + "/include": true,
		"CXXFLAGS=-fplugin=" + r.alias + "/p.so":  true,
		"LDFLAGS=-Wl,-rpath," + r.alias + "/lib":  true,
		"MAKEFLAGS=-j4 -I " + r.alias:             true,
		"MAKEFILES=" + r.alias + "/x.mk":          true,
		"BASH_ENV=" + r.alias + "/x.sh":           true,
		"GIT_EXEC_PATH=" + r.alias:                true,
		"GIT_CONFIG_GLOBAL=" + r.alias + "/x":     true,
		"CCACHE_DIR=" + r.checkout + "/.ccache":   true,
		"HOME=" + r.checkout:                      true,
		"HOME=" + filepath.Dir(r.checkout):        false,
		"RESULTS=" + r.checkout + "/out":          false, // nothing is found by it
		"GITHUB_WORKSPACE=" + r.checkout:          false,
		"PWD=" + r.checkout:                       false,
	} {
		for _, folder := range []string{r.checkout, r.alias} {
			lead := In(folder).Environment([]string{"LANG=C", entry})
			if (lead != nil) != want {
				t.Errorf("%s, in %s: %v", entry, folder, lead)
			}
			if name, _, _ := strings.Cut(entry, "="); lead != nil && (lead.Name != name || !strings.Contains(lead.Error(), "outside of the checkout")) {
				t.Errorf("%s: %v", entry, lead)
			}
		}
	}
	if lead := In().Environment([]string{"PATH=" + r.checkout}); lead != nil {
		t.Errorf("without a checkout: %v", lead)
	}
}

// Whoever may change a file or a link on the way to an interpreter says what runs.
func TestWayThroughTheCheckout(t *testing.T) {
	t.Parallel()
	outside, checkout := t.TempDir(), t.TempDir()
	link := func(target, name string) string {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, name); err != nil {
			t.Fatal(err)
		}
		return name
	}
	real, own := filepath.Join(outside, "real", "python3"), filepath.Join(checkout, "tools", "python3")
	rig{T: t}.file(real, "")
	rig{T: t}.file(own, "")
	other := link(checkout, filepath.Join(outside, "other-name"))
	through := link(real, filepath.Join(checkout, "venv", "python3"))
	loop := filepath.Join(outside, "loop")
	link(loop, loop)
	for path, want := range map[string]bool{
		real: false, own: true, through: true, loop: true,
		filepath.Join(other, "tools", "python3"):                                                  true,
		link(own, filepath.Join(outside, "to-own")):                                               true,
		link(through, filepath.Join(outside, "to-link")):                                          true,
		link("real/python3", filepath.Join(outside, "relative")):                                  false,
		filepath.Join(link(filepath.Dir(real), filepath.Join(checkout, "d")), "python3"):          true,
		filepath.Join(link(filepath.Join(checkout, "d"), filepath.Join(outside, "e")), "python3"): true,
		checkout + "-beside/python3":                                                              false,
	} {
		for _, folder := range []string{checkout, other} {
			if got := In(folder).Holds(path); got != want {
				t.Errorf("%s in %s: %v", path, folder, got)
			}
		}
	}
}

// A folder that is kept in may neither lie in the checkout nor be around it.
func TestFoldersAroundTheCheckout(t *testing.T) {
	r := newRig(t)
	for path, want := range map[string]bool{
		r.checkout + "/cache": true, filepath.Dir(r.checkout): true, r.outside + "/cache": false, r.checkout + "/away/cache": true, r.alias: true,
	} {
		if lead := In(r.checkout).Folder("PERFGATE_CACHE", path); (lead != nil) != want {
			t.Errorf("%s: %v", path, lead)
		}
	}
}

// A program of the PATH is looked at with what is loaded with it, and with no other variable.
func TestProgramOfTheCheckout(t *testing.T) {
	r := newRig(t)
	for path, want := range map[string]bool{
		r.checkout + "/bin": true, r.outside + "/bin": false, r.outside + "/in": true, r.checkout + "/away/bin": true,
		r.outside + "/bin:" + r.checkout + "/bin": false, r.alias + "/bin": true, t.TempDir(): false,
	} {
		t.Setenv("PATH", path)
		if lead := In(r.checkout).Program("tool", func(string) string { return "" }); (lead != nil) != want {
			t.Errorf("PATH=%s: %v", path, lead)
		}
	}
	t.Setenv("PATH", r.outside+"/bin")
	for entry, want := range map[string]bool{
		"LD_LIBRARY_PATH=" + r.checkout: true, "HOME=" + r.checkout: true, "PYTHONPATH=" + r.checkout: false, "CXX=" + r.checkout + "/x": false,
	} {
		name, value, _ := strings.Cut(entry, "=")
		if lead := In(r.checkout).Program("tool", func(asked string) string { return map[string]string{name: value}[asked] }); (lead != nil) != want {
			t.Errorf("%s: %v", entry, lead)
		}
	}
}

// An environment of Python leads into the checkout by what pip, uv and its own site module leave in it.
func TestPythonThatLeadsIntoTheCheckout(t *testing.T) {
	for name, c := range map[string]struct {
		file, text string
		link       string // in the place of text
		want       bool
	}{
		"nothing":                    {file: "lib/python3.12/site-packages/six.py", text: "x = '/usr'\n"},
		"a .pth":                     {file: "lib/python3.12/site-packages/mine.pth", text: "CHECKOUT/src\n", want: true},
		"a .pth elsewhere":           {file: "lib/python3.12/site-packages/mine.pth", text: "/usr/share/x\n"},
		"a relative .pth":            {file: "lib/python3.12/site-packages/mine.pth", text: "../../../../../my repo/src\n", want: true},
		"a .pth that imports":        {file: "lib/python3.12/site-packages/mine.pth", text: "import sys; sys.path.append('CHECKOUT/src')\n", want: true},
		"another .pth that imports":  {file: "lib/python3.12/site-packages/distutils-precedence.pth", text: "import os; os.environ.get('A', 'local') == 'local'\n"},
		"a finder":                   {file: "lib/python3.12/site-packages/__editable___mine_finder.py", text: "MAPPING = {'mine': 'CHECKOUT/src/mine'}\n", want: true},
		"an egg-link":                {file: "lib/python3.12/site-packages/mine.egg-link", text: "CHECKOUT/src\n.\n", want: true},
		"sitecustomize":              {file: "lib/python3.12/site-packages/sitecustomize.py", link: "CHECKOUT/sitecustomize.py", want: true},
		"what sitecustomize names":   {file: "lib/python3/dist-packages/sitecustomize.py", text: "import sys\nsys.path.insert(0, \"CHECKOUT\")\n", want: true},
		"a package that is a link":   {file: "lib/python3.12/site-packages/mine", link: "CHECKOUT/src/mine", want: true},
		"a folder that is a link":    {file: "lib/python3.12/site-packages", link: "CHECKOUT/.venv", want: true},
		"installed editable":         {file: "lib/python3.12/site-packages/mine-1.dist-info/direct_url.json", text: `{"url": "file://CHECKOUT", "dir_info": {"editable": true}}`, want: true},
		"installed from the folder":  {file: "lib64/python3.12/site-packages/mine-1.dist-info/direct_url.json", text: `{"url": "file://CHECKOUT/python", "dir_info": {}}`, want: true},
		"installed from the network": {file: "lib/python3.12/site-packages/x-1.dist-info/direct_url.json", text: `{"url": "https://example.com/x.whl"}`},
		"of a Python in it":          {file: "pyvenv.cfg", text: "home = CHECKOUT/python/bin\nversion = 3.12\n", want: true},
		"of another Python":          {file: "pyvenv.cfg", text: "home = /usr/bin\ncommand = /usr/bin/python3 -m venv x\n"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			path := filepath.Join(r.outside, "venv", c.file)
			if c.link != "" {
				r.link(path, strings.ReplaceAll(c.link, "CHECKOUT", r.checkout))
			} else {
				r.file(path, strings.ReplaceAll(c.text, "CHECKOUT", r.checkout))
			}
			for _, folder := range []string{r.checkout, r.alias} {
				if lead := In(folder).Python(filepath.Join(r.outside, "venv", "bin", "python3")); (lead != nil) != c.want {
					t.Errorf("%v", lead)
				}
			}
		})
	}
}

// Commands and flags of the configuration name programs and files by absolute paths.
func TestPathsInCommands(t *testing.T) {
	r := newRig(t)
	for text, want := range map[string]bool{
		"make bench": false, "./build/bench --json": false, "cd build && cmake ..": false, "/usr/bin/make -C .": false,
		"PYTHONPATH='" + r.checkout + "/src' python3 b.py": true, r.alias + "/bin/tool x": true, "-I" + r.alias: true, "--a=" + r.alias + "/b,c": true,
		"cp " + r.checkout + "-old/x .": false,
	} {
		if lead := In(r.checkout).Mentioned("build.command", text); (lead != nil) != want {
			t.Errorf("%s: %v", text, lead)
		}
	}
}
