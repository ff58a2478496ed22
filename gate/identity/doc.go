// Package identity says whether both sides of a comparison are the same to a process, by the files that it asked for: what base's processes asked for and
// head has another of, and what a process loaded in the place of its own side's files. It knows trees and reports of the observer, and no kernels.
package identity
