package parity

import "github.com/org/perfgate/kernels"

// What this package says to runners and hears from them, by short names.
type (
	command = kernels.ParityCommand
	reply   = kernels.ParityReply
)

// byBase says whether a case was held against what base computes.
func byBase(r reply) bool { return r.Oracle == "file" || r.Oracle == "launch" }

// same is false only where two launches on equal inputs gave different bits.
func same(r reply) bool { return r.Same == nil || *r.Same }
