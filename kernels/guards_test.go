package kernels

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// farWrite is a case of cheats/writes_outside.cc.
func farWrite(n, how, dtype, low, over int64) CaseSpec {
	return caseOf("k", fmt.Sprintf("n=%d,how=%d,dtype=%d,low=%d,over=%d", n, how, dtype, low, over))
}

// launchTwice runs a case in two sets of buffers and compares nothing; the code and message of what came of it.
func launchTwice(t *testing.T, runner *Runner, c CaseSpec, seed int) (result.Code, string) {
	t.Helper()
	_, err := runner.parity(ParityCommand{Case: c, Seed: strconv.Itoa(seed), Values: "normal", Oracle: "none", Twice: true})
	fault := runnerFault(err)
	return fault.Code, fault.Message
}

// What lies outside of a tensor is never what a kernel makes of what lies there, and the tensor that it wrote past is named.
func TestWritesOutsideAreSeen(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	runner := r.run(r.spec(r.adapter("cheats/writes_outside.cc")))
	const seeds = 20
	for _, kind := range []struct {
		dtype, hows int64
		missed      int // of the seeds: one byte in 256 is what was there
	}{{dtype: 1, hows: 8}, {dtype: 2, hows: 8}, {dtype: 8, hows: 6}, {dtype: 10, hows: 6, missed: 2}} {
		for how := range kind.hows {
			for low := range int64(2) {
				missed := 0
				for seed := range seeds {
					code, message := launchTwice(t, runner, farWrite(1+int64(seed)*97, how, kind.dtype, low, 1), seed)
					if code == "" {
						missed++
					} else if code != "guard-broken" || !strings.Contains(message, `tensor "y"`) {
						t.Errorf("dtype %d, how %d, low %d, seed %d: %s: %s", kind.dtype, how, low, seed, code, message)
					}
				}
				if how >= 6 {
					missed -= 14 // y < 0 ? 0 : y writes what is there where that has the other sign
				}
				if missed > kind.missed {
					t.Errorf("dtype %d, how %d, low %d: not seen with %d of %d seeds", kind.dtype, how, low, missed, seeds)
				}
			}
		}
	}
}

// A kernel that runs over the gap between two tensors is named with the tensor that it ran out of.
func TestFarWritesBlameTheTensorTheyBeganAt(t *testing.T) {
	r := newRig(t)
	runner := r.run(r.spec(r.adapter("cheats/writes_outside.cc")))
	for seed := range 5 {
		code, message := launchTwice(t, runner, farWrite(1024, 8, 2, 0, 1200), seed)
		if code == result.CodeCrashed {
			t.Skip("the system left a gap between the tensors")
		}
		if code != "guard-broken" || !strings.Contains(message, `tensor "y": byte `) || !strings.Contains(message, "past its end") {
			t.Errorf("seed %d: %s: %s", seed, code, message)
		}
	}
}

// A read just outside that only a comparison sees, which passes NaN by, is found by the second launch.
func TestReadsOutsideThatPassNaNByAreSeen(t *testing.T) {
	r := newRig(t)
	runner := r.run(r.spec(r.adapter("cheats/max_outside.cc")))
	for seed := range 10 {
		reply, err := runner.parity(ParityCommand{Case: caseN, Seed: fmt.Sprint(seed), Values: "normal", Atol: 1e-5, Rtol: 1e-5, Oracle: "reference", Twice: true})
		if err != nil || reply.Passed {
			t.Errorf("seed %d: %v, %+v", seed, err, reply)
		}
	}
}
