package kernels

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/kernels/observe"
)

// Base's adapter is compiled and linked with head's files. One that tells compiler or linker what to do, through whatever it is found, is named when
// head changes, adds or removes it. What is code under test may change: sources, headers, linked machine code.
func TestChangedFilesThatTellCompilerOrLinker(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	compile := func(args ...string) string {
		t.Helper()
		out := filepath.Join(t.TempDir(), "made")
		spec := r.builder.compiler(BuildSpec{Tree: t.TempDir()}, "", append(args, "-o", out))
		spec.Env = compilerEnv(t.TempDir())
		_, err := runCompiler(t.Context(), spec, "what a side brings")
		made, err2 := os.ReadFile(out)
		if errors.Join(err, err2) != nil {
			t.Fatal(errors.Join(err, err2))
		}
		return string(made)
	}
	code := filepath.Join(t.TempDir(), "code.cc")
	library := func(n int) string {
		write(t, code, fmt.Sprintf("int real_%d() { return 1; }\nextern \"C\" int onload(void *) { return 0; }\n", n))
		return compile("-shared", "-fPIC", code)
	}
	object := func(n int) string {
		write(t, code, fmt.Sprintf("int object() { return %d; }\n", n))
		return compile("-c", "-fPIC", code)
	}
	files := map[string]string{
		"k.pg.cc": calling + "#include \"k.h\"\n", "k.h": "#include <near.h>\n", "late/near.h": "#define NEAR 1\n", "f.cc": "void f() {}\n", "early/README": "", "README": "",
		"opt.rsp": "-DA @more.rsp", "more.rsp": "-DB", "named.h": "", "k.specs": "", "k.map": "{ global: *; };", "k.ld": "k = 1;", "lib/libk.a": "INPUT(inner.ld)",
		"lib/inner.ld": "inner = 1;", "old/README": "", "lib/libdyn.so": library(1), "one.o": object(1), "linker.so": library(2),
	}
	base := BuildSpec{Adapter: "k.pg.cc", Sources: []string{"f.cc"}, Flags: []string{
		"@opt.rsp", "-Btools", "-Bold", "-include", "named.h", "-Iearly", "-Ilate", "-specs=k.specs", "-Wl,--version-script=k.map", "k.ld", "one.o", "-Llib", "-lk", "-Wl,--no-as-needed", "-ldyn", "-Wl,-plugin,./linker.so",
	}}
	r.lay(&base, files, nil)
	built, err := r.builder.Build(context.Background(), base)
	must(t, err)
	text, err := r.builder.AdapterText(context.Background(), base)
	must(t, err)
	const gone = "\x00"
	namedByFlags := []string{"opt.rsp", "k.specs", "k.map", "k.ld", "linker.so"} // what folders and scripts hold is not known then
	// It has no specs and no collect2, and looks for a precompiled header of each that is included by a flag.
	ofClang := map[string]string{"specs": "", "a tool in an old folder": "", "a precompiled header": "named.h.gch"}
	for name, c := range map[string]struct{ file, content, want string }{
		"nothing":                             {"README", "", ""},
		"what nobody asks for":                {"README", "changed", ""},
		"a source":                            {"f.cc", "void f() { volatile int x = 0; (void)x; }\n", ""},
		"a header":                            {"late/near.h", "#define NEAR 2\n", ""},
		"a header that a flag names":          {"named.h", "#define MORE\n", ""},
		"a header that is gone":               {"late/near.h", gone, ""},
		"a header that comes first":           {"early/near.h", "#define NEAR 2\n", ""},
		"an object":                           {"one.o", object(2), ""},
		"a library":                           {"lib/libdyn.so", library(3), ""},
		"code in the place of a script":       {"lib/libk.so", library(4), ""},
		"a response file":                     {"opt.rsp", "-DC @more.rsp", "opt.rsp"},
		"a response file in one":              {"more.rsp", "-DC", "more.rsp"},
		"specs":                               {"k.specs", "*cc1plus:\n+ -DC\n\n", "k.specs"},
		"a list of symbols":                   {"k.map", "{ local: *; };", "k.map"},
		"a linker script":                     {"k.ld", "k = 2;", "k.ld"},
		"a script in the place of an archive": {"lib/libk.a", "INPUT(inner.ld inner.ld)", "lib/libk.a"},
		"what that names":                     {"lib/inner.ld", "inner = 2;", "lib/inner.ld"},
		"a script in the place of a library":  {"lib/libdyn.so", "INPUT(inner.ld)", "lib/libdyn.so"},
		"a script that comes first":           {"lib/libk.so", "INPUT(inner.ld)", "lib/libk.so"},
		"a plugin":                            {"linker.so", library(5), "linker.so"},
		"a script that is gone":               {"k.ld", gone, "k.ld"},
		"a precompiled header":                {"named.h.gch", "gpch", ""}, // GCC takes one for a first header, and its own comes before
		"headers in a new folder":             {"tools/as.h", "", ""},
		"a linker in a new folder":            {"tools/ld", library(6), "tools/ld"},
		"a tool in an old folder":             {"old/collect2", library(6), "old/collect2"},
		"a linker in an old folder":           {"old/ld", library(6), "old/ld"},
		"a tool in a folder for them":         {"tools/as", "#!/bin/sh\n", "tools/as"},
	} {
		changed := maps.Clone(files)
		changed[c.file] = c.content
		if c.content == gone {
			delete(changed, c.file)
		}
		head := base
		head.Tree = ""
		r.lay(&head, changed, nil)
		if strings.HasPrefix(c.content, "#!") {
			must(t, os.Chmod(filepath.Join(head.Tree, c.file), 0o755))
		}
		want := c.want
		if other, differs := ofClang[name]; differs && strings.Contains(r.builder.Compiler.Version, "clang") {
			want = other
		}
		if got, err := ChangedTold(built.Told, base, head, text); got != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", name, got, err, want)
		}
		if want = c.want; !slices.Contains(namedByFlags, c.file) {
			want = ""
		}
		if got := ChangedNamed(base, head); got != want {
			t.Errorf("%s, not observed: %q, want %q", name, got, want)
		}
	}
}

// A compiler that is told by a plugin, and one that is a file of the tree itself, count like any other file.
func TestToldByPrograms(t *testing.T) {
	t.Parallel()
	p := places{root: t.TempDir()}
	plugin, tool := filepath.Join(p.root, "p.so"), filepath.Join(p.root, "tools", "ld")
	write(t, plugin, "\x7fELF")
	write(t, tool, "\x7fELF")
	told := p.told(requests{
		units: []observe.Report{{Paths: []observe.Access{{Path: plugin, Asked: observe.Opened}}}},
		link:  observe.Report{Paths: []observe.Access{{Path: plugin, Asked: observe.Opened}, {Path: tool, Asked: observe.Executed}}},
	}, plugin)
	base, head := BuildSpec{Tree: p.root}, BuildSpec{Tree: t.TempDir()}
	write(t, filepath.Join(head.Tree, "p.so"), "\x7fELFother")
	write(t, filepath.Join(head.Tree, "tools", "ld"), "\x7fELF")
	if got, err := ChangedTold(told, base, head, AdapterText{}); got != "p.so" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	write(t, filepath.Join(head.Tree, "p.so"), "\x7fELF")
	write(t, filepath.Join(head.Tree, "tools", "ld"), "\x7fELFother")
	if got, err := ChangedTold(told, base, head, AdapterText{}); got != "tools/ld" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}
