// Package ncu runs NVIDIA Nsight Compute on a runner and reads what it exports.
//
// Two exports of one report are read: the raw page (every metric of every kernel) and the details page (the rules, Nsight's
// own advice). Units are normalised to byte, second, hz and % on the way in, so that values of two profiles can be compared
// whatever the exporting version scaled them to. Names, units and texts come from files and from the code under test:
// treat them as hostile.
package ncu
