package config

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/org/perfgate/gate/benchmark"
)

// starterText is a first configuration as it is written.
type starterText struct{ strings.Builder }

// add adds lines.
func (t *starterText) add(format string, args ...any) { fmt.Fprintf(t, format+"\n", args...) }

// file is the whole. Its error is an Errors about what it was made of.
func (t *starterText) file() ([]byte, error) {
	text := []byte(t.String())
	_, err := Parse(DefaultFile, text)
	return text, err
}

// yamlText is a string or a number of YAML, strings in quotes: JSON's are YAML's.
func yamlText(v any) string {
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // && stays as it is
	if err := e.Encode(v); err != nil {
		panic(err) // strings and numbers always marshal
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// yamlList is a list of YAML.
func yamlList[T any](all []T) string {
	texts := make([]string, len(all))
	for i, v := range all {
		texts[i] = yamlText(v)
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

// BenchStarter is a first configuration for a benchmark.
type BenchStarter struct {
	Kernel    string
	Bench     Bench
	Build     string   // what builds it; "" where nothing has to, or that is not known
	Files     []string // patterns of what it seems to be made of. It may define what it times, so they are only suggested
	Cases     []string // what it times; nil: all of it
	Tolerance string   // slowdown that passes; "" leaves the default
	Device    string   // that it was seen to run on; "" is not known
	Paths     []string // patterns of what it was seen to read of the tree; nil: not known

	Environment *Environment // of each side; nil: what is installed
}

// Text is the file. Its error is an Errors about what the starter was given.
func (b BenchStarter) Text() ([]byte, error) {
	var t starterText
	t.add("# docs/config.md describes every key, docs/benchmarks.md benchmarks.\nversion: 1")
	if b.Device != "" {
		t.add("device: %s                            # what it opened when it was tried", b.Device)
	}
	if len(b.Paths) > 0 {
		t.add("# Its build and its processes read files of these; a change of others passes without a run:\npaths: %s", yamlList(b.Paths))
	}
	if e := b.Environment; e != nil {
		t.add("environment:                           # each side's own packages: docs/environments.md\n  fetch: %s\n  build: %s\n  inputs: %s",
			yamlText(e.Fetch), yamlText(e.Build), yamlList(e.Inputs))
	}
	t.add("kernels:\n  - name: %s", b.Kernel)
	what, more := "script: "+yamlText(b.Bench.Script), ""
	if b.Bench.Script != "" && len(b.Bench.Args) > 0 {
		what += ", args: " + yamlList(b.Bench.Args)
	}
	if b.Build != "" {
		t.add("    build: {command: %s}", yamlText(b.Build))
	} else if b.Bench.Script == "" {
		t.add("    # build: {command: make bench}       # what builds it, in the tree of each side")
	}
	if len(b.Bench.Competitors) > 0 {
		more = ", competitors: " + yamlList(b.Bench.Competitors)
	}
	if b.Bench.Script == "" {
		what = "command: " + yamlText(b.Bench.Command)
		if b.Bench.Time == "cpu" {
			more = ", time: cpu"
		}
		if b.Bench.Table != nil {
			more = ",\n      csv: " + mappingText(*b.Bench.Table)
		}
	}
	t.add("    bench: {%s, format: %s%s}", what, b.Bench.Format, more)
	if b.Bench.Python != "" {
		t.add("    python: %s", yamlText(b.Bench.Python))
	}
	files := b.Files
	if len(files) == 0 {
		files = []string{"benchmarks/**"}
	}
	t.add("    # Each side runs the benchmark that it has. Files that only time others, and define nothing of what is timed, can be the same on both:")
	t.add("    # files: %s", yamlList(files))
	if len(b.Cases) > 0 {
		t.add("    cases:                               # some of those that it has; with ! those that are left out")
	}
	for _, c := range b.Cases {
		t.add("      - %s", yamlText(c))
	}
	if b.Tolerance != "" {
		t.add("gate: {tolerance: %s}", yamlText(b.Tolerance))
	}
	return t.file()
}

// mappingText is which columns of a table are what, in one line.
func mappingText(m benchmark.Mapping) string {
	value := yamlText(m.Values[0].Name)
	if len(m.Values) > 1 || m.Values[0].Better != "" {
		var all []string
		for _, v := range m.Values {
			one := "name: " + yamlText(v.Name)
			if v.Better != "" {
				one += ", better: " + v.Better
			}
			all = append(all, "{"+one+"}")
		}
		value = "[" + strings.Join(all, ", ") + "]"
	}
	text := fmt.Sprintf("case: %s, value: %s", yamlText(m.Case), value)
	switch {
	case m.Line != "":
		text += ", line: " + yamlText(m.Line)
	case m.Separator != "comma":
		text += ", separator: " + m.Separator
	}
	return "{" + text + "}"
}

// KernelName makes a name for a kernel of a program's.
func KernelName(program string) string {
	base, _, _ := strings.Cut(path.Base(program), ".")
	return nameOf(strings.ToLower(base), "benchmark")
}

// nameOf makes a name of a kernel of a text, and takes another where nothing of it is left.
func nameOf(text, otherwise string) string {
	name := strings.Trim(strings.Map(func(r rune) rune {
		if problem, _ := checkName("a" + string(r)); problem == "" {
			return r
		}
		return '_'
	}, text), "_.-")
	return cmp.Or(name[:min(len(name), 60)], otherwise)
}
