package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// answerless are the verbs that print no answer that a program would read: they write files, show a run, or talk to a shell or a job.
var answerless = []string{"init", "demo", "report", "version", "help", "action prepare", "action measure", "action report"}

// Every verb has -q and -v; every verb that prints an answer has --format and --json, one for the other, and text where nothing is said; every verb that writes
// files has -o.
func TestOutputOptionsAreEverywhere(t *testing.T) {
	t.Parallel()
	for path, leaf := range leaves(newTestRoot()) {
		if strings.HasPrefix(path, "completion") {
			continue
		}
		flag := func(name string) *pflag.Flag {
			if f := leaf.Flags().Lookup(name); f != nil {
				return f
			}
			return leaf.InheritedFlags().Lookup(name)
		}
		for name, short := range map[string]string{"quiet": "q", "verbose": "v", "out": "o"} {
			if f := flag(name); f == nil && name != "out" || f != nil && f.Shorthand != short {
				t.Errorf("perfgate %s: --%s is %+v", path, name, f)
			}
		}
		format, asJSON := flag("format"), flag("json")
		switch {
		case slices.Contains(answerless, path):
			if format != nil || asJSON != nil {
				t.Errorf("perfgate %s has --format, and is in the list of those that print no answer", path)
			}
			continue
		case format == nil:
			t.Errorf("perfgate %s has no --format", path)
			continue
		}
		words := strings.Split(format.Value.Type(), "|")
		if hasJSON := slices.Contains(words, "json"); hasJSON != (asJSON != nil) || !hasJSON && path != "baseline export" {
			t.Errorf("perfgate %s: --format %q, and --json: %v", path, words, asJSON != nil)
		}
		if path != "baseline export" && path != "judge" && (format.DefValue != "text" || words[0] != "text") {
			t.Errorf("perfgate %s prints %s of %q where nothing is said", path, format.DefValue, words)
		}
	}
}

// Verbs that read a store print one JSON document, Markdown or text as they are asked, and nothing beside it with -q: also where there are no records.
func TestFormatsOfAnEmptyStore(t *testing.T) {
	twoCommits(t)
	for _, verb := range []string{"history", "baseline list", "baseline accept", "baseline waivers", "baseline prune"} {
		for _, format := range []string{"--json", "--format=json", "--format=text"} {
			line := append(strings.Fields(verb), "-q", "--store=dir:records", format)
			code, out, said := executed(t, line...)
			if isJSON := json.Valid([]byte(out)); code != 0 || said != "" || out == "" || isJSON != strings.Contains(format, "json") {
				t.Errorf("perfgate %q: exit %d\n%s\n%s", line, code, out, said)
			}
		}
	}
}
