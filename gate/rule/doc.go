// Package rule decides: from the log values of processes to the comparison of a case, from that to its verdict, and
// from the verdicts of a run to pass, fail or error with an exit code.
//
// It is pure: it reads nothing, writes nothing, asks no clock and draws random numbers only from a seed that it is
// given, so a saved run can be decided again to the same answer.
package rule
