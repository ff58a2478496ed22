package run

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/observe"
)

// A cache in front of a compiler may know a source by its name, its time or its size: whichever side is built second then gets the code of the first, or both
// get that of an earlier run. The side whose build read nothing of the change says so.
func TestStaleBuilds(t *testing.T) {
	t.Parallel()
	const (
		opened, looked = observe.Opened, observe.LookedUp
		base, head     = result.SideBase, result.SideHead
	)
	type asked map[string]observe.Kinds
	type hides []observe.ReasonKind
	for name, tt := range map[string]struct {
		base, head asked
		hidden     hides // of head's build
		byCommand  bool
		changed    []string // default k.cc
		want       result.Side
		files      []string
	}{
		"both read it":                      {base: asked{"k.cc": opened}, head: asked{"k.cc": opened}},
		"head looks at its time":            {base: asked{"k.cc": opened}, head: asked{"k.cc": looked}, want: head, files: []string{"k.cc"}},
		"base does":                         {base: asked{"k.cc": looked}, head: asked{"k.cc": opened}, want: base, files: []string{"k.cc"}},
		"both do":                           {base: asked{"k.cc": looked}, head: asked{"k.cc": looked}, want: head, files: []string{"k.cc"}},
		"both ask for nothing":              {base: asked{"n.cc": opened}, head: asked{"n.cc": opened}, want: head, files: []string{"k.cc"}},
		"a header that both look at":        {base: asked{"k.cc": opened, "k.h": looked}, head: asked{"k.cc": opened, "k.h": looked}, changed: []string{"k.h"}, want: head, files: []string{"k.h"}},
		"a header that neither looks at":    {base: asked{"k.cc": opened}, head: asked{"k.cc": opened}, changed: []string{"k.h"}},
		"one that base alone has":           {base: asked{"k.cc": opened, "gone.h": opened}, head: asked{"k.cc": opened}, changed: []string{"gone.h"}},
		"one that head alone has":           {base: asked{"k.cc": opened}, head: asked{"k.cc": opened, "new.h": opened}, changed: []string{"new.h"}},
		"from a cache that is seen":         {base: asked{"k.cc": opened}, head: asked{"k.cc": looked}, hidden: hides{observe.SharedCache}, want: head, files: []string{"k.cc"}},
		"by a daemon":                       {base: asked{"k.cc": opened}, head: asked{"k.cc": looked}, hidden: hides{observe.Connections, observe.SharedCache}},
		"a link to another file":            {base: asked{"k.cc": observe.Linked}, head: asked{"k.cc": observe.Linked, "k.h": opened}},
		"not observed":                      {base: asked{"k.cc": opened}, hidden: hides{observe.NotObserved}},
		"another file of the change":        {base: asked{"k.cc": opened}, head: asked{"k.h": opened, "k.cc": looked}, changed: []string{"k.cc", "k.h"}},
		"a command that opens no source":    {byCommand: true, base: asked{"k.h": looked, "make": opened}, head: asked{"k.h": looked, "make": opened}, changed: []string{"k.h"}, want: head, files: []string{"k.h"}},
		"a command that looks at a text":    {byCommand: true, base: asked{"text": looked, "make": opened}, head: asked{"text": looked, "make": opened}, changed: []string{"text"}},
		"a command that reads none":         {byCommand: true, base: asked{"n.cc": opened}, head: asked{"n.cc": opened}, want: head, files: []string{"k.cc"}},
		"a command that looks at a header":  {byCommand: true, base: asked{"k.cc": opened, "k.h": looked}, head: asked{"k.cc": opened, "k.h": looked}, changed: []string{"k.h"}},
		"a command of which base's read it": {byCommand: true, base: asked{"k.h": opened}, head: asked{"k.cc": opened}, changed: []string{"k.h"}, want: head, files: []string{"k.h"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tt.changed == nil {
				tt.changed = []string{"k.cc"}
			}
			trees := map[result.Side]string{base: t.TempDir(), head: t.TempDir()}
			for side, files := range map[result.Side][]string{base: {"k.cc", "k.h", "text", "gone.h"}, head: {"k.cc", "k.h", "text", "new.h"}} {
				for _, file := range files {
					must(t, os.WriteFile(filepath.Join(trees[side], file), nil, 0o600))
				}
			}
			kernel := config.Kernel{Name: "k", Adapter: "k.pg.cc", Sources: []string{"k.cc"}}
			if tt.byCommand {
				kernel.Build = &config.Build{Command: "make"}
			}
			built := func(side result.Side, files asked, hidden hides) Build {
				var report observe.Report
				for file, kinds := range files {
					report.Paths = append(report.Paths, observe.Access{Path: filepath.Join(trees[side], file), Asked: kinds})
				}
				for _, kind := range hidden {
					report.Incomplete = append(report.Incomplete, observe.Reason{Kind: kind})
				}
				b := Build{Record: &result.Build{}, Runs: Side{Tree: trees[side]}, Library: kernels.Library{Asked: report}}
				if tt.byCommand {
					b.Began, b.Asked = time.Now(), report
				}
				return b
			}
			w := &workshop{Question: Question{
				Trusted: repo.Trusted{Config: &config.Config{Kernels: []config.Kernel{kernel}}}, ChangedFiles: tt.changed, ChangesKnown: true,
				Base: Side{Tree: trees[base]}, Head: Side{Tree: trees[head]},
			}}
			k := Kernel{Plan: plan.KernelPlan{Kernel: kernel}, Base: built(base, tt.base, nil), Head: built(head, tt.head, tt.hidden)}
			said, err := w.staleBuild(k, nil)
			must(t, err)
			var got result.Uncompared
			if len(said) > 0 {
				got = said[0]
			}
			if got.Reason.Side != tt.want || !slices.Equal(got.Reason.Names, tt.files) || len(said) > 0 && !got.LeavesNothing() {
				t.Errorf("%+v, want %s %q", said, tt.want, tt.files)
			}
		})
	}
}
