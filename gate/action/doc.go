// Package action runs the gate inside a workflow of GitHub Actions, in three steps that share a folder and no
// environment:
//
//	prepare  holds the token: what started the run, is it still wanted, what to compare       -> plan.json
//	measure  holds no token and runs the code under test                                      -> outcome.json, out/
//	report   holds the token: comment, check run, summary, outputs, exit code
//
// The folder may have been written by the code under test, so report asks the event once more what the run was about and
// reads what measure left as data of a stranger. docs/github.md describes the action for its users.
//
// Where several jobs measure (mode measure), their verdict is made by a job that measured nothing: of the same run (mode
// merge), or of a workflow_run that has the token and no checkout (mode report). Both take the results apart as a stranger's:
// read strictly, decided again from the samples, held against rules that come from the repository.
package action
