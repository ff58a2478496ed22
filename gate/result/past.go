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

// Past is what the records of this machine tell of a case before head, oldest first. Times are ns, what the canary says of a session
// taken out.
type Past struct {
	Points []PastPoint `json:"points"`
	Levels []PastLevel `json:"levels"` // each begins where the one before ends
	// Changes lie between neighbouring levels: Changes[i] leads from Levels[i] to Levels[i+1].
	Changes []PastChange `json:"changes"`
	// OverBest is by how much the last level is slower than the best-known one, as a fraction. What the machine did is taken out.
	OverBest   float64 `json:"overBest"`
	BestCommit string  `json:"bestCommit"`
	Since      string  `json:"since,omitempty"` // the last tag at or before BestCommit
	// Steps are the changes for the worse since BestCommit that the code made, as fractions.
	Steps []float64 `json:"steps,omitempty"`
}

// PastPoint is one record.
type PastPoint struct {
	Commit string  `json:"commit"`
	NS     float64 `json:"ns"`
}

// PastLevel is a run of points between two changes.
type PastLevel struct {
	First int     `json:"first"` // index of its first point
	Count int     `json:"count"`
	NS    float64 `json:"ns"` // median of its points
}

// PastChange is where one level ends and the next begins.
type PastChange struct {
	Commit   string     `json:"commit"`          // of the first record of the new level
	Ratio    float64    `json:"ratio,omitempty"` // new over old; 0 where they cannot be compared
	Low      float64    `json:"low,omitempty"`   // its interval of 95 %
	High     float64    `json:"high,omitempty"`
	Cause    LevelCause `json:"cause"`
	Accepted bool       `json:"accepted,omitempty"`
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
