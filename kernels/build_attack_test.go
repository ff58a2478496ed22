package kernels

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/kernels/child"
	"github.com/org/perfgate/kernels/kernelstest"
)

const secret = "AKIA0SECRET0SECRET"

// buildOf builds a side that is made of files, in the sandbox or without.
func (r *rig) buildOf(s BuildSpec, files map[string]string, inSandbox bool) (Library, error) {
	r.t.Helper()
	if inSandbox {
		return r.hostileBuild(s, files, nil)
	}
	r.lay(&s, files, nil)
	return r.builder.Build(context.Background(), s)
}

// hostileBuild builds a side that is made of the given files and links, in the sandbox with build.command in it.
func (r *rig) hostileBuild(s BuildSpec, files, links map[string]string) (Library, error) {
	r.t.Helper()
	r.lay(&s, files, links)
	before := r.builder.Sandbox
	defer func() { r.builder.Sandbox = before }()
	r.builder.Sandbox = &Sandbox{Commands: true}
	return r.builder.Build(context.Background(), s)
}

// lay writes a side's files and names their place.
func (r *rig) lay(s *BuildSpec, files, links map[string]string) {
	r.t.Helper()
	s.Kernel, s.Root = "k", filepath.Join(r.t.TempDir(), "repository")
	for path, text := range files {
		write(r.t, filepath.Join(s.Root, path), text)
	}
	for path, to := range links {
		must(r.t, os.Symlink(to, filepath.Join(s.Root, path)))
	}
	s.Tree = filepath.Join(s.Root, s.Tree)
	s.AdapterTree = s.Tree
}

// everyWord is all that anybody is told of a failed build.
func everyWord(err error) string {
	var fault *BuildError
	if errors.As(err, &fault) {
		return fault.Error() + "\n" + fault.Output
	}
	return err.Error()
}

// What a compiler is made to open ends up in its messages, or in the library; neither may hold what the run cannot read.
func TestCompilerCannotBeMadeToReadSecrets(t *testing.T) {
	kernelstest.NeedLandlock(t, 1)
	key := filepath.Join(t.TempDir(), "credentials")
	write(t, key, secret)
	adapter := BuildSpec{Adapter: "k.pg.cc"}
	for name, c := range map[string]struct {
		spec         BuildSpec
		files, links map[string]string
		words        string
	}{
		"include":          {adapter, map[string]string{"k.pg.cc": "#include \"" + key + "\"\n" + fromC}, nil, "--sandbox=off"},
		"incbin":           {adapter, map[string]string{"k.pg.cc": "asm(\".section .rodata\\n.incbin \\\"" + key + "\\\"\");\n" + fromC}, nil, "does not compile"},
		"linked source":    {BuildSpec{Adapter: "k.pg.cc", Sources: []string{"s.cc"}}, map[string]string{"k.pg.cc": fromC}, map[string]string{"s.cc": key}, "does not compile"},
		"linked header":    {adapter, map[string]string{"k.pg.cc": "#include \"s.h\"\n" + fromC}, map[string]string{"s.h": key}, "does not compile"},
		"linked adapter":   {adapter, map[string]string{"other": ""}, map[string]string{"k.pg.cc": key}, "leaves the folder"},
		"linked folder":    {BuildSpec{Tree: "bench", Adapter: "credentials"}, map[string]string{"other": ""}, map[string]string{"bench": filepath.Dir(key)}, "leads out"},
		"include of .git":  {adapter, map[string]string{".git/config": secret, "k.pg.cc": "#include \".git/config\"\n" + fromC}, nil, "does not compile"},
		"git further down": {adapter, map[string]string{"deep/er/.git/config": secret, "k.pg.cc": "#include \"deep/er/.git/config\"\n" + fromC}, nil, "does not compile"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			lib, err := r.hostileBuild(c.spec, c.files, c.links)
			if err == nil {
				t.Fatalf("it built: %+v", lib)
			}
			if text := everyWord(err); strings.Contains(text, secret) || !strings.Contains(text, c.words) {
				t.Errorf("want %q and not the secret in:\n%s", c.words, text)
			}
		})
	}
}

