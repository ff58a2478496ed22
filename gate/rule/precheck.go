package rule

import "github.com/org/perfgate/gate/result"

// ConcludePrecheck decides what compiling alone can decide: head must build and keep its limits. What is not the same is to be measured,
// which is no verdict on it.
func ConcludePrecheck(t *result.Precheck) {
	t.Measure = false
	v := &collector{}
	for i := range t.Kernels {
		k := &t.Kernels[i]
		fails := k.Base != nil && k.Base.Failed || k.Head != nil && k.Head.Failed
		k.Measure = !k.Same && !fails
		t.Measure = t.Measure || k.Measure
		built := k.Kernel
		built.Parity = result.Parity{} // nothing runs here
		switch {
		case built.Head != nil:
			v.kernel(built)
		case built.Reason != nil: // it is not compiled
			v.add(result.Finding{Kind: result.FindingKernelUnmeasured, Kernel: built.Name, Reason: built.Reason})
		}
	}
	t.Conclusion = settled(v.found, map[result.Verdict]int{})
}
