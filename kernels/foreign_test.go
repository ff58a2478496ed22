package kernels

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// A build that reads the user's folder builds that for both sides: an absolute path in a build folder that git keeps, or one that a command names. What
// the side itself does not have is not a file of a side, such as an environment in the checkout.
func TestBuildsReadTheirOwnSide(t *testing.T) {
	t.Parallel()
	checkout, own := t.TempDir(), t.TempDir()
	for _, dir := range []string{checkout, own} {
		write(t, filepath.Join(dir, "kernel.cc"), "int k;")
		write(t, filepath.Join(dir, "build.sh"), "true")
	}
	write(t, filepath.Join(checkout, "venv/python"), "an interpreter")
	write(t, filepath.Join(own, "build/rules"), "cat "+checkout+"/kernel.cc")
	link := filepath.Join(t.TempDir(), "project")
	must(t, os.Symlink(checkout, link))
	for name, c := range map[string]struct{ command, reads string }{
		"its own":                {"cat kernel.cc && sh build.sh", ""},
		"an absolute path":       {"cat " + checkout + "/kernel.cc", "kernel.cc"},
		"a path in a kept file":  {"sh build/rules", "kernel.cc"},
		"a program":              {"sh " + checkout + "/build.sh", "build.sh"},
		"through a link":         {"cat " + link + "/kernel.cc", "kernel.cc"},
		"in a child's child":     {"sh -c 'sh -c \"cat " + checkout + "/kernel.cc; true\"'", "kernel.cc"},
		"what it has not itself": {"cat " + checkout + "/venv/python", ""},
		"looked for alone":       {"test -e " + checkout + "/kernel.cc", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := Builder{Scratch: t.TempDir(), Repository: []string{checkout, own}}
			_, err := b.BuildCommand(t.Context(), BuildSpec{Kernel: "k", Tree: own, Command: c.command})
			var fault *BuildError
			switch {
			case c.reads == "" && err != nil:
				t.Error(err)
			case c.reads != "" && (!errors.As(err, &fault) || fault.Cause != result.CauseCommand || !strings.Contains(err.Error(), checkout+"/"+c.reads)):
				t.Errorf("%v", err)
			}
		})
	}
}
