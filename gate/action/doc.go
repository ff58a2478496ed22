// Package action runs the gate inside a workflow of GitHub Actions, in three steps that share a folder and no
// environment:
//
//	prepare  holds the token: what started the run, is it still wanted, what to compare       -> job-request.json
//	measure  holds no token and runs the code under test                                      -> outcome.json, out/
//	report   holds the token: comment, check run, summary, outputs, exit code
//
// The folder may have been written by the code under test, so report asks the event again what the run was about and
// reads what measure left as untrusted data. docs/github.md describes the action for its users.
//
// What a run does is its mode: the table in mode.go says which steps each takes, and to which sinks its verdict goes (publish.go). Gate and record
// measure and report in one job; measure leaves an artifact for another job, which makes the verdict without having measured: of the same run
// (merge), or of a workflow_run that has the token and no checkout (report); save-record puts a record into the repository. Whoever measured, a verdict is made on
// one road (report.go): results are read strictly, decided again from their samples (judge.go), by a policy that comes from the
// repository (rules.go), of which a checkout or a fetch has the objects (change.go, tree.go), and published. A head that
// left its base branch before the policy changed there is not measured (stale.go); only a label of a writer lets head's own policy
// count (trust.go), and no code of a fork is built where there is a token (external.go).
//
// workflows.go has the workflows that perfgate init --github writes.
package action
