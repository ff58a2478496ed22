package kernels

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/kernels/kernelstest"
)

// A library reads files at run time where it imports a way to do so, or brings another along that does, however deep.
func TestReadsAtRunTime(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		kernelstest.Missing(t, "a C compiler")
	}
	dir := t.TempDir()
	build := func(name, source string, flags ...string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		cmd := exec.Command(cc, append([]string{"-shared", "-fPIC", "-x", "c", "-", "-o", path, "-Wl,-soname," + name, "-x", "none"}, flags...)...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(source)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return path
	}
	const asks = "extern int f(const char *); int g(void) { return f(\"table\"); }\n"
	build("libplain.so", "int f(const char *s) { return *s; }")
	build("libfile.so", "#include <stdio.h>\nint f(const char *s) { return fclose(fopen(s, \"r\")); }")
	build("libdeep.so", "extern int f(const char *); int h(void) { return f(\"x\"); }", "./libfile.so", "-Wl,-rpath,$ORIGIN")
	gone := build("libgone.so", "int f(const char *s) { return *s; }")
	for name, c := range map[string]struct{ library, want string }{
		"nothing":                    {build("a.so", "int g(void) { return 1; }"), ""},
		"a library that reads none":  {build("b.so", asks, "./libplain.so", "-Wl,-rpath,$ORIGIN"), ""},
		"a library that opens":       {build("c.so", asks, "./libfile.so", "-Wl,-rpath,"+dir), "libfile.so, which imports fopen"},
		"a library of a library":     {build("d.so", "extern int h(void); int g(void) { return h(); }", "./libdeep.so", "-Wl,-rpath,$ORIGIN"), "libfile.so, which imports fopen"},
		"a library that is not here": {build("e.so", asks, gone), "libgone.so, which is not found"},
		"a checked open":             {build("f.so", "extern int __open_2(const char *, int); int g(void) { return __open_2(\"x\", 0); }"), "__open_2"},
		"a size":                     {build("g.so", "extern int stat(const char *, void *); int g(void *s) { return stat(\"x\", s); }"), "stat"},
		"a program":                  {build("h.so", "extern int execlp(const char *, ...); int g(void) { return execlp(\"x\", \"x\", (char *)0); }"), "execlp"},
		"a variable":                 {build("i.so", "extern char **environ; char *g(void) { return environ[0]; }"), "environ"},
	} {
		os.Remove(gone)
		if got, err := ReadsAtRunTime(c.library); err != nil || got != c.want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, c.want)
		}
	}
}
