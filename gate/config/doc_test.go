package config

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/benchmark"
)

func readDoc(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/config.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// schema lists the fields of every mapping by the headings that describe them.
func schema() map[string][]reflect.StructField {
	return map[string][]reflect.StructField{
		"## Top level":    fieldsOf(reflect.TypeFor[Config]()),
		"## A kernel":     fieldsOf(reflect.TypeFor[Kernel]()),
		"### environment": fieldsOf(reflect.TypeFor[Environment]()),
		"### build":       fieldsOf(reflect.TypeFor[Build]()),
		"### bench":       fieldsOf(reflect.TypeFor[Bench]()),
		"### check":       fieldsOf(reflect.TypeFor[Check]()),
		"### csv":         append(fieldsOf(reflect.TypeFor[benchmark.Mapping]()), fieldsOf(reflect.TypeFor[benchmark.Metric]())...),
		"### params":      append(fieldsOf(reflect.TypeFor[Param]()), fieldsOf(reflect.TypeFor[Fuzz]())...),
		"### parity":      fieldsOf(reflect.TypeFor[Parity]()),
		"### limits":      fieldsOf(reflect.TypeFor[Resources]()),
		"### competitors": fieldsOf(reflect.TypeFor[Competitor]()),
		"## gate":         fieldsOf(reflect.TypeFor[GateSettings]()),
		"## tolerances":   fieldsOf(reflect.TypeFor[CaseTolerance]()),
		"## suite":        fieldsOf(reflect.TypeFor[SuiteSettings]()),
		"## goals":        fieldsOf(reflect.TypeFor[Goal]()),
		"## machine":      fieldsOf(reflect.TypeFor[MachineCommands]()),
		"## profile":      fieldsOf(reflect.TypeFor[ProfileSettings]()),
		"## baseline":     fieldsOf(reflect.TypeFor[BaselineSettings]()),
		"## cost":         fieldsOf(reflect.TypeFor[CostSettings]()),
	}
}

// rows are the cells of the tables under a heading that describe keys.
func rows(doc, heading string) (out [][]string) {
	_, rest, _ := strings.Cut(doc, "\n"+heading+"\n")
	for _, line := range strings.Split(rest, "\n") {
		if strings.HasPrefix(line, "#") {
			break
		}
		if strings.HasPrefix(line, "| `") {
			out = append(out, strings.Split(strings.ReplaceAll(strings.Trim(line, "| "), "`", ""), " | "))
		}
	}
	return out
}

// Every key is documented, in the order of the struct, and with the default that it has.
func TestEveryKeyIsDocumented(t *testing.T) {
	doc := readDoc(t)
	for heading, fields := range schema() {
		got := rows(doc, heading)
		if len(got) != len(fields) {
			t.Errorf("%s describes %d keys, the schema has %d", heading, len(got), len(fields))
			continue
		}
		for i, f := range fields {
			if key := f.Tag.Get("key"); got[i][0] != key {
				t.Errorf("%s describes %s where the schema has %s", heading, got[i][0], key)
			}
			if value := f.Tag.Get("default"); value != "" && got[i][1] != value {
				t.Errorf("%s: the default of %s is %s, and not %s", heading, got[i][0], value, got[i][1])
			}
		}
	}
}

func documentedExample(t *testing.T) string {
	t.Helper()
	_, rest, ok := strings.Cut(readDoc(t), "```yaml\n")
	example, _, closed := strings.Cut(rest, "```")
	if !ok || !closed {
		t.Fatal("docs/config.md has no example")
	}
	return example
}

func TestDocumentedExampleParses(t *testing.T) {
	c, err := Parse("perfgate.yaml", []byte(documentedExample(t)))
	if err != nil {
		t.Fatal(err)
	}
	c.Baseline.Named = false
	if want := Defaults(); c.Gate != want.Gate || c.Profile != want.Profile || c.Baseline != want.Baseline || c.Device != want.Device {
		t.Errorf("the example shows other values than the defaults: %+v %+v %+v", c.Gate, c.Profile, c.Baseline)
	}
}

func TestDocumentedExampleHasEveryKey(t *testing.T) {
	example := documentedExample(t)
	for heading, fields := range schema() {
		for _, f := range fields {
			if key := f.Tag.Get("key"); !strings.Contains(example, key+":") {
				t.Errorf("%s: the example lacks %s", heading, key)
			}
		}
	}
}

// Every default is one that the file could have.
func TestDefaultsAreValues(t *testing.T) {
	for _, fields := range schema() {
		for _, f := range fields {
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
