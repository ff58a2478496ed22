package baseline

import "fmt"

// enoughDF is where one more session hardly sharpens the variance between sessions: its bounds are then 1.5 times as
// wide as those of a variance that is known.
const enoughDF = 20

// sessionsPerCode is how many sessions of one code are taken while the variance is still being learnt.
const sessionsPerCode = 3

// Wanted says whether one more record of a case is worth its minutes: code without a record always, known code only
// while too little is known of how far sessions scatter.
func (h History) Wanted(now Now) (bool, string) {
	b, why := h.Base(now)
	if b == nil {
		return true, why
	}
	switch {
	case b.Learnt.Known() && b.Learnt.DF >= enoughDF:
		return false, "its code has a record, and the scatter of sessions is known"
	case len(b.Sessions) >= sessionsPerCode && b.Learnt.Known():
		return false, "its code has records enough"
	}
	return true, fmt.Sprintf("the scatter of sessions is still being learnt (%d sessions so far)", b.Learnt.Sessions)
}
