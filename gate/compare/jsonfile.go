package compare

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// decodeJSON decodes data into v; an error says on which line.
func decodeJSON(path string, data []byte, v any) error {
	err := json.Unmarshal(data, v)
	if err == nil {
		return nil
	}
	line := 0
	var syntax *json.SyntaxError
	var mistyped *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		line = lineAt(data, syntax.Offset)
		err = fmt.Errorf("not JSON: %w", err)
	case errors.As(err, &mistyped):
		line = lineAt(data, mistyped.Offset)
		err = fmt.Errorf("%s is a %s, want %s", mistyped.Field, mistyped.Value, mistyped.Type)
	}
	return &FileError{path, line, err}
}

// lineAt returns the line of a byte offset, from 1.
func lineAt(data []byte, offset int64) int {
	offset = min(max(offset, 0), int64(len(data)))
	return 1 + bytes.Count(data[:offset], []byte{'\n'})
}
