package result

import (
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// field is one line of docs/result.md, or what a struct says of it.
type field struct {
	kind     string
	optional bool
}

// TestDocumented compares docs/result.md with the types, both ways: objects, fields, their types and whether they may
// be missing. Numbers other than counts of nothing in particular must have a unit.
func TestDocumented(t *testing.T) {
	want := map[string]map[string]field{}
	objects(reflect.TypeFor[Result](), "", want)
	got := documented(t)
	for path, fields := range want {
		for name, f := range fields {
			switch d, ok := got[path][name]; {
			case !ok:
				t.Errorf("docs/result.md does not have %s of %q", name, path)
			case d != f:
				t.Errorf("docs/result.md says %+v of %s of %q, the type %+v", d, name, path, f)
			}
		}
	}
	for path, fields := range got {
		for name := range fields {
			if _, ok := want[path][name]; !ok {
				t.Errorf("docs/result.md has %s of %q, which does not exist", name, path)
			}
		}
	}
}

// objects gathers the objects below typ by their path in the file, such as cases[].base.
func objects(typ reflect.Type, path string, into map[string]map[string]field) {
	into[path] = map[string]field{}
	for i := range typ.NumField() {
		f := typ.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		into[path][name] = field{kindOf(f.Type), options == "omitempty"}
		below := f.Type
		at := strings.TrimPrefix(path+"."+name, ".")
		if below.Kind() == reflect.Slice {
			below, at = below.Elem(), at+"[]"
		}
		if below.Kind() == reflect.Pointer {
			below = below.Elem()
		}
		if below.Kind() == reflect.Struct && below != reflect.TypeFor[time.Time]() {
			objects(below, at, into)
		}
	}
}

func kindOf(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return "time"
	case t.Kind() == reflect.Pointer:
		return kindOf(t.Elem())
	case t.Kind() == reflect.Slice:
		return "array of " + kindOf(t.Elem())
	}
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return "object"
	case reflect.Float64:
		return "number"
	case reflect.Bool:
		return "boolean"
	case reflect.String:
		return "string"
	}
	return "integer"
}

var (
	heading = regexp.MustCompile("(?m)^##+ (.*)$")
	quoted  = regexp.MustCompile("`([^`]+)`")
	row     = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| ([^|]+) \\| ([^|]*)\\| (.+) \\|$")
)

func documented(t *testing.T) map[string]map[string]field {
	t.Helper()
	text, err := os.ReadFile("../../docs/result.md")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]map[string]field{}
	heads := heading.FindAllStringSubmatchIndex(string(text), -1)
	for i, h := range heads {
		end := len(text)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		fields := map[string]field{}
		for _, m := range row.FindAllStringSubmatch(string(text[h[1]:end]), -1) {
			fields[m[1]] = field{m[2], strings.HasPrefix(m[4], "*optional*")}
			if m[2] == "number" && strings.TrimSpace(m[3]) == "" {
				t.Errorf("docs/result.md gives %s no unit", m[1])
			}
		}
		paths := quoted.FindAllStringSubmatch(string(text[h[2]:h[3]]), -1)
		if len(paths) == 0 && len(fields) > 0 {
			out[""] = fields
		}
		for _, p := range paths {
			out[p[1]] = fields
		}
	}
	return out
}

// TestWordsDocumented looks for every word that Check allows.
func TestWordsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/result.md")
	if err != nil {
		t.Fatal(err)
	}
	findings, err := os.ReadFile("../../docs/findings.md")
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, findings...)
	for _, word := range slices.Concat(slices.Collect(maps.Values(kinds))...) {
		if word != "" && !strings.Contains(string(text), "`"+word+"`") {
			t.Errorf("docs/result.md and docs/findings.md do not have the word %q", word)
		}
	}
}
