// Package identity tells whether both sides of a comparison are the same to the processes that run them, by the files that these asked for: files that
// differ in head, and what a process loaded in the place of its own side's files. It knows trees and reports of the observer, and no kernels.
//
//	two trees, what the Linux kernel was asked for by both sides -> files that differ and were asked for
//	files that a process loaded -> those that are the other side's
package identity
