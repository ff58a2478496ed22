package observe_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/org/perfgate/kernels/observe"
	"github.com/org/perfgate/kernels/sandbox"
)

// sight is a source that runs in a folder, and what is to be seen of it.
type sight struct {
	files  string // that lie there, with their names as content; LINK>TARGET is a link
	source string // a shell script, or after an @ a probe and its arguments
	want   string // ways to ask for a file, each followed by files that are asked for so: opened a b, moved c, !made d
	never  string // files of which nothing is recorded, nor of what is in them
	prints string // "": whatever it prints
	lacks  observe.ReasonKind
	needs  string // root, sandbox, amd64: not run without
	own    bool   // the folder own is the run's own
	caches bool   // OUTSIDE is a cache
}

// OUTSIDE is a folder with a file that is not the run's, DIR the run's.
var sights = map[string]sight{
	"a file that is only looked for": {files: "there", source: "test -e there; [ -e missing ]; [ -r no/such/file ]; [ -e there/below ]; [ -e no/such/../up ]",
		want: "looked-up there missing no/such/file no"},
	"a folder that is only listed": {files: "folder/a folder/b/c", source: "ls folder; cd folder/b && ls", want: "listed folder folder/b", never: "folder/a"},
	"links on the way": {files: "real/deep/file one>two two>DIR/real real/back>.. broken>gone/file round>round",
		source: "cat one/back/real/deep/../deep/file; cat broken round 2>/dev/null; readlink one; ls -d two/",
		want:   "linked one two real/back broken, opened real/deep/file gone/file, looked-up one real", prints: "content of real/deep/file\ntwo\ntwo/\n"},
	"a link that is swapped": {files: "a/file b/file c/file d/file",
		source: `ln -s a now; cat now/file; ln -sfn b now; cat now/file; ln -s c next; mv -T next now; cat now/file
mv a a-old; mv d a; rm now; ln -s a now; cat now/file`,
		want: "opened a/file b/file c/file, moved a d", prints: "content of a/file\ncontent of b/file\ncontent of c/file\ncontent of d/file\n"},
	// While one process changes links, others ask: what they were led by before does not hold after it.
	"links that change meanwhile": {files: "a/file b/file",
		source: `ln -s a now
(while ! [ -e stop ]; do cat now/file >/dev/null 2>&1; done) &
for i in 1 2 3 4 5 6 7 8; do ln -sfn a now; ln -sfn b now; done; echo >stop; wait; cat now/file`,
		want: "opened b/file", prints: "content of b/file\n"},
	"folders and descriptors": {files: "a/x b/x", source: "@folders", want: "looked-up a/by-descriptor by-descriptor-up a/by-fchdir b/by-chdir, opened a/in-root"},
	"another root": {files: "jail/of-the-jail jail/target jail/link>/target", source: "@chroot", want: "looked-up jail/of-the-jail jail/target jail/up, linked jail/link",
		needs: "root"},
	"ways through /proc": {files: "a b c d/e f",
		source: "cat /proc/self/cwd/a; cat /dev/fd/3 3<b; cat /proc/self/rootDIR/c; cat /proc/$$/cwd/d/e; cat /proc/thread-self/cwd/f; cat /proc/self/status >/dev/null",
		want:   "opened a b c d/e f /proc/self/status"},
	"a thread that calls execve":            {files: "file", source: "@thread file", want: "opened file"},
	"a grandchild that outlives its parent": {files: "late later", source: "(sh -c 'sleep 0.2; cat late; setsid cat later' &); sleep 1", want: "opened late later"},
	"folders of the run": {files: "own/file tree/file owned own/link>../tree", own: true,
		source: "cat own/file own/missing owned own/link/file; echo x >own/new; ls own; mkdir own/dir", want: "opened owned tree/file", never: "own"},
	// What the tree makes first is a product: said once, and nothing of what is in it.
	"products": {files: "source old",
		source: `mkdir out; cat source >out/object; cat out/object out/none; mkdir out/deep; cat source >new; mv new named; cat named
cat source >old; test -e first; echo x >first; echo x >gone/file`,
		want: "made out new named gone/file first, looked-up first gone, changed old, !made old", never: "out/object out/none out/deep"},
	// In the sandbox what it refuses is not asked for, and all else is seen as without.
	"the sandbox": {files: "file folder/x", needs: "sandbox",
		source: "cat file; cat missing; ls folder; echo x >folder/made; cat /etc/shadow; python3 -c 0; cat /proc/self/cwd/file",
		want:   "opened file missing /etc/shadow, listed folder, made folder/made", prints: "content of file\n"},
	"io_uring in the sandbox": {source: call(unix.SYS_IO_URING_SETUP, 0, 0), needs: "sandbox"},
	"an observer below":       {source: "@nested", prints: "ran\nnot-observed the process is observed by another", lacks: unseen},
	"a call of x32":           {source: call(1<<30 | unix.SYS_GETPID), prints: fmt.Sprint(int(unix.ENOSYS)), needs: "amd64"},

	"System V's memory by key":  {source: call(unix.SYS_SHMGET, 0x1234, 4096, 0), lacks: observe.SharedMemory},
	"System V's memory":         {source: call(unix.SYS_SHMGET, 0, 4096, 0)},
	"io_uring, which is denied": {source: call(unix.SYS_IO_URING_SETUP, 0, 0)},
	"a descriptor of others":    {source: call(unix.SYS_PIDFD_GETFD, 99, 0, 0), lacks: observe.Descriptors},
	"a namespace of mounts":     {source: call(unix.SYS_UNSHARE, unix.CLONE_NEWNS), lacks: observe.Namespaces},
	"descriptors of its own":    {source: call(unix.SYS_UNSHARE, unix.CLONE_FILES)},
	"by a handle":               {source: call(unix.SYS_OPEN_BY_HANDLE_AT, 0, 0, 0), lacks: observe.Unread},
	"writing what others have":  {source: "echo x >>OUTSIDE/file", lacks: observe.SharedCache},
	"reading a cache":           {source: "cat OUTSIDE/file", lacks: observe.SharedCache, caches: true},
	"looking into a cache":      {source: "cat OUTSIDE/missing; test -e OUTSIDE", caches: true},
	"a file of /dev/shm":        {source: "cat /dev/shm/observe-of-others-PID", lacks: observe.SharedMemory},
}

