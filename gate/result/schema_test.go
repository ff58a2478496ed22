package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/org/perfgate/gate/internal/comments"
)

var update = flag.Bool("update", false, "write docs/result.schema.json")

const schemaFile = "../../docs/result.schema.json"

// docs/result.schema.json is made from the types: fields, words and the comments of both. A number says its unit, and every word what it means.
func TestSchemaIsCurrent(t *testing.T) {
	t.Parallel()
	said, err := comments.Read(".")
	must(t, err)
	s := schemaWriter{t: t, said: said, defs: object{}, made: map[string]bool{}}
	top := s.typed(reflect.TypeFor[Result](), "")
	all := append(object{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", Schema},
		{"description", "Written by go test ./gate/result -run Schema -update. Times of launches are in ns, durations in s, ratios and shares fractions (0.015 is 1.5 %) " +
			"of head over base, log their natural logarithm: positive is slower. A field that is not required is 0, false or empty where it is missing."},
	}, top...)
	var want bytes.Buffer
	enc := json.NewEncoder(&want)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	must(t, enc.Encode(append(all, member{"$defs", s.defs})))
	if *update {
		must(t, os.WriteFile(schemaFile, want.Bytes(), 0o644))
	}
	if got, err := os.ReadFile(schemaFile); err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%s is not current (%v): go test ./gate/result -run Schema -update", schemaFile, err)
	}
}

// Every saved result of the repository is one by the schema, and one with another field or word is not.
func TestSavedResultsFitTheSchema(t *testing.T) {
	t.Parallel()
	schema, err := jsonschema.NewCompiler().Compile(schemaFile)
	must(t, err)
	var one []byte
	checked := 0
	err = filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".json" || !strings.Contains(path, "testdata") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(text, []byte(`"schema": "`+Schema+`"`)) {
			return err
		}
		checked++
		one = text
		if err := schema.Validate(decoded(t, text)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		return nil
	})
	if err != nil || checked < 20 {
		t.Fatalf("%d saved results: %v", checked, err)
	}
	for old, bad := range map[string]string{`"conclusion": {`: `"surprise": 1, "conclusion": {`, `"verdict": "`: `"verdict": "un`} {
		if schema.Validate(decoded(t, bytes.Replace(one, []byte(old), []byte(bad), 1))) == nil {
			t.Errorf("a result with %s fits the schema", bad)
		}
	}
}

// The queries of docs/result.md print what it says of a recorded run.
func TestQueriesOfThePage(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("jq"); err != nil && os.Getenv("PERFGATE_CI") == "" { // there it has to be
		t.Skip("there is no jq")
	}
	page, err := os.ReadFile("../../docs/result.md")
	must(t, err)
	fences := strings.Split(string(page), "```")
	saved, err := os.ReadFile("../../testdata/report/regression/result.json")
	if err != nil || len(fences) != 5 {
		t.Fatal(len(fences), err)
	}
	cmd := exec.Command("sh", "-ec", strings.TrimPrefix(fences[1], "sh\n"))
	cmd.Dir = t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(cmd.Dir, "perfgate-out"), 0o755),
		os.WriteFile(filepath.Join(cmd.Dir, "perfgate-out", "result.json"), saved, 0o644)); err != nil {
		t.Fatal(err)
	}
	if got, err := cmd.Output(); err != nil || "text\n"+string(got) != fences[3] {
		t.Errorf("they print (%v)\n%s", err, got)
	}
}

func decoded(t *testing.T, text []byte) any {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	must(t, err)
	return value
}

// object is a JSON object that keeps the order of its members.
type object []member

type member struct {
	name  string
	value any
}

func (o object) MarshalJSON() ([]byte, error) {
	parts := make([][]byte, len(o))
	for i, m := range o {
		var value bytes.Buffer
		enc := json.NewEncoder(&value)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(m.value); err != nil {
			return nil, err
		}
		parts[i] = append([]byte(strconv.Quote(m.name)+":"), bytes.TrimSpace(value.Bytes())...)
	}
	return slices.Concat([]byte("{"), bytes.Join(parts, []byte(",")), []byte("}")), nil
}

// schemaWriter makes definitions of types.
type schemaWriter struct {
	t    *testing.T
	said comments.Comments
	defs object
	made map[string]bool
}

