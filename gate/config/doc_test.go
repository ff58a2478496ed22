package config

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

func readDoc(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/config.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// schema lists the keys of every mapping by the headings that describe them.
func schema() map[string][]string {
	return map[string][]string{
		"## Top level":    keysOf(reflect.TypeFor[Config]()),
		"## A kernel":     keysOf(reflect.TypeFor[Kernel]()),
		"### build":       keysOf(reflect.TypeFor[Build]()),
		"### bench":       keysOf(reflect.TypeFor[Bench]()),
		"### params":      append(keysOf(reflect.TypeFor[Param]()), keysOf(reflect.TypeFor[Fuzz]())...),
		"### parity":      keysOf(reflect.TypeFor[Parity]()),
		"### limits":      keysOf(reflect.TypeFor[Resources]()),
		"### competitors": keysOf(reflect.TypeFor[Competitor]()),
		"## gate":         keysOf(reflect.TypeFor[GateSettings]()),
		"## tolerances":   keysOf(reflect.TypeFor[CaseTolerance]()),
		"## profile":      keysOf(reflect.TypeFor[ProfileSettings]()),
		"## baseline":     keysOf(reflect.TypeFor[BaselineSettings]()),
		"## cost":         keysOf(reflect.TypeFor[CostSettings]()),
	}
}

// rows are the keys that the tables under a heading describe.
func rows(doc, heading string) []string {
	_, rest, _ := strings.Cut(doc, "\n"+heading+"\n")
	var out []string
	for _, line := range strings.Split(rest, "\n") {
		if strings.HasPrefix(line, "#") {
			break
		}
		if key, ok := strings.CutPrefix(line, "| `"); ok {
			key, _, _ = strings.Cut(key, "`")
			out = append(out, key)
		}
	}
	return out
}

func TestEveryKeyIsDocumented(t *testing.T) {
	doc := readDoc(t)
	for heading, want := range schema() {
		got := rows(doc, heading)
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%s describes %v, the schema has %v", heading, got, want)
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
	for heading, want := range schema() {
		for _, key := range want {
			if !strings.Contains(example, key+":") {
				t.Errorf("%s: the example lacks %s", heading, key)
			}
		}
	}
}

// TestDocumentedDefaults reads the default column where a default is one word.
func TestDocumentedDefaults(t *testing.T) {
	doc := readDoc(t)
	for _, want := range []string{
		"| `tolerance` | 1.5% |", "| `improvement` | 10% | 0% | 1000% | a speedup", "| `confidence` | 99% |", "| `budget` | 5m |",
		"| `on-inconclusive` | `stop` |", "| `regression` | 3% |", "| `store` | `dir:.perfgate` |", "| `mode` | `auto` |",
		"| `cumulative-tolerance` | 5% |", "| `device` | `auto` |", "| `cache` | `cold` |", "| `cases` | 200 |", "| `accuracy-regression` | `warn` |",
	} {
		if !strings.Contains(doc, want) {
			t.Errorf("missing: %s", want)
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
