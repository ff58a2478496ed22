package action

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/internal/fakegithub"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/kernels/kernelstest"
)

// aimed makes the run one of a pull request from base to head.
func (r *rig) aimed(base, head string) {
	r.Helper()
	r.base, r.head = base, head
	r.repo.git("branch", "--force", "main", base)
	r.github.AddPull(fakegithub.PullRequest{Number: 1, Author: "mallory", HeadSHA: head, HeadRef: "patch-1", HeadRepo: mallorys, BaseSHA: base})
	r.about("head_sha", head)
}

// module commits a submodule: a commit of another repository, which is not here.
func (r *rig) module(path, commit string) string {
	r.Helper()
	r.repo.git("update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat(commit, 40)+","+path)
	r.repo.git("commit", "--quiet", "--message", "module")
	return r.repo.at()
}

// A kernel whose sources lie behind a link in base is not new, and one behind a submodule may be.
func TestForkForgedNewBehindLinks(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	for name, c := range map[string]struct {
		source  string
		prepare func(*rig) // the folder of base
		says    string
	}{
		"a linked folder":  {"csrc/k.cc", func(r *rig) { r.link("csrc", "real") }, "base has csrc/k.cc"},
		"two links":        {"csrc/k.cc", func(r *rig) { r.link("csrc", "./other/"); r.link("other", "./real") }, "base has csrc/k.cc"},
		"up and down":      {"up/b/k.cc", func(r *rig) { r.link("up/b", "./../real") }, "base has up/b/k.cc"},
		"links to links":   {"csrc/k.cc", func(r *rig) { r.link("csrc", "./other/"); r.link("other", "real/../real") }, "base has csrc/k.cc"},
		"further up":       {"up/b/k.cc", func(r *rig) { r.link("up/b", "../real") }, "base has up/b/k.cc"},
		"a linked file":    {"l.cc", func(r *rig) { r.link("l.cc", "real/k.cc") }, "base has l.cc"},
		"a loop":           {"csrc/k.cc", func(r *rig) { r.link("csrc", "csrc") }, "more than 40 links"},
		"out of the tree":  {"csrc/k.cc", func(r *rig) { r.link("csrc", "../real") }, "leads out of the repository"},
		"an absolute link": {"csrc/k.cc", func(r *rig) { r.link("csrc", "/real") }, "leads out of the repository"},
		"a submodule":      {"sub/k.cc", func(r *rig) { r.module("sub", "1") }, "sub/k.cc is in a submodule"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newForkRun(t)
			text := strings.Replace(forkConfiguration, "sources: [k.cc]", "sources: ["+c.source+"]", 1)
			cfg := r.parsed(text)
			r.repo.git("checkout", "--quiet", "--detach", r.base)
			r.files("then", map[string]string{"perfgate.yaml": text, "real/k.cc": "one\n"})
			c.prepare(r)
			r.repo.git("add", "--ignore-removal", ".")
			r.repo.git("commit", "--quiet", "--allow-empty", "--message", "links")
			base := r.repo.at()
			r.must(os.WriteFile(filepath.Join(r.repo.dir, "real", "k.cc"), []byte("slow\n"), 0o644))
			r.repo.git("commit", "--quiet", "--all", "--message", "slower")
			r.aimed(base, r.repo.at())
			res := r.measuredUnder(cfg, 0.1, 0, 0)
			allNew(res)
			r.keep("perfgate", res)
			r.nothingGained(c.says)
		})
	}
}

// link makes a symbolic link in the folder of the repository.
func (r *rig) link(name, to string) {
	r.Helper()
	path := filepath.Join(r.repo.dir, name)
	r.must(os.MkdirAll(filepath.Dir(path), 0o755))
	r.must(os.Symlink(to, path))
}

