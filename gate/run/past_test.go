package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/kernelstest/fakeharness"
)

// past is a repository of one kernel whose commits were recorded: real builds and a real store. What launches take is said by the kernel, to a fake harness.
type past struct {
	t         *testing.T
	root      string
	store     *baseline.Store
	ancestors []string // of base, nearest first, base included
	laidOut   []string // commits whose files were asked for
}

// levelMicros is how long a launch of base takes.
const levelMicros = 100

func newPast(t *testing.T) *past {
	t.Helper()
	p := &past{t: t, root: t.TempDir()}
	p.store = baseline.OpenFolder(filepath.Join(p.root, "records"))
	return p
}

func commitName(n int) string { return fmt.Sprintf("%040x", n+1) }

// takes is an adapter whose launches take so many µs.
func takes(micros int) fakeharness.Adapter {
	return fakeharness.Adapter{LaunchNS: 1e3 * float64(micros)}
}

// onFakeHarness has adapters timed by what they say of themselves.
func onFakeHarness(s *session) {
	path, err := fakeharness.Path()
	if err != nil {
		panic(err)
	}
	s.runners.harness = path
}

// tree lays out the files of a commit: a kernel that takes so many µs, and a remark that changes the code and not its speed.
func (p *past) tree(name string, micros int, extra string) Side {
	p.t.Helper()
	dir := filepath.Join(p.root, name)
	write(p.t, filepath.Join(dir, "perfgate.yaml"), strings.NewReplacer("tolerance: 5%", "tolerance: 20%", "measure: [{n: 4000}]", "cache: hot\n    measure: [{n: 4000}]").Replace(twoFoldersConfig))
	write(p.t, filepath.Join(dir, "k.pg.cc"), `#include "kernel.h"`+"\n")
	write(p.t, filepath.Join(dir, "kernel.h"), fmt.Sprintf("#define MICROS %d\n%s\n%s", micros, extra, takes(micros).Source()))
	return Side{Tree: dir, TreeID: fmt.Sprint(micros, extra), Info: result.Version{Kind: result.KindRevision, Label: name, Revision: name}}
}

// options compare head with base, whose ancestors have records.
func (p *past) options(base, head Side) Options {
	p.t.Helper()
	opt := optionsFor(p.t, configIn(p.t, head.Tree), head.Tree, "")
	opt.Base, opt.Head, opt.Device.MemoryBytes, opt.Cache, opt.Device.Sandbox = base, head, 1<<30, p.cache(), result.SandboxOff
	opt.opened = func(s *session) { keepsLibraries(s); onFakeHarness(s) }
	opt.Stored = &Stored{
		Store:     p.store,
		Ancestors: func(context.Context, string) ([]string, error) { return p.ancestors, nil },
		LayOut: func(_ context.Context, commit string) (Side, error) {
			p.laidOut = append(p.laidOut, commit)
			side := Side{Tree: filepath.Join(p.root, commit), TreeID: commit, Info: result.Version{Kind: result.KindRevision, Label: commit, Revision: commit}}
			if _, err := os.Stat(side.Tree); err != nil {
				return side, errors.New("this clone is shallow")
			}
			return side, nil
		},
	}
	return opt
}

// otherCode compares a head of other code, which takes as long, with base.
func (p *past) otherCode() Options {
	p.t.Helper()
	return p.options(p.tree(p.ancestors[0], levelMicros, ""), p.tree("head", levelMicros, otherCode))
}

// cache has the harness, what builds were observed to ask for, and no adapter: what has been built before is no reason to build base.
func (p *past) cache() string {
	p.t.Helper()
	dir := p.t.TempDir()
	for _, folder := range []string{"harness", "observed"} {
		kept := filepath.Join(cacheForTests, folder)
		if err := os.MkdirAll(kept, 0o755); err != nil {
			p.t.Fatal(err)
		}
		if err := os.Symlink(kept, filepath.Join(dir, folder)); err != nil {
			p.t.Fatal(err)
		}
	}
	return dir
}

// measuredOnce is one honest record of the kernel of base.
var measuredOnce = struct {
	sync.Mutex
	record *baseline.Record
}{}

// sample returns a record of base's code.
func (p *past) sample() *baseline.Record {
	p.t.Helper()
	measuredOnce.Lock()
	defer measuredOnce.Unlock()
	if measuredOnce.record == nil {
		side := p.tree(commitName(999), levelMicros, "")
		opt := p.options(side, side)
		opt.Stored = nil
		done, err := Record(p.t.Context(), opt, false)
		if err != nil {
			p.t.Fatal(err)
		}
		rec, err := done.Record(opt.Trusted.Config)
		if err != nil {
			p.t.Fatalf("%v: %s", err, everyWord(done.Result))
		}
		measuredOnce.record = rec
	}
	return clone(p.t, measuredOnce.record)
}

func clone(t *testing.T, r *baseline.Record) *baseline.Record {
	t.Helper()
	data, err := baseline.Encode(r)
	must(t, err)
	back, err := baseline.Decode(data)
	must(t, err)
	return back
}

// remember stores a record for each of n commits, oldest last in ancestors: levels are in times of base's.
func (p *past) remember(n int, level func(i int) float64, change func(*baseline.Record)) {
	p.t.Helper()
	sample := p.sample()
	middle := 0.0
	for _, v := range sample.Cases[0].ValuesNS {
		middle += math.Log(v) / float64(len(sample.Cases[0].ValuesNS))
	}
	random := rand.New(rand.NewPCG(7, 7))
	var records []*baseline.Record
	for i := range n {
		r := clone(p.t, sample)
		r.Commit = commitName(len(p.ancestors))
		session := 0.01 * random.NormFloat64()
		c := &r.Cases[0]
		c.ComputeNS, c.MemoryNS = 0, 0 // no canary: made-up values would not follow it
		for j := range c.ValuesNS {
			c.ValuesNS[j] = level(i) * math.Exp(middle+session+0.02*random.NormFloat64())
		}
		if change != nil {
			change(r)
		}
		records = append(records, r)
		p.ancestors = append(p.ancestors, r.Commit)
	}
	if err := baseline.Save(p.t.Context(), p.store, records...); err != nil {
		p.t.Fatal(err)
	}
}

func atBase(int) float64 { return 1 }

const otherCode = `extern "C" int unused_by_anybody() { return 7; }`
