// Package rule decides: from the log values of processes to the comparison of a case, from that to its verdict, and
// from the verdicts of a run to pass, fail or error with an exit code.
//
//	processes -> Rounds -> Compare -> Decide -> Conclude
//	saved result -> Replay -> the same answer, or what contradicts it
//	several results -> Merge, which replays each
//
// A case is inconclusive where Decide has no verdict at the last look. What that means for its run is policySays, by the policy and
// the noise: the kind of a finding. The table rules turns a kind into an effect, and settled the effects into the exit code.
//
// It is pure: it reads nothing, writes nothing, asks no clock and draws random numbers only from a seed that it is
// given, so a saved run can be decided again to the same answer.
//
// A run of the gate:
//   - Timing: how samples were taken, which bounds the scatter from below.
//   - Schedule: how many processes of each side a round has, and after which rounds bounds are looked at.
//   - Orders: in which order base, head and competitors run within a round.
//   - TimingCheck: how far the clock of head's processes and an external one disagree.
//   - StopRule, Gate, Speedups, SuiteLooks: when rounds are enough, and what decides cases by themselves, minimum speedups and suites.
//   - Looks: numbers of rounds after which there is a look.
//   - Part: what one run, or one shard or machine of it, is concluded from.
//   - Problem, FailOn: what is wrong with a run, and which of that fails a job.
//   - Acceptance: cases whose regression a person takes the responsibility for.
//
// Searches, which stop by rules of their own:
//   - Course, Stand, Standing: the looks of judge at one candidate, and how it stands.
//   - Spending: the chance of error that all candidates of a search share.
//   - Together: all cases of a candidate looked at together, by a Course.
//   - Elimination, Survivors: the looks of tune at many configurations, and those that are left.
//
// What is saved:
//   - Replayed, Difference, Unproven, UnprovenKind: a saved result decided again, what in it contradicts itself, and what is there on its word alone.
//   - MergeInput, MergeOptions: results to make one of, and what is expected of them.
package rule
