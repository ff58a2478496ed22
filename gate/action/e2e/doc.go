// Package e2e rehearses the shipped action and the workflows that perfgate init --github writes: a workflow engine
// (github.com/nektos/act) runs them without a network, in host mode, on the sample repository testdata/consumer, against a
// GitHub that is fake. Some cells of the matrix measure real kernels, the others take saved results, which only a perfgate
// that is built with the tag perfgate_rehearsal can.
//
// What this cannot prove is listed in docs/measurements/action/README.md.
package e2e
