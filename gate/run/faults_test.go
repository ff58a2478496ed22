package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/child"
	"github.com/org/perfgate/kernels/kernelstest"
	"github.com/org/perfgate/kernels/kernelstest/fakeharness"
)

const examples = "../../kernels/examples"

var cacheForTests, sharedCache string

func TestMain(m *testing.M) {
	fakeharness.Main()
	dir, remove, err := kernelstest.Cache()
	if err != nil {
		panic(err)
	}
	cacheForTests = dir
	if sharedCache, err = kernelstest.Shared(); err != nil {
		panic(err)
	}
	// What is planted here is far larger than what a neighbour disturbs: no test waits for those of other packages.
	os.Setenv("PERFGATE_LOCK_DIR", dir)
	code := m.Run()
	remove()
	os.Exit(code)
}

// fault is a row of kernels/examples/faults.yaml.
type fault struct {
	Example string `yaml:"example"`
	Kernel  string `yaml:"kernel"`
	Flag    string `yaml:"flag"`
	Kind    string `yaml:"kind"`
}

func plantedFaults(t *testing.T) []fault {
	t.Helper()
	b := read(t, filepath.Join(examples, "faults.yaml"))
	var faults []fault
	must(t, yaml.Unmarshal([]byte(b), &faults))
	if len(faults) < 20 {
		t.Fatalf("%d planted faults: the table was not read", len(faults))
	}
	return faults
}

// quick is an example where neither the size of the effect nor parity is the point: few cases, and no cache to flush.
func quick(t *testing.T, name, kernel string, headFlags ...string) Options {
	t.Helper()
	opt := example(t, name, kernel, headFlags...)
	for i := range opt.Trusted.Config.Kernels {
		opt.Trusted.Config.Kernels[i].Cache, opt.Trusted.Config.Kernels[i].Parity.Cases = "hot", 5
	}
	return opt
}

// example is a run of one kernel of a shipped example against itself, timing its first measured case alone.
func example(t *testing.T, name, kernel string, headFlags ...string) Options {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join(examples, name))
	must(t, err)
	cfg := configIn(t, dir)
	for i := range cfg.Kernels {
		cfg.Kernels[i].Measure = cfg.Kernels[i].Measure[:min(1, len(cfg.Kernels[i].Measure))]
	}
	return optionsFor(t, cfg, dir, kernel, headFlags...)
}

func optionsFor(t *testing.T, cfg *config.Config, dir, kernel string, headFlags ...string) Options {
	t.Helper()
	side := Side{Tree: dir, Info: result.Version{Kind: result.KindDirectory, Label: dir}}
	head, base := side, side
	head.Info.Flags = headFlags
	if len(headFlags) > 0 {
		base = keptBase(t, dir)
	}
	opt := Options{
		Question: Question{
			Trusted: repo.Trusted{Config: cfg, Trust: repo.TrustWorktree}, Base: base, Head: head, Seed: 1, Scratch: t.TempDir(), Cache: cacheForTests,
		},
		Parity: ParityOptions{Command: "perfgate parity"}, Rounds: RoundOptions{MaxSamples: 5},
		Profile: Profile{Policy: result.ProfileNever}, // counting instructions takes longer than all rounds
		opened:  keepsLibraries,
	}
	if kernel != "" {
		opt.Only = []string{kernel}
	}
	return opt
}

var (
	baseCopies   = map[string]Side{} // by the folder that they are copies of
	baseCopiesMu sync.Mutex
)

// keptBase is a copy of a folder as git would have laid it out, so that all tests with other flags on head share its builds.
func keptBase(t *testing.T, dir string) Side {
	t.Helper()
	baseCopiesMu.Lock()
	defer baseCopiesMu.Unlock()
	if side, ok := baseCopies[dir]; ok {
		return side
	}
	tree, err := os.MkdirTemp(cacheForTests, "base-")
	if err == nil {
		err = os.CopyFS(filepath.Join(tree, filepath.Base(dir)), os.DirFS(dir))
	}
	must(t, err)
	side := Side{
		Tree: filepath.Join(tree, filepath.Base(dir)), Root: tree, TreeID: kernelstest.TreeID(t, dir), Info: result.Version{Kind: result.KindDirectory, Label: dir},
	}
	baseCopies[dir] = side
	return side
}

func runIt(t *testing.T, opt Options) *result.Result {
	t.Helper()
	res, err := Run(t.Context(), opt)
	must(t, err)
	return res
}

func parityOf(t *testing.T, opt Options) *result.Result {
	t.Helper()
	res, err := CheckParity(t.Context(), opt, ParityOnly{})
	must(t, err)
	return res
}

