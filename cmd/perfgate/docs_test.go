package main

import (
	"bytes"
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
