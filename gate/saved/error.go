package saved

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Fault is what kind of wrong a document is.
type Fault int

// Faults.
const (
	Damaged Fault = iota // of the kind and the version, and not as they have to be
	Foreign              // something else, or of an earlier version
	Newer                // of a later version
)

// Error is a document that cannot be read, and where it goes wrong: at a line and column, or at a field.
type Error struct {
	File   string // as it was given; empty for a stream
	Line   int    // from 1; 0 if the place is a field or the whole file
	Column int    // in bytes, from 1
	Field  string // such as cases[3].verdict
	Fault  Fault
	Err    error
}

// Error returns "result.json:3:14: what is wrong" or "result.json: cases[3].verdict: what is wrong".
func (e *Error) Error() string {
	var b strings.Builder
	switch {
	case e.File != "" && e.Line > 0:
		fmt.Fprintf(&b, "%s:%d:%d: ", e.File, e.Line, e.Column)
	case e.File != "":
		fmt.Fprintf(&b, "%s: ", e.File)
	case e.Line > 1:
		fmt.Fprintf(&b, "line %d, column %d: ", e.Line, e.Column)
	case e.Line > 0: // it may be an entry of a file, which has its own count of lines
		fmt.Fprintf(&b, "column %d: ", e.Column)
	}
	if e.Field != "" {
		fmt.Fprintf(&b, "%s: ", e.Field)
	}
	b.WriteString(e.Err.Error())
	return b.String()
}

// Unwrap returns what is wrong without its place.
func (e *Error) Unwrap() error { return e.Err }

// syntaxError gives an error of encoding/json its line and column in data.
func syntaxError(data []byte, err error) *Error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.As(err, &syntax) && syntax.Offset >= int64(len(data)):
		return at(data, int64(len(data)), errors.New("the file ends in the middle: was it cut off?"))
	case syntax != nil:
		return at(data, syntax.Offset, err)
	case errors.As(err, &kind):
		e := at(data, kind.Offset, fmt.Errorf("%s does not fit here, %s is expected", kind.Value, kind.Type))
		e.Field = kind.Field
		return e
	}
	return &Error{Err: err}
}

// at places err at the byte that ends at offset.
func at(data []byte, offset int64, err error) *Error {
	offset = max(0, min(offset-1, int64(len(data))))
	before := data[:offset]
	line := bytes.Count(before, []byte("\n")) + 1
	column := len(before) - (bytes.LastIndexByte(before, '\n') + 1) + 1
	return &Error{Line: line, Column: column, Err: err}
}

// clip keeps a word of the file quotable in an error.
func clip(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}
