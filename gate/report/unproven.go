package report

import (
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// unprovenWords has every kind of rule.UnprovenKinds: what there is only a word for, of a case or a kernel.
var unprovenWords = map[rule.UnprovenKind]string{
	rule.UnprovenNew:       "that base does not have it",
	rule.UnprovenIdentical: "that both sides are the same code",
	rule.UnprovenStored:    "what stored records said of it",
	rule.UnprovenIdle:      "that there was nothing to do",
	rule.UnprovenFound:     "which cases the benchmark has, and its times",
}

// Unproven says for what there is the word of the measuring job alone, on one line.
func Unproven(u rule.Unproven) string {
	const most = 200
	line := "the measuring job's word alone: "
	if about := aboutOf(result.Finding{Kernel: u.Kernel, Case: u.Case, Machine: u.Machine}); about != "" {
		line += Clip(about, most) + ": "
	}
	line += unprovenWords[u.Kind]
	if why := Reason(u.Reason); why != "" {
		line += ": " + Clip(why, most)
	}
	return line
}
