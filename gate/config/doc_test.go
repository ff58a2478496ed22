package config

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/internal/comments"
)

func readDoc(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/config.md")
	must(t, err)
	return string(text)
}

// keysOfPage are the structs whose keys the places of docs/config.md have, in their order.
var keysOfPage = []reflect.Type{
	reflect.TypeFor[Config](), reflect.TypeFor[Kernel](), reflect.TypeFor[Environment](), reflect.TypeFor[Build](), reflect.TypeFor[Bench](),
	reflect.TypeFor[Check](), reflect.TypeFor[benchmark.Mapping](), reflect.TypeFor[benchmark.Metric](), reflect.TypeFor[Param](), reflect.TypeFor[Fuzz](),
	reflect.TypeFor[Parity](), reflect.TypeFor[Resources](), reflect.TypeFor[Competitor](), reflect.TypeFor[GateSettings](), reflect.TypeFor[CaseTolerance](),
	reflect.TypeFor[Waiver](), reflect.TypeFor[SuiteSettings](), reflect.TypeFor[Goal](), reflect.TypeFor[MachineCommands](), reflect.TypeFor[ProfileSettings](),
	reflect.TypeFor[BaselineSettings](), reflect.TypeFor[CostSettings](),
}

// Every format that a benchmark may have is named to who looks the key up.
func TestEveryFormatIsDocumented(t *testing.T) {
	c, err := comments.Read(".")
	must(t, err)
	names := benchmark.Names()
	slices.Sort(names)
	last := len(names) - 1
	if said, want := c.Fields["Bench.Format"], strings.Join(names[:last], ", ")+" or "+names[last]; said != want {
		t.Errorf("the comment of Bench.Format, from which docs/config.md is made, has %q, want %q", said, want)
	}
}

// Every key is documented, in the order of the struct, by its tags and its comment.
func TestEveryKeyIsDocumented(t *testing.T) {
	said := map[string]string{}
	for _, dir := range []string{".", "../benchmark"} {
		c, err := comments.Read(dir)
		must(t, err)
		maps.Copy(said, c.Fields)
	}
	const mark = "<!--keys-->\n\n" // before the keys of a struct, which a blank line ends
	page := readDoc(t)
	parts := strings.Split(page, mark)
	if len(parts) != len(keysOfPage)+1 {
		t.Fatalf("docs/config.md has %d places for keys, want %d", len(parts)-1, len(keysOfPage))
	}
	want := parts[0]
	for i, typ := range keysOfPage {
		want += mark
		for _, f := range fieldsOf(typ) {
			want += keyLine(t, typ, f, said)
		}
		if _, after, found := strings.Cut(parts[i+1], "\n\n"); found {
			want += "\n" + after
		}
	}
	if flag.Lookup("update").Value.String() == "true" { // of the other tests of this folder
		must(t, os.WriteFile("../../docs/config.md", []byte(want), 0o644))
	} else if page != want {
		t.Error("docs/config.md is not current: go test ./gate/config -run Documented -update")
	}
}

// keyLine is what the page says of a key.
func keyLine(t *testing.T, typ reflect.Type, f reflect.StructField, said map[string]string) string {
	means := said[typ.Name()+"."+f.Name]
	if typ == reflect.TypeFor[Bench]() && means == "" {
		means = said["Spec."+f.Name]
	}
	if means == "" {
		t.Errorf("no comment says what %s of %s is", f.Name, typ.Name())
	}
	key := f.Tag.Get("key")
	if is := f.Tag.Get("is"); strings.Contains(is, "|") {
		key += ": " + is
	}
	standard := ""
	switch {
	case f.Tag.Get("default") != "":
		standard = " (" + f.Tag.Get("default") + ")"
	case f.Tag.Get("required") != "":
		standard = " (required)"
	}
	return fmt.Sprintf("- `%s`%s: %s\n", key, standard, means)
}

func documentedExample(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/perfgate.yaml")
	must(t, err)
	return string(text)
}

func TestDocumentedExampleParses(t *testing.T) {
	c, err := Parse("perfgate.yaml", []byte(documentedExample(t)))
	must(t, err)
	c.Baseline.Named = false
	if want := Defaults(); c.Gate != want.Gate || c.Profile != want.Profile || c.Baseline != want.Baseline || c.Device != want.Device {
		t.Errorf("the example shows other values than the defaults: %+v %+v %+v", c.Gate, c.Profile, c.Baseline)
	}
}

func TestDocumentedExampleHasEveryKey(t *testing.T) {
	example := documentedExample(t)
	for _, typ := range keysOfPage {
		for _, f := range fieldsOf(typ) {
			if key := f.Tag.Get("key"); !strings.Contains(example, key+":") {
				t.Errorf("%s: the example lacks %s", typ.Name(), key)
			}
		}
	}
}

// Every default is one that the file could have.
func TestDefaultsAreValues(t *testing.T) {
	for _, typ := range keysOfPage {
		for _, f := range fieldsOf(typ) {
			if text := f.Tag.Get("default"); text != "" {
				if _, problem, allowed := kindNamed(f.Tag.Get("is"))(scalar{text: text, plain: true}); problem != "" {
					t.Errorf("%s %s, allowed: %s", f.Tag.Get("key"), problem, allowed)
				}
			}
		}
	}
}

func TestDocumentedErrorIsReal(t *testing.T) {
	doc := readDoc(t)
	_, shown, _ := strings.Cut(doc, "    perfgate.yaml:31")
	shown, _, _ = strings.Cut("    perfgate.yaml:31"+shown, "\n\n")
	src := strings.Repeat("#\n", 28) + "version: 1\ngate:\n  tolerence: 3%\nkernels: [{name: k, adapter: k.cc}]\n"
	_, err := Parse("perfgate.yaml", []byte(src))
	if err == nil {
		t.Fatal("accepted")
	}
	got := "    " + strings.ReplaceAll(err.Error(), "\n", "\n    ")
	if got != shown {
		t.Errorf("perfgate says\n%s\nthe document\n%s", got, shown)
	}
}

// must ends a test where what it needs fails.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
