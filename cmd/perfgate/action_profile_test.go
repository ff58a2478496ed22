package main

import (
	"testing"
	"time"

	"github.com/org/perfgate/gate/action"
	"github.com/org/perfgate/gate/result"
)

// TestPlanLimitsProfiles: the action's inputs profile and profile-budget reach the run.
func TestPlanLimitsProfiles(t *testing.T) {
	got := requestFlags(action.JobRequest{Profile: result.ProfileAlways, ProfileBudget: 90 * time.Second}, "out").profile()
	if got.Policy != "always" || got.Limit != 90*time.Second || got.Dir != "out/profiles" {
		t.Errorf("%+v", got)
	}
}
