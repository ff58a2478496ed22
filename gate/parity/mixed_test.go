package parity_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/oracle"
	"github.com/org/perfgate/gate/parity"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// Of an output of eight bits a share may be the neighbour of what is right, whatever outputs of other dtypes lie beside it.
func TestEightBitsBesideOtherOutputs(t *testing.T) {
	z := theZoo(t)
	k := z.kernels["top"]
	c, err := plan.ParseCase(k, "rows=1000,n=64,dtype=f8e4m3")
	if err != nil {
		t.Fatal(err)
	}
	cases := []plan.FuzzCase{{Case: c, Values: "normal", Seed: 7, Origin: 7}}
	for flag, want := range map[string]result.ParityStatus{"-DWRONG=Neighbour": result.ParityPassed, "-DWRONG=Neighbours": result.ParityFailed} {
		out, err := parity.Run(context.Background(), z.subject(k, z.library(t, "top", flag), cases), z.options(t, 7))
		if err != nil || out.Status != want {
			t.Errorf("%s: %+v %+v, %v", flag, out, out.Failure, err)
		}
	}
}

// A mean of integers may be an integer by chance, and so may its answers to steps of the inputs. It is no sum that is exact in every order.
func TestMeansOfIntegersAreHeldToTheirBound(t *testing.T) {
	z := theZoo(t)
	k := z.kernels["attention2"]
	c, err := plan.ParseCase(k, "S=8,D=64,causal=1,dtype=f32")
	if err != nil {
		t.Fatal(err)
	}
	var cases []plan.FuzzCase
	for seed := range uint64(60) {
		cases = append(cases, plan.FuzzCase{Case: c, Values: "integers", Seed: seed, Origin: seed})
	}
	out, err := parity.Run(context.Background(), z.subject(k, z.library(t, "attention2", ""), cases), z.options(t, 1))
	if err != nil || out.Status != result.ParityPassed {
		t.Errorf("%+v %+v, %v", out, out.Failure, err)
	}
}

// A timed launch is held to what an untimed one is: an index one too large beside a bf16 output fails there too.
func TestTimedLaunchesAreHeldToEachOutputsTolerance(t *testing.T) {
	z := theZoo(t)
	k := z.kernels["top"]
	c, err := plan.ParseCase(k, "rows=40,n=1000,dtype=bf16")
	if err != nil {
		t.Fatal(err)
	}
	cmd := kernels.TimeCommand{
		Case: c.Spec(), Seed: "7", Checks: 1, Oracle: "reference", LimitNS: 1e9, Tolerances: oracle.TolerancesOf(nil, nil, 0, "").ByDtype,
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
	if err != nil {
		t.Fatal(err)
	}
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
	var cases []plan.FuzzCase
	for _, text := range []string{"n=1125899906842624", "n=100"} {
		c, err := plan.ParseCase(k, text)
		if err != nil {
			t.Fatal(err)
		}
		cases = append(cases, plan.FuzzCase{Case: c, Values: "normal", Seed: 7, Origin: 7})
	}
	out, err := parity.Run(context.Background(), z.subject(k, z.library(t, "relu", ""), cases), z.options(t, 7))
	if err != nil || out.Status != result.ParityPassed || out.Run != 1 || out.TooLarge != 1 {
		t.Errorf("%+v, %v", out, err)
	}
	if len(out.Warnings) != 1 || !strings.HasPrefix(out.Warnings[0], "1 case needs more memory") {
		t.Errorf("warnings %q", out.Warnings)
	}
}
