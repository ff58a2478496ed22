package run

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/kernelstest"
)

// Processes of a script that wait have imported what is installed and run nothing of their side. Asked, they measure as others do; those that nobody asks end.
func TestScriptsStartAhead(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	said := filepath.Join(t.TempDir(), "said")
	script := "import sys\nopen(" + `"` + said + `"` + ", 'a').write('early\\n' if 'numpy' in sys.modules else 'late\\n')\n" +
		"import numpy, triton.testing\ntriton.testing.do_bench(lambda: sum(range(1000)))\n"
	files := map[string]string{"b.py": script, "triton/__init__.py": "", "triton/testing.py": "def do_bench(fn): pass\n"}
	s, v := foundRun(t, benchSides(t, repo.TrustWorktree, "    bench: {script: b.py, format: triton}\n    python: "+kernelstest.PythonWith(t, "numpy")+"\ndevice: cpu\n", files, files))
	k := v.Builds.On[0]
	row := k.Plan.Measured[0].Row
	p := newProgram(k, s.runners, s.opt.Question)
	if len(k.First.Base.Set.Imports) == 0 || len(k.First.Head.Set.Imports) == 0 {
		t.Fatalf("imports: %q and %q", k.First.Base.Set.Imports, k.First.Head.Set.Imports)
	}
	if !p.CanWait() {
		t.Fatal("its processes cannot wait")
	}
	found := askRow(t, p, result.SideBase, false, "probe", row, nil)
	for _, side := range []result.Side{result.SideHead, result.SideBase} {
		if read := askRow(t, p, side, true, "time", row, map[string]result.Method{row: *found.Method}); len(read.Samples) == 0 {
			t.Errorf("%s: %+v", side, read)
		}
	}
	nobody, err := p.Start(t.Context(), result.SideHead, true)
	must(t, err)
	nobody.Close()
	if text, _ := os.ReadFile(said); string(text) != "late\nlate\nlate\nearly\nearly\n" {
		t.Errorf("%s", text)
	}
	if left, _ := filepath.Glob(filepath.Join(s.opt.Scratch, "bench/*/*/out-*")); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}
