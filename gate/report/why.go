package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// whyWords has the sentence of every kind, which TestEveryWhyIsWorded sees to. Braces hold the place of a fact.
var whyWords = map[result.WhyKind]string{
	result.WhyAbsent:          "{name} has none of {names}",
	result.WhyDropped:         "dropped by head's configuration, so not compared: base's has it (--trust base goes by base's, --kernel and --case name what to compare)",
	result.WhyIdentical:       "both sides built to the same code",
	result.WhyNoBuild:         "{side} does not build{said}",
	result.WhyAdapterUnfit:    "{side} needs an adapter change: the adapter does not build against it",
	result.WhySeveralGPUs:     "head needs {name}: a kernel that spreads over several GPUs can be neither checked nor measured, since it is shown one",
	result.WhyNoReport:        "resources cannot be checked: {name} is limited, but no compiler reported on a kernel (it must be CUDA, and the library of a build command needs cuobjdump beside nvcc)",
	result.WhyNoSpills:        "resources cannot be checked: spill-bytes is limited, and the finished library of a build command does not tell spills: leave spill-bytes out, or let perfgate compile the sources",
	result.WhyHidden:          "its benchmark hides its tensors: parity needs an adapter",
	result.WhyRecorded:        "checked when this code was first recorded",
	result.WhyBenchmarkFails:  "{side}'s benchmark{said}",
	result.WhyNotInBase:       "base's benchmark does not have it",
	result.WhyNoCommonCase:    "its benchmark has no case that both sides can measure",
	result.WhyAllLeftOut:      "the benchmark itself leaves out all of its cases",
	result.WhyByRecords:       "head alone against {count} stored sessions, no rounds",
	result.WhyRecordsAlone:    "baseline.mode is stored, so nothing is measured side by side",
	result.WhyNothingRecorded: "baseline.mode is stored, and there is nothing to compare with{said}",
}

// Reason is why something is as it is: the sentence of why, or where there is none the text beside it, which is a tool's or an earlier perfgate's.
func Reason(why *result.Why, text string) string {
	switch {
	case why == nil:
		return text
	case why.Kind == "":
		return why.Said
	}
	return strings.NewReplacer( // goes over the sentence once: a brace in what a tool said stays one
		"{name}", why.Name,
		"{names}", strings.Join(why.Names, ", "),
		"{side}", string(why.Side),
		"{count}", strconv.Itoa(why.Count),
		"{share}", fmt.Sprintf("%.2f %%", 100*why.Share),
		"{said}", because(why.Said),
	).Replace(whyWords[why.Kind])
}

func reasonOf(c result.Case) string { return Reason(c.Why, c.Reason) }

func reasonOfKernel(k result.Kernel) string { return Reason(k.Why, k.Reason) }

func reasonOfParity(p result.Parity) string { return Reason(p.Why, p.Reason) }
