// Package profile decides which cases of a run are worth a look beside the clock, looks at compiled code and instruction counts,
// and puts what was found into the result. Nsight Compute is in package ncu, causes are in package explain.
package profile
