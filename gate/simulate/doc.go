// Package simulate runs the decision rule on processes whose true shift is known, made by noise models and from recordings
// of a real GPU. It counts how often the rule is wrong, how often it finds what is there, and what that costs. The rules
// of other tools decide on the same samples.
//
// Equal options give equal numbers, however many cores there are.
//
//	Options, noise model or recording -> processes with a known shift -> gate/rule -> rates of errors and finds, rounds -> tables
package simulate
