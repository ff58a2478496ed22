package parity

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// A kernel that runs out of memory where it would be wrong leaves those cases out: base is asked, which has no more room.
func TestMemoryThatOnlyHeadLacks(t *testing.T) {
	t.Parallel()
	none := &kernels.RunnerError{Code: result.CodeOutOfMemory, Message: "pg_launch ran out of memory (std::bad_alloc)"}
	for what, c := range map[string]struct {
		lacks   func(r *rig, library string) bool
		base    string
		want    result.ParityStatus
		refused bool
	}{
		"head alone":                 {func(_ *rig, library string) bool { return library == "head" }, "base", result.ParityFailed, false},
		"both":                       {func(*rig, string) bool { return true }, "base", result.ParitySkipped, true},
		"head while base holds it":   {func(r *rig, library string) bool { return library == "head" && r.live > 1 }, "base", result.ParityPassed, false},
		"all of few bytes, no base":  {func(*rig, string) bool { return true }, "", result.ParitySkipped, true},
		"some of few bytes, no base": {func(r *rig, _ string) bool { return len(r.commands)%3 == 0 }, "", result.ParityError, true},
	} {
		r := &rig{hasReference: true}
		r.answer = func(library string, cmd command) (reply, error) {
			if c.lacks(r, library) {
				return reply{}, none
			}
			return passes(library, cmd)
		}
		subject := drawn(config.Parity{})
		subject.Base = c.base
		out := r.run(t, subject)
		if out.Status != c.want || (out.Refused > 0) != c.refused {
			t.Errorf("%s: %s, %d refused: %s", what, out.Status, out.Refused, result.MessageOf(out.Reason))
		}
		if f := out.Failure; f != nil && (f.Code != result.CodeOutOfMemory || !strings.Contains(f.Message, "base has enough")) {
			t.Errorf("%s: %+v", what, f)
		}
	}
}

// Only a case of little memory should run anywhere.
func TestWhatIsLittleMemory(t *testing.T) {
	t.Parallel()
	for bytes, want := range map[int64]bool{8 << 20: true, 9 << 20: false} {
		c := newCheck(drawn(config.Parity{}), Options{})
		fuzz := c.subject.Cases[0]
		c.specOf = fuzz.Case.Name()
		c.lastSpec.Tensors = []kernels.Tensor{{Bytes: bytes}, {Bytes: 8 << 20}}
		c.noteLittle(fuzz, &kernels.RunnerError{Code: result.CodeOutOfMemory})
		if (c.little != nil) != want {
			t.Errorf("8 MiB and %d bytes: little is %v", bytes, c.little != nil)
		}
	}
}

// A head that sleeps in the cases of parity would leave most of them unchecked; a reference that takes its time is honest.
func TestTimeThatOnlyHeadTakes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			head, base time.Duration
			want       result.ParityStatus
		}{
			{60 * time.Millisecond, 0, result.ParityError}, {60 * time.Millisecond, 60 * time.Millisecond, result.ParityPassed},
			{32 * time.Millisecond, time.Millisecond, result.ParityError}, {8 * time.Millisecond, time.Millisecond, result.ParityPassed},
		} {
			r := &rig{hasReference: true}
			r.answer = func(library string, cmd command) (reply, error) {
				time.Sleep(map[string]time.Duration{"head": c.head, "base": c.base}[library])
				return passes(library, cmd)
			}
			subject := drawn(config.Parity{})
			subject.Base = "base"
			out := r.run(t, subject, func(o *Options) { o.Limit = 100 * time.Millisecond })
			if out.Status != c.want || !strings.Contains(result.MessageOf(out.Reason), "time limit") {
				t.Errorf("%s and %s of base: %s: %s", c.head, c.base, out.Status, result.MessageOf(out.Reason))
			}
		}
	})
}
