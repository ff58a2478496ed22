package parity

import "time"

// Wishes are what one command asks of parity beyond the configuration. The zero value asks for nothing.
type Wishes struct {
	Until  time.Duration // draw more cases until this much time is over, and let one take as long; 0: the planned ones alone
	Corpus string        // file of cases that failed before, tried first; "" for none
	Save   bool          // add what fails to Corpus
	Saved  func(string)  // hears which case Corpus has got so, or had already; may be nil
}
