package run

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/observe"
)

// recordedTree is a side of which a record says what its kernel asks for.
var recordedTree = map[string]string{
	"perfgate.yaml": "version: 1\nkernels:\n  - {name: k, adapter: k.pg.cc, sources: [k.cc], flags: [-march=native], params: {n: {values: [8, 16]}}, measure: [{n: 8}, {n: 16}]}\n",
	"k.pg.cc":       "adapter", "k.cc": "code", "table": "1", "configs/a": "1", "v1/table": "1", "v2/table": "1", "notes.txt": "1",
}

// recordedAsk is what it asks for: files that are opened, looked for, listed, and a link.
func recordedAsk() baseline.Observation {
	return baseline.Observation{Asked: map[string][]string{
		"opened": {"k.cc", "table", "v1/table"}, "looked-up": {"maybe.h"}, "listed": {"configs"}, "linked": {"current"}, "made": {"made.o"},
	}}
}

type prechecked struct {
	t     *testing.T
	opt   Options
	store *baseline.Store
	plan  plan.KernelPlan
}

func newPrechecked(t *testing.T) *prechecked {
	t.Helper()
	side := func(revision string) Side {
		tree := t.TempDir()
		for name, text := range recordedTree {
			write(t, filepath.Join(tree, name), text)
		}
		must(t, os.Symlink("v1", filepath.Join(tree, "current")))
		return Side{Tree: tree, Info: result.Version{Kind: result.KindRevision, Revision: revision}}
	}
	p := &prechecked{t: t, store: baseline.OpenFolder(t.TempDir())}
	p.opt.Base, p.opt.Head = side(commitName(1)), side(commitName(2))
	cfg := configIn(t, p.opt.Head.Tree)
	p.opt.Trusted = repo.Trusted{Config: cfg, Base: cfg, Trust: repo.TrustWorktree}
	p.plan = planned(t, cfg).Kernels[0]
	return p
}

// record stores what a machine saw base's kernel ask for.
func (p *prechecked) record(machine string, o baseline.Observation, change func(*baseline.Record)) {
	p.t.Helper()
	r := &baseline.Record{Schema: baseline.Schema, Commit: commitName(1), Machine: result.Machine{Key: machine}}
	for _, c := range p.plan.Measured {
		r.Cases = append(r.Cases, baseline.Case{
			Name: c.Name(), Kernel: "k", ConfigHash: p.opt.Trusted.Config.CaseHash("k"), Fingerprint: "f", Rounds: []int{0, 0, 1, 1}, ValuesNS: []float64{1, 1, 1, 1},
		})
	}
	r.TakeObservations(map[string]baseline.Observation{"k": o})
	if change != nil {
		change(r)
	}
	if err := baseline.Save(p.t.Context(), p.store, r); err != nil {
		p.t.Fatal(err)
	}
}

func (p *prechecked) settle() (settled, string) {
	p.t.Helper()
	s, err := newSettler(p.t.Context(), p.opt.Question, &Stored{Store: p.store})
	if err != nil {
		p.t.Fatal(err)
	}
	out, err := s.kernel(p.plan, false)
	if err != nil {
		p.t.Fatal(err)
	}
	return out, s.note
}

func (p *prechecked) in(name string) string { return filepath.Join(p.opt.Head.Tree, name) }

func (p *prechecked) put(name, text string) func() error {
	return func() error { return os.WriteFile(p.in(name), []byte(text), 0o644) }
}

func (p *prechecked) drop(name string) func() error {
	return func() error { return os.Remove(p.in(name)) }
}

// A record settles a kernel where nothing differs that it was seen to ask for, whatever flags it is built with and whatever else differs.
func TestPlanComparesWhatARecordSawAskedFor(t *testing.T) {
	t.Parallel()
	p := newPrechecked(t)
	p.record("m1", recordedAsk(), nil)
	p.record("m2", recordedAsk(), nil)
	for _, c := range []struct {
		what         string
		change, undo func() error
		differ       []string
	}{
		{"a file that nothing asks for", p.put("notes.txt", "2"), p.put("notes.txt", "3"), nil},
		{"a source", p.put("k.cc", "other"), p.put("k.cc", "code"), []string{"k.cc"}},
		{"read while it runs", p.put("table", "2"), p.put("table", "1"), []string{"table"}},
		{"looked for in vain", p.put("maybe.h", ""), p.drop("maybe.h"), []string{"maybe.h"}},
		{"gone", p.drop("table"), p.put("table", "1"), []string{"table"}},
		{"a name in a listed folder", p.put("configs/b", ""), p.drop("configs/b"), []string{"configs"}},
		{"a link", relink(p.in("current"), "v2"), relink(p.in("current"), "v1"), []string{"current"}},
		{"behind another link", p.put("v2/table", "2"), p.put("v2/table", "1"), nil},
		{"a right to run", func() error { return os.Chmod(p.in("table"), 0o755) }, func() error { return os.Chmod(p.in("table"), 0o644) }, []string{"table"}},
		{"what the build makes", p.put("made.o", "head's"), p.drop("made.o"), []string{"made.o"}},
	} {
		must(t, c.change())
		got, note := p.settle()
		if !slices.Equal(got.differ, c.differ) || (got.same != nil) != (c.differ == nil) || got.open != nil || note != "" {
			t.Errorf("%s: %+v, %q, want %q", c.what, got, note, c.differ)
		}
		if got.same != nil && (got.same.Kind != result.ReasonAskedSame || got.same.Count != 2) {
			t.Errorf("%s: %+v", c.what, got.same)
		}
		must(t, c.undo())
	}
}

