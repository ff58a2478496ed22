package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/gate/text"
)

// TestChanges reads changes.txt of the scenarios: what a change of a saved result, one field or a few, changes in its report. A change is a
// line with its name, lines of fields and values in JSON, texts that its report must never have, and the lines of the report that come and go,
// which -update writes:
//
//	# what changes
//	cases.0.budgetGone = true
//	kernels.+ = @kernels.0
//	never computed right
//	- a line that goes
//	+ a line that comes
//
// A field that is + is one more of a list, null takes one out, and a value that begins with @ is that of another field. Processes and rounds stay as they are: the
// conclusion is drawn anew, cases are not decided again.
func TestChanges(t *testing.T) {
	paths, _ := filepath.Glob(filepath.Join(samplesDir, "*", "changes.txt")) // the pattern is well-formed
	if len(paths) == 0 {
		t.Fatal("no scenario has changes")
	}
	for _, path := range paths {
		name := filepath.Base(filepath.Dir(path))
		before := linesOf(New(load(t, name)), Verbose)
		saved, err := os.ReadFile(path)
		must(t, err)
		var all strings.Builder
		for block := range strings.SplitSeq(strings.TrimSpace(string(saved)), "\n\n") {
			all.WriteString(changed(t, name, block, before) + "\n")
		}
		got := strings.TrimSuffix(all.String(), "\n")
		if *update {
			must(t, os.WriteFile(path, []byte(got), 0o666))
		} else if got != string(saved) {
			t.Errorf("%s differs; go test ./gate/report -update writes it\n%s", path, got)
		}
	}
}

// changed is a block of changes.txt with what its change does to the report.
func changed(t *testing.T, name, block string, before []string) string {
	t.Helper()
	lines := slices.DeleteFunc(strings.Split(block, "\n"), func(s string) bool { return strings.HasPrefix(s, "- ") || strings.HasPrefix(s, "+ ") })
	r, err := resultWith(name, lines)
	if err != nil {
		t.Fatalf("%s: %s: %v", name, lines[0], err)
	}
	after := linesOf(New(r), Verbose)
	for _, line := range lines {
		if never, ok := strings.CutPrefix(line, "never "); ok && strings.Contains(strings.Join(after, "\n"), never) {
			t.Errorf("%s: %s: the report says %q", name, lines[0], never)
		}
	}
	for _, s := range before {
		if !slices.Contains(after, s) {
			lines = append(lines, "- "+s)
		}
	}
	for _, s := range after {
		if !slices.Contains(before, s) {
			lines = append(lines, "+ "+s)
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

// resultWith is the result of a scenario with some of its fields changed.
func resultWith(name string, lines []string) (*result.Result, error) {
	data, err := os.ReadFile(filepath.Join(samplesDir, name, "result.json"))
	if err != nil {
		return nil, err
	}
	var tree any
	if err := json.Unmarshal(data, &tree); err != nil {
		return nil, err
	}
	concluded := false
	for _, line := range lines {
		field, value, isField := strings.Cut(line, " = ")
		if !isField || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "never ") {
			continue
		}
		if from, isOther := strings.CutPrefix(value, "@"); isOther {
			_, err = at(tree, strings.Split(from, "."), func(other any) any {
				data, _ := json.Marshal(other) // it was read from JSON
				value = string(data)
				return other
			})
		}
		var to any
		if err == nil {
			err = json.Unmarshal([]byte(value), &to)
		}
		if err == nil {
			tree, err = at(tree, strings.Split(field, "."), func(any) any { return to })
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", line, err)
		}
		concluded = concluded || strings.HasPrefix(field, "conclusion")
	}
	if data, err = json.Marshal(tree); err != nil {
		return nil, err
	}
	r := new(result.Result)
	strict := json.NewDecoder(bytes.NewReader(data))
	strict.DisallowUnknownFields()
	if err := strict.Decode(r); err != nil {
		return nil, err
	}
	if !concluded {
		r.Conclusion = rule.Conclude(r.Cases, r.Kernels, r.Policy)
		r.Conclusion = rule.Accept(r.Conclusion, func(f result.Finding) bool {
			return slices.ContainsFunc(r.Accepted, func(a result.Accepted) bool { return a.Case == f.Case && f.Case != "" })
		})
	}
	return r, nil
}

// at is a tree of JSON with the value of a field replaced.
func at(tree any, field []string, replaced func(any) any) (any, error) {
	if len(field) == 0 {
		return replaced(tree), nil
	}
	switch node := tree.(type) {
	case nil:
		return at(map[string]any{}, field, replaced)
	case map[string]any:
		value, err := at(node[field[0]], field[1:], replaced)
		node[field[0]] = value
		return node, err
	case []any:
		if field[0] == "+" {
			node, field[0] = append(node, nil), strconv.Itoa(len(node))
		}
		i, err := strconv.Atoi(field[0])
		if err != nil || i >= len(node) {
			return nil, fmt.Errorf("no %s of %d", field[0], len(node))
		}
		if node[i], err = at(node[i], field[1:], replaced); node[i] == nil {
			node = slices.Delete(node, i, i+1)
		}
		return node, err
	}
	return nil, fmt.Errorf("%s is in no list or object", field[0])
}

// linesOf are the lines of a document up to a layer: its answer, and titles, paragraphs, points, rows and logs of its blocks behind their keys.
func linesOf(d Document, most Layer) (out []string) {
	say := func(key string, texts ...string) {
		if texts = slices.DeleteFunc(texts, func(s string) bool { return s == "" }); len(texts) > 0 {
			out = append(out, strings.ReplaceAll(key+": "+strings.Join(texts, " | "), Tie, " "))
		}
	}
	say(d.Verdict, PlainText(d.Headline))
	var walk func(blocks []Block)
	walk = func(blocks []Block) {
		for _, b := range blocks {
			if b.Layer > most {
				continue
			}
			say(b.Key, PlainText(b.Title))
			for _, p := range b.Paragraphs {
				say(b.Key, PlainText(p))
			}
			for _, i := range b.List {
				say(b.Key, i.Label, PlainText(i.Text), PlainText(i.Next))
			}
			if b.Table != nil {
				titles := []string{b.Table.First}
				for _, c := range b.Table.Columns {
					titles = append(titles, c.Title)
				}
				say(b.Key, titles...)
				for _, r := range b.Table.Rows {
					cells := []string{text.Visible(r.Name.Full)}
					for _, c := range b.Table.Columns {
						cells = append(cells, r.Cells[c.Key].Text)
					}
					say(b.Key, append(cells, r.Instead.Text)...)
				}
			}
			if b.Figure != nil && b.Figure.Series[0].Form == FormCells {
				say(b.Key, b.Figure.Title, strings.Join(b.Figure.Y.Names, " "))
			}
			if b.Log != nil {
				say(b.Key, b.Log.Command, strings.Join(b.Log.Lines, " / "))
			}
			walk(b.Blocks)
		}
	}
	walk(d.Blocks)
	return out
}

// flat is all that a document says, on one line.
func flat(d Document) string {
	return strings.Join(strings.Fields(strings.Join(linesOf(d, Full), " ")), " ")
}
