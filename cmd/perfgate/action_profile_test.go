package main

import (
	"testing"
	"time"

	"github.com/org/perfgate/gate/action"
	"github.com/org/perfgate/gate/result"
)

// TestPlanLimitsProfiles: the action's inputs profile and profile-budget reach the run.
func TestPlanLimitsProfiles(t *testing.T) {
	got := profileOf(action.JobRequest{Profile: result.ProfileAlways, ProfileBudgetS: 90}, "out")
	if got.Policy != "always" || got.Limit != 90*time.Second || got.Dir != "out/profiles" {
		t.Errorf("%+v", got)
	}
}
