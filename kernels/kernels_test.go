package kernels

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/kernelstest"
)

// rig is a harness and a builder with folders of their own; cacheForTests is shared by the tests of this package, and what need
// not be built anew by those of all.
type rig struct {
	t       testing.TB
	harness Harness
	builder *Builder
}

var cacheForTests, sharedCache string

func TestMain(m *testing.M) {
	dir, remove, err := kernelstest.Cache()
	if err != nil {
		panic(err)
	}
	cacheForTests = dir
	if sharedCache, err = kernelstest.Shared(); err != nil {
		panic(err)
	}
	code := m.Run()
	remove()
	os.Exit(code)
}

func newRig(t *testing.T) *rig {
	t.Helper()
	return rigOf(t)
}

func rigOf(t testing.TB) *rig {
	t.Helper()
	ctx := context.Background()
	compiler, err := FindCompiler(ctx)
	must(t, err)
	scratch := t.TempDir()
	h, err := BuildHarness(ctx, compiler, CPU, cacheForTests, scratch, nil)
	must(t, err)
	return &rig{t: t, harness: h, builder: &Builder{Compiler: compiler, Cache: cacheForTests, Scratch: scratch}}
}

// adapter builds one file of testdata as an adapter.
func (r *rig) adapter(path string, flags ...string) Library {
	r.t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", "testdata", filepath.Dir(path)))
	must(r.t, err)
	return r.kept(BuildSpec{Kernel: "k", Tree: dir, AdapterTree: dir, Adapter: filepath.Base(path), Flags: flags})
}

// kept builds what is not under test itself, or takes it from the cache of all tests.
func (r *rig) kept(s BuildSpec) Library {
	r.t.Helper()
	s.Keep, s.TreeID = true, kernelstest.TreeID(r.t, s.Tree)
	defer func(own string) { r.builder.Cache = own }(r.builder.Cache)
	r.builder.Cache = sharedCache
	lib, err := r.builder.Build(context.Background(), s)
	must(r.t, err)
	return lib
}

// spec is a runner on a library in a folder of its own. What interpreters compile of installed packages is kept for all tests: to compile
// numpy takes longer than all else that most of them do.
func (r *rig) spec(lib Library) RunnerSpec {
	r.t.Helper()
	s := RunnerSpec{Harness: r.harness.Path, Library: lib.Path, Dir: r.t.TempDir(), MemoryBytes: 2 << 30}
	if IsHosted(lib.Path) {
		s.Caches = pythonCaches(r.t)
	}
	return s
}

// pythonCaches is a folder for what interpreters compile.
func pythonCaches(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(sharedCache, "python")
	must(t, os.MkdirAll(dir, 0o755))
	return dir
}

func (r *rig) start(lib Library) (*Runner, error) {
	r.t.Helper()
	return r.startAs(r.spec(lib))
}

func (r *rig) startAs(s RunnerSpec) (*Runner, error) {
	r.t.Helper()
	runner, err := StartRunner(context.Background(), s)
	if err == nil {
		r.t.Cleanup(runner.Close)
	}
	return runner, err
}

// run starts a runner that has to start.
func (r *rig) run(s RunnerSpec) *Runner {
	r.t.Helper()
	runner, err := r.startAs(s)
	must(r.t, err)
	return runner
}

// caseOf is a case of a kernel, of parameters as "rows=40,n=100"; "" of none.
func caseOf(kernel, text string) CaseSpec {
	c := CaseSpec{Kernel: kernel, Params: []CaseParam{}}
	for pair := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' }) {
		name, value, _ := strings.Cut(pair, "=")
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			panic(err)
		}
		c.Params = append(c.Params, CaseParam{Name: name, Text: value, Value: n})
	}
	return c
}

var caseN = caseOf("k", "n=10000")

func (r *Runner) time(limit time.Duration, samples int, oracle string) (TimeReply, error) {
	return r.timed(limit, TimeCommand{
		Case: caseN, Seed: "7", Method: Method{Clock: "thread", Launches: 1, Pool: 4, Samples: samples, Cache: "cold", Pin: true},
		Checks: 2, Oracle: oracle, Atol: 1e-5, Rtol: 1e-4, LimitNS: 1e9,
	})
}

func (r *Runner) timed(limit time.Duration, c TimeCommand) (reply TimeReply, err error) {
	err = r.Call(context.Background(), "time", c.Case.Kernel, c, &reply, limit)
	return reply, err
}

func (r *Runner) parity(c ParityCommand) (ParityReply, error) { return r.parityIn(time.Minute, c) }

func (r *Runner) parityIn(limit time.Duration, c ParityCommand) (reply ParityReply, err error) {
	err = r.Call(context.Background(), "parity", c.Case.Kernel, c, &reply, limit)
	return reply, err
}

func TestHonestKernelIsTimedAndPasses(t *testing.T) {
	r := newRig(t)
	lib := r.adapter("cheats/honest.cc")
	for range 5 {
		runner, err := r.start(lib)
		must(t, err)
		reply, err := runner.time(time.Minute, 5, "reference")
		must(t, err)
		if len(reply.Samples) < 5 || len(reply.Checks) == 0 {
			t.Fatalf("reply = %+v", reply)
		}
		if reply.Phases[result.PhaseSamples] <= 0 || reply.Phases[result.PhaseChecks] <= 0 {
			t.Fatalf("phases = %v", reply.Phases)
		}
		runner.Close()
	}
}

func TestFingerprintIgnoresWhatIsNotLoaded(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	plain := r.adapter("cheats/honest.cc")
	debug := r.adapter("cheats/honest.cc", "-g")
	if plain.Fingerprint != debug.Fingerprint {
		t.Error("debug information changed the fingerprint of the code")
	}
	slower := r.adapter("cheats/honest.cc", "-O0")
	if slower.Fingerprint == plain.Fingerprint {
		t.Error("other code has the same fingerprint")
	}
}

// The adapter of one tree is built against the sources of another: relative includes must find the other tree's.
func TestAdapterOfAnotherTree(t *testing.T) {
	r := newRig(t)
	ours, theirs := t.TempDir(), t.TempDir()
	for dir, value := range map[string]string{ours: "1", theirs: "2"} {
		write(t, filepath.Join(dir, "csrc/value.h"), "#define VALUE "+value+"\n")
		must(t, os.MkdirAll(filepath.Join(dir, "bench"), 0o755))
	}
	adapter := "#include \"perfgate.h\"\n#include \"../csrc/value.h\"\n#if VALUE != 2\n#error took the header of the wrong tree\n#endif\nint pg_spec(const pg_case*, pg_tensor*, int) { return 0; }\nint pg_launch(const pg_case*, void* const*, void*, void*) { return 0; }\n"
	write(t, filepath.Join(ours, "bench/a.pg.cc"), adapter)
	if _, err := r.builder.Build(context.Background(), BuildSpec{Kernel: "k", Tree: theirs, AdapterTree: ours, Adapter: "bench/a.pg.cc"}); err != nil {
		t.Error(err)
	}
}

// runnerFault is the failure that a runner has named; of another error only its words, in place of a code.
func runnerFault(err error) RunnerError {
	if fault, ok := errors.AsType[*RunnerError](err); ok {
		return *fault
	}
	if err != nil {
		return RunnerError{Code: result.Code(err.Error())}
	}
	return RunnerError{}
}

// output is what a command prints, which has to end well.
func output(t testing.TB, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// must ends a test where what it needs fails.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(everyWord(err))
	}
}
