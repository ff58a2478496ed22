package saved

import (
	"fmt"
	"reflect"
	"strings"
)

// Place is one value of a document on the way through all of them.
type Place struct {
	reflect.Value
	Name     string // of the field that it is in
	Optional bool   // its field is left out where it is empty
	path     []any  // to it: names of fields, and indices and keys of elements
}

// At is the way to the place, such as cases[3].verdict. It holds during the visit.
func (p Place) At() string {
	var b strings.Builder
	for _, step := range p.path {
		if field, ok := step.(string); ok {
			b.WriteString("." + field)
		} else {
			b.WriteString("[" + clip(fmt.Sprint(step)) + "]")
		}
	}
	return strings.TrimPrefix(b.String(), ".")
}

// Wrong is the error that visits of a place return.
func (p Place) Wrong(format string, args ...any) error {
	return &Error{Field: p.At(), Err: fmt.Errorf(format, args...)}
}

// Walk visits all that v, a pointer to a document, holds, in the order of the JSON, until a visit returns an error. Visits may change what they see.
func Walk(v any, visit func(Place) error) error {
	return walk(Place{Value: reflect.ValueOf(v).Elem(), path: make([]any, 0, 4*mostDepth)}, visit)
}

func walk(p Place, visit func(Place) error) (err error) {
	if err := visit(p); err != nil {
		return err
	}
	below := func(v reflect.Value, step any) {
		if err == nil {
			err = walk(Place{Value: v, Name: p.Name, path: append(p.path, step)}, visit)
		}
	}
	switch p.Kind() {
	case reflect.Pointer:
		if !p.IsNil() {
			p.Value = p.Elem()
			return walk(p, visit)
		}
	case reflect.Slice:
		for i := range p.Len() {
			below(p.Index(i), i)
		}
	case reflect.Map:
		for _, key := range p.MapKeys() {
			value := reflect.New(p.Type().Elem()).Elem() // what is in a map cannot be changed there
			value.Set(p.MapIndex(key))
			below(value, key)
			p.SetMapIndex(key, value)
		}
	case reflect.Struct:
		return walkFields(p, visit)
	}
	return err
}

func walkFields(p Place, visit func(Place) error) error {
	for i := range p.NumField() {
		field := p.Type().Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		var err error
		switch {
		case field.Anonymous && name == "": // its fields are written among those around it
			err = walkFields(Place{Value: p.Field(i), path: p.path}, visit)
		case field.IsExported() && name != "" && name != "-": // time.Time and the like hold nothing of ours
			err = walk(Place{p.Field(i), name, options == "omitempty", append(p.path, name)}, visit)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
