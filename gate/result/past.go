package result

// LevelCause is what a change of a case's level came from, as far as records tell.
type LevelCause string

const (
	// LevelByCommit: the built code changed, and nothing of the machine did.
	LevelByCommit LevelCause = "commit"
	// LevelByMachine: the built code is what it was, or what had not changed moved as far in the same session.
	LevelByMachine LevelCause = "machine"
	// LevelByBoth: more than what moved the unchanged code.
	LevelByBoth LevelCause = "both"
	// LevelByToolchain: the compiler changed between the two records.
	LevelByToolchain LevelCause = "toolchain"
	// LevelUnclear: code and machine changed between the same two records, and there is no other case to ask.
	LevelUnclear LevelCause = "unclear"
	// LevelOfOtherWork: the configuration or the way of timing changed: the levels cannot be compared.
	LevelOfOtherWork LevelCause = "other-work"
)

// Past is what the records of this machine say of a case before head, oldest first, where it is above its best-known level by more
// than the tolerance. Times are ns, normalized by the canary of their session.
type Past struct {
	Points  []PastPoint  `json:"points"`  // a record each
	Levels  []PastLevel  `json:"levels"`  // runs of points between two changes; each begins where the one before ends
	Changes []PastChange `json:"changes"` // changes[i] leads from levels[i] to levels[i+1]
	// by how much the last level is slower than the best-known one; what the machine did is taken out (fraction)
	OverBest   float64   `json:"overBest"`
	BestCommit string    `json:"bestCommit"`      // the newest commit of the best-known level
	Since      string    `json:"since,omitempty"` // the last tag at or before bestCommit
	Steps      []float64 `json:"steps,omitempty"` // what changes of the code lost since bestCommit, one by one (fraction)
}

// PastPoint is one record.
type PastPoint struct {
	Commit string  `json:"commit"` // whose record it is
	NS     float64 `json:"ns"`     // median over its processes
}

// PastLevel is a run of points between two changes.
type PastLevel struct {
	First int     `json:"first"` // index of its first point
	Count int     `json:"count"` // of its points
	NS    float64 `json:"ns"`    // median of its points
}

// PastChange is where one level ends and the next begins.
type PastChange struct {
	Commit   string     `json:"commit"`             // of the first record of the new level
	Ratio    float64    `json:"ratio,omitempty"`    // new level over old one; missing where they cannot be compared (fraction)
	Low      float64    `json:"low,omitempty"`      // its interval of 95 %, below (fraction)
	High     float64    `json:"high,omitempty"`     // and above (fraction)
	Cause    LevelCause `json:"cause"`              // what caused it
	Accepted bool       `json:"accepted,omitempty"` // somebody accepted it
}

// whole says whether the levels hold all points, each once, and the changes lie between them.
func (p *Past) whole() bool {
	next := 0
	for _, l := range p.Levels {
		if l.First != next || l.Count < 1 || l.Count > len(p.Points)-next {
			return false
		}
		next += l.Count
	}
	return next == len(p.Points) && len(p.Changes) == max(0, len(p.Levels)-1)
}