// Every planted fault comes to what its row in the table says: what is wrong fails parity with its case, and what is slow is other code that is right.
// How slow it is, only a clock can tell: the story of perfgate demo (demo.txtar) asks one of one of them.
func TestPlantedFaultsAreFound(t *testing.T) {
	kernelstest.Live(t)
	for _, f := range plantedFaults(t) {
		t.Run(f.Kernel+f.Flag, func(t *testing.T) {
			t.Parallel()
			opt := example(t, f.Example, f.Kernel, f.Flag)
			slow := f.Kind == "performance"
			if slow {
				for i := range opt.Trusted.Config.Kernels {
					opt.Trusted.Config.Kernels[i].Parity.Cases = 4
				}
			} else {
				opt.Base = Side{}
			}
			s, v := builtRun(t, opt)
			if slow && v.Builds.On[0].Base.Library.Fingerprint == v.Builds.On[0].Head.Library.Fingerprint {
				t.Error("the fault changes no code")
			}
			var err error
			if v.Checked, err = s.checker(checkDrawn).check(t.Context(), v.Builds); err != nil {
				t.Fatal(err)
			}
			res := v.AssembleParity()
			parity := res.Kernels[0].Parity
			if slow && (parity.Status != result.ParityPassed || parity.Run == 0) {
				t.Errorf("a performance fault failed parity: %+v", parity)
			}
			if !slow && (res.Conclusion.Exit != result.ExitFailed || parity.Status != result.ParityFailed || !strings.HasPrefix(parity.Failure.Case, f.Kernel+"/")) {
				t.Errorf("exit %d, parity = %+v, want a failure with its case", res.Conclusion.Exit, parity)
			}
		})
	}
}

// runUpTo is a run up to one of its stages.
func runUpTo(t *testing.T, opt Options, of func(*session) []stage) (*session, *Values) {
	t.Helper()
	v := new(Values)
	s, err := newSession(opt, &v.Asked)
	must(t, err)
	t.Cleanup(s.close)
	if err := inOrder(of(s))(t.Context(), v); err != nil && !errors.Is(err, errOver) {
		t.Fatal(err)
	}
	return s, v
}

// openedRun is a run before anything is built, builtRun one up to its builds, and foundRun one up to the first runs of its benchmarks.
func openedRun(t *testing.T, opt Options) (*session, *Values) {
	t.Helper()
	return runUpTo(t, opt, func(s *session) []stage { return []stage{s.open} })
}

func builtRun(t *testing.T, opt Options) (*session, *Values) {
	t.Helper()
	return runUpTo(t, opt, func(s *session) []stage { return []stage{s.open, s.build} })
}

func foundRun(t *testing.T, opt Options) (*session, *Values) {
	t.Helper()
	return runUpTo(t, opt, func(s *session) []stage { return []stage{s.open, s.build, s.find} })
}

// keepsLibraries has a run whose builds are not what is tested take libraries that tests of this machine have compiled before, which are not even preprocessed
// again. What compilers asked for is not known of them, and a record says it.
func keepsLibraries(s *session) {
	if s.opt.recording {
		return
	}
	w := s.workshop
	build := w.begun.Start
	w.begun.Start = func(ctx context.Context, spec kernels.BuildSpec) (kernels.Library, error) {
		made, err := madeOf(spec, w.builder.Compiler)
		if made == nil || err != nil {
			return build(ctx, spec)
		}
		path, err := kernelstest.Kept("libraries", made, func(path string) error {
			lib, err := build(ctx, spec)
			if err != nil {
				return err
			}
			content, err := os.ReadFile(lib.Path)
			if err != nil {
				return err
			}
			return os.WriteFile(path, content, 0o755)
		})
		if err != nil {
			return kernels.Library{}, err
		}
		fingerprint, err := kernels.Fingerprint(path)
		return kernels.Library{Path: path, Fingerprint: fingerprint, Cached: true}, err
	}
}

// madeOf is all that a library is compiled from; nil where it is imported, where a command makes it, or where flags name files of one test.
func madeOf(spec kernels.BuildSpec, compiler kernels.Compiler) ([]string, error) {
	if spec.Adapter == "" || spec.Python != nil || spec.Command != "" || strings.Contains(strings.Join(spec.Flags, ""), "/") {
		return nil, nil
	}
	files, err := kernelstest.ContentID(cmp.Or(spec.Root, spec.Tree))
	if err != nil {
		return nil, err
	}
	adapter, err := os.ReadFile(filepath.Join(spec.AdapterTree, spec.Adapter))
	return []string{files, compiler.Version, string(kernels.Header()), spec.Adapter, string(adapter), fmt.Sprintf("%q%q", spec.Sources, spec.Flags)}, err
}

// Kernels of one adapter share a build, and so do sides of one tree: nothing is built again for each.
func TestSharedBuildsAreMadeOnce(t *testing.T) {
	builds := func(n int, flags ...string) int32 {
		opt := example(t, "saxpy", "saxpy", flags...)
		first := plan.KernelPlan{Kernel: opt.Trusted.Config.Kernels[0]}
		p := &plan.Plan{}
		for i := range n {
			first.Kernel.Name = fmt.Sprintf("saxpy%d", i)
			p.Kernels = append(p.Kernels, first)
		}
		opt.Progress = func(Progress) {}
		var made atomic.Int32
		w := &workshop{Question: opt.Question, records: &records{}, built: map[string]kernels.Library{}}
		w.begun = &child.Pool[kernels.BuildSpec, kernels.Library]{End: func(kernels.Library) {}, Equal: isBuiltAs, Start: func(context.Context, kernels.BuildSpec) (kernels.Library, error) {
			made.Add(1)
			return kernels.Library{}, nil
		}}
		built, err := w.build(t.Context(), p)
		if err != nil || len(built.On) != n {
			t.Fatalf("%v, not built: %+v", err, built.Ended)
		}
		return made.Load()
	}
	if one, three := builds(1), builds(3); one != 1 || one != three {
		t.Errorf("one kernel takes %d builds, three of the same adapter %d", one, three)
	}
	if changed := builds(3, "-DPG_ANYTHING"); changed != 2 {
		t.Errorf("%d builds with another flag on head", changed)
	}
}

// must ends a test where what it needs fails.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
