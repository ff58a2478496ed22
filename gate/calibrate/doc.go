// Package calibrate simulates the decision rule: it makes processes whose true shift is known, from a model of noise
// and from recordings of a real GPU, lets the rule decide, and counts how often it is wrong, how often it finds what
// is there, and how many rounds that takes. Rules of other tools decide on the same samples.
//
// Equal options give equal numbers, however many cores there are.
package calibrate
