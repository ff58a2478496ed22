package kernels

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/kernelstest"
)

// tryOut starts a runner on an adapter and does what the gate does with it: a look at the tensors, parity, timing.
func (r *rig) tryOut(lib Library, limit time.Duration) error {
	runner, err := r.start(lib)
	if err != nil {
		return err
	}
	defer runner.Close()
	var spec SpecReply
	if err := runner.Call(context.Background(), "spec", "k", map[string]any{"case": caseN}, &spec, limit); err != nil {
		return err
	}
	oracle := "none"
	if runner.Has("reference") {
		oracle = "reference"
	}
	parity, err := runner.parityIn(limit, ParityCommand{Case: caseN, Seed: "1", Values: "normal", Atol: 1e-5, Rtol: 1e-4, Oracle: oracle})
	if err != nil {
		return err
	}
	if oracle == "reference" && !parity.Passed {
		return errParity
	}
	_, err = runner.time(limit, 40, "relaunch")
	return err
}

// What a launch costs the host is timed on any device, and its outputs are checked as those of any other sample.
func TestHostTime(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	r := newRig(t)
	for adapter, code := range map[string]result.Code{"honest": "", "skip_after_n": "wrong-output"} {
		runner := r.run(r.spec(r.adapter("cheats/" + adapter + ".cc")))
		reply, err := runner.timed(time.Minute, TimeCommand{
			Case: caseN, Seed: "7", Method: Method{Clock: result.ClockHost, Launches: 2, Pool: 4, Samples: 40, Cache: "hot"},
			Checks: 2, Oracle: "reference", Atol: 1e-5, Rtol: 1e-4, LimitNS: 1e9,
		})
		expectCode(t, err, []result.Code{code})
		if err == nil && (len(reply.Samples) != 40 || reply.Samples[0] <= 0 || len(reply.Checks) != 2) {
			t.Errorf("%d samples of %v ns, %d checks", len(reply.Samples), reply.Samples[0], len(reply.Checks))
		}
		runner.Close()
	}
}

var errParity = errors.New("parity") // in place of a code

// untilCaught tries a cheat in one process. One that is wrong in every second launch may be right in both that are checked, as on a busy machine the
// number of launches before them is chance; the gate has sixteen processes at least.
func untilCaught(cheat string, try func() error) error {
	tries := map[string]int{"cache_by_count": 4, "tells_by_the_gap": 3}
	err := try()
	for more := tries[cheat] - 1; err == nil && more > 0; more-- {
		err = try()
	}
	return err
}

// Every cheat must end as a named error or a parity failure, whatever it does to look fast.
func TestCheatsAreCaught(t *testing.T) {
	kernelstest.Live(t)
	r := newRig(t)
	for adapter, codes := range map[string][]result.Code{
		"side_thread":      {"outside-work", "wrong-output"},
		"late_thread":      {"outside-work", "wrong-output", "parity"},
		"cache_by_pointer": {"wrong-output"},
		"cache_by_shape":   {"wrong-output", "parity"},
		"cache_by_count":   {"wrong-output"},
		"skip_after_n":     {"wrong-output"},
		"stale_output":     {"wrong-output", "parity"},
		"oob_write":        {"guard-broken"},
		"changes_input":    {"input-changed"},
		"reads_outside":    {"parity"},
		"low_precision":    {"parity"},
		"fails_silently":   {"parity"},
	} {
		t.Run(adapter, func(t *testing.T) {
			r := *r
			r.t = t
			lib := r.adapter("cheats/" + adapter + ".cc")
			expectCode(t, untilCaught(adapter, func() error { return r.tryOut(lib, time.Minute) }), codes)
		})
	}
}

// What is done before a launch that is checked, and so the time that it takes, is what is done before any other. Ten are checked, since a busy machine may
// make one of them late.
func TestCheckedLaunchesAreAsAnyOther(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	r := newRig(t)
	lib := r.adapter("cheats/tells_by_the_gap.cc")
	cmd := TimeCommand{
		Case: caseOf("k", "n=200000"), Seed: "7", Method: Method{Clock: "thread", Launches: 1, Pool: 2, Samples: 120, Cache: "hot"},
		Checks: 10, Oracle: "reference", Atol: 1e-5, Rtol: 1e-4, LimitNS: 1e12,
	}
	err := untilCaught("tells_by_the_gap", func() error { // where others have the processors, launches are late by themselves
		_, err := r.run(r.spec(lib)).timed(time.Minute, cmd)
		return err
	})
	expectCode(t, err, []result.Code{result.CodeWrongOutput})
}