// perfgate.h is the program's, wherever a pull request puts one of its own: an adapter that took that could be told anything
// about its own tensors.
func TestHeaderIsTheProgramsOwn(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	angled := strings.Replace(fromC, `"perfgate.h"`, "<perfgate.h>", 1)
	owned := map[string]string{"perfgate.h": "#error owned", "bench/perfgate.h": "#error owned"}
	r := newRig(t)
	for name, s := range map[string]BuildSpec{
		"at the root":                   {Adapter: "k.pg.cc"},
		"in a folder":                   {Adapter: "bench/k.pg.cc"},
		"at the root, beside sources":   {Adapter: "k.pg.cc", Sources: []string{"bench/s.cc"}},
		"in a folder, with flags of it": {Adapter: "bench/k.pg.cc", Flags: []string{"-Ibench", "-I."}, Sources: []string{"s.cc"}},
	} {
		for how, adapter := range map[string]string{"quoted": fromC, "angled": angled} {
			if how == "angled" && len(s.Flags) > 0 {
				continue // the configuration's own folders come first then, and the configuration is base's
			}
			t.Run(name+"/"+how, func(t *testing.T) {
				files := map[string]string{s.Adapter: adapter}
				for path, text := range owned {
					files[path] = text
				}
				for _, path := range s.Sources {
					files[path] = "int used;\n"
				}
				for _, inSandbox := range []bool{false, true} {
					if inSandbox {
						kernelstest.NeedLandlock(t, 1)
					}
					if _, err := r.buildOf(s, files, inSandbox); err != nil {
						t.Errorf("sandbox %v: %s", inSandbox, everyWord(err))
					}
				}
			})
		}
	}
}

func TestBuildCommandIsKeptInside(t *testing.T) {
	kernelstest.NeedLandlock(t, 4)
	m := others(t)
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	must(t, err)
	defer listener.Close()
	var script strings.Builder
	for _, path := range m.files {
		fmt.Fprintf(&script, "cat %q && echo GAINED reading\n", path)
		fmt.Fprintf(&script, "(echo x >>%q) && echo GAINED writing\n", path)
		fmt.Fprintf(&script, "rm -f %q && echo GAINED removing\n", path)
		fmt.Fprintf(&script, "(: >%q/planted) && echo GAINED adding\n", filepath.Dir(path))
	}
	fmt.Fprintf(&script, "cat /proc/%d/environ && echo GAINED environment\n", os.Getpid())
	fmt.Fprintf(&script, "cat /proc/%d/cmdline && echo GAINED command line\n", os.Getpid())
	fmt.Fprintf(&script, "bash -c 'echo x >/dev/tcp/127.0.0.1/%d' && echo GAINED connecting\n", listener.Addr().(*net.TCPAddr).Port)
	fmt.Fprintf(&script, "(echo hook >.git/hooks/post-checkout) && echo GAINED hook\n")
	fmt.Fprintf(&script, "(echo record >.perfgate/planted) && echo GAINED record\n")
	fmt.Fprintf(&script, "cat .git/config && echo GAINED token\n")
	fmt.Fprintf(&script, "(setsid sleep 600 >/dev/null 2>&1 &)\n")
	fmt.Fprintf(&script, "echo may write >out/made && echo may write >\"$TMPDIR/x\" && echo may write >\"$HOME/x\" && echo all tried\nsleep 0.3\nexit 7\n")
	r, before := newRig(t), child.Orphaned()
	_, err = r.hostileBuild(BuildSpec{Command: "sh attack.sh", Output: "out/k.so"},
		map[string]string{"attack.sh": script.String(), ".git/config": secret, ".git/hooks/x": "", ".perfgate/x": ""}, nil)
	text := everyWord(err)
	if strings.Contains(text, "GAINED") || strings.Contains(text, secret) || strings.Contains(text, "secret of") || !strings.Contains(text, "all tried") {
		t.Errorf("the command printed:\n%s", text)
	}
	if !strings.Contains(text, "--sandbox=off") {
		t.Errorf("nobody says that the sandbox may be why: %s", text)
	}
	m.untouched(t)
	if child.Orphaned() == before {
		t.Error("nobody noticed the process that it left")
	}
}

