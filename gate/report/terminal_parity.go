package report

import "io"

// TerminalParity prints whether head is right, the parity of each kernel and what went wrong, and nothing of speed.
func TerminalParity(w io.Writer, d Document, opt TerminalOptions) error {
	s := newScreen(opt)
	s.answer(d)
	s.gap()
	s.checks(d.Parity)
	s.problems(d.Problems, true)
	return s.flush(w)
}
