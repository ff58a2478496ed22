package report

import (
	"cmp"

	"github.com/org/perfgate/gate/result"
)

// longestKernel is how much of a kernel's name stands in a line.
const longestKernel = 80

// Limits is what limits the kernels of one profile.
func Limits(name string, all []result.KernelLimit) Document {
	var out []Evidence
	for _, k := range all {
		e := Evidence{Case: Name{Full: name}, Lead: Text{code(Clip(Visible(cmp.Or(k.Launch.Kernel, "a kernel")), longestKernel)),
			words(" has " + Percent(k.Share) + " of the time" + shapeOf(k.Launch))}}
		for i, t := range k.Terms[:min(len(k.Terms), mostTerms)] {
			if i == 0 {
				e.Lead = append(e.Lead, words(": "))
			} else {
				e.Lead = append(e.Lead, words(", "))
			}
			e.Lead = append(e.Lead, words(Visible(t.Name)+" "+Percent(t.Share)))
		}
		for _, fact := range k.Facts {
			e.More = append(e.More, Say(fact))
		}
		out = append(out, e)
	}
	return Document{Kind: "explanation", Blocks: evidenceBlocks(out)}
}

// shapeOf is the grid and the block of a launch, "" where a profile does not have them.
func shapeOf(l result.Launch) string {
	if l.Grid == "" || l.Block == "" {
		return ""
	}
	return ", grid " + Visible(l.Grid) + ", block " + Visible(l.Block)
}

// Explanation is why one case changed, where there is no run.
func Explanation(c result.Case) Document {
	return Document{Kind: "explanation", Blocks: evidenceBlocks([]Evidence{caseEvidence(c)})}
}
