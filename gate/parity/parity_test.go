package parity

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// rig answers parity commands as a library would; the key is library and oracle.
type rig struct {
	hasReference bool
	answer       func(library string, cmd command) (reply, error)
	load         func(library string) error
	live         int
	commands     []command
	printed      string // to standard error
	around       around
}

// around stands between a check and a library: call has the library do what it was told.
type around func(library, op string, args, answer any, limit time.Duration, call func() error) error

func (r *rig) start(_ context.Context, library string) (kernels.Process, error) {
	if r.load != nil {
		if err := r.load(library); err != nil {
			return nil, err
		}
	}
	r.live++
	return &fakeRunner{r, library}, nil
}

type fakeRunner struct {
	rig     *rig
	library string
}

func (f *fakeRunner) Has(function string) bool { return function == "reference" && f.rig.hasReference }

func (f *fakeRunner) Close() { f.rig.live-- }

func (f *fakeRunner) Printed() string { return f.rig.printed }

func (f *fakeRunner) Call(_ context.Context, op, _ string, args, answer any, limit time.Duration) error {
	call := func() error { return f.call(op, args, answer) }
	if f.rig.around == nil {
		return call()
	}
	return f.rig.around(f.library, op, args, answer, limit, call)
}

func (f *fakeRunner) call(op string, args, answer any) error {
	switch op {
	case "spec":
		answer.(*kernels.SpecReply).Tensors = []kernels.Tensor{{Dtype: "f16", Role: "out"}, {Dtype: "f64", Role: "in", Bytes: 8}}
		return nil
	case "reset":
		return nil
	}
	cmd := args.(command)
	f.rig.commands = append(f.rig.commands, cmd)
	got, err := f.rig.answer(f.library, cmd)
	if out, ok := answer.(*reply); ok {
		*out = got
	}
	return err
}

func cases(n int) []plan.FuzzCase {
	var out []plan.FuzzCase
	for i := range n {
		value := config.IntValue(int64(i + 1))
		out = append(out, plan.FuzzCase{Case: plan.Case{Kernel: "k", Params: []plan.Assignment{{Name: "n", Value: value}}}, Values: "normal", Seed: uint64(i)})
	}
	return out
}

func good(elements int64, ratio kernels.Number) reply {
	return reply{Passed: true, Elements: elements, MaxRatio: ratio}
}

func passes(string, command) (reply, error) {
	return good(10, 0.5), nil
}

func (r *rig) options(t *testing.T) Options {
	return Options{Start: r.start, Scratch: t.TempDir(), Seed: "7", Repro: "perfgate parity"}
}

// run checks a subject, with options that may be changed.
func (r *rig) run(t *testing.T, s Subject, change ...func(*Options)) result.Parity {
	t.Helper()
	opt := r.options(t)
	for _, c := range change {
		c(&opt)
	}
	out, err := Run(context.Background(), s, opt)
	must(t, err)
	if r.live != 0 {
		t.Errorf("%d runners were not closed", r.live)
	}
	return out
}

func TestAllCasesPass(t *testing.T) {
	r := &rig{hasReference: true, answer: passes}
	out := r.run(t, Subject{Kernel: "k", Head: "head", Base: "base", Cases: cases(5)})
	if out.Status != result.ParityPassed || out.Run != 5 || out.Elements != 50 || out.MaxRatio != 0.5 || out.BaseMax != 0.5 || out.Oracle != "reference and base" {
		t.Errorf("parity = %+v", out)
	}
	if c := r.commands[0].Tolerances["f16"]; c.Atol != 2e-3 || c.Rtol != 1e-3 {
		t.Errorf("tolerance of an f16 output = %+v", c)
	}
}