// Without a record that has it all, of each machine that measures the kernel, equal code is left to a run.
func TestPlanLeavesToARunWhatNoRecordHas(t *testing.T) {
	t.Parallel()
	lacks := recordedAsk()
	lacks.Incomplete = []observe.ReasonKind{observe.Connections}
	for what, c := range map[string]struct {
		prepare func(*prechecked)
		open    result.ReasonKind
		note    string
	}{
		"no record": {func(*prechecked) {}, "", "perfgate baseline record 000000000000"},
		"of another commit": {func(p *prechecked) {
			p.record("m1", recordedAsk(), func(r *baseline.Record) { r.Commit = commitName(7) })
		}, "", "base has no record"},
		"incomplete":             {func(p *prechecked) { p.record("m1", lacks, nil) }, result.ReasonAskedUnknown, ""},
		"on one of two machines": {func(p *prechecked) { p.record("m1", recordedAsk(), nil); p.record("m2", lacks, nil) }, result.ReasonAskedUnknown, ""},
		"of one case of two":     {func(p *prechecked) { p.record("m1", recordedAsk(), func(r *baseline.Record) { r.Cases = r.Cases[:1] }) }, result.ReasonAskedUnknown, ""},
		"not observed": {func(p *prechecked) {
			p.record("m1", recordedAsk(), func(r *baseline.Record) { r.Cases[0].Observed, r.Cases[1].Observed, r.Observations = "", "", nil })
		}, result.ReasonAskedUnknown, ""},
		"another configuration": {func(p *prechecked) {
			p.record("m1", recordedAsk(), func(r *baseline.Record) { r.Cases[1].ConfigHash = "other" })
		}, result.ReasonConfigChanged, ""},
		"of another kernel": {func(p *prechecked) {
			p.record("m1", recordedAsk(), func(r *baseline.Record) { r.Cases[0].Kernel, r.Cases[1].Kernel = "j", "j" })
		}, result.ReasonAskedUnknown, ""},
		"a damaged record": {func(p *prechecked) {
			p.record("m1", recordedAsk(), nil)
			p.record("m2", recordedAsk(), nil)
			cutRecord(p.t, p.store, baseline.Key("m2", commitName(1)))
		}, "", "cannot be used"},
		"a base that is a folder": {func(p *prechecked) { p.opt.Base.Info.Revision = "" }, "", "not a commit"},
		"flags of one side":       {func(p *prechecked) { p.record("m1", recordedAsk(), nil); p.opt.Head.Info.Flags = []string{"-O1"} }, "", ""},
		"a competitor that is always timed": {func(p *prechecked) {
			p.record("m1", recordedAsk(), nil)
			p.plan.Kernel.Competitors = []config.Competitor{{When: config.WhenAlways}}
		}, "", ""},
		"packages that head changes": {func(p *prechecked) {
			p.record("m1", recordedAsk(), nil)
			p.plan.Kernel.Build = &config.Build{Command: "make"}
			write(p.t, p.in("conanfile.txt"), "")
			write(p.t, filepath.Join(p.opt.Base.Tree, "conanfile.txt"), "other")
		}, "", ""},
	} {
		p := newPrechecked(t)
		c.prepare(p)
		write(t, p.in("notes.txt"), "2")
		got, note := p.settle()
		if got.same != nil || (c.open != "") != (got.open != nil) || got.open != nil && got.open.Kind != c.open || !strings.Contains(note, c.note) || c.note == "" && note != "" {
			t.Errorf("%s: %+v, %q", what, got, note)
		}
	}
}

// Equal trees need no record: their files are looked at, whatever git says of them.
func TestPlanSettlesEqualTrees(t *testing.T) {
	t.Parallel()
	p := newPrechecked(t)
	p.opt.ChangesKnown = true
	if got, _ := p.settle(); got.same == nil || got.same.Kind != result.ReasonEqualTrees {
		t.Errorf("%+v", got)
	}
	for what, change := range map[string]func(p *prechecked) error{
		"a file that git does not see": func(p *prechecked) error { return p.put("table", "2")() },
		"a further file":               func(p *prechecked) error { return p.put("more", "")() },
		"a folder with nothing in it":  func(p *prechecked) error { return os.Mkdir(p.in("empty"), 0o755) },
		"a link":                       func(p *prechecked) error { return relink(p.in("current"), "v2")() },
	} {
		p := newPrechecked(t)
		p.opt.ChangesKnown = true
		must(t, change(p))
		if got, note := p.settle(); got.same != nil || note == "" {
			t.Errorf("%s: %+v, %q", what, got, note)
		}
	}
}

// No store, and one that cannot be read, are said in one line, and nothing is settled by them.
func TestPlanSaysThatOnlyARecordCanSettle(t *testing.T) {
	t.Parallel()
	p := newPrechecked(t)
	write(t, p.in("notes.txt"), "2")
	broken, err := baseline.Open("git:records", filepath.Join(p.in("nowhere"), "no-such-folder"))
	must(t, err)
	for want, stored := range map[string]*Stored{"perfgate baseline record": {}, "no-such-folder": {Store: broken}} {
		s, err := newSettler(t.Context(), p.opt.Question, stored)
		if err != nil || !strings.Contains(s.note, want) || strings.Contains(s.note, "\n") {
			t.Errorf("%+v, %v, want %q", s, err, want)
		}
	}
}
