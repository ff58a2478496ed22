package kernels

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/org/perfgate/kernels/kernelstest"
)

// What a build command leaves in the place of its library is taken where it is a library, also by links that stay in the tree. A pipe, a link
// to something endless or out of the tree and a file of nothing but size are neither waited for nor copied.
func TestLibrariesThatAreNone(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	const compile = "mkdir -p build && c++ -shared -fPIC -I$PERFGATE_INCLUDE k.cc -o build/k.so.1"
	for name, c := range map[string]struct{ line, says string }{
		"links in the tree":  {compile + " && ln -s k.so.1 build/k.so.0 && ln -s ../build/k.so.0 build/k.so", ""},
		"a pipe":             {"mkdir -p build && mkfifo build/k.so", "not a regular file"},
		"a link to a pipe":   {"mkdir -p build && mkfifo build/p && ln -s p build/k.so", "not a regular file"},
		"an endless file":    {"mkdir -p build && ln -s /dev/zero build/k.so", "leaves the folder"},
		"out of the tree":    {"mkdir -p build && ln -s ../../other.so build/k.so", "leaves the folder"},
		"a folder out of it": {"ln -s .. build", "leaves the folder"},
		"nothing, very long": {"mkdir -p build && truncate -s 1T build/k.so", "larger than"},
		"nothing":            {"true", "no such file"},
		"a folder":           {"mkdir -p build/k.so", "not a regular file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			s := BuildSpec{Command: c.line, Output: "build/k.so"}
			r.lay(&s, map[string]string{"k.cc": fromC}, nil)
			write(t, filepath.Join(filepath.Dir(s.Root), "other.so"), secret)
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			_, err := r.builder.Build(ctx, s)
			if c.says == "" && err != nil {
				t.Error(everyWord(err))
			}
			if c.says != "" && (err == nil || !strings.Contains(faultOf(t, err).Error(), c.says)) {
				t.Errorf("%v, want %q", err, c.says)
			}
		})
	}
}

// A library may say that it needs a device or a pipe: its fingerprint does not wait for that.
func TestNeededLibrariesThatAreNone(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	dir := t.TempDir()
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644))
	library := filepath.Join(dir, "k.so")
	for _, needed := range []string{"zero", "pipe"} {
		empty := filepath.Join(dir, "empty.so")
		build := exec.Command("sh", "-c", "echo 'int f;' | cc -shared -fPIC -x c - -Wl,-soname,"+needed+" -o "+empty+
			" && echo 'extern int f; int *g = &f;' | cc -shared -fPIC -x c - -x none -Wl,--no-as-needed,-rpath,/dev:"+dir+" "+empty+" -o "+library)
		output(t, build)
		if _, err := Fingerprint(library); err != nil {
			t.Errorf("%s: %v", needed, err)
		}
	}
}

// What is in the caches that code under test fills is read where it is a file.
func TestCachesThatHoldMoreThanFiles(t *testing.T) {
	t.Parallel()
	caches := filepath.Join(t.TempDir(), "run", "caches")
	at := func(name string) string { return filepath.Join(caches, name) }
	for _, err := range []error{
		os.MkdirAll(at("triton"), 0o755), os.WriteFile(at("triton/k.cubin"), []byte("code"), 0o644), os.Symlink("/dev/zero", at("triton/endless.cubin")),
		syscall.Mkfifo(at("triton/pipe.cubin"), 0o644), syscall.Mkfifo(at("triton/pipe.so"), 0o644),
	} {
		must(t, err)
	}
	if found := Cubins(caches); len(found) != 1 {
		t.Errorf("%v", found)
	}
}