// unseen stands for reasons that are not asked about.
const unseen observe.ReasonKind = "*"

func call(arguments ...any) string { return "@call " + fmt.Sprintln(arguments...) }

func TestSights(t *testing.T) {
	newRig(t)
	shm := fmt.Sprintf("/dev/shm/observe-of-others-%d", os.Getpid())
	lies := os.WriteFile(shm, nil, 0o644) == nil
	t.Cleanup(func() { os.Remove(shm) })
	has := map[string]bool{"": true, "root": os.Geteuid() == 0, "sandbox": sandbox.LandlockABI() > 0 && sandbox.Seccomp(), "amd64": runtime.GOARCH == "amd64"}
	for name, s := range sights {
		if !has[s.needs] || strings.Contains(s.source, "/dev/shm") && !lies {
			t.Logf("%s: not here", name)
			continue
		}
		t.Run(name, s.check)
	}
}

func (s sight) check(t *testing.T) {
	r, outside := newRig(t), t.TempDir()
	must(t, os.WriteFile(outside+"/file", nil, 0o644))
	fill := strings.NewReplacer("DIR", r.dir, "OUTSIDE", outside, "PID", fmt.Sprint(os.Getpid()))
	for file := range strings.FieldsSeq(s.files) {
		if link, to, ok := strings.Cut(fill.Replace(file), ">"); ok {
			must(t, os.Symlink(to, filepath.Join(r.dir, link)))
		} else {
			r.file(file, "content of "+file+"\n")
		}
	}
	if s.own {
		r.options.Own = []string{r.dir + "/own"}
	}
	if s.caches {
		r.options.Caches = []string{outside}
	}
	if s.needs == "sandbox" {
		self, err := os.Executable()
		must(t, err)
		policy := sandbox.System().With(sandbox.Policy{Read: []string{r.dir}, Write: []string{r.dir + "/folder"}}, sandbox.Toolchain(self))
		r.policy = &policy
	}
	if words, ok := strings.CutPrefix(s.source, "@"); ok {
		probe := strings.Fields(words)
		r.probe(probe[0], probe[1:]...)
	} else {
		r.shell(fill.Replace(s.source))
	}
	s.compare(r)
}

// compare holds what was seen against what is wanted.
func (s sight) compare(r *rig) {
	r.t.Helper()
	for want := range strings.SplitSeq(s.want, ", ") {
		if words := strings.Fields(want); len(words) > 0 {
			var kinds observe.Kinds
			word, not := strings.CutPrefix(words[0], "!")
			must(r.t, kinds.UnmarshalText([]byte(word)))
			if !not {
				r.want(kinds, words[1:]...)
			} else if got := r.asked(words[1]); got.Has(kinds) {
				r.t.Errorf("%s is %s", words[1], got)
			}
		}
	}
	for never := range strings.FieldsSeq(s.never) {
		for _, a := range r.report.Paths {
			if path := filepath.Join(r.dir, never); a.Path == path || strings.HasPrefix(a.Path, path+"/") {
				r.t.Errorf("%s is recorded: %s", a.Path, a.Asked)
			}
		}
	}
	if !strings.HasPrefix(r.out, s.prints) {
		r.t.Errorf("it printed %q, want %q", r.out, s.prints)
	}
	switch s.lacks {
	case "":
		r.wantComplete()
	case unseen:
	default:
		r.wantReason(s.lacks, s.source)
	}
}
