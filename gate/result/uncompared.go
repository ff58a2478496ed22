package result

// Uncompared is a part of head's change that the two sides of a kernel share, so that no round could show what it does.
type Uncompared struct {
	Reason Reason `json:"reason"`
	// Only says that nothing else which the kernel may read differs: then nothing that head changes was compared.
	Only bool `json:"only,omitempty"`
	// Approved says that a user with write access answers for it, or that it alone was asked about.
	Approved bool `json:"approved,omitempty"`
}

// LeavesNothing says that the kernel's verdicts are no answer to what head changes.
func (u Uncompared) LeavesNothing() bool { return u.Only && !u.Approved }
