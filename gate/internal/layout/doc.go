// Package layout holds the tests of the house: which package may import which, and that nothing decides from sentences.
package layout
