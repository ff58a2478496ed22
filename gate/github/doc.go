// Package github publishes a run of the gate on GitHub: one comment per key that is edited in place, a check run with
// annotations, a commit status; and it asks GitHub what a trust decision stands on: what the head of a pull request is
// and who approved it after the last push.
//
// It talks to the REST API through google/go-github by one call (client.go), of which each question is a value: what it is to do,
// what grant it takes, where it goes. Rate limits are waited out, never longer than Options.MaxSleep in all, and what failed in the network or with
// a 5xx is repeated (retry.go). A POST is never repeated blindly: what it was to make is looked for first, since a 502 may
// follow a write that was done.
//
// ReadEvent reads what started the run. Log, SetOutputs and AddSummary talk to the Actions runner; what goes through them may
// come from a pull request, so nothing that they write can be taken for another output or for a command.
//
//	result, report.Document -> comment, check run, commit status
//	event of a job -> pull request, its head and approvals
//	text -> outputs, summary and log lines of the runner
package github
