// Package identity tells whether both sides of a comparison are the same to the processes that run them, by the files that these asked for: files that
// differ in head, and what a process loaded in the place of its own side's files. It knows trees and reports of the observer, and no kernels.
package identity
