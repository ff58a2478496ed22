package parity_test

import (
	"testing"

	"github.com/org/perfgate/gate/parity"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/kernelstest"
)

// judged checks an animal whose outputs the right kernel judges, in a process of its own.
func (z *zoo) judged(t testing.TB, kernel, flag string, seed uint64, cases int, change ...func(*parity.Options)) result.Parity {
	t.Helper()
	k := z.kernels[kernel]
	s := z.subject(k, z.library(t, kernel, flag), plan.Fuzz(k, seed, cases))
	s.Judge = z.library(t, kernel, "")
	s.Base = s.Judge
	return z.run(t, s, seed, change...)
}

// A judge in another process sees what a library that judges itself does.
func TestJudgeAgreesWithTheZoo(t *testing.T) {
	kernelstest.Live(t)
	z := theZoo(t)
	var wrong []animal
	for i, a := range z.wrong {
		if a.Passes != "" {
			continue
		}
		if i%5 == 0 { // TestZooIsCaught has them all
			wrong = append(wrong, a)
		}
	}
	inParallel(t, len(wrong), func(i int) {
		a := wrong[i]
		if out := z.judged(t, a.Kernel, a.Flag, 1, z.kernels[a.Kernel].Parity.Cases, unshrunk); out.Status != result.ParityFailed {
			t.Errorf("%s (%s) is not caught: %s %s", a.name(), a.What, out.Status, result.MessageOf(out.Reason))
		}
	})
	names := z.names()
	inParallel(t, len(names), func(i int) {
		const cases = 10 // enough to compare two ways of judging: TestRightKernelsPass has more
		k, library := z.kernels[names[i]], z.library(t, names[i], "")
		own := z.run(t, z.subject(k, library, plan.Fuzz(k, 1000, cases)), 1000)
		out := z.judged(t, names[i], "", 1000, cases)
		if out.Status != result.ParityPassed || len(out.Warnings) > 0 || out.Elements != own.Elements || out.MaxRatio != own.MaxRatio {
			t.Errorf("%s: %+v %+v, by itself %+v", names[i], out, out.Failure, own)
		}
		t.Logf("%s: %.2f s judged, %.2f s by itself", names[i], out.Seconds, own.Seconds)
	})
}
