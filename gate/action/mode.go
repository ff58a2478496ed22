package action

import (
	"fmt"
	"slices"

	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/result"
)

// Values of the input mode. Auto goes by the event.
const (
	ModeAuto       = "auto"
	ModeGate       = "gate"
	ModeRecord     = "record"
	ModeSaveRecord = "save-record"
	ModeMeasure    = "measure"  // measure, and leave the verdict to another job
	ModeMerge      = "merge"    // one verdict of what several jobs of this run measured
	ModeReport     = "report"   // one verdict of what another workflow run measured
	ModeDrift      = "drift"    // compare a part of the cases of the default branch with records
	ModeBisect     = "bisect"   // find the first slower commit between two
	ModePrecheck   = "precheck" // compile both sides, run neither, and say whether a machine that can run them has something to measure
	ModeNothing    = "nothing"  // of a job request only: the event asks for nothing
)

// compares says whether a mode is about a head and its base.
func compares(mode string) bool {
	return slices.Contains([]string{ModeGate, ModePrecheck, ModeMeasure, ModeMerge, ModeReport}, mode)
}

// builds says whether a mode compiles and runs code.
func builds(mode string) bool {
	return slices.Contains([]string{ModeGate, ModePrecheck, ModeMeasure, ModeRecord, ModeDrift, ModeBisect}, mode)
}

// Mode is what to do about an event, and why where that is nothing.
func Mode(wanted string, e github.Event) (mode, why string, err error) {
	if wanted != ModeAuto {
		return forced(wanted, e)
	}
	switch e.Name {
	case github.EventPullRequest, github.EventMergeGroup, github.EventWorkflowDispatch:
		return ModeGate, "", nil
	case github.EventSchedule:
		return ModeRecord, "", nil
	case github.EventPush:
		switch {
		case e.Deleted:
			return ModeNothing, "the push removes a branch, so there is nothing to measure", nil
		case e.Ref != "refs/heads/"+e.Repo.DefaultBranch:
			return ModeNothing, fmt.Sprintf("the push is not to the default branch %s, and pushes to others are not recorded (mode: record records them)", e.Repo.DefaultBranch), nil
		}
		return ModeRecord, "", nil
	case github.EventWorkflowRun:
		return ModeReport, "", nil
	}
	return "", "", result.Usagef("perfgate does not know what to do on %s; use it on pull_request, merge_group, push, workflow_dispatch, schedule or workflow_run", e.Name)
}

// forced is a mode that the workflow names; some events lack what it needs.
func forced(mode string, e github.Event) (string, string, error) {
	if e.Deleted {
		return ModeNothing, "the push removes a branch, so there is nothing to measure", nil
	}
	if compares(mode) && e.Name == github.EventSchedule {
		return "", "", result.Usagef("mode: %s has nothing to compare on a schedule: use mode: record", mode)
	}
	if mode == ModeBisect && e.Name != github.EventWorkflowDispatch {
		return "", "", result.Usagef("mode: bisect searches between two commits that somebody names: use it on workflow_dispatch, with the inputs good and bad")
	}
	if mode == ModeReport && e.Name != github.EventWorkflowRun {
		return "", "", result.Usagef("mode: report reports of another workflow run: use it on workflow_run")
	}
	if e.Name == github.EventWorkflowRun && mode != ModeReport {
		return "", "", result.Usagef("mode: %s does nothing on workflow_run, which has the token of this repository after a run that anyone may have started: "+
			"use it on pull_request; %s", mode, forkWorkflows)
	}
	return mode, "", nil
}
