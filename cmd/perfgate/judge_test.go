package main

import (
	"runtime"
	"strings"
	"testing"

	"github.com/org/perfgate/kernels/kernelstest"
)

// withHeader has the adapter of a new project include a header of its kernel, and keeps it as base in the folder before.
func withHeader(t *testing.T) *project {
	p := newProject(t)
	p.write("bench/scale_add.h", "#define TILE 64\n")
	p.edit("bench/scale_add.pg.cc", "#include <cstddef>\n", "#include <cstddef>\n\n#include \"scale_add.h\"\n")
	p.mustRun("sh", "-c", "mkdir before && cp -r bench perfgate.yaml before/")
	return p
}

// attack replaces the kernel by an attacking one.
func (p *project) attack(defines string) {
	p.t.Helper()
	p.write("bench/scale_add.cc", defines+readText(p.t, "../../testdata/attacks/half.cc"))
}

// parity wants an exit code of parity, by base's rules or head's, and a text in what it prints.
func (p *project) parity(trust string, code int, says string) string {
	p.t.Helper()
	return p.expect(code, says, "perfgate", "parity", "--base", "before", "--head", ".", "--trust", trust)
}

// Head's library may say what it likes about what is right: where base rules, it is not asked. At a desk it is, and the attack
// passes.
func TestHeadDoesNotJudgeItself(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	if runtime.GOARCH != "amd64" {
		t.Skip("the attack, which overwrites the reference in memory, is written for x86-64")
	}
	p := withHeader(t)
	p.attack("#define PATCHES\n")
	p.parity("worktree", 0, "") // or the attack shows nothing
	p.parity("base", 1, "")
	p.clean()
}

// A header that renames the reference makes room for one of head's sources, which is refused at the build, by base's rules and by head's.
func TestHeadBringsNoReferenceOfItsOwn(t *testing.T) {
	t.Parallel()
	p := withHeader(t)
	p.write("bench/scale_add.h", "#define pg_reference dead_reference\n")
	p.attack("")
	p.parity("worktree", 1, "pg_reference")
	p.parity("base", 1, "pg_reference")
	p.clean()
}

// Neither do timed launches, of which one computes less than what parity saw.
func TestHeadDoesNotJudgeItsTimedOutputs(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	if runtime.GOARCH != "amd64" {
		t.Skip("the attack is written for x86-64")
	}
	p := withHeader(t)
	p.attack("#define PATCHES\n#define TIMED\n")
	p.expect(1, "a timed launch computed", "perfgate", "run", "--base", "before", "--head", ".", "--trust", "base")
	p.clean()
}

// A header of head that makes base's adapter describe other tensors is an adapter change.
func TestHeadDoesNotDescribeTheCase(t *testing.T) {
	t.Parallel()
	for name, header := range map[string]string{
		"the output is scratch":    "#include \"perfgate.h\"\n#define PG_INOUT (out == out ? PG_SCRATCH : PG_INOUT)\n",
		"the output is smaller":    "#include \"perfgate.h\"\nstatic inline int64_t less(const pg_case *c) { return pg_param(c, \"n\") / 2 + 1; }\n#define pg_param(c, name) (*name == 'n' ? less(c) : pg_param(c, name))\n",
		"every case is refused":    "#include \"perfgate.h\"\n#define pg_spec base_spec\n#define REFUSES\n",
		"the input is all zeros":   "#include \"perfgate.h\"\n#define PG_IN PG_IN, n).fill = PG_FILL_CONSTANT, (void)PG_TENSOR(\"z\", dtype, PG_INOUT\n",
		"the tolerance is a large": "#include \"perfgate.h\"\n#undef PG_TENSOR\n#define PG_TENSOR(...) lenient(pg_tensor_of2(__VA_ARGS__))\nstatic inline pg_tensor lenient(pg_tensor t) { t.atol = 1e9; return t; }\nstatic inline pg_tensor pg_tensor_of2(const char *name, int dtype, int role, int64_t n) { return pg_tensor_of(name, dtype, role, {n}); }\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := withHeader(t)
			p.write("bench/scale_add.h", header)
			if strings.Contains(header, "REFUSES") {
				p.write("bench/scale_add.cc", "#include \"perfgate.h\"\nextern \"C\" int pg_spec(const pg_case *, pg_tensor *, int) { return -1; }\n"+p.read("bench/scale_add.cc"))
			}
			if out := p.parity("base", 1, ""); !strings.Contains(out, "label") && !strings.Contains(out, "defines pg_spec") {
				t.Errorf("no adapter change:\n%s", out)
			}
			p.clean()
		})
	}
}

// An honest change passes, judged by itself and by base.
func TestHonestHeadPassesBothWays(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	p := withHeader(t)
	p.write("bench/scale_add.h", "#define TILE 32\n")
	p.edit("bench/scale_add.cc", "i++) y[i] += a * x[i];", "i++) y[i] = a * x[i] + y[i];")
	p.edit("bench/scale_add.cc", "#include <cstddef>", "#include <cstddef>\nint another_function(int i) { return i + 1; }")
	for trust, sandbox := range map[string]string{"worktree": "off", "base": "on"} {
		p.expect(0, "", "perfgate", "parity", "--base", "before", "--head", ".", "--trust", trust, "--sandbox", sandbox)
	}
	p.clean()
}
