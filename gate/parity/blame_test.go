package parity

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// runBusy checks a right kernel whose answers take a time that nobody waits for, and says how much of it: beyond the limit, they are a hang.
func runBusy(t *testing.T, takes func(cmd command) time.Duration, until time.Duration) (out result.Parity, spent time.Duration) {
	t.Helper()
	r := &rig{hasReference: true, answer: func(_ string, cmd command) (reply, error) {
		g := good(10, 0.1)
		g.OracleDigest = cmd.Seed
		return g, nil
	}}
	r.around = func(_, _ string, args, _ any, limit time.Duration, call func() error) error {
		if cmd, ok := args.(command); ok {
			spent += min(takes(cmd), limit)
			if takes(cmd) > limit {
				return &kernels.RunnerError{Code: result.CodeHung, Message: "no answer within " + limit.String()}
			}
		}
		return call()
	}
	out = r.run(t, drawn(config.Parity{}), func(o *Options) { o.Limit, o.Wishes.Until = time.Minute, until })
	return out, spent
}

// Only a kernel that is fast alone, launched as often as before, leaves what is slow to the reference.
func TestWhoIsSlow(t *testing.T) {
	launches := func(cmd command, each time.Duration) time.Duration {
		if cmd.Twice {
			return 2 * each
		}
		return each
	}
	reference := func(cmd command, takes time.Duration) time.Duration {
		if cmd.Oracle == "reference" {
			return takes
		}
		return 0
	}
	for name, c := range map[string]struct {
		takes  func(cmd command) time.Duration
		status result.ParityStatus
	}{
		"a second launch that hangs": {func(cmd command) time.Duration {
			if cmd.Twice {
				return time.Hour
			}
			return 0
		}, result.ParityFailed},
		"a launch of 16 s": {func(cmd command) time.Duration { return launches(cmd, 16*time.Second) }, result.ParityFailed},
		"a launch of 29 s": {func(cmd command) time.Duration { return launches(cmd, 29*time.Second) }, result.ParityFailed},
		"launches and reference of 10 s": {func(cmd command) time.Duration {
			return launches(cmd, 10*time.Second) + reference(cmd, 11*time.Second)
		}, result.ParityFailed},
		"a slow reference": {func(cmd command) time.Duration {
			return launches(cmd, time.Second) + reference(cmd, time.Minute)
		}, result.ParityError},
	} {
		out, _ := runBusy(t, c.takes, 0)
		if out.Status != c.status || c.status == result.ParityFailed && out.Failure.Code != result.CodeHung {
			t.Errorf("%s: %s, %q, %+v", name, out.Status, result.MessageOf(out.Reason), out.Failure)
		}
	}
}

// With until, a case that hangs takes what is left of that, and what is asked then the usual time: not all of it once more.
func TestHangTakesUntilOnce(t *testing.T) {
	const until = 10 * time.Minute
	for name, takes := range map[string]func(cmd command) time.Duration{
		"head": func(command) time.Duration { return time.Hour },
		"the reference": func(cmd command) time.Duration {
			if cmd.Oracle == "reference" {
				return time.Hour
			}
			return 0
		},
	} {
		if _, spent := runBusy(t, takes, until); spent > until+defaultCaseLimit {
			t.Errorf("%s hangs: it took %s", name, spent)
		}
	}
	slow := func(cmd command) time.Duration { // by what is asked besides alone
		if cmd.Atol == 1 {
			return time.Hour
		}
		return 0
	}
	out, spent := runBusy(t, slow, 50*time.Millisecond)
	if out.Status != result.ParityPassed && out.Status != result.ParityFailed || spent > 2*defaultCaseLimit {
		t.Errorf("other inputs: %s, %s", out.Status, spent)
	}
}