// Every kind of bad day is told apart, and none takes the gate with it.
func TestMisbehaviourIsNamed(t *testing.T) {
	kernelstest.Live(t)
	r := newRig(t)
	for adapter, codes := range map[string][]result.Code{
		"crash":         {result.CodeCrashed},
		"hang":          {result.CodeHung},
		"exits":         {result.CodeExited},
		"floods":        {result.CodeFlooded},
		"nonsense":      {""}, // it writes to every descriptor that it finds, and does not find ours
		"returns_error": {"launch-failed"},
		"throws":        {"launch-failed"},
		"unwritten":     {"parity", "wrong-output"},
		"nan":           {"parity", "wrong-output"},
		"refuses":       {"unsupported"},
		"allocates":     {"launch-failed", "out-of-memory", result.CodeCrashed},
		"missing_param": {"missing-parameter"},
		"no_launch":     {"adapter-incomplete"},
		"other_abi":     {"adapter-abi"},
		"forks":         {""},
	} {
		t.Run(adapter, func(t *testing.T) {
			r := *r
			r.t = t
			limit := time.Minute
			if adapter == "hang" {
				limit = 2 * time.Second
			}
			library := r.adapter("bad/" + adapter + ".cc")
			t.Parallel()
			expectCode(t, r.tryOut(library, limit), codes)
		})
	}
}

// A runner may be anything: what it says is checked, line by line.
func TestRunnerThatTalksNonsense(t *testing.T) {
	kernelstest.Live(t)
	for name, c := range map[string]struct {
		script string
		code   result.Code
	}{
		"garbage for a hello":   {`echo 'hello there' >&4; sleep 20`, result.CodeNonsense},
		"another protocol":      {`echo '{"id":0,"ok":true,"protocol":99}' >&4; sleep 20`, result.CodeNonsense},
		"an answer to no one":   {hello + `echo '{"id":77,"ok":true}' >&4; sleep 20`, result.CodeNonsense},
		"neither good nor bad":  {hello + `echo '{"id":1}' >&4; sleep 20`, result.CodeNonsense},
		"a wrong type":          {hello + `echo '{"id":1,"ok":true,"tensors":"many"}' >&4; sleep 20`, result.CodeNonsense},
		"a line without an end": {hello + `head -c 3000000 /dev/zero | tr '\0' 'x' >&4; sleep 20`, result.CodeNonsense},
		"silence":               {hello + `sleep 20`, result.CodeHung},
		"a closed descriptor":   {hello + `exec 4>&-; sleep 20`, result.CodeNonsense},
		"its own end":           {hello + `exit 7`, result.CodeExited},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			limit := time.Minute
			if c.code == result.CodeHung {
				limit = time.Second
			}
			harness := filepath.Join(t.TempDir(), "harness")
			err := kernelstest.WriteProgram(harness, []byte("#!/bin/sh\n"+c.script+"\n"))
			must(t, err)
			err = func() error {
				runner, err := StartRunner(context.Background(), RunnerSpec{Harness: harness, Library: "none.so", Dir: t.TempDir()})
				if err != nil {
					return err
				}
				defer runner.Close()
				var reply SpecReply
				return runner.Call(context.Background(), "spec", "k", map[string]any{"case": caseN}, &reply, limit)
			}()
			expectCode(t, err, []result.Code{c.code})
		})
	}
}

const hello = `echo '{"id":0,"ok":true,"protocol":1,"abi":1,"device":"cpu","has":[]}' >&4; `

func expectCode(t *testing.T, err error, codes []result.Code) {
	t.Helper()
	if got := runnerFault(err).Code; !slices.Contains(codes, got) {
		t.Errorf("got %q (%v), want one of %q", got, err, codes)
	}
}

// Timed launches meet inputs that none before them had, so that a kernel which knows its inputs again, by whatever of them, gains nothing.
func TestTimedInputsAreNew(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	reply, err := r.run(r.spec(r.adapter("cheats/known_inputs.cc"))).timed(time.Minute, TimeCommand{
		Case: caseN, Seed: "7", Method: Method{Clock: "thread", Launches: 1, Pool: 4, Samples: 100, Cache: "hot"}, Oracle: "reference", LimitNS: 1e12,
	})
	if err != nil || len(reply.Samples) != 100 {
		t.Errorf("%d samples, %v: launches saw inputs again and again", len(reply.Samples), err)
	}
}
