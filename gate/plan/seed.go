package plan

import (
	"crypto/sha256"
	"encoding/binary"
)

// SeedOf is the seed of a run in CI: a hash of the commit under test, the id of the workflow run and which attempt at it this
// is. The author of a commit can choose the first and none of the others, so no kernel can be written to pass on the cases that
// will be drawn, and from the log it can be computed again. The parts are joined with a byte that none of them holds, so that
// no two triples are one text.
func SeedOf(headSHA, runID, attempt string) uint64 {
	sum := sha256.Sum256([]byte(headSHA + "\x00" + runID + "\x00" + attempt))
	return binary.LittleEndian.Uint64(sum[:])
}

// SeedInActions is SeedOf for the workflow run that this process is part of, as GitHub Actions describes it in the
// environment; false outside of one. headSHA is the commit under test: on a pull request the one of the event, never
// GITHUB_SHA, which names a merge that was never pushed.
func SeedInActions(headSHA string, getenv func(string) string) (uint64, bool) {
	id := getenv("GITHUB_RUN_ID")
	if getenv("GITHUB_ACTIONS") != "true" || id == "" || headSHA == "" {
		return 0, false
	}
	return SeedOf(headSHA, id, getenv("GITHUB_RUN_ATTEMPT")), true
}
