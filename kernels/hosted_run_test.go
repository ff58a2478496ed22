package kernels

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/kernels/kernelstest"
)

// lateAdapter imports and opens what it needs when it launches, as code does that loads a table of tuned configurations.
var lateAdapter = strings.Replace(scaledAdapter, "    scaled(t.x, t.y)", `    import late
    with open(late.TABLE) as f:
        scaled(t.x, t.y, float(f.read()))`, 1)

const lateModule = "import numpy as np\n\ndef scaled(x, y, factor):\n    np.multiply(x, factor, out=y)\n"

// Two sides of one fingerprint are not the same where one of them reads another file when it launches.
func TestWhatIsReadWhileItRunsIsCompared(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	r := newRig(t)
	side := func() (tree string, lib Library) {
		tree = pythonTree(t, lateAdapter, lateModule)
		write(t, filepath.Join(tree, "late.py"), "import os\nTABLE = os.path.join(os.path.dirname(__file__), 'table.txt')\n")
		write(t, filepath.Join(tree, "table.txt"), "2")
		write(t, filepath.Join(tree, "unread.txt"), tree)
		lib, err := r.python(tree)
		if err != nil {
			t.Fatal(err)
		}
		if reply, err := r.parity(lib.Path); err != nil || !reply.Passed {
			t.Fatalf("%+v, %v", reply, err)
		}
		return tree, lib
	}
	one, base := side()
	_, head := side()
	if other := differs(t, base, head); base.Fingerprint != head.Fingerprint || other != "" {
		t.Errorf("equal files differ in %q; fingerprints %s, %s", other, base.Fingerprint, head.Fingerprint)
	}
	run, err := RunOf(base, head)
	if err != nil {
		t.Fatal(err)
	}
	for file, leftOut := range map[string]bool{"scaled.py": false, "late.py": false, "table.txt": false, "other.py": true, "README.md": true, "weights.bin": false} {
		if run.LeftOut(file) != leftOut {
			t.Errorf("%s: left out %v", file, !leftOut)
		}
	}
	for _, file := range []string{"table.txt", "late.py"} {
		was, err := os.ReadFile(filepath.Join(one, file))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(one, file), string(was)+"\n")
		if other := differs(t, base, head); other != file {
			t.Errorf("another %s: %q", file, other)
		}
		write(t, filepath.Join(one, file), string(was))
	}
	if err := os.Remove(filepath.Join(one, "table.txt")); err != nil {
		t.Fatal(err)
	}
	if other := differs(t, base, head); other != "table.txt" {
		t.Errorf("a file that base lacks: %q", other)
	}
}

func differs(t *testing.T, base, head Library) string {
	t.Helper()
	run, err := RunOf(base, head)
	if err != nil {
		t.Fatal(err)
	}
	return run.Differs()
}

// ranWith is an adapter whose processes left a file among what frameworks compile.
func ranWith(t *testing.T, name string, code []byte) Library {
	t.Helper()
	h := hosted{Tree: t.TempDir(), Caches: t.TempDir()}
	write(t, filepath.Join(h.Caches, "triton", t.Name()+filepath.Base(h.Caches), name), string(code))
	lib := Library{Path: filepath.Join(t.TempDir(), hostedName), Caches: h.Caches}
	if err := h.write(lib.Path); err != nil {
		t.Fatal(err)
	}
	return lib
}

