package action

import (
	"context"
	"fmt"
	"slices"

	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/report"
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
	ModeIssue      = "issue"    // tell the issue of a machine what an earlier job found by drift or bisect
	ModePrecheck   = "precheck" // compile both sides, run neither, and say whether a machine that can run them has something to measure
	ModeNothing    = "nothing"  // of a job request only: the event asks for nothing
)

// mode is what a run does, in the two steps that hold the token.
type mode struct {
	name      string
	event     string // the only one that it is for; "": all but workflow_run
	elsewhere string // why it is for no other
	compares  bool   // a head with its base
	builds    bool   // compiles and runs code
	saves     bool   // writes into the repository
	prepare   func(*step, context.Context) error
	verdict   func(*step, context.Context) (verdict, error)
	suffix    string // of the artifact's name, where another job of the run has that
	sinks     []sink // of the verdict, in order: each knows what became of those before it
	binds     bool   // the job ends with the exit code of the verdict
}

// modes are all that a run can do.
var modes = []mode{
	{name: ModeGate, compares: true, builds: true, prepare: (*step).writeRequest, verdict: own((*step).gateVerdict), sinks: onPullRequest, binds: true},
	{name: ModeRecord, builds: true, prepare: (*step).writeRequest, verdict: own((*step).recordVerdict), suffix: "-record", sinks: inRun, binds: true},
	{name: ModeSaveRecord, saves: true, verdict: resolved((*step).save), sinks: []sink{toSummary, toOutputs}},
	{name: ModeMeasure, compares: true, builds: true, prepare: (*step).writeRequest, verdict: resolved((*step).handOver), sinks: []sink{toArtifact, toSummary, toOutputs}},
	{name: ModeMerge, compares: true, prepare: (*step).prepareMerge, verdict: resolved((*step).merge), sinks: onPullRequest, binds: true},
	{name: ModeReport, event: github.EventWorkflowRun, elsewhere: "reports of another workflow run", compares: true, prepare: (*step).prepareMerge, verdict: (*step).reportRun,
		sinks: []sink{addEarlier, toPage, toComment, toCheck, toStatus, toSummary, toOutputs}},
	{name: ModeDrift, builds: true, prepare: (*step).writeRequest, verdict: own(driftTold.own), suffix: "-record", sinks: inRun, binds: true},
	{name: ModeBisect, event: github.EventWorkflowDispatch, elsewhere: "searches between two commits that somebody names, by the inputs good and bad",
		builds: true, prepare: (*step).writeRequest, verdict: own(searchTold.own), sinks: inRun, binds: true},
	{name: ModeIssue, verdict: resolved((*step).issueVerdict), sinks: []sink{toIssue, toSummary, toOutputs}},
	{name: ModePrecheck, compares: true, builds: true, prepare: (*step).writeRequest, verdict: own((*step).precheckVerdict), suffix: "-precheck", sinks: onPullRequest, binds: true},
	{name: ModeNothing, verdict: (*step).idleVerdict, sinks: []sink{toSummary, toOutputs}},
}

// Where verdicts of a job's own run are said.
var (
	inRun         = []sink{toArtifact, toPage, toSummary, toOutputs, toAnnotation}
	onPullRequest = []sink{addEarlier, toArtifact, toPage, toComment, toCheck, toSummary, toOutputs, toAnnotation}
)

// modeNames are the values of the input mode.
func modeNames() []string {
	names := []string{ModeAuto}
	for _, m := range modes {
		if m.name != ModeNothing {
			names = append(names, m.name)
		}
	}
	return names
}

// chooseMode is what to do about an event, and why where that is nothing.
func chooseMode(wanted string, e github.Event) (m mode, why string, err error) {
	nothing := modes[len(modes)-1]
	if e.Deleted {
		return nothing, "the push removes a branch, so there is nothing to measure", nil
	}
	if wanted == ModeAuto {
		wanted = map[string]string{
			github.EventPullRequest: ModeGate, github.EventMergeGroup: ModeGate, github.EventWorkflowDispatch: ModeGate,
			github.EventSchedule: ModeRecord, github.EventPush: ModeRecord, github.EventWorkflowRun: ModeReport,
		}[e.Name]
		if e.Name == github.EventPush && e.Ref != "refs/heads/"+e.Repo.DefaultBranch {
			return nothing, fmt.Sprintf("the push is not to the default branch %s, and pushes to others are not recorded (mode: record records them)", e.Repo.DefaultBranch), nil
		}
	}
	i := slices.IndexFunc(modes, func(m mode) bool { return m.name == wanted })
	if i < 0 {
		return m, "", result.Usagef("perfgate does not know what to do on %s; use it on pull_request, merge_group, push, workflow_dispatch, schedule or workflow_run", e.Name)
	}
	switch m = modes[i]; {
	case m.event != "" && m.event != e.Name:
		err = result.Usagef("mode: %s %s: use it on %s", m.name, m.elsewhere, m.event)
	case m.compares && e.Name == github.EventSchedule:
		err = result.Usagef("mode: %s has nothing to compare on a schedule: use mode: record", m.name)
	case m.event == "" && e.Name == github.EventWorkflowRun:
		err = result.Usagef("mode: %s does nothing on workflow_run, which has the token of this repository after a run that anyone may have started: "+
			"use it on pull_request; %s", m.name, forkWorkflows)
	}
	return m, "", err
}

// resolved is a verdict in a job that has a checkout with the commits of the run.
func resolved(of func(*step, context.Context) (verdict, error)) func(*step, context.Context) (verdict, error) {
	return func(s *step, ctx context.Context) (verdict, error) {
		if err := s.resolve(ctx); err != nil {
			return verdict{}, err
		}
		return of(s, ctx)
	}
}

// own is the verdict of what this job itself measured. Whatever cannot be trusted is an error of the run, never a pass.
func own(conclude func(*step, context.Context, Outcome) verdict) func(*step, context.Context) (verdict, error) {
	return resolved(func(s *step, ctx context.Context) (verdict, error) {
		s.tidy()
		o, err := readOutcome(s.work())
		if err != nil {
			return unmeasured(result.ExitNotMeasurable, err.Error()), nil
		}
		if o.Error != "" {
			return unmeasured(result.ExitCode(max(o.Exit, 1)), o.Error), nil
		}
		return conclude(s, ctx, o), nil
	})
}

// gateVerdict is that of mode gate.
func (s *step) gateVerdict(ctx context.Context, o Outcome) verdict {
	c, err := s.checkedOut(ctx)
	if err != nil {
		return unusable(err)
	}
	v := s.decide(ctx, c, road{
		collect:  func(context.Context) ([]part, error) { return s.ownPart(o) },
		approval: func() *github.Approval { return s.approved(ctx) },
		ownRules: func() bool { return s.trust(ctx) != repo.TrustBase },
		measured: true,
	})
	s.takeNotes(&v, o)
	return v
}

// idleVerdict is that of a run with nothing to do.
func (s *step) idleVerdict(context.Context) (verdict, error) {
	return verdict{document: headline("PASS", report.Good, s.idle)}, nil
}
