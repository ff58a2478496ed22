package run

import (
	"path/filepath"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// A kernel whose cases mean something else, and whose base does not build with the adapter that says so, is measured on head: the result has its level
// before, by records, and now. It needs the label.
func TestMeaningOfAKernelThatBaseDoesNotFit(t *testing.T) {
	p := newPast(t)
	p.remember(4, func(int) float64 { return 1 }, nil)
	head := p.tree("head", 2*levelMicros, "")
	write(t, filepath.Join(head.Tree, "k.pg.cc"), "#include \"kernel.h\"\n#if MICROS == 100\n#error these inputs are not base's\n#endif\n")
	opt := p.options(p.tree(p.ancestors[0], levelMicros, ""), head)
	before := *opt.Trusted.Config
	opt.Trusted.Base, opt.Trusted.Config.Kernels[0].Epoch, opt.MayDrop = &before, 2, true
	before.Kernels = append(before.Kernels[:0:0], before.Kernels...)
	before.Kernels[0].Epoch = 1
	opt.Trusted.Changed = []result.RuleChange{{Kind: result.RuleAdapter, File: "k.pg.cc"}}
	res := runIt(t, opt)
	c, k := res.Cases[0], res.Kernels[0]
	if res.Conclusion.Exit != result.ExitPassed || k.Status != result.KernelNew || c.Verdict != result.New || !c.Reason.Is(result.ReasonEpoch) || !res.Conclusion.Has(result.FindingMeaningChanged) {
		t.Fatalf("exit %d, %s, %s, %+v: %s", res.Conclusion.Exit, k.Status, c.Verdict, res.Conclusion.Findings, everyWord(res))
	}
	if c.Head == nil || c.Past == nil || len(c.Past.Levels) == 0 {
		t.Fatalf("head %+v, past %+v", c.Head, c.Past)
	}
	if then := c.Past.Levels[len(c.Past.Levels)-1].NS; c.Head.MedianNS < 1.9*then || c.Head.MedianNS > 2.1*then {
		t.Errorf("%v ns before, %v now", then, c.Head.MedianNS)
	}
	if again := rule.Replay(res, res.Policy); again.Err() != nil {
		t.Error(again.Err())
	}
	res.Kernels[0].Uncompared[0].Approved = false
	if without := rule.Conclude(res.Cases, res.Kernels, res.Policy); without.Exit != result.ExitNotMeasurable {
		t.Errorf("without the label: exit %d", without.Exit)
	}
}
