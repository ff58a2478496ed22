package main

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/request"
)

// leaves are the commands that do something, by their paths.
func leaves(cmd *cobra.Command) map[string]*cobra.Command {
	out := map[string]*cobra.Command{}
	if !cmd.HasSubCommands() {
		out[strings.TrimPrefix(cmd.CommandPath(), "perfgate ")] = cmd
	}
	for _, under := range cmd.Commands() {
		for path, leaf := range leaves(under) {
			out[path] = leaf
		}
	}
	return out
}

func newTestRoot() *cobra.Command {
	return newRootCommand(&streams{in: strings.NewReader(""), out: io.Discard, err: io.Discard})
}

// A flag has one meaning, one type and one help text in every verb, and all are in the table.
func TestOptionsAreTheSameEverywhere(t *testing.T) {
	t.Parallel()
	type meaning struct{ short, help, value, variable string }
	seen, of := map[string]meaning{}, map[string]string{}
	flags := 0
	for path, leaf := range leaves(newTestRoot()) {
		leaf.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Name == "help" {
				return
			}
			flags++
			s, ok := f.Value.(*request.Setting)
			if !ok {
				t.Errorf("perfgate %s: --%s is not in the table", path, f.Name)
				return
			}
			now := meaning{f.Shorthand, f.Usage, s.Value, fmt.Sprint(reflect.TypeOf(s.To))}
			if before, ok := seen[f.Name]; ok && before != now {
				t.Errorf("--%s is %+v in %s and %+v in %s", f.Name, before, of[f.Name], now, path)
			}
			seen[f.Name], of[f.Name] = now, path
		})
	}
	if flags < 150 {
		t.Errorf("only %d flags were found", flags)
	}
	for i, o := range request.Options {
		if slices.ContainsFunc(request.Options[:i], func(other request.Option) bool { return other.Name == o.Name }) {
			t.Errorf("--%s is in the table twice", o.Name)
		}
		if _, ok := seen[o.Name]; !ok && o.Verbs != "perfgate" {
			t.Errorf("--%s is in no verb", o.Name)
		}
	}
}

// The help of every verb says what its exit codes mean, and has an example.
func TestExitCodesAreInEveryHelp(t *testing.T) {
	t.Parallel()
	found := leaves(newTestRoot())
	for path, leaf := range found {
		if _, ok := outcomes[path]; !ok {
			t.Errorf("perfgate %s has no row in the table of exit codes", path)
		} else if !strings.Contains(leaf.Long, "\n  2  "+badUsage) {
			t.Errorf("perfgate %s: its help has no exit codes", path)
		}
		if example := "perfgate " + path; !strings.Contains(leaf.Example, example) && !strings.Contains(leaf.Long, "\t"+example) && !strings.Contains(leaf.Long, "("+example) {
			t.Errorf("perfgate %s: its help has no example", path)
		}
	}
	for path := range outcomes {
		if found[path] == nil {
			t.Errorf("there is no perfgate %s", path)
		}
	}
}

// repeating are the verbs that print a line that repeats them, with the arguments that they need.
var repeating = map[string][]string{
	"run": nil, "parity": nil, "tune": nil, "versus": {"a.pg.cc", "HEAD~1:it's b.pg.cc"}, "bisect": {"good", "bad"}, "drift": {"main"},
	"merge": {"part 1", "part-2"}, "baseline record": {"HEAD~1"},
}

// The line that repeats a run, typed again, asks for the same: every option of the verb has the same value.
func TestRepeatLineAsksForTheSame(t *testing.T) {
	t.Parallel()
	for verb, args := range repeating {
		typed, asked := leaves(newTestRoot())[verb], request.Targets{}
		settingsOf(typed, func(s *request.Setting) {
			must(t, typed.Flags().Set(s.Name, sampleOf(s)))
			asked[s.Key()] = s.To
		})
		line := request.Line(verb, asked, args...)
		again := leaves(newTestRoot())[verb]
		words := report.CommandWords(line)[1+len(strings.Fields(verb)):]
		if err := again.ParseFlags(words); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if got := again.Flags().Args(); !slices.Equal(got, args) {
			t.Errorf("%s: the arguments are %q, want %q", line, got, args)
		}
		n := 0
		settingsOf(again, func(s *request.Setting) {
			n++
			if want := reflect.ValueOf(asked[s.Key()]).Elem().Interface(); !reflect.DeepEqual(reflect.ValueOf(s.To).Elem().Interface(), want) {
				t.Errorf("%s: --%s is %q, want %v", line, s.Name, s.String(), want)
			}
		})
		if n == 0 || n != len(asked) {
			t.Errorf("perfgate %s: %d options, %d variables", verb, n, len(asked))
		}
	}
}

