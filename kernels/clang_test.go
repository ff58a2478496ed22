package kernels

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/kernels/kernelstest"
	"github.com/org/perfgate/kernels/observe"
)

// What clang compiles is proved equal as what GCC does: a comment leaves the library as it is, and what it reads is seen, response files and maps of modules
// among it. Where it keeps modules is a folder of the user's that runs share, so outside of the sandbox a build with modules is not known.
func TestClang(t *testing.T) {
	kernelstest.Tool(t, "clang++")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	r := newRig(t)
	r.builder.Cache = t.TempDir()
	path, err := exec.LookPath("clang++")
	must(t, err)
	r.builder.Compiler = Compiler{Path: path, Version: "clang"}
	files := map[string]string{
		"k.pg.cc": calling, "f.cc": "#include \"k.h\"\nvoid f() { volatile int v = VALUE; (void)v; }\n", "k.h": "#define VALUE 1\n", "unread.h": "", "opt.rsp": "-DA @more.rsp",
		"more.rsp": "-DB", "module.modulemap": "module K { header \"k.h\" export * }\n",
	}
	for name, c := range map[string]struct {
		flags     []string
		reads     []string
		inSandbox bool
		hidden    []observe.ReasonKind
	}{
		"plain":             {[]string{"@opt.rsp"}, []string{"f.cc", "k.h", "opt.rsp", "more.rsp"}, false, nil},
		"in the sandbox":    {[]string{"@opt.rsp"}, []string{"f.cc", "k.h", "opt.rsp", "more.rsp"}, true, nil},
		"modules":           {[]string{"-fmodules", "-fcxx-modules"}, []string{"f.cc", "k.h", "module.modulemap"}, true, nil},
		"modules, no walls": {[]string{"-fmodules", "-fcxx-modules"}, []string{"f.cc", "k.h", "module.modulemap"}, false, []observe.ReasonKind{observe.SharedCache}},
	} {
		build := func(change map[string]string) (code []byte, asked observe.Report) {
			all := maps.Clone(files)
			maps.Copy(all, change)
			lib, err := r.buildOf(BuildSpec{Adapter: "k.pg.cc", Sources: []string{"f.cc"}, Flags: c.flags}, all, c.inSandbox)
			if err != nil {
				t.Fatal(name, everyWord(err))
			}
			if code, err = os.ReadFile(lib.Path); err != nil {
				t.Fatal(err)
			}
			return code, lib.Asked
		}
		base, asked := build(nil)
		var hidden []observe.ReasonKind
		for _, reason := range asked.Incomplete {
			hidden = append(hidden, reason.Kind)
		}
		if !slices.Equal(hidden, c.hidden) {
			t.Errorf("%s: %+v", name, asked.Incomplete)
		}
		for file := range files {
			opened := slices.ContainsFunc(asked.Paths, func(a observe.Access) bool {
				return strings.HasSuffix(a.Path, "/repository/"+file) && a.Asked.Has(observe.Opened)
			})
			if want := slices.Contains(append(c.reads, "k.pg.cc"), file); opened != want && file != "k.pg.cc" { // of which a copy is compiled
				t.Errorf("%s: %s is opened: %v", name, file, opened)
			}
		}
		if name == "in the sandbox" || c.hidden != nil { // what is compiled is that of the others
			continue
		}
		comment, _ := build(map[string]string{"f.cc": files["f.cc"] + "// a comment\n", "unread.h": "#define VALUE 3\n"})
		other, _ := build(map[string]string{"k.h": "#define VALUE 2\n"})
		if !bytes.Equal(base, comment) || bytes.Equal(base, other) {
			t.Errorf("%s: a comment is the same: %v, another header: %v", name, bytes.Equal(base, comment), bytes.Equal(base, other))
		}
	}
}