// A machine that is so busy that a problem takes its time to say what it is like gets as much longer for a case, and no case an hour.
func TestACaseOfASlowMachineHasMoreTime(t *testing.T) {
	for told, want := range map[time.Duration]time.Duration{0: defaultCaseLimit, time.Second: defaultCaseLimit, 20 * time.Second: 80 * time.Second, time.Hour: 4 * defaultCaseLimit} {
		c := &check{opt: Options{CaseLimit: defaultCaseLimit}, toldIn: told}
		if got := c.patience(); got != want {
			t.Errorf("told in %s: %s", told, got)
		}
	}
}

// What until has used up is no case's any more, and the usual time always is.
func TestPatienceIsWhatIsLeftOfUntil(t *testing.T) {
	c := &check{opt: Options{CaseLimit: defaultCaseLimit, Wishes: Wishes{Until: time.Hour}}}
	for left, want := range map[time.Duration]time.Duration{time.Hour: time.Hour, 10 * time.Minute: 10 * time.Minute, time.Second: defaultCaseLimit, -time.Second: defaultCaseLimit} {
		c.deadline = time.Now().Add(left)
		if got := c.patience(); got > want || got < max(want-time.Minute, defaultCaseLimit) {
			t.Errorf("%s left: %s", left, got)
		}
	}
}

// A head that hangs on the inputs that the reference is tried on hangs; where it does so only beside the reference, or only
// once, nothing is settled, and that is said.
func TestHangOnOtherInputs(t *testing.T) {
	others := func(oracles string) func(cmd command) time.Duration {
		return func(cmd command) time.Duration {
			if !cmd.Twice && strings.Contains(oracles, cmd.Oracle) {
				return time.Hour
			}
			return 0
		}
	}
	out, _ := runBusy(t, others("reference none"), 0)
	if out.Status != result.ParityFailed || out.Failure.Code != result.CodeHung || !strings.Contains(out.Failure.Message, "another seed") || out.Run != 1 {
		t.Errorf("head hangs: %+v %+v", out, out.Failure)
	}
	out, spent := runBusy(t, others("reference"), 0)
	if out.Status != result.ParityPassed || out.Run != 40 || len(out.Warnings) != 1 || !strings.Contains(out.Warnings[0], "is unknown") {
		t.Errorf("not without the reference: %+v", out)
	}
	if spent > defaultCaseLimit {
		t.Errorf("it was asked again: %s", spent)
	}
}

// smallest is a right reference for a case of one element, whose one output is 1, and a head that is wrong there and does
// something else in every larger case.
func smallest(elsewhere func(string, command) (reply, error)) func(string, command) (reply, error) {
	return func(l string, cmd command) (reply, error) {
		if param(cmd, "n") > 1 {
			return elsewhere(l, cmd)
		}
		return reply{OracleDigest: "1", Passed: cmd.Atol == 1, Failed: 1, Oracle: "reference"}, nil
	}
}

// What head does wrong in larger cases does not make the reference of a small one constant.
func TestFaultsElsewhereDoNotMakeAReferenceConstant(t *testing.T) {
	c := caseOf(t, kernelOf(config.Parity{}), "n=1,b=1")
	first := drawn(config.Parity{})
	first.Cases = append([]plan.FuzzCase{{Case: c, Values: "normal", Seed: 3, Origin: 3}}, first.Cases...)
	subjects := map[string]Subject{"replay": {Kernel: "k", Head: "head", Cases: plan.Replay(c, 7), Replay: true}, "first of many": first}
	for _, fault := range []result.Code{result.CodeGuardBroken, result.CodeCrashed, result.CodeHung, "out-of-memory"} {
		for name, s := range subjects {
			out := (&rig{hasReference: true, answer: smallest(code(fault))}).run(t, s)
			if out.Status != result.ParityFailed || out.Failure.Code != result.CodeWrongOutput || out.Failure.Case != "k/n=1,b=1" {
				t.Errorf("%s, elsewhere %s: %s, %q, %+v", name, fault, out.Status, result.MessageOf(out.Reason), out.Failure)
			}
		}
	}
}

