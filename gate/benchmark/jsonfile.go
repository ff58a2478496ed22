package benchmark

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/org/perfgate/gate/text"
)

// DecodeJSON decodes data, which stands at an offset of a file, into v; an error says on which line.
func DecodeJSON(path string, file []byte, offset int64, data []byte, v any) error {
	err := json.Unmarshal(data, v)
	var syntax *json.SyntaxError
	var mistyped *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return &FileError{path, lineAt(file, offset+syntax.Offset), fmt.Errorf("not JSON: %w", err)}
	case errors.As(err, &mistyped):
		return &FileError{path, lineAt(file, offset+mistyped.Offset), fmt.Errorf("%s is a %s, want %s", mistyped.Field, mistyped.Value, mistyped.Type)}
	case err != nil:
		return &FileError{path, 0, err}
	}
	return nil
}

// number is a float64 of which null is NaN, so that what a tool wrote as NaN is no number where it is asked for one.
type number float64

func (n *number) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*n = number(math.NaN())
		return nil
	}
	return json.Unmarshal(data, (*float64)(n))
}

// notNumber is a string of JSON, or what Google Benchmark and Python write where a number is none, as counters often are.
var notNumber = text.Pattern(`"(?:[^"\\]|\\.)*"|-?(?:Infinity|NaN)`)

// withNulls is JSON with null in the place of each that is no number. Lines stay where they are.
func withNulls(file []byte) []byte {
	if !bytes.Contains(file, []byte("NaN")) && !bytes.Contains(file, []byte("Infinity")) {
		return file
	}
	return notNumber().ReplaceAllFunc(file, func(found []byte) []byte {
		if found[0] == '"' {
			return found
		}
		return []byte("null")
	})
}

// decodeList hands over the elements of a list of the top-level object one by one, so that what is wrong with one has its line.
func decodeList[T any](path string, file []byte, key string, take func(T) error) error {
	file = withNulls(file)
	var top map[string]json.RawMessage
	if err := DecodeJSON(path, file, 0, file, &top); err != nil {
		return err
	}
	list := top[key]
	start := int64(max(bytes.Index(file, list), 0))
	var elements []json.RawMessage
	if err := DecodeJSON(path, file, start, list, &elements); err != nil {
		return err
	}
	for _, raw := range elements {
		start += int64(max(bytes.Index(file[start:], raw), 0))
		var element T
		if err := DecodeJSON(path, file, start, raw, &element); err != nil {
			return err
		}
		if err := take(element); err != nil {
			return &FileError{path, lineAt(file, start), err}
		}
		start += int64(len(raw))
	}
	return nil
}

// readCases reads the cases in a list of a file that a tool wrote; none is what to say where there are none.
func readCases[T any](path string, file []byte, key, format, none string, take func(*caseBuilder, T) error) (Set, error) {
	b := newCaseBuilder()
	err := decodeList(path, file, key, func(one T) error { return take(b, one) })
	if err == nil && len(b.cases) == 0 {
		err = &FileError{path, 0, errors.New(none)}
	}
	if err != nil {
		return Set{}, err
	}
	return b.set(path, format), nil
}

// lineAt returns the line of a byte offset, from 1.
func lineAt(data []byte, offset int64) int {
	offset = min(max(offset, 0), int64(len(data)))
	return 1 + bytes.Count(data[:offset], []byte{'\n'})
}
