package kernels

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
)

// What testdata/bad/made.cc does wrong, by the value of its parameter.
const (
	madeRight = iota
	madeForgetful
	madeBeyond
	madeFails
	madeNoElement
	madeMaskBeyond
	madeNothing
	madeChangesLength
	madeTrespasses
	madeUndefined
	madeKnowsAgain
)

func madeCase(fault int) CaseSpec {
	return caseOf("k", "n=1000,fault="+strconv.Itoa(fault))
}

// Inputs of pg_fill and outputs of pg_written: faults of these functions are the adapter's, and those of a launch are seen as with any
// other input and output, in parity and in timed launches.
func TestMadeInputsAndPartialOutputs(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	runner := r.run(r.spec(r.adapter("bad/made.cc")))
	if !runner.Has("fill") || !runner.Has("written") {
		t.Errorf("hello = %+v", runner.Hello)
	}
	for fault, want := range map[int]struct {
		code  result.Code
		words string
		// Timed launches: the code, where it is another.
		timed result.Code
	}{
		madeRight:         {"", "", ""},
		madeForgetful:     {result.CodeAdapterFailed, "other values of tensor \"length\"", ""},
		madeBeyond:        {result.CodeAdapterFailed, "outside of what it was given for tensor \"length\"", ""},
		madeFails:         {result.CodeAdapterFailed, "pg_fill returned 3", ""},
		madeNoElement:     {result.CodeAdapterFailed, "said 9 of element 1 of tensor \"y\"", ""},
		madeMaskBeyond:    {result.CodeAdapterFailed, "pg_written wrote outside", ""},
		madeNothing:       {"", "", result.CodeAdapterFailed},
		madeChangesLength: {result.CodeInputChanged, "element 3 of tensor \"length\"", ""},
		madeTrespasses:    {"", "", result.CodeWrongOutput},
		madeUndefined:     {result.CodeBadSpec, "PG_FILL_CUSTOM and is no input", ""},
	} {
		reply, err := runner.parity(ParityCommand{Case: madeCase(fault), Seed: "7", Values: "normal", Atol: 1e-6, Rtol: 1e-6, Oracle: "reference", Twice: true})
		got := runnerFault(err)
		if got.Code != want.code || !strings.Contains(got.Message, want.words) {
			t.Errorf("fault %d: %s %q", fault, got.Code, got.Message)
		}
		if got.Code == "" {
			checkMade(t, fault, reply)
		}
		timing := TimeCommand{Case: madeCase(fault), Seed: "7", Method: Method{Clock: "thread", Launches: 1, Pool: 3, Samples: 6, Cache: "hot"}, Checks: 2, Oracle: "reference", Atol: 1e-6, Rtol: 1e-6, LimitNS: 1e9}
		if want.timed == "" {
			want.timed = want.code
		}
		for _, timing.RenewMade = range []bool{false, true} {
			_, err := runner.timed(time.Minute, timing)
			if got := runnerFault(err); got.Code != want.timed {
				t.Errorf("fault %d, timed, renewed %v: %s %q", fault, timing.RenewMade, got.Code, got.Message)
			}
		}
	}
}

// What pg_fill makes is the same for all launches on a set of buffers but where it is renewed, and then each launch meets other inputs, as long as
// there is time for that.
func TestMadeInputsAreRenewed(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	lib := r.adapter("bad/made.cc")
	for renewed, want := range map[bool]result.Code{false: result.CodeLaunchFailed, true: ""} {
		runner := r.run(r.spec(lib))
		timing := TimeCommand{Case: madeCase(madeKnowsAgain), Seed: "7", Method: Method{Clock: "thread", Launches: 1, Pool: 2, Samples: 2000, Cache: "hot"}, Checks: 2, Oracle: "reference", LimitNS: 1e11, RenewMade: renewed}
		_, err := runner.timed(time.Minute, timing)
		if got := runnerFault(err); got.Code != want {
			t.Errorf("renewed %v: %s %q", renewed, got.Code, got.Message)
		}
		if !renewed {
			continue
		}
		timing.Seed, timing.LimitNS = "8", 1
		if reply, err := runner.timed(time.Minute, timing); err != nil || reply.Stopped != "limit" || len(reply.Samples) > 6 {
			t.Errorf("without time: %v, %d samples, stopped by %q", err, len(reply.Samples), reply.Stopped)
		}
	}
}

// checkMade looks at a reply about a case that could be compared.
func checkMade(t *testing.T, fault int, r ParityReply) {
	t.Helper()
	right := fault != madeTrespasses
	if r.Passed != right || r.Failed != 0 || (r.Trespass == nil) != right {
		t.Errorf("fault %d: %+v, trespass %+v", fault, r, r.Trespass)
	}
	if !right && (r.Trespass.Tensor != "y" || r.Trespass.Index != 999 || r.Trespass.Count != 1) {
		t.Errorf("fault %d: %+v", fault, r.Trespass)
	}
	if compared := r.Elements >= 500 && r.Elements < 1000; compared == (fault == madeNothing) || fault == madeNothing && r.Elements != 0 {
		t.Errorf("fault %d: %d elements", fault, r.Elements)
	}
	if r.Same == nil || !*r.Same {
		t.Errorf("fault %d: what a launch leaves alone is told as another result", fault)
	}
}

// A judge knows what a delivering process had in the elements that a launch leaves alone.
func TestPartialOutputsAreJudged(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	lib := r.adapter("bad/made.cc")
	head, judge := r.run(r.spec(lib)), r.run(r.spec(lib))
	for _, oracle := range []string{"reference", "launch"} {
		for fault, right := range map[int]bool{madeRight: true, madeTrespasses: false} {
			path := filepath.Join(t.TempDir(), "outputs")
			launched, err := head.parity(ParityCommand{Case: madeCase(fault), Seed: "7", Values: "normal", Oracle: "none", Deliver: path, Twice: true})
			must(t, err)
			var judged ParityReply
			// Base's library is right: what it says of the case is what counts.
			question := JudgeCommand{Case: madeCase(madeRight), Seed: "7", Values: "normal", Atol: 1e-6, Rtol: 1e-6, Oracle: oracle, Outputs: path, Launches: launched.Launches}
			must(t, judge.Call(t.Context(), "judge", "k", question, &judged, time.Minute))
			if judged.Passed != right || judged.InputDigest != launched.InputDigest || judged.Same == nil || !*judged.Same {
				t.Errorf("%s, fault %d: %+v %+v", oracle, fault, judged, judged.Trespass)
			}
			os.Remove(path)
		}
	}
}
