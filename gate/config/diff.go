package config

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Diff says in words what b changes against a, a phrase each: first what decides. Equal configurations give none;
// a change of comments and layout alone is none.
func Diff(a, b *Config) []string {
	d := &differ{}
	d.config(a, b)
	for _, k := range b.Kernels {
		if _, ok := a.Kernel(k.Name); !ok {
			d.found = append(d.found, "kernel "+k.Name+": added")
		}
	}
	d.aside = true
	d.config(a, b)
	return d.found
}

// DiffRules is Diff of what decides over the kernels that a has, or over those named in only if that is not empty: not what is
// profiled or paid and where records are kept, nor kernels that b adds.
func DiffRules(a, b *Config, only []string) []string {
	d := &differ{only: only}
	d.config(a, b)
	return d.found
}

// differ compares structs along the tags of their fields: those that decide, or those that stand aside.
type differ struct {
	only  []string // kernels; empty: all
	aside bool
	found []string
}

func (d *differ) config(a, b *Config) {
	d.structs("", valueOf(a), valueOf(b), false)
	if d.aside {
		return
	}
	for _, k := range a.Kernels {
		if len(d.only) > 0 && !slices.Contains(d.only, k.Name) {
			continue
		}
		if other, ok := b.Kernel(k.Name); ok {
			d.structs("kernel "+k.Name+": ", valueOf(&k), valueOf(&other), false)
		} else {
			d.found = append(d.found, "kernel "+k.Name+": removed")
		}
	}
}

// structs compares the keys of two structs; before stands before each of them.
func (d *differ) structs(before string, a, b reflect.Value, aside bool) {
	for _, f := range reflect.VisibleFields(a.Type()) {
		if key := diffKey(f); key != "" && key != "kernels" {
			d.values(before+key, f.Tag, a.FieldByIndex(f.Index), b.FieldByIndex(f.Index), aside || f.Tag.Get("aside") != "")
		}
	}
}

func diffKey(f reflect.StructField) string { return cmp.Or(f.Tag.Get("key"), f.Tag.Get("diff")) }

func (d *differ) values(what string, tag reflect.StructTag, a, b reflect.Value, aside bool) {
	if a.Kind() == reflect.Pointer && !a.IsNil() && !b.IsNil() {
		a, b = a.Elem(), b.Elem()
	}
	_, single := a.Interface().(fmt.Stringer)
	switch {
	case a.Kind() == reflect.Struct && !single && !isOff(a) && !isOff(b):
		d.structs(what+".", a, b, aside)
	case aside == d.aside:
		d.add(what, words(a, tag), words(b, tag))
	}
}

func isOff(v reflect.Value) bool {
	switch of := v.Interface().(type) {
	case Parity:
		return of.Off
	case Check:
		return of.Off
	}
	return false
}

func (d *differ) add(what, a, b string) {
	if a != b {
		d.found = append(d.found, fmt.Sprintf("%s: %s → %s", what, cmp.Or(a, "nothing"), cmp.Or(b, "nothing")))
	}
}

// words are a value as messages show it; "" where there is none.
func words(v reflect.Value, tag reflect.StructTag) string {
	is := tag.Get("is")
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return ""
	}
	if text, ok := v.Interface().(fmt.Stringer); ok {
		return text.String()
	}
	switch v.Kind() {
	case reflect.Pointer:
		return words(v.Elem(), tag)
	case reflect.Slice:
		return listWords(v, tag)
	case reflect.Struct:
		return structWords(v)
	case reflect.Float64:
		switch {
		case strings.HasPrefix(is, "percent"):
			return percentText(v.Float())
		case is == "factor":
			return fmt.Sprintf("%gx", v.Float())
		}
	}
	return fmt.Sprint(v.Interface())
}

func listWords(v reflect.Value, tag reflect.StructTag) string {
	texts, between := make([]string, v.Len()), " "
	for i := range texts {
		one := v.Index(i)
		texts[i] = words(one, tag)
		switch {
		case one.Kind() == reflect.Slice:
			texts[i] = "(" + strings.NewReplacer("; ", ",", " ", ",").Replace(texts[i]) + ")"
		case one.Kind() == reflect.Struct:
			between = "; "
		case strings.ContainsAny(texts[i], " \"") || texts[i] == "":
			texts[i] = strconv.Quote(texts[i])
		}
	}
	if tag.Get("ordered") == "no" {
		slices.Sort(texts)
	}
	return strings.Join(texts, between)
}

// structWords are the keys of a struct that have a value.
func structWords(v reflect.Value) string {
	if isOff(v) {
		return "off"
	}
	var parts []string
	for _, f := range reflect.VisibleFields(v.Type()) {
		if key, one := diffKey(f), v.FieldByIndex(f.Index); key != "" && !one.IsZero() {
			parts = append(parts, key+" "+words(one, f.Tag))
		}
	}
	return strings.Join(parts, ", ")
}

func percentText(v float64) string { return strconv.FormatFloat(100*v, 'g', 6, 64) + "%" }
