package report

import (
	"testing"

	"github.com/org/perfgate/gate/result"
)

func init() { samples["accepted"] = acceptedSample }

// acceptedSample is a regression that a person answers for, measured where an hour has a price.
func acceptedSample(tb testing.TB) *result.Result {
	r := compared(tb, attention)
	r.Accepted = []result.Accepted{
		{Case: "attention/B=1,H=8,S=128,D=64,causal=0", By: "octocat", How: "the label perfgate-accept, applied after the last push"},
		{By: "hubot"},
	}
	r.Cost = result.NewCost(0.71, r.Timings)
	return conclude(r)
}
