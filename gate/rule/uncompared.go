package rule

import "github.com/org/perfgate/gate/result"

// uncompared adds what of head's change both sides of a kernel shared. Where nothing else differs, the kernel's verdicts are of two equal sides.
func (v *collector) uncompared(k result.Kernel) {
	for _, u := range k.Uncompared {
		f := result.Finding{Kind: result.FindingNotCompared, Kernel: k.Name, Side: result.SideHead, Why: &u.Why}
		if u.LeavesNothing() {
			f.Kind = result.FindingNothingCompared
		}
		v.add(f)
	}
}
