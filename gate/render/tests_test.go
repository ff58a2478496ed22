package render

import (
	"encoding/csv"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// element is what the schema says of one: its attributes, those that it must have, and what may stand in it.
type element struct{ attributes, required, children string }

// schema is junit-10.xsd of Jenkins' xUnit plugin (MIT, Gregory Boissinot), of which it has what we write:
// https://github.com/jenkinsci/xunit-plugin/blob/master/src/main/resources/org/jenkinsci/plugins/xunit/types/model/xsd/junit-10.xsd
var schema = map[string]element{
	"testsuites": {"name time tests failures errors", "", "testsuite"},
	"testsuite": {"name tests failures errors group time skipped timestamp hostname id package file log url", "name tests failures errors",
		"testsuite properties testcase system-out system-err"},
	"testcase":   {"name time classname group", "name", "skipped error failure system-out system-err"},
	"failure":    {"type message", "", ""},
	"error":      {"type message", "", ""},
	"skipped":    {"type message", "", ""},
	"system-out": {"", "", ""},
}

// validate holds XML against the schema.
func validate(text string) error {
	d := xml.NewDecoder(strings.NewReader(text))
	var open []string
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch token := token.(type) {
		case xml.StartElement:
			name := token.Name.Local
			if parent := slices.Concat([]string{""}, open)[len(open)]; parent == "" && name != "testsuites" || parent != "" && !slices.Contains(strings.Fields(schema[parent].children), name) {
				return errors.New(name + " in " + parent)
			}
			has := map[string]bool{}
			for _, a := range token.Attr {
				has[a.Name.Local] = true
				if !slices.Contains(strings.Fields(schema[name].attributes), a.Name.Local) {
					return errors.New(name + " has " + a.Name.Local)
				}
			}
			for _, a := range strings.Fields(schema[name].required) {
				if !has[a] {
					return errors.New(name + " lacks " + a)
				}
			}
			open = append(open, name)
		case xml.EndElement:
			open = open[:len(open)-1]
		}
	}
}

// TestJUnitIsValid: every sample, also with hostile words in it, is JUnit XML, and its counts are those of its tests.
func TestJUnitIsValid(t *testing.T) {
	t.Parallel()
	for _, name := range samples {
		r := load(t, name)
		for _, hostile := range []string{"", "]]><x a='\"'>&\x00\x1b\ufffe\u202e"} {
			for i := range r.Cases {
				r.Cases[i].Reason = result.Message(result.MessageOf(r.Cases[i].Reason) + hostile)
				r.Cases[i].Name += hostile
			}
			text := junit(t, r)
			if err := validate(text); err != nil {
				t.Errorf("%s: %v\n%s", name, err, text)
			}
			for _, what := range []string{"failure", "error"} {
				total := 0
				for part := range strings.SplitSeq(text, " "+what+"s=\"") {
					n, _ := strconv.Atoi(part[:strings.IndexAny(part+"\"", "\"")])
					total += n
				}
				if n := strings.Count(text, "<"+what+" "); total != 2*n { // in its suite, and in all
					t.Errorf("%s: %d %ss are counted as %d", name, n, what, total)
				}
			}
		}
	}
}

// TestValidateRefuses: the check of the schema finds what is wrong.
func TestValidateRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`<testsuite/>`, `<testsuites><testcase name="x"/></testsuites>`, `<testsuites><testsuite name="x"/></testsuites>`, `<testsuites x="1"/>`, `<testsuites>`,
	} {
		if validate(text) == nil {
			t.Errorf("%s is taken for JUnit XML", text)
		}
	}
}

// TestJUnitTimeOfACaseCalledRun: it is told from the test of the whole run, which has no time of its own.
func TestJUnitTimeOfACaseCalledRun(t *testing.T) {
	t.Parallel()
	r := load(t, "pass")
	r.Cases[0].Name = r.Cases[0].Kernel + "/run"
	text := junit(t, r)
	if !strings.Contains(text, `name="run" classname="`+r.Cases[0].Kernel+`" time="`) || strings.Contains(text, `name="run" classname="perfgate" time="`) {
		t.Error(text)
	}
}

// TestCSV: a line for each case, as wide as its head, in which no cell is a formula.
func TestCSV(t *testing.T) {
	t.Parallel()
	for _, name := range samples {
		r := load(t, name)
		if len(r.Cases) > 0 {
			r.Cases[0].Kernel, r.Cases[0].Reason = `=HYPERLINK("x")`, result.Message("+1\r\n\"x\",@")
		}
		lines, err := csv.NewReader(strings.NewReader(csvOf(t, report.Values(r)))).ReadAll()
		if err != nil || len(lines) != len(r.Cases)+1 {
			t.Fatalf("%s: %d lines of %d cases, %v", name, len(lines), len(r.Cases), err)
		}
		for i, line := range lines[1:] {
			if line[3] != string(r.Cases[i].Verdict) {
				t.Errorf("%s: %q", name, line)
			}
			for _, cell := range line {
				if _, err := strconv.ParseFloat(cell, 64); err != nil && strings.IndexAny(cell, "=+-@") == 0 {
					t.Errorf("%s: %q is a formula", name, cell)
				}
			}
		}
	}
}

// TestFilesBeginWithTheirMark: each rendering is known to be perfgate's by how it begins.
func TestFilesBeginWithTheirMark(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := load(t, "regression")
	must(t, WriteFiles(dir, r, report.New(r), ""))
	for name, mark := range Marks {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.HasPrefix(string(data), mark) {
			t.Errorf("%s, %v, begins with %.60q", name, err, data)
		}
	}
}