// A base branch that has moved on does not stop a pull request, unless what decides over it has changed there.
func TestForkStaleBase(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	other := "  - name: other\n    adapter: other.pg.cc\n    sources: [other.cc]\n    params: {n: {values: [1]}}\n"
	built := strings.Replace(forkConfiguration, "sources: [k.cc]", "build: {command: make, output: k.so}", 1)
	with := func(more string) string { return strings.Replace(forkConfiguration, "gate:", more+"gate:", 1) }
	slow := map[string]string{"k.cc": "one\nslow\nthree\n"}
	for name, c := range map[string]struct {
		old, now, change map[string]string
		kernel           string
		says             string // "": it does not stop
	}{
		"prices":             {old: map[string]string{}, now: map[string]string{"perfgate.yaml": forkConfiguration + "cost: {gpu-hour: 2}\n"}, change: slow},
		"profiles":           {old: map[string]string{}, now: map[string]string{"perfgate.yaml": forkConfiguration + "profile: {cases: 1}\n"}, change: slow},
		"records":            {old: map[string]string{}, now: map[string]string{"perfgate.yaml": forkConfiguration + "baseline: {store: 'git:x'}\n"}, change: slow},
		"a kernel more":      {old: map[string]string{}, now: map[string]string{"perfgate.yaml": with(other), "other.pg.cc": "new\n"}, change: slow},
		"a kernel less":      {old: map[string]string{"perfgate.yaml": with(other)}, now: map[string]string{"perfgate.yaml": forkConfiguration}, change: slow, says: "kernel other: removed"},
		"of another kernel":  {old: map[string]string{"perfgate.yaml": with(other), "other.pg.cc": "old\n"}, now: map[string]string{"perfgate.yaml": with(strings.Replace(other, "[1]", "[1, 2]", 1)), "other.pg.cc": "new\n"}, change: slow, kernel: "k"},
		"of this kernel":     {old: map[string]string{"perfgate.yaml": with(other)}, now: map[string]string{"perfgate.yaml": with(other), "k.pg.cc": "new\n"}, change: slow, kernel: "k", says: "adapter k.pg.cc: changed"},
		"its reference":      {old: map[string]string{"k.pg.cc": "#include \"ref.h\"\n", "ref.h": "old\n"}, now: map[string]string{"ref.h": "new\n"}, change: slow, says: "adapter's ref.h: changed"},
		"its source":         {old: map[string]string{"k.pg.cc": "#include \"k.cc\"\n", "other.cc": "old\n"}, now: map[string]string{"k.cc": "one\ntwo\nthree\nfour\n", "other.cc": "new\n"}, change: map[string]string{"k.cc": "one\nslow\nthree\n"}},
		"built by a command": {old: map[string]string{"perfgate.yaml": built}, now: map[string]string{"k.pg.cc": "new\n"}, change: slow},
		"nothing is watched": {old: map[string]string{"perfgate.yaml": laxConfiguration}, now: map[string]string{"perfgate.yaml": forkConfiguration}, change: map[string]string{"README.md": "x\n"}},
		"watched by then":    {old: map[string]string{"perfgate.yaml": strings.Replace(forkConfiguration, "*.cc", "*.cu", 1)}, now: map[string]string{"perfgate.yaml": forkConfiguration}, change: slow, says: "paths: "},
	} {
		t.Run(name, func(t *testing.T) {
			r := newForkRun(t)
			r.env["INPUT_KERNEL"] = c.kernel
			r.branchedFrom(c.old, c.now, c.change)
			text, err := os.ReadFile(filepath.Join(r.repo.dir, "perfgate.yaml"))
			r.must(err)
			cfg := r.parsed(string(text))
			res := r.measuredUnder(cfg, 0, 0, 0)
			if name == "nothing is watched" {
				res.Kernels, res.Cases, res.Conclusion = nil, nil, rule.NothingToDo(result.Reason{Kind: result.ReasonUnwatched})
			}
			r.keep("perfgate", res)
			r.reportsStale(c.says)
		})
	}
}

