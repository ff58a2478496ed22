package result

// Uncompared is a part of head's change that no round could show: the two sides of a kernel share it, or it is the meaning of the kernel's cases.
type Uncompared struct {
	Reason   Reason `json:"reason"`             // what, and why
	Only     bool   `json:"only,omitempty"`     // nothing else that the kernel may read differs, so nothing that head changes was compared
	Approved bool   `json:"approved,omitempty"` // a user with write access answers for it, or it was all that was asked about
}

// LeavesNothing says that the kernel's verdicts are no answer to what head changes.
func (u Uncompared) LeavesNothing() bool { return u.Only && !u.Approved }
