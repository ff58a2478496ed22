package observe_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/org/perfgate/kernels/child"
	"github.com/org/perfgate/kernels/observe"
	"github.com/org/perfgate/kernels/sandbox"
)

// rig is a folder, and what a program asked for that ran in it.
type rig struct {
	t       *testing.T
	dir     string
	options observe.Options
	policy  *sandbox.Policy
	env     []string

	out    string
	report observe.Report
}

func newRig(t *testing.T, files ...string) *rig {
	t.Helper()
	if why := notHere(); why != "" {
		t.Skipf("no process can be observed here: %s", why)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	r := &rig{t: t, dir: dir, options: observe.Options{Trees: []string{dir}}}
	for _, file := range files {
		r.file(file, "content of "+file+"\n")
	}
	return r
}

// notHere says why a process cannot be observed on this machine.
var notHere = sync.OnceValue(func() string {
	p, err := child.Start(child.Spec{Path: "/bin/true", Observe: &observe.Options{}})
	if err != nil {
		return err.Error()
	}
	for _, reason := range p.Observed().Incomplete {
		return reason.Detail
	}
	return ""
})

func (r *rig) file(name, content string) {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	must(r.t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(r.t, os.WriteFile(path, []byte(content), 0o755))
}

func (r *rig) start(program string, args ...string) *child.Process {
	r.t.Helper()
	p, err := child.Start(child.Spec{
		Path: program, Args: args, Dir: r.dir, Observe: &r.options, Sandbox: r.policy, Env: append([]string{"PATH=/usr/bin:/bin"}, r.env...),
	})
	must(r.t, err)
	return p
}

func (r *rig) run(program string, args ...string) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	p := r.start(program, args...)
	out, err := p.Wait(ctx)
	if ctx.Err() != nil {
		r.t.Fatalf("it hangs: %s%s", out.Stdout, out.Stderr)
	}
	r.out, r.report = out.Stdout+out.Stderr, p.Observed()
	if err != nil {
		r.t.Logf("%v: %s", err, r.out)
	}
}

func (r *rig) shell(script string) { r.t.Helper(); r.run("/bin/sh", "-c", script) }

// probe runs one of the probes of this program.
func (r *rig) probe(name string, args ...string) {
	r.t.Helper()
	r.env = []string{probeEnv + "=" + name + " " + strings.Join(args, " ")}
	self, err := os.Executable()
	must(r.t, err)
	r.run(self)
}

// asked is how a path of the folder was asked for.
func (r *rig) asked(name string) observe.Kinds {
	path := name
	if !filepath.IsAbs(name) {
		path = filepath.Join(r.dir, name)
	}
	for _, a := range r.report.Paths {
		if a.Path == path {
			return a.Asked
		}
	}
	return 0
}

func (r *rig) want(kinds observe.Kinds, names ...string) {
	r.t.Helper()
	for _, name := range names {
		if got := r.asked(name); !got.Has(kinds) || got == 0 {
			r.t.Errorf("%s: asked for is %q, want %q; incomplete: %v; it printed %q", name, got, kinds, r.report.Incomplete, r.out)
		}
	}
}

func (r *rig) wantComplete() {
	r.t.Helper()
	if len(r.report.Incomplete) > 0 {
		r.t.Errorf("incomplete: %v", r.report.Incomplete)
	}
}

func (r *rig) wantReason(kind observe.ReasonKind, what string) {
	r.t.Helper()
	if !slices.ContainsFunc(r.report.Incomplete, func(reason observe.Reason) bool { return reason.Kind == kind }) {
		r.t.Errorf("%s: %v does not have %s; it printed %q", what, r.report.Incomplete, kind, r.out)
	}
}

// must ends a test where what it needs fails.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