// An adapter that is a link changes with what it leads to; one in a submodule with the submodule.
func TestForkStaleBehindLinks(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	for name, c := range map[string]struct {
		adapter   string
		then, now func(*rig)
		says      string
	}{
		"the target": {"k.pg.cc", func(r *rig) {
			r.must(os.Remove(filepath.Join(r.repo.dir, "k.pg.cc")))
			r.link("k.pg.cc", "real.pg.cc")
			r.files("then", map[string]string{"real.pg.cc": "no reference\n"})
		}, func(r *rig) { r.files("now", map[string]string{"real.pg.cc": "adapter\n"}) }, "adapter k.pg.cc: changed"},
		"the folder": {"bench/k.pg.cc", func(r *rig) {
			r.link("bench", "real")
			r.files("then", map[string]string{"real/k.pg.cc": "no reference\n"})
		}, func(r *rig) { r.files("now", map[string]string{"real/k.pg.cc": "adapter\n"}) }, "adapter bench/k.pg.cc: changed"},
		"the submodule":     {"sub/k.pg.cc", func(r *rig) { r.module("sub", "1") }, func(r *rig) { r.module("sub", "2") }, "adapter sub/k.pg.cc: changed"},
		"another submodule": {"sub/k.pg.cc", func(r *rig) { r.module("sub", "1") }, func(r *rig) { r.module("other", "2") }, ""},
		"a file became a link": {"k.pg.cc", func(*rig) {}, func(r *rig) {
			r.must(os.Rename(filepath.Join(r.repo.dir, "k.pg.cc"), filepath.Join(r.repo.dir, "real.pg.cc")))
			r.link("k.pg.cc", "real.pg.cc")
			r.files("now", nil)
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newForkRun(t)
			text := strings.Replace(forkConfiguration, "k.pg.cc", c.adapter, 1)
			cfg := r.parsed(text)
			r.repo.git("checkout", "--quiet", "--detach", r.base)
			r.files("then", map[string]string{"perfgate.yaml": text})
			c.then(r)
			base := r.repo.at()
			c.now(r)
			tip := r.repo.at()
			r.repo.git("checkout", "--quiet", "--force", "--detach", base)
			r.must(os.WriteFile(filepath.Join(r.repo.dir, "k.cc"), []byte("slow\n"), 0o644))
			r.repo.git("commit", "--quiet", "--message", "slower", "k.cc")
			r.aimed(base, r.repo.at())
			r.repo.git("branch", "--force", "main", tip)

			here := Inputs{Run: request.Run{Config: "perfgate.yaml"}}
			why, err := change{objects: repo.Git{Dir: r.repo.dir}, base: base, tip: tip, files: []string{"k.cc"}}.staleBase(t.Context(), here)
			if err != nil || (why == "") != (c.says == "") || !strings.Contains(why, c.says) {
				t.Errorf("in a checkout: %q, %v", why, err)
			}
			r.keep("perfgate", r.measuredUnder(cfg, 0, 0, 0))
			r.reportsStale(c.says)
		})
	}
}

// A base branch that has moved on is normal, and so are many kernels: neither costs requests.
func TestForkMovedBaseTakesFewCalls(t *testing.T) {
	t.Parallel()
	kernels, files := "", map[string]string{"perfgate.yaml": ""}
	for i := range 10 {
		kernels += fmt.Sprintf("  - {name: k%d, adapter: bench/b/k%d.pg.cc, sources: [k.cc], params: {n: {values: [1, 2, 3]}}}\n", i, i)
		files[fmt.Sprintf("bench/b/k%d.pg.cc", i)] = "adapter\n"
	}
	text := "version: 1\npaths: ['*.cc', '*.yaml']\nkernels:\n" + kernels
	files["perfgate.yaml"] = text
	for name, c := range map[string]struct {
		now   map[string]string
		label bool
		most  int
	}{
		"moved":                     {map[string]string{"README.md": "now\n"}, false, mostCalls + 1},
		"moved, with another price": {map[string]string{"perfgate.yaml": text + "cost: {gpu-hour: 2}\n"}, false, mostCalls + 2},
		"with the label":            {map[string]string{"README.md": "now\n"}, true, mostCalls + 5},
	} {
		t.Run(name, func(t *testing.T) {
			r := newForkRun(t)
			r.branchedFrom(files, c.now, map[string]string{"k.cc": "one\nslow\nthree\n"})
			if c.label {
				r.label("ada")
			}
			cfg := r.parsed(text)
			res := r.measuredUnder(cfg, 0, 0, 0)
			res.Policy.Cases = 10 * forkCases
			var cases []result.Case
			var built []result.Kernel
			for i := range 10 {
				kernel := fmt.Sprint("k", i)
				for n := range forkCases {
					one := r.timed(n, 0, res.Policy)
					one.Name, one.Kernel = strings.Replace(one.Name, "k/", kernel+"/", 1), kernel
					cases = append(cases, one)
				}
				k := res.Kernels[0]
				k.Name = kernel
				built = append(built, k)
			}
			res.Cases, res.Kernels = cases, built
			r.keep("perfgate", res)
			r.reports("success: ")
			if n := len(r.github.Log()); n > c.most {
				t.Errorf("%d requests, at most %d are wanted: %v", n, c.most, r.github.Log())
			}
		})
	}
}
