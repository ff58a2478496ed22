package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"unicode"
)

// Most that a result from a stranger may have. A run of the largest plan stays well below all of them: 256 cases with 36
// rounds are 20 MB.
const (
	strictBytes   = 64 << 20
	strictDepth   = 16
	strictValues  = 4 << 20 // strings, numbers, true, false and null
	strictText    = 32 << 10
	strictLine    = 16 << 10 // the mangled names of templates are long
	strictEntries = 4096     // of a list that is neither of cases nor of rounds
	strictNumber  = 1e30
)

// ReadFileStrictly is ReadStrictly of the file at path, which has to be a plain file. All errors name it.
func ReadFileStrictly(path string) (*Result, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe would be waited for
	if err != nil {
		return nil, fmt.Errorf("read result: %w", err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, &ReadError{File: path, Err: errors.New("it is no plain file")}
	}
	r, err := ReadStrictly(f)
	return r, inFile(path, err)
}

// ReadStrictly is Read for results that anybody may have made, such as an artifact of a pull request's workflow. Beyond what
// Read refuses, it refuses input over 64 MiB, JSON that is deeper, longer or has more values than any result, keys that are
// unknown or given twice, lists, texts and numbers that are larger than any of a run, and control characters in names.
// What is wrong is a *ReadError. Verdicts are believed as little as anything else: gate.Redecide decides them again.
func ReadStrictly(in io.Reader) (*Result, error) {
	data, err := readAll(in, strictBytes)
	if err != nil {
		return nil, err
	}
	if err := scan(data); err != nil {
		return nil, err
	}
	if err := checkSchema(data); err != nil {
		return nil, err
	}
	r := new(Result)
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(r); err != nil {
		return nil, syntaxError(data, err)
	}
	if err := checkStrictly(reflect.ValueOf(r).Elem(), ""); err != nil {
		return nil, err
	}
	if err := Check(r); err != nil {
		return nil, err
	}
	return r, nil
}

// scan goes through the JSON once, without building anything, and looks at its shape.
func scan(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var keys []map[string]bool // of the objects around, nil for arrays
	key, values := false, 0    // whether a key comes next
	for {
		token, err := d.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return syntaxError(data, err)
		}
		if values++; values > strictValues {
			return &ReadError{Err: fmt.Errorf("more than %d values", strictValues)}
		}
		switch t := token.(type) {
		case json.Delim:
			if t == '}' || t == ']' {
				keys = keys[:len(keys)-1]
				break
			}
			var names map[string]bool
			if t == '{' {
				names = map[string]bool{}
			}
			if keys = append(keys, names); len(keys) > strictDepth {
				return at(data, d.InputOffset(), fmt.Errorf("deeper than %d", strictDepth))
			}
			key = t == '{'
			continue
		case string:
			if key {
				names := keys[len(keys)-1]
				// As encoding/json matches them: without regard to case.
				folded := strings.ToLower(t)
				if names[folded] {
					return at(data, d.InputOffset(), fmt.Errorf("%q is given twice", clip(t)))
				}
				names[folded] = true
				key = false
				continue
			}
		}
		key = len(keys) > 0 && keys[len(keys)-1] != nil
	}
}

// freeText are the fields that hold what people or tools wrote, of several lines; everything else is a line, such as a name.
var freeText = []string{"output", "message", "reason", "reasons", "notes", "warnings", "gaps", "passedOver", "note", "pattern", "limits", "changed", "said", "text", "cure", "facts",
	"nothing", "remedy", "missing", "how", "command", "repro"}

// checkStrictly looks at the size of every list, text and number under v, and at the characters of lines.
func checkStrictly(v reflect.Value, at string) error {
	bad := func(format string, args ...any) error { return &ReadError{Field: at, Err: fmt.Errorf(format, args...)} }
	switch v.Kind() {
	case reflect.Float64:
		if f := v.Float(); !(math.Abs(f) <= strictNumber) {
			return bad("%v is larger than any number of a run", f)
		}
	case reflect.String:
		if problem := badText(v.String(), lastField(at)); problem != "" {
			return bad("%s", problem)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			return checkStrictly(v.Elem(), at)
		}
	case reflect.Slice:
		if v.Len() > strictEntries && at != "cases" && at != "rounds" {
			return bad("%d entries, at most %d are read", v.Len(), strictEntries)
		}
		for i := range v.Len() {
			if err := checkStrictly(v.Index(i), fmt.Sprintf("%s[%d]", at, i)); err != nil {
				return err
			}
		}
	case reflect.Map:
		if v.Len() > strictEntries {
			return bad("%d entries, at most %d are read", v.Len(), strictEntries)
		}
		for _, k := range v.MapKeys() {
			if problem := badText(k.String(), ""); problem != "" {
				return bad("%s", problem)
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			if name == "" || name == "-" {
				continue
			}
			if err := checkStrictly(v.Field(i), strings.TrimPrefix(at+"."+name, ".")); err != nil {
				return err
			}
		}
	}
	return nil
}

// lastField is the name of the field that a path ends with.
func lastField(at string) string {
	name := at[strings.LastIndexByte(at, '.')+1:]
	name, _, _ = strings.Cut(name, "[")
	return name
}

func badText(s, field string) string {
	if slices.Contains(freeText, field) {
		if len(s) > strictText {
			return fmt.Sprintf("a text of %d bytes, at most %d are read", len(s), strictText)
		}
		return "" // the report shows control characters for what they are
	}
	if len(s) > strictLine {
		return fmt.Sprintf("%d bytes, at most %d are read", len(s), strictLine)
	}
	if i := strings.IndexFunc(s, unicode.IsControl); i >= 0 {
		return fmt.Sprintf("a control character in %q", clip(s))
	}
	return ""
}
