package kernels

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/kernels/kernelstest"
)

const withReference = calling + "extern \"C\" int pg_reference(const pg_case*, double* const* data, void*) { data[0][0] = 1; return 0; }\n"

// What perfgate.h declares comes from the adapter's own object. A source, a library or a linker script that defines it is
// refused, with the name of the file and the symbol.
func TestEntriesAreTheAdaptersOwn(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	const dead = "void f() {}\nextern \"C\" int dead(const void*, double* const*, void*) { return 0; }\n"
	for name, c := range map[string]struct {
		adapter, source, library, script string
		flags                            []string
		says                             string
	}{
		"honest":                     {adapter: withReference, source: "#include \"perfgate.h\"\n" + dead},
		"optimized while linking":    {adapter: withReference, source: dead, flags: []string{"-flto"}},
		"without symbols":            {adapter: withReference, source: dead, flags: []string{"-s", "-Wl,--gc-sections", "-ffunction-sections"}},
		"one function calls many":    {adapter: "#include <cmath>\n#include <vector>\n#include <string>\n" + withReference + "extern \"C\" void pg_work(const pg_case *c, double *flops, double *bytes) { std::vector<double> v(pg_param(c, \"n\")); thread_local int seen; for (double &x : v) x = std::sin(++seen); *flops = v[0]; *bytes = std::stod(std::to_string(v[1])); }\n", source: dead},
		"a source":                   {adapter: calling, source: dead + "extern \"C\" int pg_reference(const void*, double* const*, void*) { return 0; }\n", says: "s.cc defines pg_reference"},
		"a source, while linking":    {adapter: calling, source: dead + "extern \"C\" int pg_reference(const void*, double* const*, void*) { return 0; }\n", flags: []string{"-flto"}, says: "s.cc defines pg_reference"},
		"an alias":                   {adapter: calling, source: dead + "asm(\".globl pg_reference\\n.set pg_reference, dead\");\n", says: "s.cc defines pg_reference"},
		"an alias, weak":             {adapter: calling, source: "#include \"perfgate.h\"\n" + dead + "extern \"C\" int pg_last_error_() __asm__(\"pg_last_error\");\nint pg_last_error_() { return 0; }\n", says: "s.cc"},
		"a version":                  {adapter: calling, source: dead + "asm(\".symver dead, pg_reference@@V1\");\n", says: "s.cc defines pg_reference"},
		"an indirect function":       {adapter: withReference + "asm(\".type pg_reference, @gnu_indirect_function\");\n", source: dead, says: "pg_reference in k.pg.cc"},
		"the header's own, in front": {adapter: withReference, source: dead, library: "extern \"C\" const char *pg_last_error(void) { return \"no\"; }\n", flags: []string{"lib.o"}, says: "pg_last_error of the library"},
		"a linker script":            {adapter: withReference, source: dead, script: "pg_reference = dead;\n", flags: []string{"script.ld"}, says: "pg_reference of the library"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			s := BuildSpec{Adapter: "k.pg.cc", Sources: []string{"s.cc"}, Flags: c.flags}
			r.lay(&s, map[string]string{"k.pg.cc": c.adapter, "s.cc": c.source, "lib.cc": c.library, "script.ld": c.script}, nil)
			if c.library != "" {
				output(t, exec.Command(r.builder.Compiler.Path, "-fPIC", "-O2", "-c", filepath.Join(s.Tree, "lib.cc"), "-o", filepath.Join(s.Tree, "lib.o")))
			}
			lib, err := r.builder.Build(context.Background(), s)
			if c.says == "" {
				must(t, err)
				for _, name := range []string{"pg_spec", "pg_launch", "pg_reference"} {
					if !slices.Contains(lib.Entries, name) {
						t.Errorf("%s is not among %q", name, lib.Entries)
					}
				}
				return
			}
			if err == nil || !strings.Contains(everyWord(err), c.says) {
				t.Errorf("%v, want a refusal with %q", err, c.says)
			}
		})
	}
}

// Libraries that g++ gave a variable which a process has once are told from others.
func TestUniqueSymbolsAreFound(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	for code, want := range map[string]bool{
		"template <class T> int count() { static int n; return ++n; }\nextern \"C\" int f() { return count<int>(); }\n": true,
		"static int count() { static int n; return ++n; }\nextern \"C\" int f() { return count(); }\n":                  false,
	} {
		library := filepath.Join(t.TempDir(), "f.so")
		compile := exec.Command("g++", "-shared", "-fPIC", "-x", "c++", "-", "-o", library)
		compile.Stdin = strings.NewReader(code)
		output(t, compile)
		if got, err := HasUnique(library); got != want || err != nil {
			t.Errorf("%t, %v of\n%s", got, err, code)
		}
	}
}
