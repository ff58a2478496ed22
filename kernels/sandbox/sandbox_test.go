package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// confined has a helper become a program under a policy, with more descriptors from 4 on, and returns all that it printed.
func confined(t *testing.T, p Policy, path string, args []string, more ...*os.File) (string, error) {
	t.Helper()
	link, err := NewLink(&p)
	must(t, err)
	path, args = link.Command(3, path, args)
	cmd := exec.Command(path, args...)
	cmd.ExtraFiles = append([]*os.File{link.File()}, more...)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	must(t, cmd.Start())
	handed := link.Hand()
	ended := cmd.Wait() // after it, all of the output is there
	return out.String(), cmp.Or(handed, ended)
}

// run starts a shell script under a policy and returns all that it printed.
func run(t *testing.T, p Policy, script string) (string, error) {
	t.Helper()
	return confined(t, p, "/bin/sh", []string{"-c", script})
}

// lay makes a file in folders.
func lay(t *testing.T, path, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(text), 0o644))
}

func TestPolicyIsWhatCanBeTouched(t *testing.T) {
	needLandlock(t, 3)
	root := t.TempDir()
	for _, name := range []string{"read/a", "write/a", "other/a", "alone"} {
		lay(t, filepath.Join(root, name), "content of "+name+"\n")
	}
	p := System().With(Policy{
		Read: []string{root + "/read", root + "/alone", root + "/missing"}, Write: []string{root + "/write"}, List: []string{root + "/other"},
	})
	out, err := run(t, p, fmt.Sprintf(`cd %q
cat read/a alone write/a
echo more >>write/a && mkdir write/d && mv write/a write/d/b && cat write/d/b && rm write/d/b && rmdir write/d && echo "may write"
ls other
for f in other/a; do cat $f && echo "GAINED $f"; done
for f in read/a alone other/a read/new new; do (echo x >>$f) 2>/dev/null && echo "GAINED writing $f"; done
ls . 2>/dev/null && echo "GAINED listing"
read -r line </proc/self/status && read -r line </proc/cpuinfo && echo "may look at itself"
cat /proc/1/cmdline 2>/dev/null && echo "GAINED /proc/1"
echo x >/dev/null && head -c 1 /dev/urandom >/dev/null && echo "may use devices"
true`, root))
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"content of read/a", "content of alone", "content of write/a\nmore\nmay write", "may look at itself", "may use devices"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing from:\n%s", want, out)
		}
	}
	if strings.Contains(out, "GAINED") {
		t.Error(out)
	}
}

func TestNoNewPrivilegesAndLimits(t *testing.T) {
	p := System().With(Policy{FileBytes: 1 << 20, Write: []string{t.TempDir()}})
	out, err := run(t, p, "while read -r name value; do [ $name != NoNewPrivs: ] || echo $name $value; done </proc/self/status; ulimit -c; ulimit -f")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// A shell counts files in blocks of 512 bytes.
	if fields := strings.Fields(out); !slices.Equal(fields, []string{"NoNewPrivs:", "1", "0", "2048"}) {
		t.Errorf("%q", out)
	}
}

// A limit that was lower already stays: a policy raises none.
func TestLowerLimitsStay(t *testing.T) {
	var was unix.Rlimit
	must(t, unix.Getrlimit(unix.RLIMIT_FSIZE, &was))
	lower := min(1<<30, was.Max)
	must(t, unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: lower, Max: was.Max}))
	t.Cleanup(func() { must(t, unix.Setrlimit(unix.RLIMIT_FSIZE, &was)) })
	out, err := run(t, System().With(Policy{FileBytes: 2 << 30}), "ulimit -f")
	if err != nil || strings.TrimSpace(out) != fmt.Sprint(lower/512) {
		t.Errorf("the largest file has %q blocks, want %d: %v", out, lower/512, err)
	}
}

// The smallest limit on files holds, and a policy without one lifts none.
func TestTheSmallestLimitOnFilesHolds(t *testing.T) {
	for _, c := range [][]int64{{5, 0, 5}, {0, 5, 5}, {5, 7, 5}, {7, 5, 5}, {0, 0, 0}} {
		p := Policy{FileBytes: c[0]}.With(Policy{FileBytes: c[1]})
		if p.FileBytes != c[2] {
			t.Errorf("%d with %d is %d, want %d", c[0], c[1], p.FileBytes, c[2])
		}
	}
}

func TestNothingElseIsLeftOpen(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	must(t, os.WriteFile(secret, []byte("open sesame"), 0o600))
	f, err := os.Open(secret)
	must(t, err)
	defer f.Close()
	const script = "for fd in /proc/self/fd/*; do cat <&${fd##*/} 2>/dev/null; done; ls -l /proc/self/fd; true"
	out, err := confined(t, System(), "/bin/sh", []string{"-c", script}, f) // descriptor 4 belongs to nobody's contract
	must(t, err)
	if strings.Contains(out, "open sesame") || strings.Contains(out, "secret") {
		t.Errorf("it was left open:\n%s", out)
	}
}

func TestProgramThatIsNotThere(t *testing.T) {
	if _, err := confined(t, System(), "/no/such/program", nil); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("err = %v", err)
	}
}

