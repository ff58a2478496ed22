package report

import (
	"cmp"
	"io"

	"github.com/org/perfgate/gate/result"
)

// longestKernel is how much of a kernel's name stands in a line.
const longestKernel = 80

// LimitsOf says what limits the kernels of one profile, as evidence of its own: one for each kernel.
func LimitsOf(name string, all []result.KernelLimit) []Evidence {
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
	return out
}

// shapeOf is the grid and the block of a launch, "" where a profile does not have them.
func shapeOf(l result.Launch) string {
	if l.Grid == "" || l.Block == "" {
		return ""
	}
	return ", grid " + Visible(l.Grid) + ", block " + Visible(l.Block)
}

// TerminalLimits and MarkdownLimits print them.
func TerminalLimits(w io.Writer, all []Evidence, opt TerminalOptions) error {
	for _, e := range all {
		if err := TerminalEvidence(w, e, opt); err != nil {
			return err
		}
	}
	return nil
}

func MarkdownLimits(w io.Writer, all []Evidence) error {
	for _, e := range all {
		if err := MarkdownEvidence(w, e); err != nil {
			return err
		}
	}
	return nil
}
