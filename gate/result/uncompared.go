package result

// Uncompared is a part of head's change that no round could show: the two sides of a kernel share it, or it is the meaning of the kernel's cases.
type Uncompared struct {
	Reason Reason `json:"reason"`
	// Only says that nothing else which the kernel may read differs: then nothing that head changes was compared.
	Only bool `json:"only,omitempty"`
	// Approved says that a user with write access answers for it, or that it alone was asked about.
	Approved bool `json:"approved,omitempty"`
}

// LeavesNothing says that the kernel's verdicts are no answer to what head changes.
func (u Uncompared) LeavesNothing() bool { return u.Only && !u.Approved }
