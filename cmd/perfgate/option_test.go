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
			s, ok := f.Value.(*setting)
			if !ok {
				t.Errorf("perfgate %s: --%s is not in the table", path, f.Name)
				return
			}
			now := meaning{f.Shorthand, f.Usage, s.option.value, fmt.Sprint(reflect.TypeOf(s.to))}
			if before, ok := seen[f.Name]; ok && before != now {
				t.Errorf("--%s is %+v in %s and %+v in %s", f.Name, before, of[f.Name], now, path)
			}
			seen[f.Name], of[f.Name] = now, path
		})
	}
	if flags < 150 {
		t.Errorf("only %d flags were found", flags)
	}
	for i, o := range options {
		if slices.ContainsFunc(options[:i], func(other option) bool { return other.name == o.name }) {
			t.Errorf("--%s is in the table twice", o.name)
		}
		if _, ok := seen[o.name]; !ok && o.verbs != "perfgate" {
			t.Errorf("--%s is in no verb", o.name)
		}
	}
}

// The help of every verb says what its exit codes mean.
func TestExitCodesAreInEveryHelp(t *testing.T) {
	t.Parallel()
	found := leaves(newTestRoot())
	for path, leaf := range found {
		if _, ok := outcomes[path]; !ok && !strings.HasPrefix(path, "completion") && path != "help" {
			t.Errorf("perfgate %s has no row in the table of exit codes", path)
		} else if ok && !strings.Contains(leaf.Long, "\n  2  "+badUsage) {
			t.Errorf("perfgate %s: its help has no exit codes", path)
		}
	}
	for path := range outcomes {
		if found[path] == nil {
			t.Errorf("there is no perfgate %s", path)
		}
	}
}

// The line that repeats a run, read again, sets every option of the verb to the same value: none is forgotten.
func TestRepeatLineHasEveryOption(t *testing.T) {
	t.Parallel()
	for _, verb := range []string{"run", "parity", "tune", "versus", "bisect", "drift", "merge", "baseline record"} {
		cmd := leaves(newTestRoot())[verb]
		typed, set := []string{}, targets{}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			s, ok := f.Value.(*setting)
			if !ok || s.option.output {
				return
			}
			typed = append(typed, "--"+f.Name+"="+sampleOf(s))
			set[f.Name] = s.to
		})
		if err := cmd.ParseFlags(typed); err != nil {
			t.Fatal(err)
		}
		words := strings.Fields(commandLine(verb, set))
		if got := words[1+len(strings.Fields(verb)):]; !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(bare(typed)))) {
			t.Errorf("perfgate %s\ntyped  %q\nrepeat %q", verb, bare(typed), got)
		}
	}
}

// sampleOf is a value of an option that is not its default, in the form of the repeat line.
func sampleOf(s *setting) string {
	if values := s.option.values(s.verb); len(values) > 0 {
		return values[len(values)-1]
	}
	switch s.to.(type) {
	case *bool:
		return "true"
	case *int, *float64:
		return "3"
	}
	return map[bool]string{true: "3s", false: "3/4"}[s.option.value == "DURATION"]
}

// bare are options as the repeat line has them: a switch is on by its name.
func bare(typed []string) []string {
	out := slices.Clone(typed)
	for i := range out {
		out[i] = strings.TrimSuffix(out[i], "=true")
	}
	return out
}

// Nonsense after any verb is one sentence, exit 2 and nothing on standard output, whatever else the verb needs.
func TestNonsenseIsOneSentence(t *testing.T) {
	t.Parallel()
	for path := range leaves(newTestRoot()) {
		for _, wrong := range [][]string{{"--nonsense"}, {"a", "b", "c"}, {"--format", "nonsense"}} {
			if path == "help" && wrong[0] == "--format" || wrong[0] == "a" && slices.Contains([]string{"report", "merge"}, path) {
				continue // any number of files
			}
			var out, errs strings.Builder
			code := execute(t.Context(), append(strings.Fields(path), wrong...), &streams{in: strings.NewReader(""), out: &out, err: &errs})
			if code != 2 || out.Len() > 0 || strings.Count(errs.String(), "\n") != 1 || !strings.HasPrefix(errs.String(), "perfgate: ") {
				t.Errorf("perfgate %s %q: exit %d\n%s%s", path, wrong, code, out.String(), errs.String())
			}
		}
	}
}
