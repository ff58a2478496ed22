// Package saved reads and writes the JSON documents that perfgate keeps: results, records, ledgers, what steps of the action hand over.
// What is read may be anybody's: it is bounded and held to its Kind. What is written is always what would be read again.
//
//	value -> JSON with schema and version first -> a file that is replaced at once
//	file -> bounded, strict, of its Kind -> value
package saved

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"reflect"
	"strconv"
	"strings"
	"syscall"

	"github.com/org/perfgate/gate/text"
	"github.com/org/perfgate/gate/untrusted"
)

// Kind is a kind of document, which a T holds. One whose *T has a method Check() error is asked, too, on reading and on writing.
type Kind[T any] struct {
	Schema string         // of its first field, such as perfgate/result/v3; "" for entries of a file of lines
	Bytes  int64          // it may have at most
	Line   bool           // it is written as one line
	Texts  []string       // names of fields whose text may have several lines, of at most 32 KiB; that of others is one line
	Most   map[string]int // most entries of lists by the names of their fields; others have at most 4096
}

// firstField is how every document begins.
var firstField = text.Pattern(`^\s*\{\s*"schema"\s*:\s*"([^"\\]+)"`)

// schemaOf is the schema in the first field of what begins so, "" without one.
func schemaOf(start []byte) string {
	if found := firstField().FindSubmatch(start[:min(len(start), 512)]); found != nil {
		return string(found[1])
	}
	return ""
}

// version takes a schema apart: perfgate/result/v3 is version 3 of perfgate/result; 0 is none.
func version(schema string) (name string, number int) {
	name, digits, _ := strings.Cut(schema, "/v")
	number, _ = strconv.Atoi(digits)
	return name, number
}

// what is the document's name in messages.
func (k Kind[T]) what() string {
	name, _ := version(k.Schema)
	return path.Base(name)
}

// Begins says whether a file that starts so is of the kind, of this or another version. 64 bytes tell.
func (k Kind[T]) Begins(start []byte) bool {
	name, _ := version(schemaOf(start))
	return strings.HasPrefix(k.Schema, name+"/v")
}

// ReadFile reads the document in the regular file at path. What is wrong with it is an *Error that names the file.
func (k Kind[T]) ReadFile(path string) (*T, error) {
	f, err := untrusted.OpenLinked(path, k.Bytes)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("read %s: %w", k.what(), err)
	case err != nil:
		return nil, &Error{File: path, Err: err}
	}
	defer f.Close()
	v, err := k.Read(f)
	var bad *Error
	if errors.As(err, &bad) {
		bad.File = path
	} else if err != nil {
		err = fmt.Errorf("read %s %s: %w", k.what(), path, err)
	}
	return v, err
}

// Read reads one document and nothing behind it. What is wrong with the document is an *Error.
func (k Kind[T]) Read(in io.Reader) (*T, error) {
	data, err := io.ReadAll(io.LimitReader(in, k.Bytes+1))
	if err != nil {
		return nil, err
	}
	return k.Decode(data)
}

// Decode is Read of a document in memory.
func (k Kind[T]) Decode(data []byte) (*T, error) {
	switch {
	case len(data) == 0:
		return nil, &Error{Err: errors.New("the file is empty")}
	case int64(len(data)) > k.Bytes:
		return nil, &Error{Err: untrusted.TooLargeError{Limit: k.Bytes}}
	}
	if err := k.checkSchema(data); err != nil {
		return nil, err
	}
	if err := scan(data); err != nil {
		return nil, err
	}
	v := new(T)
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return nil, syntaxError(data, err)
	}
	if err := k.check(v, false); err != nil {
		return nil, err
	}
	return v, nil
}

// checkSchema looks at the schema before anything else: another version may have other types under the same names, and must not be
// answered with a complaint about one of them.
func (k Kind[T]) checkSchema(data []byte) error {
	if k.Schema == "" {
		return nil
	}
	schema := schemaOf(data)
	name, number := version(schema)
	ours, reads := version(k.Schema)
	switch {
	case schema == k.Schema:
		return nil
	case schema == "":
		return &Error{Field: "schema", Fault: Foreign, Err: fmt.Errorf("missing: this is no %s of perfgate (%s)", k.what(), k.Schema)}
	case name != ours || number < 1:
		return &Error{Field: "schema", Fault: Foreign, Err: fmt.Errorf("%q is not %s", clip(schema), k.Schema)}
	}
	bad := &Error{Field: "schema", Fault: Foreign, Err: fmt.Errorf("%s, and this perfgate reads %s: measure again, or use the perfgate that wrote it", clip(schema), k.Schema)}
	if number > reads {
		bad.Fault = Newer
	}
	return bad
}

// check holds what was read, or is to be written and mended, to its bounds, and asks the document itself.
func (k Kind[T]) check(v *T, mends bool) error {
	if err := Walk(v, func(p Place) error { return k.bound(p, mends) }); err != nil {
		return err
	}
	c, ok := any(v).(interface{ Check() error })
	if !ok {
		return nil
	}
	err := c.Check()
	var bad *Error
	if err != nil && !errors.As(err, &bad) {
		return &Error{Err: err}
	}
	return err
}

// Encode writes v as JSON with a line end, or nothing. In v itself, texts, lists and numbers beyond what Read takes are cut to that, and lines lose
// their control characters. What still would be refused is an error: numbers that are none, lists of Kind.Most that are too long, too
// large a document, and what Check says.
func (k Kind[T]) Encode(w io.Writer, v *T) error {
	if schema := reflect.ValueOf(v).Elem().Field(0); k.Schema != "" && schema.String() != k.Schema {
		return &Error{Field: "schema", Err: fmt.Errorf("%q is not %s", schema, k.Schema)}
	}
	if err := k.check(v, true); err != nil {
		return err
	}
	var b bytes.Buffer
	indent := " "
	if k.Line {
		indent = ""
	}
	if err := encode(&b, v, indent); err != nil {
		return err
	}
	if int64(b.Len()) > k.Bytes {
		return &Error{Err: untrusted.TooLargeError{Limit: k.Bytes}}
	}
	if b.Len() > 2*mostValues { // less cannot have too many
		if err := scan(b.Bytes()); err != nil {
			return err
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// Print writes a document for people and other programs as indented JSON and a newline. It is not held to a kind.
func Print(w io.Writer, v any) error { return encode(w, v, " ") }

func encode(w io.Writer, v any, indent string) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", indent)
	enc.SetEscapeHTML(false) // command lines are for people: && stays &&
	return enc.Encode(v)
}

// Write puts what Encode makes of v at path, as Replace does.
func (k Kind[T]) Write(path string, v *T) error {
	if err := Replace(path, func(w io.Writer) error { return k.Encode(w, v) }); err != nil {
		return writeError(path, k.what(), err)
	}
	return nil
}

// writeError says what went wrong about path, which the caller knows, not about the temporary file, which is gone.
func writeError(path, what string, err error) error {
	var inner *fs.PathError
	var moved *os.LinkError
	switch {
	case errors.As(err, &inner):
		err = inner.Err
	case errors.As(err, &moved):
		err = moved.Err
	}
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("write %s %s: the disk is full, nothing was written: %w", what, path, err)
	}
	return fmt.Errorf("write %s %s: %w", what, path, err)
}
