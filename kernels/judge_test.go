package kernels

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
)

// judging is a runner that launches, another one that judges, and the place where outputs are handed over.
type judging struct {
	*rig
	head, judge *Runner
	path        string
}

func newJudging(t *testing.T, head string) judging {
	t.Helper()
	j := judging{rig: newRig(t), path: filepath.Join(t.TempDir(), "outputs")}
	j.head, j.judge = j.run(j.spec(j.adapter(head))), j.run(j.spec(j.adapter("cheats/honest.cc")))
	return j
}

// deliver has head launch a case twice.
func (j judging) deliver(seed uint64) {
	j.t.Helper()
	reply, err := j.head.parity(ParityCommand{Case: caseN, Seed: strconv.FormatUint(seed, 10), Values: "normal", Oracle: "none", Deliver: j.path, Twice: true})
	if err != nil || reply.Launches != 2 {
		j.t.Fatalf("%v, %+v", err, reply)
	}
}

func (j judging) ask(seed uint64, values, oracle, path string, launches int) (ParityReply, error) {
	j.t.Helper()
	var reply ParityReply
	err := j.judge.Call(context.Background(), "judge", "k", JudgeCommand{
		Case: caseN, Seed: strconv.FormatUint(seed, 10), Values: values, Atol: 1e-5, Rtol: 1e-5, Oracle: oracle, Outputs: path, Launches: launches,
	}, &reply, time.Minute)
	return reply, err
}

// Outputs are compared in another process: right ones pass, by its reference and by its own launch; those of other inputs do not.
func TestJudgeComparesOutputs(t *testing.T) {
	t.Parallel()
	j := newJudging(t, "cheats/honest.cc")
	j.deliver(5)
	for _, oracle := range []string{"reference", "launch"} {
		if reply, err := j.ask(5, "normal", oracle, j.path, 2); err != nil || !reply.Passed || reply.Same == nil || !*reply.Same || reply.Elements != 10000 {
			t.Errorf("%s: %v, %+v", oracle, err, reply)
		}
		if reply, err := j.ask(6, "normal", oracle, j.path, 2); err != nil || reply.Passed || reply.Worst == nil || reply.Pattern == nil {
			t.Errorf("%s with another seed: %v, %+v", oracle, err, reply)
		}
	}
	if reply, err := j.ask(5, "normal", "reference", "", 0); err != nil || reply.OracleDigest == "" {
		t.Errorf("the reference alone: %v, %+v", err, reply)
	}
}

// Timed outputs are handed over too, and the seed of their inputs is what the harness made it.
func TestJudgeComparesTimedOutputs(t *testing.T) {
	j := newJudging(t, "cheats/honest.cc")
	timed, err := j.head.timed(time.Minute, TimeCommand{
		Case: caseN, Seed: "7", Checks: 2, Oracle: "deliver", Deliver: j.path, LimitNS: 1e9,
		Method: Method{Clock: "thread", Launches: 2, Pool: 4, Samples: 6, Cache: "hot"},
	})
	if err != nil || len(timed.Checks) != 2 {
		t.Fatalf("%v, %+v", err, timed)
	}
	for i, check := range timed.Checks {
		if reply, err := j.ask(CheckSeed(7, check.Sample), "spec", "reference", j.path+strconv.Itoa(i), 1); err != nil || !reply.Passed {
			t.Errorf("check %d: %v, %+v", i, err, reply)
		}
		if reply, err := j.ask(CheckSeed(7, check.Sample+1), "spec", "reference", j.path+strconv.Itoa(i), 1); err != nil || reply.Passed {
			t.Errorf("check %d against the inputs of another: %v, %+v", i, err, reply)
		}
	}
}

// What is handed over is hostile: nothing but a plain file of the very size is read.
func TestJudgeReadsPlainFilesAlone(t *testing.T) {
	t.Parallel()
	j := newJudging(t, "cheats/honest.cc")
	j.deliver(5)
	right, err := os.ReadFile(j.path)
	must(t, err)
	for name, make := range map[string]func(path string) error{
		"nothing":          func(string) error { return nil },
		"a shorter file":   func(path string) error { return os.WriteFile(path, right[:len(right)-1], 0o600) },
		"a longer file":    func(path string) error { return os.WriteFile(path, append(right[:len(right):len(right)], 0), 0o600) },
		"a link":           func(path string) error { return os.Symlink(j.path, path) },
		"a second name":    func(path string) error { return os.Link(j.path, path) },
		"a pipe":           func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a folder":         func(path string) error { return os.Mkdir(path, 0o700) },
		"an endless thing": func(path string) error { return os.Symlink("/dev/zero", path) },
	} {
		path := filepath.Join(t.TempDir(), "outputs")
		must(t, make(path))
		_, err := j.ask(5, "normal", "reference", path, 2)
		if fault := runnerFault(err); fault.Code != result.CodeBadDelivery || !strings.Contains(fault.Message, "not handed over") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
