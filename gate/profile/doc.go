// Package profile decides which cases of a run are worth a look beside the clock, and puts what was found into the result.
package profile
