package main

import (
	"bytes"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

var (
	inline    = regexp.MustCompile("`((?:[A-Z_]+=[^ `]+ )*perfgate [a-z][^`\n]*)`")
	aCommand  = regexp.MustCompile(`(?:^|&& |\| |"\$IMAGE" |sudo -iu runner )\s*(?:- )?(?:run: )?(?:[A-Z_]+=(?:\$\([^)]*\)|\S+) )*(?:\./)?perfgate ([a-z]+)((?:[ \t]+[^\s#&|;<>]+)*)`)
	quoted    = regexp.MustCompile(`'[^']*'`) // a command of its own
	withValue = regexp.MustCompile(`^--([a-z][a-z-]*)`)
)

// Every command line of perfgate in the documentation names verbs and flags that there are.
func TestCommandsInDocsExist(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, file := range append(files, "../../README.md", "../../CONTRIBUTING.md", "../../SECURITY.md") {
		for _, line := range commandLines(t, file) {
			for _, found := range aCommand.FindAllStringSubmatch(line, -1) {
				if seen++; strings.TrimSpace(found[0]) == "perfgate measure" { // the name of a workflow
					continue
				}
				for _, wrong := range unknownWords(found[1], strings.Fields(found[2])) {
					t.Errorf("%s: %q: there is no %s", filepath.Base(file), strings.TrimSpace(found[0]), wrong)
				}
			}
		}
	}
	if seen < 100 {
		t.Errorf("only %d commands were found: the pages are written in another way", seen)
	}
	for _, line := range []string{"perfgate rnu", "perfgate run --no-such", "perfgate baseline nosuch", "perfgate init --github --arhc sm_89"} {
		found := aCommand.FindStringSubmatch(line)
		if len(unknownWords(found[1], strings.Fields(found[2]))) == 0 {
			t.Errorf("%q is not seen to be wrong", line)
		}
	}
}

// commandLines are the lines of a page's code blocks, and spans of code that hold a command.
func commandLines(t *testing.T, page string) []string {
	t.Helper()
	var out []string
	for _, b := range codeBlocks(t, page) {
		if !slices.Contains([]string{"sh", "text", "yaml", "indented", ""}, b.kind) {
			continue
		}
		joined := strings.ReplaceAll(b.text, "\\\n", " ")
		for line := range strings.Lines(joined) {
			line, _, _ = strings.Cut(line, " #")
			out = append(out, quoted.ReplaceAllString(line, "''"))
		}
	}
	for _, span := range inline.FindAllStringSubmatch(readText(t, page), -1) {
		out = append(out, span[1])
	}
	return out
}

// unknownWords are the verbs and the flags of a command line that there are none of.
func unknownWords(verb string, words []string) []string {
	var discard bytes.Buffer
	root := newRootCommand(&streams{in: &discard, out: &discard, err: &discard})
	at, rest, err := root.Find(append([]string{verb}, words...))
	if err != nil || at == root {
		return []string{"verb " + verb}
	}
	var wrong []string
	if at.HasSubCommands() && len(rest) > 0 && regexp.MustCompile(`^[a-z]+$`).MatchString(rest[0]) {
		wrong = append(wrong, "verb "+verb+" "+rest[0])
	}
	for _, word := range rest {
		found := withValue.FindStringSubmatch(word)
		if found == nil || found[1] == "help" {
			continue
		}
		known := func(f *pflag.FlagSet) bool { return f.Lookup(found[1]) != nil }
		if !known(at.Flags()) && !known(at.InheritedFlags()) {
			wrong = append(wrong, "flag --"+found[1]+" of "+at.CommandPath())
		}
	}
	return wrong
}