// Cases are told apart by what they are, not by their seeds: twelve kinds of input of one case are one.
func TestEveryCaseIsAskedBeforeAnyIsTwice(t *testing.T) {
	c := caseOf(t, kernelOf(config.Parity{}), "n=1,b=1")
	r := &rig{hasReference: true, answer: smallest(func(_ string, cmd command) (reply, error) {
		return reply{OracleDigest: cmd.Seed, Passed: true}, nil
	})}
	out := r.run(t, replay(c))
	if out.Status != result.ParityFailed || len(r.commands) > 6 {
		t.Errorf("%s after %d commands", out.Status, len(r.commands))
	}
	all, distinct := oneByOne(plan.Replay(c, 7))
	if len(all) != len(config.InputKinds) || distinct != 1 {
		t.Errorf("%d cases, %d distinct", len(all), distinct)
	}
}

// A head that is right in its cases, and crashes in them on other inputs, does not pass.
func TestFaultOnOtherInputsFails(t *testing.T) {
	crashes := func(seen int) func(string, command) (reply, error) {
		return func(l string, cmd command) (reply, error) {
			if cmd.Atol == 1 {
				if seen--; seen < 0 {
					return code("guard-broken")(l, cmd)
				}
			}
			return reply{Passed: true, Elements: 1, OracleDigest: "same"}, nil
		}
	}
	s := drawn(config.Parity{})
	for _, seen := range []int{0, 2 * variationTries} { // while cases are checked, and when all were
		out := (&rig{hasReference: true, answer: crashes(seen)}).run(t, s)
		if out.Status != result.ParityFailed || out.Failure.Code != "guard-broken" {
			t.Errorf("after %d: %+v %+v", seen, out, out.Failure)
		}
	}
	c := caseOf(t, kernelOf(config.Parity{}), "n=1,b=1")
	out := (&rig{hasReference: true, answer: func(l string, cmd command) (reply, error) {
		if param(cmd, "n") > 1 {
			return code("guard-broken")(l, cmd)
		}
		return reply{Passed: true, Elements: 1, OracleDigest: "1"}, nil
	}}).run(t, replay(c))
	if out.Status != result.ParityPassed || len(out.Warnings) != 1 || !strings.Contains(out.Warnings[0], "is unknown") {
		t.Errorf("in a case that nobody asked for: %+v", out)
	}
}

// A failure that is known stays one when a question about it cannot be asked; a check that was ended has no result.
func TestKnownFailureOutlastsFurtherQuestions(t *testing.T) {
	full := errors.New("no process left")
	for name, fails := range map[string]func(library string, cmd command) bool{
		"whether the reference looks": func(_ string, cmd command) bool { return cmd.Atol == 1 },
		"of smaller cases":            func(l string, cmd command) bool { return l == "head" && cmd.Atol != 1 && param(cmd, "n") != 300 },
		"of base":                     func(l string, _ command) bool { return l == "base" },
	} {
		ctx, cancel := context.WithCancel(context.Background())
		ended := false
		r := &rig{hasReference: true, answer: func(l string, cmd command) (reply, error) {
			if fails(l, cmd) {
				if ended {
					cancel()
				}
				return reply{}, full
			}
			w := wrong()
			w.OracleDigest, w.Passed = cmd.Seed, cmd.Atol == 1
			return w, nil
		}}
		s := drawn(config.Parity{})
		s.Base = "base"
		opt := r.options(t)
		out, err := Run(ctx, s, opt)
		if err != nil || out.Status != result.ParityFailed || out.Failure == nil || len(out.Warnings) == 0 || !strings.Contains(strings.Join(out.Warnings, ""), full.Error()) {
			t.Errorf("%s: %v, %+v", name, err, out)
		}
		ended = true
		if _, err := Run(ctx, s, opt); !errors.Is(err, full) {
			t.Errorf("%s, and the check was ended: %v", name, err)
		}
		cancel()
	}
}
