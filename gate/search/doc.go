// Package search measures what goes beyond one run of the gate: the steps of a bisection, the candidates of judge, a drift check in one session or two.
// It also compares what was saved. It keeps findings, kinds and numbers; package report makes the sentences.
//
//	bisect:  commits from good to bad -> the one in the middle, measured -> slower or not: half of them -> the first slower commit
//	judge:   a candidate's tree -> measured beside the best so far -> rule -> Answer, for the loop, and into the Ledger, which later calls read
//	drift:   this turn's part of the cases -> a session -> compared with the records of its machine, and once more if it found something
//	compare: two sets of samples, of a result or another tool's file -> the rule, case by case, at a single look
//
// In comparing files the unit is the process: launches of one process are correlated, since they share memory placement, clock and background load, so a
// thousand of them say little about the next process.
package search
