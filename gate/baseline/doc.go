// Package baseline remembers what commits measured: records, the stores that keep them, the way from a commit to the
// records that it can be compared with, and what those say of head, of the machine and of the trend.
//
// A stored record screens and remembers: it may say `same`, and everything else asks for side-by-side rounds.
// docs/history.md describes the format and the rules.
//
//	result -> Record -> codec -> a commit on the branch of records, pushed with compare-and-swap
//	commit, machine -> the nearest ancestor's Record, its sessions -> screening: same, or side-by-side rounds
package baseline
