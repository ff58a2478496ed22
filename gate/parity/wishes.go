package parity

import "time"

// Wishes are what one command asks of parity beyond the configuration. The zero value asks for nothing.
type Wishes struct {
	Until  time.Duration // draw more cases until this much time is over; 0: the planned ones alone
	Corpus string        // file of cases that failed before, tried first; "" for none
	Save   bool          // add what fails to Corpus
}
