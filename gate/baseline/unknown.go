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
	all, err := decodeTree(data)
	if err != nil {
		return nil, err
	}
	return unknownOf(all, reflect.TypeOf(into).Elem()), nil
}

func decodeTree(data []byte) (tree, error) {
	var all tree
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber() // a number of a later version must come out as it went in
	err := d.Decode(&all)
	return all, err
}

// unknownOf leaves of an object what typ has no field for; nil if that is nothing.
func unknownOf(object tree, typ reflect.Type) tree {
	known := map[string]reflect.Type{}
	for i := range typ.NumField() {
		f := typ.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		known[name] = f.Type
	}
	var out tree
	for name, value := range object {
		inner, isKnown := known[name]
		if isKnown {
			if value = unknownWithin(value, inner); value == nil {
				continue
			}
		}
		if out == nil {
			out = tree{}
		}
		out[name] = value
	}
	return out
}

// unknownWithin is unknownOf for the value of a known field; nil where there is nothing to keep.
func unknownWithin(value any, typ reflect.Type) any {
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	object, isObject := value.(map[string]any)
	if !isObject || typ.Kind() != reflect.Struct {
		return nil
	}
	if kept := unknownOf(object, typ); kept != nil {
		return map[string]any(kept)
	}
	return nil
}

func encodeWith(known any, kept tree) ([]byte, error) {
	data, err := json.Marshal(known)
	if err != nil || len(kept) == 0 {
		return data, err
	}
	all, err := decodeTree(data)
	if err != nil {
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