// settingsOf visits the options of a command that say what it does.
func settingsOf(cmd *cobra.Command, visit func(*request.Setting)) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if s, ok := f.Value.(*request.Setting); ok && !s.Output {
			visit(s)
		}
	})
}

// sampleOf is a value of an option that is not its default, in the form of the repeat line.
func sampleOf(s *request.Setting) string {
	if values := s.Values(s.Verb); len(values) > 0 {
		return values[len(values)-1]
	}
	switch s.To.(type) {
	case *bool:
		return "true"
	case *int, *float64:
		return "3"
	}
	return map[bool]string{true: "3s", false: "3/4"}[s.Value == "DURATION"]
}

// needs are what verbs want that cannot do without; all others run with nothing after them.
var needs = map[string]string{
	"report": "needs at least one result.json", "merge": "needs at least one result.json, or a folder", "compare": "needs two arguments, OLD and NEW",
	"explain": "needs one profile, or two", "rerun": "needs one result", "bisect": "needs two revisions, GOOD and BAD", "baseline import": "needs one file",
	"versus": "needs --kernel with one kernel", "tune": "needs --kernel with one kernel", "judge": "needs --ledger",
	"baseline": "needs a command", "action": "needs a command", "completion": "needs a command",
}

// Too little, nonsense or a typing mistake is one sentence, exit 2 and nothing on standard output, with the likely name: for every verb, every
// verb under another, and every option.
func TestBadUsageIsOneSentence(t *testing.T) {
	t.Parallel()
	refused := func(line []string, says string) {
		t.Helper()
		code, out, said := executed(t, line...)
		if code != 2 || out != "" || strings.Count(said, "\n") != 1 || !strings.HasPrefix(said, "perfgate: ") || !strings.Contains(said, says) {
			t.Errorf("perfgate %q: exit %d, want 2 with %q\n%s%s", line, code, says, out, said)
		}
	}
	for path, says := range needs {
		refused(strings.Fields(path), says)
	}
	for path, leaf := range leaves(newTestRoot()) {
		words := strings.Fields(path)
		if leaf.Args != nil && leaf.Args(leaf, nil) != nil && needs[path] == "" {
			t.Errorf("perfgate %s with nothing is not in the table", path)
		}
		refused(append(slices.Clone(words), "--nonsense"), "unknown flag --nonsense")
		refused(append(slices.Clone(words), "-ö"), "see perfgate "+path+" --help")
		if path != "help" {
			refused(append(slices.Clone(words), "--format", "nonsense"), "")
		}
		if path != "report" && path != "merge" { // any number of files
			refused(append(slices.Clone(words), "a", "b", "c"), "")
		}
		last := len(words) - 1
		for _, wrong := range mistyped(words[last]) {
			if !leaf.Hidden {
				refused(append(slices.Clone(words[:last]), wrong), "did you mean ")
				refused(append([]string{"help"}, append(slices.Clone(words[:last]), wrong)...), words[last])
			}
		}
		leaf.Flags().VisitAll(func(f *pflag.Flag) {
			for _, wrong := range mistyped(f.Name) {
				if leaf.Flags().Lookup(wrong) == nil && len(wrong) > 1 {
					refused(append(slices.Clone(words), "--"+wrong), "did you mean --")
				}
			}
		})
	}
}

// mistyped are a word with two letters in each other's place, and without one.
func mistyped(word string) []string {
	i := len(word) / 2
	return []string{word[:i-1] + word[i:i+1] + word[i-1:i] + word[i+1:], word[:i] + word[i+1:]}
}