// typed is the schema of a type. Lists of a name may have so many entries.
func (s *schemaWriter) typed(typ reflect.Type, name string) object {
	switch {
	case typ == reflect.TypeFor[time.Time]():
		return object{{"type", "string"}, {"format", "date-time"}}
	case typ.Kind() == reflect.Pointer:
		return s.typed(typ.Elem(), name)
	case typ.Kind() == reflect.Slice:
		list := object{{"type", "array"}, {"items", s.typed(typ.Elem(), "")}}
		if most[name] > 0 {
			list = append(list, member{"maxItems", most[name]})
		}
		return list
	case typ.Kind() == reflect.Map:
		return object{{"type", "object"}, {"additionalProperties", s.typed(typ.Elem(), "")}}
	case typ.Kind() == reflect.Struct || kinds[typ] != nil || len(s.said.Words[typ.Name()]) > 0:
		s.define(typ)
		return object{{"$ref", "#/$defs/" + typ.Name()}}
	}
	return object{{"type", map[reflect.Kind]string{reflect.String: "string", reflect.Bool: "boolean", reflect.Float64: "number",
		reflect.Int: "integer", reflect.Int64: "integer"}[typ.Kind()]}}
}

func (s *schemaWriter) define(typ reflect.Type) {
	if s.made[typ.Name()] {
		return
	}
	s.made[typ.Name()] = true
	def := object{{"description", s.said.Types[typ.Name()]}}
	if typ.Kind() == reflect.String {
		s.defs = append(s.defs, member{typ.Name(), append(def, s.words(typ)...)})
		return
	}
	i := len(s.defs)
	s.defs = append(s.defs, member{typ.Name(), nil}) // before those that it refers to
	properties, required := object{}, []string{}
	for f := range typ.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if options == "" {
			required = append(required, name)
		}
		meaning := s.said.Fields[typ.Name()+"."+f.Name]
		if meaning == "" || f.Type.Kind() == reflect.Float64 && !hasUnit(name, meaning) {
			s.t.Errorf("the comment of %s.%s does not say what it is, or in which unit: %q", typ.Name(), f.Name, meaning)
		}
		of := s.typed(f.Type, name)
		if options == "" && (f.Type.Kind() == reflect.Slice || f.Type.Kind() == reflect.Map) {
			of[0].value = []any{of[0].value, "null"} // without entries
		}
		properties = append(properties, member{name, append(of, member{"description", meaning})})
	}
	s.defs[i].value = append(def, object{{"type", "object"}, {"properties", properties}, {"required", required}, {"additionalProperties", false}}...)
}

var unitOfName = regexp.MustCompile(`([sS]econds|[nN]s|Bytes|bytes|MHz|[a-z]W|[a-z]C|[fF]lops)$`)

// hasUnit says whether the unit of a number is in its name, or at the end of what it means: (log).
func hasUnit(name, meaning string) bool {
	return unitOfName.MatchString(name) || strings.HasSuffix(meaning, ")")
}

// explained are the types whose words do not explain themselves.
var explained = []reflect.Type{reflect.TypeFor[ReasonKind](), reflect.TypeFor[FindingKind](), reflect.TypeFor[Verdict](), reflect.TypeFor[Effect]()}

// words are those of a type, each with its meaning. Where Check does not insist on them, others may come.
func (s *schemaWriter) words(typ reflect.Type) object {
	known := s.said.Words[typ.Name()]
	allowed, closed := kinds[typ]
	switch {
	case typ == reflect.TypeFor[Verdict]():
		allowed = Words(ofComparisons) // which also are those of a case
	case !closed:
		for _, m := range known {
			allowed = append(allowed, m.Text)
		}
	}
	var each []any
	for _, word := range allowed {
		one := object{{"const", word}}
		i := slices.IndexFunc(known, func(m comments.Word) bool { return m.Text == word })
		switch {
		case i >= 0 && known[i].Means != "":
			one = append(one, member{"description", known[i].Means})
		case slices.Contains(explained, typ):
			s.t.Errorf("no comment says what %q of %s is", word, typ.Name())
		}
		each = append(each, one)
	}
	if !closed {
		return object{{"anyOf", append(each, object{{"type", "string"}})}}
	}
	return object{{"oneOf", each}}
}