// A policy of any size gets to the helper.
func TestLargePolicy(t *testing.T) {
	p := System()
	for i := range 30_000 {
		p.Read = append(p.Read, fmt.Sprintf("/no/such/folder/of/a/large/tree/number/%d", i))
	}
	if out, err := run(t, p, "echo started"); err != nil || out != "started\n" {
		t.Errorf("%q, %v", out, err)
	}
}

func TestWithout(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"a.cc", "src/b.cc", "src/deep/c.cc", ".git/config", "vendored/lib/.git/config", "vendored/lib/d.cc", "vendored/e.cc"} {
		lay(t, filepath.Join(root, name), "")
	}
	must(t, os.Symlink("/etc", filepath.Join(root, "etc")))
	paths, folders, err := Without(root, ".git")
	must(t, err)
	under := func(list []string) []string {
		var out []string
		for _, path := range list {
			rel, _ := filepath.Rel(root, path)
			out = append(out, rel)
		}
		return out
	}
	if got, want := under(paths), []string{"a.cc", "src", "vendored/e.cc", "vendored/lib/d.cc"}; !slices.Equal(got, want) {
		t.Errorf("paths %q, want %q", got, want)
	}
	if got, want := under(folders), []string{".", "vendored", "vendored/lib"}; !slices.Equal(got, want) {
		t.Errorf("folders %q, want %q", got, want)
	}
	paths, folders, err = Without(filepath.Join(root, "src"), ".git")
	if err != nil || len(folders) != 0 || len(paths) != 1 || paths[0] != filepath.Join(root, "src") {
		t.Errorf("%q %q %v", paths, folders, err)
	}
}

// What a variable names is allowed only where it can have been meant.
func TestFoldersTooWideAreLeftOut(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, dir := range []string{"/", "/home", "/tmp", "", ".", "relative", home, filepath.Dir(home), "/proc", home + "/", "/opt/../opt"} {
		if p := Folders(dir); len(p.Read) != 0 {
			t.Errorf("%q is allowed", dir)
		}
	}
	for _, dir := range []string{"/usr/local/cuda/lib64", "/opt/cutlass", home + "/miniconda3"} {
		if p := Folders(dir); len(p.Read) != 1 {
			t.Errorf("%q is not allowed", dir)
		}
	}
	for _, file := range []string{".credentials", ".credentials_rsaparams"} {
		runner := filepath.Join(home, "runner-with-"+file)
		lay(t, filepath.Join(runner, file), "secret")
		if p := Folders(runner); len(p.Read) != 0 {
			t.Errorf("a folder with %s is allowed: %q", file, p.Read)
		}
	}
}

func TestGaps(t *testing.T) {
	for _, c := range []struct {
		abi       int
		filtered  bool
		gap, none string
	}{
		{0, false, "anything", "\x00"}, {0, true, "reading and changing anything", "\x00"}, {1, false, "TCP", "\x00"}, {3, false, "TCP", "truncating"},
		{5, false, "signals", "truncating"}, {7, false, "UDP", "signals"}, {9, false, "UDP", "Docker"}, {10, false, "Multipath TCP", "UDP"},
		{1, true, "signals", "TCP"}, {7, true, "modes", "signals"}, {7, true, "modes", "Docker"}, {7, true, "modes", "System V"}, {7, false, "System V", "\x00"},
	} {
		text := strings.Join(Gaps(c.abi, c.filtered), "; ")
		if !strings.Contains(text, c.gap) || strings.Contains(text, c.none) {
			t.Errorf("version %d, filtered %v: %s", c.abi, c.filtered, text)
		}
	}
}

// The gaps are real: what Gaps lists works, and what it does not list does not.
func TestGapsOfThisKernel(t *testing.T) {
	needLandlock(t, 1)
	gaps := strings.Join(Gaps(LandlockABI(), Seccomp()), "; ")
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, []byte("content"), 0o644))
	p := System()
	_, err := run(t, p, fmt.Sprintf("kill -0 %d", os.Getpid()))
	if open := err == nil; open != strings.Contains(gaps, "signals") {
		t.Errorf("signals get out: %v; gaps: %s", open, gaps)
	}
	_, err = run(t, p, fmt.Sprintf("chmod 600 %q", file))
	if open := err == nil; open != strings.Contains(gaps, "changing the modes") {
		t.Errorf("modes can be changed: %v; gaps: %s", open, gaps)
	}
}

func TestRemoveOpensWhatWasClosed(t *testing.T) {
	root := t.TempDir()
	outside := filepath.Join(root, "outside")
	deep := filepath.Join(root, "private", "a", "b")
	must(t, errors.Join(os.MkdirAll(deep, 0o755), os.MkdirAll(outside, 0o500), os.Symlink(outside, filepath.Join(deep, "link"))))
	for _, dir := range []string{deep, filepath.Dir(deep), filepath.Join(root, "private")} {
		must(t, os.Chmod(dir, 0))
	}
	if err := Remove(filepath.Join(root, "private")); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(outside); err != nil || info.Mode().Perm() != 0o500 {
		t.Errorf("what a link led to was changed: %v, %v", info, err)
	}
}

// The helper reads a policy to its end, however long it is: what it leaves unread would look as if it had died.
func TestPoliciesOfAnyLength(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for n := range 512 {
		if out, err := run(t, Policy{Read: []string{"/usr", "/lib", "/lib64", "/bin"}, List: []string{"/" + strings.Repeat("x", n)}}, ":"); err != nil {
			t.Fatalf("a name of %d letters: %v\n%s", n, err, out)
		}
	}
}
