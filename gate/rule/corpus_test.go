package rule_test

import (
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// updateCorpus is for questions that are added. An answer that is there stays: who changes the rule removes those that it changes first.
var updateCorpus = flag.Bool("update", false, "write the answers that the corpus lacks")

const corpusDir = "testdata/corpus"

// asking is what an entry asks the rule.
type asking interface{ answer() (any, error) }

// question is an entry of the corpus: data that knows nothing of the types of this module. Exactly one of its questions is set.
type question struct {
	Name string `json:"name"`
	// Noise says how the values came about; nil of those that were put together for what they show.
	Noise *noise `json:"noise"`

	Run     *run         `json:"run"`     // of the gate, on one machine
	Merge   *merge       `json:"merge"`   // of the results of several
	Parity  *parityRun   `json:"parity"`  // alone
	Idle    *idle        `json:"idle"`    // nothing to do
	Touched *touched     `json:"touched"` // what compiling alone tells
	Tune    *tune        `json:"tune"`
	Judge   *judged      `json:"judge"`
	Spend   *spend       `json:"spend"`  // of the chance of error of a search
	Groups  *groups      `json:"groups"` // of processes that did not run in rounds
	Decide  *decide      `json:"decide"` // comparisons as they are
	Samples *samples     `json:"samples"`
	Check   *timingCheck `json:"timingCheck"`
	Orders  *orders      `json:"orders"`
}

// noise is where values are from.
type noise struct {
	Recorded string  `json:"recorded"` // on what; "" of generated ones
	SD       float64 `json:"sd"`       // of the log values of processes
	Shift    float64 `json:"shift"`    // of head
	Beside   string  `json:"beside"`   // what else disturbs them
}

func (q question) asks() (asking, error) {
	var found []asking
	v := reflect.ValueOf(q)
	for i := range v.NumField() {
		if a, ok := v.Field(i).Interface().(asking); ok && !v.Field(i).IsNil() {
			found = append(found, a)
		}
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("%d questions, want one", len(found))
	}
	return found[0], nil
}

// The rule answers every question of the corpus as it did when the corpus was made: bounds within 1e-12, everything else exactly.
// README.md beside the corpus says what it holds.
func TestCorpus(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(corpusDir, "*.json.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	var all []answered
	for _, file := range files {
		questions := readQuestions(t, file)
		found := askAll(t, questions)
		kept := filepath.Join(corpusDir, "answers", strings.TrimSuffix(filepath.Base(file), ".gz"))
		if *updateCorpus {
			addAnswers(t, kept, found)
		}
		expected := map[string]any{}
		readAnswers(t, kept, &expected)
		for i, q := range questions {
			want, known := expected[q.Name]
			if !known {
				t.Errorf("%s: no answer is kept", q.Name)
				continue
			}
			delete(expected, q.Name)
			all = append(all, answered{q, want})
			if differ := differences("", want, found[i].tree); len(differ) > 0 {
				t.Errorf("%s: %d differences:\n  %s", q.Name, len(differ), strings.Join(differ[:min(len(differ), 5)], "\n  "))
			}
		}
		for name := range expected {
			t.Errorf("%s: its question is gone", name)
		}
	}
	checkCoverage(t, all)
}

func readQuestions(t *testing.T, file string) (out []question) {
	t.Helper()
	text, err := os.Open(file)
	must(t, err)
	defer text.Close()
	plain, err := gzip.NewReader(text)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	in := json.NewDecoder(plain)
	in.DisallowUnknownFields() // what is not read is not asked
	if err := in.Decode(&out); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	seen := map[string]bool{}
	for _, q := range out {
		if seen[q.Name] {
			t.Fatalf("%s: %s is there twice", file, q.Name)
		}
		seen[q.Name] = true
	}
	return out
}

// found is an answer, as JSON and as what that reads as.
type found struct {
	name string
	text []byte
	tree any
}

func askAll(t *testing.T, questions []question) []found {
	t.Helper()
	out := make([]found, len(questions))
	for i, q := range questions {
		asks, err := q.asks()
		if err != nil {
			t.Fatalf("%s: %v", q.Name, err)
		}
		answer, err := asks.answer()
		if err != nil {
			t.Fatalf("%s: %v", q.Name, err)
		}
		out[i].name = q.Name
		if out[i].text, err = json.Marshal(answer); err != nil {
			t.Fatalf("%s: %v", q.Name, err)
		}
		must(t, json.Unmarshal(out[i].text, &out[i].tree))
	}
	return out
}

func readAnswers(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(file)
	must(t, err)
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// addAnswers writes a line for each, so that a change of one shows as one.
func addAnswers(t *testing.T, file string, all []found) {
	t.Helper()
	kept := map[string]json.RawMessage{}
	if _, err := os.Stat(file); err == nil {
		readAnswers(t, file, &kept)
	}
	var lines []string
	for _, f := range all {
		text, known := kept[f.name]
		if !known {
			text = f.text
		}
		lines = append(lines, fmt.Sprintf("%q: %s", f.name, text))
	}
	must(t, os.WriteFile(file, []byte("{\n"+strings.Join(lines, ",\n")+"\n}\n"), 0o644))
}

// differences are the places at which an answer is not as it was kept.
func differences(at string, want, got any) []string {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			break
		}
		var out []string
		for _, key := range keysOf(w, g) {
			out = append(out, differences(at+"."+key, w[key], g[key])...)
		}
		return out
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			break
		}
		var out []string
		for i := range w {
			out = append(out, differences(fmt.Sprintf("%s[%d]", at, i), w[i], g[i])...)
		}
		return out
	case float64:
		if g, ok := got.(float64); ok && isNear(w, g) {
			return nil
		}
	}
	if reflect.DeepEqual(want, got) {
		return nil
	}
	return []string{fmt.Sprintf("%s is %s, was %s", at, short(got), short(want))}
}

// isNear holds numbers to 1e-12, of their size where that is above 1.
func isNear(a, b float64) bool { return math.Abs(a-b) <= 1e-12*max(1, math.Abs(a), math.Abs(b)) }

func keysOf(a, b map[string]any) []string {
	var keys []string
	for _, m := range []map[string]any{a, b} {
		for key := range m {
			if !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	slices.Sort(keys)
	return keys
}

func short(x any) string {
	text, _ := json.Marshal(x) // it came from JSON
	if len(text) > 120 {
		return string(text[:120]) + "…"
	}
	return string(text)
}

// number is one that may be none: JSON has no word for infinity.
type number float64

func (n number) MarshalJSON() ([]byte, error) {
	if f := float64(n); math.IsNaN(f) || math.IsInf(f, 0) {
		return json.Marshal(fmt.Sprint(f))
	}
	return json.Marshal(float64(n))
}

func (n *number) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case `"NaN"`:
		*n = number(math.NaN())
		return nil
	case `"+Inf"`:
		*n = number(math.Inf(1))
		return nil
	}
	return json.Unmarshal(text, (*float64)(n))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
