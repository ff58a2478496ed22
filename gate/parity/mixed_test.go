package parity_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/parity"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// Of an output of eight bits a share may be the neighbour of what is right, whatever outputs of other dtypes lie beside it.
func TestEightBitsBesideOtherOutputs(t *testing.T) {
	z := theZoo(t)
	k := z.kernels["top"]
	cases := seeded(caseOf(t, k, "rows=1000,n=64,dtype=f8e4m3"), "normal", 7)
	for flag, want := range map[string]result.ParityStatus{"-DWRONG=Neighbour": result.ParityPassed, "-DWRONG=Neighbours": result.ParityFailed} {
		if out := z.run(t, z.subject(k, z.library(t, "top", flag), cases), 7); out.Status != want {
			t.Errorf("%s: %+v %+v", flag, out, out.Failure)
		}
	}
}

// A mean of integers may be an integer by chance, and so may its answers to steps of the inputs. It is no sum that is exact in every order.
func TestMeansOfIntegersAreHeldToTheirBound(t *testing.T) {
	z := theZoo(t)
	k := z.kernels["attention2"]
	c := caseOf(t, k, "S=8,D=64,causal=1,dtype=f32")
	var cases []plan.FuzzCase
	for seed := range uint64(60) {
		cases = append(cases, seeded(c, "integers", seed)...)
	}
	if out := z.run(t, z.subject(k, z.library(t, "attention2", ""), cases), 1); out.Status != result.ParityPassed {
		t.Errorf("%+v %+v", out, out.Failure)
	}
}

func caseOf(t testing.TB, k config.Kernel, text string) plan.Case {
	t.Helper()
	c, err := plan.ParseCase(k, text)
	must(t, err)
	return c
}

func seeded(c plan.Case, values string, seed uint64) []plan.FuzzCase {
	return []plan.FuzzCase{{Case: c, Values: values, Seed: seed, Origin: seed}}
}

// A timed launch is held to what an untimed one is: an index one too large beside a bf16 output fails there too.
func TestTimedLaunchesAreHeldToEachOutputsTolerance(t *testing.T) {
	z := theZoo(t)
	c := caseOf(t, z.kernels["top"], "rows=40,n=1000,dtype=bf16")
	cmd := kernels.TimeCommand{
		Case: c.Spec(), Seed: "7", Checks: 1, Oracle: "reference", LimitNS: 1e9, Tolerances: parity.TolerancesOf(nil, nil, 0, "").ByDtype,
		Method: kernels.Method{Clock: "thread", Launches: 1, Pool: 1, Samples: 1, Cache: "hot"},
	}
	for flag, want := range map[string]result.Code{"": "", "-DWRONG=NextIndex": result.CodeWrongOutput, "-DWRONG=MeanInBF16": result.CodeWrongOutput} {
		if got := ask(t, z, z.library(t, "top", flag), "time", cmd); got != want {
			t.Errorf("%q: %q, want %q", flag, got, want)
		}
	}
	cmd.Tolerances = map[string]kernels.Tolerance{"i32": {Atol: 1}}
	if got := ask(t, z, z.library(t, "top", ""), "time", cmd); got != result.CodeBadCommand {
		t.Errorf("a tolerance for integers: %q", got)
	}
}

// ask sends one command to a fresh runner and returns the code of its failure.
func ask(t *testing.T, z *zoo, library, op string, cmd any) result.Code {
	t.Helper()
	r, err := z.start(context.Background(), library)
	must(t, err)
	defer r.Close()
	var fault *kernels.RunnerError
	if err := r.Call(context.Background(), op, "it", cmd, nil, time.Minute); errors.As(err, &fault) {
		return fault.Code
	} else if err != nil {
		t.Fatal(err)
	}
	return ""
}

// A case that was drawn too large for any memory is not run, and the others are.
func TestCaseBeyondAllMemoryIsNotRun(t *testing.T) {
	z := theZoo(t)
	k := z.kernels["relu"]
	cases := slices.Concat(seeded(caseOf(t, k, "n=1125899906842624"), "normal", 7), seeded(caseOf(t, k, "n=100"), "normal", 7))
	out := z.run(t, z.subject(k, z.library(t, "relu", ""), cases), 7)
	if out.Status != result.ParityPassed || out.Run != 1 || out.TooLarge != 1 {
		t.Errorf("%+v", out)
	}
	if len(out.Warnings) != 1 || !strings.HasPrefix(out.Warnings[0], "1 case needs more memory") {
		t.Errorf("warnings %q", out.Warnings)
	}
}
