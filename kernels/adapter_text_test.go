package kernels

import (
	"context"
	"strings"
	"testing"

	"github.com/org/perfgate/kernels/kernelstest"
)

// An adapter of base is compiled with head's headers. Whatever in them changes what its own lines or those of perfgate.h say is found
// and named; whatever changes the kernel alone is not.
func TestAdapterTextWithOtherHeaders(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	const adapter = "#include \"perfgate.h\"\n#include \"k.h\"\n" +
		"extern \"C\" int pg_spec(const pg_case *c, pg_tensor *out, int) { out[0] = PG_TENSOR(\"y\", PG_F32, PG_OUT, pg_param(c, \"n\")); return 1; }\n" +
		"extern \"C\" int pg_launch(const pg_case *, void *const *data, void *, void *) { compute((float *)data[0]); return 0; }\n" +
		"extern \"C\" int pg_reference(const pg_case *, double *const *data, void *) { data[0][0] = 1; return 0; }\n"
	const header = "#pragma once\n#define TILE 8\ninline void compute(float *y) { y[0] = TILE; }\n"
	r := newRig(t)
	read := func(header, other string) AdapterText {
		s := BuildSpec{Adapter: "bench/k.pg.cc"}
		r.lay(&s, map[string]string{"bench/k.pg.cc": adapter, "bench/k.h": header, "other.h": other}, nil)
		text, err := r.builder.AdapterText(context.Background(), s)
		must(t, err)
		return text
	}
	base := read(header, "")
	if got := strings.Join(base.Defines, " "); got != "pg_spec pg_launch pg_reference" {
		t.Errorf("the adapter defines %q", got)
	}
	for name, c := range map[string]struct{ header, other, want string }{
		"nothing":              {header, "", ""},
		"the kernel":           {"#pragma once\n// 3\n#define TILE 16\n#include <cmath>\ninline void compute(float *y) { y[0] = std::sqrt(TILE); }\n", "", ""},
		"more headers":         {header + "#include \"../other.h\"\n", "#define OTHER 7\ninline int other() { return OTHER; }\n", ""},
		"a macro":              {header + "#define pg_reference dead\n", "", "bench/k.h defines pg_reference"},
		"a macro with":         {header + "#define pg_param(c, n) 1\n", "", "bench/k.h defines pg_param"},
		"a macro further away": {"#include \"../other.h\"\n" + header, "#define data dead\n", "other.h defines data"},
		"a keyword":            {header + "#define return return 0 *\n", "", "bench/k.h defines return"},
		"a pragma":             {header + "_Pragma(\"redefine_extname pg_reference dead\")\n", "", "bench/k.h, which bench/k.pg.cc includes, has a say about pg_reference"},
		"weak":                 {header + "#pragma weak pg_reference\n", "", "has a say about pg_reference"},
		"a label":              {header + "extern \"C\" int mine(double) __asm__(\"pg_\" \"reference\");\n", "", "has a say about pg_reference"},
		"a label, escaped":     {header + "extern \"C\" int mine(double) __asm__(\"pg\\x5freference\");\n", "", "has a say about pg_reference"},
		"assembler":            {header + "asm(\".set pg\\137reference, dead\");\n", "", "has a say about pg_reference"},
		"lines of another":     {header + "#line 1 \"bench/k.pg.cc\"\nint more;\n", "", "bench/k.pg.cc"},
		"an alias":             {header + "extern \"C\" int dead(int x) { return x; }\nextern \"C\" int pg_work(int) __attribute__((alias(\"dead\")));\n", "", "has a say about pg_work"},
	} {
		got := base.Differs(read(c.header, c.other))
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// What an adapter includes of its side is named, whatever its name is and however it is found, and nothing else is.
func TestIncludes(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := BuildSpec{Tree: "bench", Adapter: "k.pg.cc", Sources: []string{"gone.cc"}, Flags: []string{"-I../inc", "-include", "named.h"}}
	r.lay(&s, map[string]string{
		"bench/k.pg.cc": "#include \"perfgate.h\"\n#include <vector>\n#include \"my file.h\"\n#include <linked.h>\n#if 0\n#include \"not.h\"\n#endif\n", "bench/my file.h": "#include \"cost$.h\"\n",
		"bench/cost$.h": "", "bench/not.h": "", "bench/named.h": "", "bench/perfgate.h": "#error", "inc/real.h": "",
	}, map[string]string{"inc/linked.h": "real.h"})
	files, err := r.builder.Includes(t.Context(), s)
	if got := strings.Join(files, ", "); got != "cost$.h, my file.h, named.h, ../inc/real.h" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}
