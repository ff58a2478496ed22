package kernels

import (
	"context"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
)

// One process serves the adapters of several kernels, one after the other; what does not load leaves the one before at hand.
func TestRunnerLoadsFurtherAdapters(t *testing.T) {
	r := newRig(t)
	honest, long := r.adapter("cheats/honest.cc"), r.adapter("threads/joins.cc")
	runner, err := r.start(honest)
	must(t, err)
	defer runner.Close()
	load := func(path string) error {
		var has Hello
		return runner.Call(t.Context(), "load", path, map[string]any{"adapter": path}, &has, time.Minute)
	}
	digest := func() string {
		t.Helper()
		var reply ParityReply
		args := map[string]any{"case": caseN, "seed": "7", "values": "spec", "oracle": "reference", "atol": 1e-5, "rtol": 1e-4}
		must(t, runner.Call(t.Context(), "parity", "k", args, &reply, time.Minute))
		if !reply.Passed {
			t.Fatalf("%+v", reply)
		}
		return reply.InputDigest
	}
	first := digest()
	must(t, load(long.Path))
	digest()
	var probe ProbeReply
	if err := runner.Call(t.Context(), "probe", "k", map[string]any{"case": caseN, "seed": "7", "cache": "hot"}, &probe, time.Minute); err != nil || probe.LaunchNS <= 0 {
		t.Errorf("probe of the second adapter: %+v, %v", probe, err)
	}
	if err := load(honest.Path + ".absent"); runnerFault(err).Code != result.CodeAdapterLoad {
		t.Errorf("a library that is not there: %v", err)
	}
	digest()
	must(t, load(honest.Path))
	if again := digest(); again != first {
		t.Errorf("inputs of the first adapter: %s, then %s", first, again)
	}
}

// A runner that waits has no adapter until it is told to load one, and its watch knows of it from its beginning to its end.
func TestRunnerThatWaitsLoadsNothing(t *testing.T) {
	r := newRig(t)
	honest, seen := r.adapter("cheats/honest.cc"), &counted{}
	spec := RunnerSpec{Harness: r.harness.Path, Library: honest.Path, Dir: t.TempDir(), Waits: true, Started: seen.started}
	runner, err := StartRunner(t.Context(), spec)
	must(t, err)
	if seen.began != runner.PID() || seen.ended != 0 || len(runner.Hello.Has) != 0 {
		t.Errorf("%+v, %+v", seen, runner.Hello)
	}
	ask := func() error {
		var reply SpecReply
		return runner.Call(t.Context(), "spec", "k", map[string]any{"case": caseN}, &reply, time.Minute)
	}
	if err := ask(); runnerFault(err).Code != "bad-command" {
		t.Errorf("before an adapter was loaded: %v", err)
	}
	if err := runner.Call(t.Context(), "load", "", map[string]any{"adapter": honest.Path}, nil, time.Minute); err != nil {
		t.Error(err)
	}
	if err := ask(); err != nil {
		t.Error(err)
	}
	runner.Leave()
	if err := ask(); runnerFault(err).Code != result.CodeExited {
		t.Errorf("after it was left: %v", err)
	}
	runner.Close()
	if seen.ended != seen.began {
		t.Errorf("%+v", seen)
	}
	spec.Library, spec.Waits, seen.ended = honest.Path+".absent", false, 0
	if _, err := StartRunner(t.Context(), spec); err == nil || seen.ended != seen.began {
		t.Errorf("%v, %+v", err, seen)
	}
}

type counted struct{ began, ended int }

func (c *counted) started(pid int) func() {
	c.began = pid
	return func() { c.ended = pid }
}

// A process that obeys may take its time to end, as under a profiler: it is not killed for that, and ends well.
func TestEndWaitsForAProcessThatObeys(t *testing.T) {
	r := newRig(t)
	runner, err := r.start(r.adapter("bad/slow_to_end.cc"))
	must(t, err)
	if _, err := runner.time(time.Minute, 10, "reference"); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if out, err := runner.End(context.Background(), time.Minute); err != nil {
		t.Errorf("it ended with %v after %s, and printed %q", err, time.Since(start), out.Stderr)
	}
}

func TestEmptyCaseHasNoOutputElements(t *testing.T) {
	in, none, some := Tensor{Role: "in", Bytes: 16}, Tensor{Role: "out"}, Tensor{Role: "inout", Bytes: 4}
	for name, c := range map[string]struct {
		tensors []Tensor
		want    bool
	}{
		"an input alone has elements": {[]Tensor{in, none}, true},
		"two empty outputs":           {[]Tensor{none, {Role: "inout"}}, true},
		"one output has some":         {[]Tensor{none, some}, false},
		"no outputs":                  {[]Tensor{in}, false},
	} {
		if got := (SpecReply{Tensors: c.tensors}).IsEmpty(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// What was chosen before is asked for beside what is pinned, and what a process could not tell in full is left away.
func TestPinLines(t *testing.T) {
	t.Parallel()
	pins := []Pin{{Function: "softmax", Config: "BLOCK=64"}}
	for chosen, want := range map[string]string{
		"": "softmax: BLOCK=64",
		"attend: M=64, num_warps=4; copy: N=2; and 3 others": "softmax: BLOCK=64\nattend?: M=64, num_warps=4\ncopy?: N=2",
	} {
		if got := pinLines(pins, chosen); got != want {
			t.Errorf("%q: %q, want %q", chosen, got, want)
		}
	}
}
