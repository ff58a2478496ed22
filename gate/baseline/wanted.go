package baseline

import "github.com/org/perfgate/gate/result"

// sessionsPerCode is how many sessions of one code are measured for their own sake while the scatter of sessions is not
// known. Sessions that runs bring along for nothing sharpen it from there on.
const sessionsPerCode = 2

// What a record takes in processes, each on head alone: its first says what level its code has, further ones only how far
// sessions scatter, which processes tell little of.
const (
	RecordProcesses  = 8
	FurtherProcesses = minProcesses
)

// Wanted says whether one more record of a case is worth its minutes: code without a record always, known code only
// while too little is known of how far sessions scatter.
func (h History) Wanted(now Now) (bool, *result.Reason) {
	b, why := h.Base(now)
	switch {
	case b != nil && b.Found.Distance == 0:
		return false, &result.Reason{Kind: result.ReasonHasRecord} // a store holds one for each
	case b == nil:
		return true, why
	case b.Learnt.Known():
		return false, &result.Reason{Kind: result.ReasonScatterKnown}
	case len(b.Sessions) >= sessionsPerCode:
		return false, &result.Reason{Kind: result.ReasonEnoughRecords}
	}
	return true, &result.Reason{Kind: result.ReasonScatterLearnt, Count: b.Learnt.Sessions}
}
