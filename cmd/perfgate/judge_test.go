package main

import (
	"os"
	"path/filepath"
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
	p.write("bench/scale_add.cc", defines+p.source("..", "..", "testdata", "attacks", "half.cc"))
}

func (p *project) source(path ...string) string {
	p.t.Helper()
	b, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(b)
}

func (p *project) parity(trust string) (string, int) {
	p.t.Helper()
	return p.run("perfgate", "parity", "--base", "before", "--head", ".", "--trust", trust)
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
	if out, exit := p.parity("worktree"); exit != 0 {
		t.Errorf("judged by itself: exit code %d, and the attack shows nothing:\n%s", exit, out)
	}
	if out, exit := p.parity("base"); exit != 1 {
		t.Errorf("judged by base: exit code %d, want 1:\n%s", exit, out)
	}
	p.clean()
}

// A header that renames the reference makes room for one of head's sources, which is refused at the build, by base's rules and by head's.
func TestHeadBringsNoReferenceOfItsOwn(t *testing.T) {
	t.Parallel()
	p := withHeader(t)
	p.write("bench/scale_add.h", "#define pg_reference dead_reference\n")
	p.attack("")
	for _, trust := range []string{"worktree", "base"} {
		if out, exit := p.parity(trust); exit != 1 || !strings.Contains(out, "pg_reference") {
			t.Errorf("trust %s: exit code %d, want 1 and the function:\n%s", trust, exit, out)
		}
	}
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
	out, exit := p.run("perfgate", "run", "--base", "before", "--head", ".", "--trust", "base")
	if exit != 1 || !strings.Contains(out, "a timed launch computed") {
		t.Errorf("exit code %d, want 1:\n%s", exit, out)
	}
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
				p.write("bench/scale_add.cc", "#include \"perfgate.h\"\nextern \"C\" int pg_spec(const pg_case *, pg_tensor *, int) { return -1; }\n"+p.source(p.dir, "bench", "scale_add.cc"))
			}
			if out, exit := p.parity("base"); exit != 1 || !strings.Contains(out, "label") && !strings.Contains(out, "defines pg_spec") {
				t.Errorf("exit code %d, want 1 and an adapter change:\n%s", exit, out)
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
		out, exit := p.run("perfgate", "parity", "--base", "before", "--head", ".", "--trust", trust, "--sandbox", sandbox)
		if exit != 0 {
			t.Errorf("trust %s, sandbox %s: exit code %d:\n%s", trust, sandbox, exit, out)
		}
	}
	p.clean()
}