// What the command leaves as its output is copied by us, who may read more than the command.
func TestOutputOfBuildCommandCannotBeALinkOut(t *testing.T) {
	key := filepath.Join(t.TempDir(), "credentials")
	write(t, key, secret)
	for name, command := range map[string]string{
		"file":   "ln -s " + key + " k.so",
		"folder": "ln -s " + filepath.Dir(key) + " d && ln -s d/credentials k.so",
		"pipe":   "mkfifo k.so",
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			if name == "pipe" { // opening it waits for a writer, which must not be us for ever
				command += "; (setsid sh -c 'sleep 600 >k.so' &)"
			}
			_, err := r.hostileBuild(BuildSpec{Command: command, Output: "k.so"}, map[string]string{"other": ""}, nil)
			if err == nil {
				t.Fatal("it was taken")
			}
			kept, _ := filepath.Glob(filepath.Join(r.builder.Scratch, "libraries", "*"))
			if len(kept) != 0 || strings.Contains(everyWord(err), secret) {
				t.Errorf("%v was kept; %v", kept, err)
			}
		})
	}
}

// What a command is to make is not there before it runs: a committed library would pass for one that it made. Nothing outside of the side's tree goes.
func TestOldProductsAreTakenAway(t *testing.T) {
	outside := t.TempDir()
	write(t, filepath.Join(outside, "k.so"), "theirs")
	r := rig{t: t}
	s := BuildSpec{Output: "build/k.so", Program: "bench"}
	r.lay(&s, map[string]string{"build/k.so": "old", "bench": "old", "k.cc": "int x;"}, map[string]string{"out": outside, "link.so": "k.cc"})
	for _, names := range [][2]string{{"build/k.so", "bench"}, {"out/k.so", "link.so"}, {"../k.cc", "none"}} {
		s.Output, s.Program = names[0], names[1]
		if err := s.withoutProducts(); err != nil {
			t.Errorf("%q: %v", names, err)
		}
	}
	for path, want := range map[string]bool{
		filepath.Join(s.Tree, "build/k.so"): false, filepath.Join(s.Tree, "bench"): false, filepath.Join(s.Tree, "k.cc"): true,
		filepath.Join(s.Tree, "link.so"): true, filepath.Join(outside, "k.so"): true,
	} {
		if _, err := os.Lstat(path); err == nil != want {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// A build system that does what build systems do still works.
func TestHonestBuildCommandInTheSandbox(t *testing.T) {
	kernelstest.Tool(t, "make")
	code, err := os.ReadFile("../testdata/cheats/honest.cc")
	must(t, err)
	r := newRig(t)
	lib, err := r.hostileBuild(BuildSpec{Command: "make", Output: "build/k.so"}, map[string]string{
		"k.cc": string(code), ".git/config": secret,
		"Makefile": "all:\n\t$(CXX) -O2 -fPIC -shared -I$(PERFGATE_INCLUDE) -c k.cc -o build/k.o\n\t$(CXX) -shared build/k.o -o build/k.tmp\n\tmv build/k.tmp build/k.so\n",
	}, nil)
	must(t, err)
	spec := r.spec(lib)
	spec.Sandbox = &Sandbox{}
	if _, err := r.run(spec).time(30e9, 10, "reference"); err != nil {
		t.Error(err)
	}
}

// What a change can make a compiler hold does not take the machine's memory with it.
func TestBuildsAreHeldToTheirMemory(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.builder.Memory = 80 << 20
	for name, c := range map[string]struct {
		spec  BuildSpec
		files map[string]string
	}{
		"compiler": {BuildSpec{Adapter: "k.pg.cc"}, map[string]string{"k.pg.cc": "#include \"large.h\"\n", "large.h": ""}},
		"command":  {BuildSpec{Command: "(head -c 160M /dev/zero; sleep 50) | tail -c 200M >k.so", Output: "k.so"}, map[string]string{"large.h": ""}},
	} {
		r.lay(&c.spec, c.files, nil)
		must(t, os.Truncate(filepath.Join(c.spec.Root, "large.h"), 1<<30))
		_, err := r.builder.Build(t.Context(), c.spec)
		if err == nil || !strings.Contains(everyWord(err), "more than 80 MiB of memory") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
