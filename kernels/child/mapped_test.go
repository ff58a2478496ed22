package child

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/org/perfgate/kernels/kernelstest"
	"github.com/org/perfgate/kernels/observe"
	"github.com/org/perfgate/kernels/sandbox"
)

func pathsOf(r observe.Report) (paths []string) {
	for _, a := range r.Paths {
		paths = append(paths, a.Path)
	}
	return paths
}

// Of a table of mappings the files count that may be executed, once each; of one that is gone nobody knows what it was.
func TestExecutable(t *testing.T) {
	table := `55d0c0a00000-55d0c0a02000 r--p 00000000 fe:01 1234                       /usr/bin/data
55d0c0a02000-55d0c0a07000 r-xp 00002000 fe:01 1234                       /usr/bin/cat
55d0c0a07000-55d0c0a09000 r-xp 00007000 fe:01 1234                       /usr/bin/cat
7f0000000000-7f0000001000 r-xp 00000000 fe:01 1235                       /opt/a /b lib.so
7f0000001000-7f0000002000 r-xp 00000000 fe:01 1236                       /opt/new\012line.so
7f0000002000-7f0000003000 r-xp 00000000 fe:01 1237                       /tmp/x.so (deleted)
7f0000002000-7f0000003000 r-xp 00000000 00:01 1238                       /memfd:jit (deleted)
7f0000003000-7f0000004000 rwxp 00000000 00:00 0
7ffc00000000-7ffc00001000 r-xp 00000000 00:00 0                          [vdso]
`
	want := []string{"/opt/a /b lib.so", "/opt/new\nline.so", "/usr/bin/cat"}
	if got, gone := executable([]byte(table)); !slices.Equal(got, want) || gone != "/tmp/x.so (deleted)" {
		t.Errorf("%q and %q, want %q", got, gone, want)
	}
}

// What a child has mapped, and what it has started, is told in the sandbox, too; of one that has ended nothing is.
func TestCodeOfAChild(t *testing.T) {
	t.Parallel()
	cat, err := exec.LookPath("cat")
	if err != nil {
		kernelstest.Missing(t, "cat is not installed")
	}
	if cat, err = filepath.EvalSymlinks(cat); err != nil {
		t.Fatal(err)
	}
	policy := sandbox.System()
	for name, box := range map[string]*sandbox.Policy{"": nil, "in the sandbox": &policy} {
		input, more, err := os.Pipe()
		must(t, err)
		p, err := Start(Spec{Path: "/bin/sh", Args: []string{"-c", "echo begun; cat; exit"}, Stdin: input, Sandbox: box})
		must(t, err)
		p.code = newCode("a test", p.PID(), []string{"/nowhere"})
		for !slices.Contains(pathsOf(p.code.report()), cat) && t.Context().Err() == nil { // the shell takes a moment
			p.AtEnd([]string{"/module.py"}, "")
		}
		more.Close()
		input.Close()
		r := p.Observed()
		if !r.Loaded || len(r.Incomplete) != 1 || r.Incomplete[0].Detail != "a test" || !slices.Contains(pathsOf(r), "/module.py") {
			t.Errorf("%s: %+v", name, r)
		}
		gone := newCode("gone", p.PID(), nil)
		if gone.poll(); len(gone.files) > 0 || gone.lack != "" {
			t.Errorf("%s: of a child that has ended: %v, %q", name, gone.files, gone.lack)
		}
		p.code.add([]string{"/a", "/nowhere/b"}, "not all")
		if r = p.code.report(); r.Loaded || r.Incomplete[0].Detail != "a test; not all" {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
