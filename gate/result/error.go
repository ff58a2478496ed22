package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// ReadError is a result that cannot be read, and where it goes wrong: at a line and column, or at a field.
type ReadError struct {
	File   string // as it was given; empty for a stream
	Line   int    // from 1; 0 if the place is a field or the whole file
	Column int    // in bytes, from 1
	Field  string // such as cases[3].verdict
	Err    error
}

// Error returns "result.json:3:14: what is wrong" or "result.json: cases[3].verdict: what is wrong".
func (e *ReadError) Error() string {
	var b strings.Builder
	switch {
	case e.File != "" && e.Line > 0:
		fmt.Fprintf(&b, "%s:%d:%d: ", e.File, e.Line, e.Column)
	case e.File != "":
		fmt.Fprintf(&b, "%s: ", e.File)
	case e.Line > 0:
		fmt.Fprintf(&b, "line %d, column %d: ", e.Line, e.Column)
	}
	if e.Field != "" {
		fmt.Fprintf(&b, "%s: ", e.Field)
	}
	b.WriteString(e.Err.Error())
	return b.String()
}

// Unwrap returns what is wrong without its place.
func (e *ReadError) Unwrap() error { return e.Err }

// syntaxError gives an error of encoding/json its line and column in data.
func syntaxError(data []byte, err error) *ReadError {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		e := at(data, syntax.Offset, err)
		if syntax.Offset >= int64(len(data)) {
			e.Err = errors.New("the file ends in the middle of the result: was it cut off?")
		}
		return e
	case errors.As(err, &kind):
		e := at(data, kind.Offset, fmt.Errorf("%s does not fit here, %s is expected", kind.Value, kind.Type))
		e.Field = kind.Field
		return e
	}
	return &ReadError{Err: err}
}

// at places err at the byte that ends at offset.
func at(data []byte, offset int64, err error) *ReadError {
	offset = max(0, min(offset-1, int64(len(data))))
	before := data[:offset]
	line := bytes.Count(before, []byte("\n")) + 1
	column := len(before) - (bytes.LastIndexByte(before, '\n') + 1) + 1
	return &ReadError{Line: line, Column: column, Err: err}
}