// GPU code that Triton compiled of equal files is the same but for what debuggers read of it, or the sides are not.
func TestCompiledCodeIsCompared(t *testing.T) {
	t.Parallel()
	code, err := os.ReadFile("../testdata/python/cubin/softmax_kernel.cubin")
	if err != nil {
		t.Fatal(err)
	}
	changed := func(section string, by byte) []byte {
		out := bytes.Clone(code)
		out[bytesOf(t, code, section)] ^= by
		return out
	}
	base := ranWith(t, "softmax_kernel.cubin", code)
	cupys := append([]byte("0123456789abcdef0123456789abcdef01234567"), code...)
	for what, head := range map[string]struct {
		name string
		code []byte
		same bool
	}{
		"the same":                 {"softmax_kernel.cubin", code, true},
		"of another folder":        {"softmax_kernel.cubin", changed(".debug_line", 1), true},
		"in a file of CuPy's":      {"5f.cubin", cupys, true},
		"another instruction":      {"softmax_kernel.cubin", changed(".text.softmax_kernel", 1), false},
		"another constant":         {"softmax_kernel.cubin", changed(".nv.constant0.softmax_kernel", 1), false},
		"another need of a launch": {"softmax_kernel.cubin", changed(".nv.info.softmax_kernel", 1), false},
		"no code at all":           {"softmax_kernel.cubin", []byte("text"), false},
		"nothing compiled":         {"softmax_kernel.txt", code, false},
		"a library that is none":   {"launcher.so", []byte("text"), false},
		"cut off in its middle":    {"softmax_kernel.cubin", code[:len(code)/2], false},
	} {
		other := differs(t, base, ranWith(t, head.name, head.code))
		if (other == "") != head.same {
			t.Errorf("%s: %q", what, other)
		}
	}
}

// Triton compiles a library of its own in a temporary folder of the process, and that writes the path of its source down.
func TestPathsOfSourcesAreNotCompared(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	compiled := func(folder, code string) Library {
		t.Helper()
		scratch := t.TempDir()
		private, remove, err := privateFolder(scratch, "run-")
		if err != nil {
			t.Fatal(err)
		}
		defer remove()
		source, out := filepath.Join(private, folder, "utils.c"), filepath.Join(scratch, "build-0", "caches", "utils.so")
		write(t, source, code)
		write(t, out, "")
		if text, err := exec.Command("cc", "-O2", "-shared", "-fPIC", "-o", out, source).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		h := hosted{Tree: t.TempDir(), Caches: filepath.Dir(out)}
		lib := Library{Path: filepath.Join(t.TempDir(), hostedName), Caches: h.Caches}
		if err := h.write(lib.Path); err != nil {
			t.Fatal(err)
		}
		return lib
	}
	const code = "const char *where(void) { return __FILE__; } int scale(int n) { return 3 * n; }\n"
	base := compiled("tmpaaaaaaaa", code)
	if other := differs(t, base, compiled("tmpbbbbbbbb", code)); other != "" {
		t.Errorf("the same code of another folder differs in %s", other)
	}
	for _, changed := range []string{strings.Replace(code, "3 *", "5 *", 1), strings.Replace(code, "__FILE__", `__FILE__ "/../elsewhere"`, 1), strings.Replace(code, "__FILE__", `"/tmp/x"`, 1)} {
		if other := differs(t, base, compiled("tmpbbbbbbbb", changed)); other != "compiled code (utils.so)" {
			t.Errorf("%s: %q", changed, other)
		}
	}
}

// bytesOf is where a section's content begins in a file.
func bytesOf(t *testing.T, file []byte, section string) int {
	t.Helper()
	f, err := parseCubin(file)
	if err != nil {
		t.Fatal(err)
	}
	return int(f.Section(section).Offset)
}

// Another program may read whatever it likes of the side: then no file is known to be left out.
func TestAProgramMayReadAnything(t *testing.T) {
	t.Parallel()
	for line, leftOut := range map[string]bool{`{"file":"scaled.py"}`: true, `{"file":"a.py"}` + "\n" + `{"program":"sh"}`: false, "": false, strings.Repeat("{\"file\":\"a.py\"}\n", mostOpenedBytes/15): false} {
		lib := ranWith(t, "none.txt", nil)
		write(t, filepath.Join(lib.Caches, "opened"), line+"\n")
		run, err := RunOf(lib, ranWith(t, "none.txt", nil))
		if err != nil || run.LeftOut("other.py") != leftOut {
			t.Errorf("%.20q: %v, %v", line, run.LeftOut("other.py"), err)
		}
	}
}
