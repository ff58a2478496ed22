package rule

// Looks are the numbers of complete rounds after which the bounds are looked at. docs/statistics.md has the rule.
var Looks = []int{4, 6, 8, 12, 16, 20, 28, 36}

const (
	improvementRounds = 12 // how long a case that may be an improvement waits before it settles for faster
	suspectRounds     = 16 // how long a case with a process far outside of all others waits before it passes
)
