package baseline

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
)

// tree is what a JSON object holds that this version has no field for: at any depth, lists left out.
type tree map[string]any

// plainRecord and plainCase are the types without their methods.
type (
	plainRecord Record
	plainCase   Case
)

// UnmarshalJSON reads a record and keeps what it does not know.
func (r *Record) UnmarshalJSON(data []byte) (err error) {
	r.unknown, err = decodeKeeping(data, (*plainRecord)(r))
	return err
}

// MarshalJSON writes a record with what was kept.
func (r *Record) MarshalJSON() ([]byte, error) { return encodeWith((*plainRecord)(r), r.unknown) }

// UnmarshalJSON reads a case and keeps what it does not know.
func (c *Case) UnmarshalJSON(data []byte) (err error) {
	c.unknown, err = decodeKeeping(data, (*plainCase)(c))
	return err
}

// MarshalJSON writes a case with what was kept. By value: cases are elements of a list.
func (c Case) MarshalJSON() ([]byte, error) { return encodeWith(plainCase(c), c.unknown) }

func decodeKeeping(data []byte, into any) (tree, error) {
	if err := json.Unmarshal(data, into); err != nil {
		return nil, err
	}
	return unknownOf(data, reflect.TypeOf(into).Elem())
}

// unknownOf leaves of an object what typ has no field for; nil if that is nothing. A list of a known field is not looked into: its
// elements keep what they do not know themselves.
func unknownOf(data []byte, typ reflect.Type) (tree, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return nil, err
	}
	known := map[string]reflect.Type{}
	for i := range typ.NumField() {
		f := typ.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		known[name] = f.Type
	}
	var out tree
	for name, field := range fields {
		inner, isKnown := known[name]
		value, err := unknownWithin(field, inner)
		if err != nil {
			return nil, err
		}
		if isKnown && value == nil {
			continue
		}
		if out == nil {
			out = tree{}
		}
		out[name] = value
	}
	return out, nil
}

// unknownWithin is unknownOf for the value of a known field, nil where there is nothing to keep, and all of one without a type.
func unknownWithin(field json.RawMessage, typ reflect.Type) (value any, err error) {
	if typ == nil {
		err = decodeNumbers(field, &value)
		return value, err
	}
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.Struct || !bytes.HasPrefix(field, []byte("{")) {
		return nil, nil
	}
	kept, err := unknownOf(field, typ)
	if kept == nil {
		return nil, err
	}
	return map[string]any(kept), nil
}

// decodeNumbers reads what is not known with its numbers as they stand: those of a later version must come out as they went in.
func decodeNumbers(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return d.Decode(into)
}

func encodeWith(known any, kept tree) ([]byte, error) {
	data, err := json.Marshal(known)
	if err != nil || len(kept) == 0 {
		return data, err
	}
	var all tree
	if err := decodeNumbers(data, &all); err != nil {
		return nil, err
	}
	graft(all, kept)
	return json.Marshal(all)
}

// graft adds what is kept where nothing stands yet.
func graft(into, kept map[string]any) {
	for name, value := range kept {
		below, isObject := value.(map[string]any)
		present, both := into[name].(map[string]any)
		switch _, taken := into[name]; {
		case isObject && both:
			graft(present, below)
		case !taken:
			into[name] = value
		}
	}
}
