package result

import (
	"fmt"
	"reflect"
	"strings"
)

// place is one value of a result on the way through all of them.
type place struct {
	reflect.Value
	at       string // such as cases[3].verdict, as in the JSON
	optional bool   // its field is left out where it is empty
}

// field is the name of the field that the place is in, without an index.
func (p place) field() string {
	name, _, _ := strings.Cut(p.at[strings.LastIndexByte(p.at, '.')+1:], "[")
	return name
}

// wrong is the error that visits of a place return.
func (p place) wrong(format string, args ...any) error {
	return &ReadError{Field: p.at, Err: fmt.Errorf(format, args...)}
}

// walk visits a value and then all that it holds, in the order of the JSON, until a visit returns an error.
func walk(p place, visit func(place) error) error {
	if err := visit(p); err != nil {
		return err
	}
	switch p.Kind() {
	case reflect.Pointer:
		if !p.IsNil() {
			return walk(place{p.Elem(), p.at, p.optional}, visit)
		}
	case reflect.Slice:
		for i := range p.Len() {
			if err := walk(place{p.Index(i), fmt.Sprintf("%s[%d]", p.at, i), false}, visit); err != nil {
				return err
			}
		}
	case reflect.Struct:
		return walkFields(p, visit)
	}
	return nil
}

func walkFields(p place, visit func(place) error) error {
	for i := range p.NumField() {
		field := p.Type().Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !field.IsExported() || name == "" || name == "-" {
			continue // time.Time and the like hold nothing of ours
		}
		at := strings.TrimPrefix(p.at+"."+name, ".")
		if err := walk(place{p.Field(i), at, options == "omitempty"}, visit); err != nil {
			return err
		}
	}
	return nil
}
