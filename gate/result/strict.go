package result

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/org/perfgate/gate/untrusted"
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
	f, err := untrusted.OpenLinked(path, untrusted.NoLimit)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("read result: %w", err)
	case err != nil:
		return nil, &ReadError{File: path, Err: err}
	}
	defer f.Close()
	r, err := ReadStrictly(f)
	return r, inFile(path, err)
}

// ReadStrictly is Read for results that anybody may have made, such as an artifact of a pull request's workflow. Beyond what
// Read refuses, it refuses input over 64 MiB, JSON that is deeper, longer or has more values than any result, keys that are
// unknown or given twice, lists, texts and numbers that are larger than any of a run, and control characters in names.
// What is wrong is a *ReadError. Verdicts are believed as little as anything else: rule.Replay decides them again.
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
	if err := walk(place{Value: reflect.ValueOf(r).Elem()}, checkStrictly); err != nil {
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

// decodeStrictly decodes another JSON document that anybody may have made into v: deeper or longer than a result, keys that are unknown
// or given twice, and anything behind its end are errors.
func decodeStrictly(data []byte, v any) error {
	if err := scan(data); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	if err == nil && d.More() {
		err = errors.New("there is something behind its end")
	}
	return err
}

// ReadDocument reads another JSON document of at most limit bytes into v, as decodeStrictly decodes it.
func ReadDocument(in io.Reader, limit int64, v any) error {
	data, err := io.ReadAll(io.LimitReader(in, limit+1))
	switch {
	case err != nil:
		return err
	case int64(len(data)) > limit:
		return fmt.Errorf("it is larger than %d MiB", limit>>20)
	}
	return decodeStrictly(data, v)
}

// checkStrictly looks at the size of a list, text or number, and at the characters of lines.
func checkStrictly(p place) error {
	problem := ""
	switch p.Kind() {
	case reflect.Float64:
		if f := p.Float(); !(math.Abs(f) <= strictNumber) {
			return p.wrong("%v is larger than any number of a run", f)
		}
	case reflect.String:
		problem = badText(p.String(), p.field())
	case reflect.Slice, reflect.Map:
		if p.Len() > strictEntries && p.at != "cases" && p.at != "rounds" {
			return p.wrong("%d entries, at most %d are read", p.Len(), strictEntries)
		}
		if p.Kind() == reflect.Map {
			for _, k := range p.MapKeys() {
				problem = cmp.Or(problem, badText(k.String(), ""))
			}
		}
	}
	if problem != "" {
		return p.wrong("%s", problem)
	}
	return nil
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