// However few cases there are, one of each kind of inputs says how exact head is, and base beside it.
func TestFewCasesAreHeldAgainstTheWholeBound(t *testing.T) {
	r := &rig{hasReference: true, answer: func(library string, cmd command) (reply, error) {
		ratio := kernels.Number(0.05)
		if library == "head" {
			ratio = 0.6
		}
		stage := 0
		if cmd.Bound != nil {
			stage = cmd.Bound.Stage
		}
		return reply{Passed: true, Elements: 10, MaxRatio: ratio, Oracle: OracleReference, Stage: stage}, nil
	}}
	few := cases(4)[1:] // none by its seed
	few[2].Values = "large"
	out := r.run(t, Subject{Kernel: "k", Head: "head", Base: "base", Cases: few, Tolerances: Tolerances{Bound: &kernels.Bound{}}})
	if out.MaxRatio != 0.6 || out.BaseMax != 0.05 || len(out.Warnings) != 1 || !strings.Contains(out.Warnings[0], "base's 0.05") {
		t.Errorf("parity = %+v", out)
	}
	var stages []int
	for _, cmd := range r.commands {
		if cmd.Bound != nil {
			stages = append(stages, cmd.Bound.Stage)
		}
	}
	if !slices.Equal(stages, []int{fullStage, fullStage, 0, fullStage, fullStage}) { // head and base, head alone, head and base
		t.Errorf("stages were %v", stages)
	}
}

func TestFirstFailureStopsAndNamesItsCase(t *testing.T) {
	r := &rig{hasReference: true, answer: func(_ string, cmd command) (reply, error) {
		if cmd.Seed == "2" {
			w := kernels.WorstElement{Tensor: "o", Coords: []int64{0, 65}, Dims: "b,s", Got: 1, Want: 2, AbsError: 1, Tolerance: 0.1, ULPs: 8}
			return reply{Elements: 10, Failed: 3, Worst: &w}, nil
		}
		return passes("", cmd)
	}}
	out := r.run(t, Subject{Kernel: "k", Head: "head", Cases: cases(9)})
	if out.Status != result.ParityFailed || out.Run != 3 || out.Failure.Case != "k/n=3" {
		t.Fatalf("parity = %+v", out)
	}
	for _, want := range []string{"3 of 10 elements", "o[b=0,s=65]", "got 1, want 2", "(8 ulp)"} {
		if !strings.Contains(out.Failure.Message, want) {
			t.Errorf("message %q lacks %q", out.Failure.Message, want)
		}
	}
	if out.Failure.Repro != "perfgate parity --kernel k --param n=3 --seed 7" {
		t.Errorf("repro = %q", out.Failure.Repro)
	}
}

func TestBaseIsTheOracleWithoutAReference(t *testing.T) {
	r := &rig{answer: passes}
	out := r.run(t, Subject{Kernel: "k", Head: "head", Base: "base", Cases: cases(2)})
	if out.Status != result.ParityPassed || out.Oracle != OracleBase {
		t.Errorf("parity = %+v", out)
	}
	if len(r.commands) != 4 || r.commands[0].Dump == "" || r.commands[1].Expect != r.commands[0].Dump {
		t.Errorf("commands = %+v", r.commands)
	}
}

func code(c result.Code) func(string, command) (reply, error) {
	return func(string, command) (reply, error) {
		return reply{}, &kernels.RunnerError{Code: c, Message: string(c)}
	}
}

func TestOurOwnErrorIsReturned(t *testing.T) {
	full := errors.New("no space left on device")
	r := &rig{hasReference: true, answer: func(string, command) (reply, error) {
		return reply{}, full
	}}
	if _, err := Run(context.Background(), Subject{Kernel: "k", Head: "head", Cases: cases(1)}, r.options(t)); !errors.Is(err, full) {
		t.Errorf("err = %v", err)
	}
}

func TestTimeLimitIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rig{hasReference: true, answer: func(l string, cmd command) (reply, error) {
			time.Sleep(20 * time.Millisecond)
			return passes(l, cmd)
		}}
		out := r.run(t, Subject{Kernel: "k", Head: "head", Cases: cases(50)}, func(o *Options) { o.Limit = 50 * time.Millisecond })
		if out.Status != result.ParityPassed || out.Run >= 50 || !strings.Contains(result.MessageOf(out.Reason), "time limit") {
			t.Errorf("parity = %+v", out)
		}
	})
}

// must ends a test where what it needs fails.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
