package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/request"
)

var update = flag.Bool("update", false, "write docs/cli.md, and the inputs and outputs of docs/action.md")

// actionFile is what action.yml says of inputs and outputs.
type actionFile struct {
	Inputs  yaml.MapSlice `yaml:"inputs"`
	Outputs yaml.MapSlice `yaml:"outputs"`
}

type describedInput struct{ name, description, standard string }

func readAction(t *testing.T) (inputs, outputs []describedInput) {
	t.Helper()
	var file actionFile
	must(t, yaml.Unmarshal([]byte(readText(t, "../../action.yml")), &file))
	described := func(all yaml.MapSlice) (out []describedInput) {
		for _, item := range all {
			fields := item.Value.(map[string]any)
			standard, _ := fields["default"].(string)
			out = append(out, describedInput{fmt.Sprint(item.Key), strings.TrimSpace(fmt.Sprint(fields["description"])), standard})
		}
		return out
	}
	return described(file.Inputs), described(file.Outputs)
}

// An input of the action that means what a flag means has its name and its help text.
func TestActionSharesNamesWithTheCommandLine(t *testing.T) {
	t.Parallel()
	inputs, _ := readAction(t)
	if len(inputs) < 30 {
		t.Fatalf("only %d inputs were found", len(inputs))
	}
	for _, o := range request.Options {
		i := slices.IndexFunc(inputs, func(in describedInput) bool { return in.name == o.Name })
		switch {
		case o.Input != (i >= 0):
			t.Errorf("--%s: the table says that it is an input: %v, action.yml: %v", o.Name, o.Input, i >= 0)
		case i >= 0 && !strings.HasPrefix(inputs[i].description[1:], o.Help[1:]):
			t.Errorf("input %s: its description does not begin with the help of the flag\n%s\n%s", o.Name, inputs[i].description, o.Help)
		case i >= 0 && inputs[i].standard != "" && inputs[i].standard != o.Fallback.Value && inputs[i].standard != o.Fallback.Means:
			t.Errorf("input %s: its default is %s, that of the flag %+v", o.Name, inputs[i].standard, o.Fallback)
		}
	}
}

// The inputs and outputs of docs/action.md are those of action.yml.
func TestActionReference(t *testing.T) {
	t.Parallel()
	inputs, outputs := readAction(t)
	page := readText(t, "../../docs/action.md")
	var in, out strings.Builder
	for _, i := range inputs {
		name := i.name
		if i.standard != "" {
			name += "`=`" + i.standard
		}
		fmt.Fprintf(&in, "- `%s`: %s\n", name, i.description)
	}
	for _, o := range outputs {
		fmt.Fprintf(&out, "- `%s`: %s\n", o.name, o.description)
	}
	want := between(t, between(t, page, "inputs", in.String()), "outputs", out.String())
	holds(t, "../../docs/action.md", page, want)
}

// between puts a text between the marks of a page.
func between(t *testing.T, page, mark, text string) string {
	t.Helper()
	before, rest, found := strings.Cut(page, "<!-- "+mark+" -->\n")
	_, after, ended := strings.Cut(rest, "<!-- end of "+mark+" -->")
	if !found || !ended {
		t.Fatalf("the page has no marks for %s", mark)
	}
	return before + "<!-- " + mark + " -->\n\n" + text + "\n<!-- end of " + mark + " -->" + after
}

// holds compares a page with what it should be, or writes it.
func holds(t *testing.T, path, page, want string) {
	t.Helper()
	if page == want {
		return
	}
	if !*update {
		t.Fatalf("%s is not current: go test ./cmd/perfgate -run Reference -update", path)
	}
	must(t, os.WriteFile(path, []byte(want), 0o644))
}

// docs/cli.md has every verb, with an example, and every flag of the table, once.
func TestCommandLineReference(t *testing.T) {
	t.Parallel()
	b := strings.Builder{}
	b.WriteString(cliHead)
	root := newTestRoot()
	found := leaves(root)
	for _, group := range root.Groups() {
		fmt.Fprintf(&b, "\n**%s**\n\n", group.ID)
		for _, path := range slices.Sorted(maps.Keys(found)) {
			leaf := found[path]
			if top(leaf).GroupID == group.ID && leaf.Runnable() && !strings.HasPrefix(path, "completion") {
				_, example, _ := strings.Cut(leaf.Example, "perfgate "+path)
				example, _, _ = strings.Cut(example, "\n")
				example, _, _ = strings.Cut(example, " #")
				fmt.Fprintf(&b, "- **%s**: %s. `perfgate %[1]s%[3]s`\n", path, strings.TrimSuffix(leaf.Short, "?"), strings.TrimRight(example, " "))
			}
		}
	}
	own := map[string]string{}
	b.WriteString("\n## Flags of several verbs\n\n")
	for _, o := range request.Options {
		switch verbs := strings.Fields(o.Verbs); {
		case o.Verbs == root.Name():
			b.WriteString(flagLine(o, "", " Of every verb."))
		case len(verbs) == 1 && slices.Contains(strings.Fields(request.BaselineVerbs), verbs[0]):
			own["baseline "+verbs[0]] += flagLine(o, verbs[0], "")
		case len(verbs) == 1:
			own[verbs[0]] += flagLine(o, verbs[0], "")
		default:
			b.WriteString(flagLine(o, "", " Of "+shortVerbs(verbs)+"."))
		}
	}
	b.WriteString("\n## Flags of one verb\n")
	for _, verb := range slices.Sorted(maps.Keys(own)) {
		fmt.Fprintf(&b, "\n**%s**\n\n%s", verb, own[verb])
	}
	page, _ := os.ReadFile("../../docs/cli.md")
	holds(t, "../../docs/cli.md", string(page), b.String())
}

const cliHead = `# The command line

For readers who look up a verb or a flag. ` + "`perfgate help VERB`" + ` explains a verb, with all of its flags, defaults and exit codes.
Made from the program: ` + "`go test ./cmd/perfgate -run Reference -update`" + ` writes this page.

## Exit codes

- 0: yes, or done
- 1: no: a regression, a wrong result, an exceeded limit
- 2: bad usage, configuration or input file; nothing was run
- 3: no answer: too noisy, budget exhausted, could not be measured, interrupted

## Verbs
`

// shortVerbs are verbs in few words.
func shortVerbs(verbs []string) string {
	var out, under []string
	left := func(all string) func(string) bool {
		return func(verb string) bool { return !slices.Contains(strings.Fields(all), verb) }
	}
	if !slices.ContainsFunc(strings.Fields(request.MeasuringVerbs), left(strings.Join(verbs, " "))) {
		out = append(out, "every verb that measures")
		verbs = slices.DeleteFunc(slices.Clone(verbs), func(verb string) bool { return !left(request.MeasuringVerbs)(verb) })
	}
	for _, verb := range verbs {
		if left(request.BaselineVerbs)(verb) {
			out = append(out, verb)
		} else {
			under = append(under, verb)
		}
	}
	switch {
	case len(under) == len(strings.Fields(request.BaselineVerbs)):
		out = append(out, "baseline")
	case len(under) > 0:
		out = append(out, "baseline ("+strings.Join(under, ", ")+")")
	}
	return strings.Join(out, ", ")
}

// flagLine is a line of the page: the flag, what it means and its default.
func flagLine(o request.Option, verb, end string) string {
	name := "--" + o.Name
	if o.Short != "" {
		name = "-" + o.Short + ", " + name
	}
	if o.Bare != "" {
		name += "[=" + o.Value + "]"
	} else if value := (&request.Setting{Option: o, Verb: verb}).Type(); value != "" && o.Value != "" {
		name += " " + value
	}
	standard := o.Default(verb)
	if words := standard.Value + standard.Means; words != "" {
		end = " (default " + words + ")." + end
	} else {
		end = "." + end
	}
	return fmt.Sprintf("- `%s`: %s%s\n", name, o.Help, end)
}

// top is the verb that a command belongs to.
func top(cmd *cobra.Command) *cobra.Command {
	for cmd.HasParent() && cmd.Parent().HasParent() {
		cmd = cmd.Parent()
	}
	return cmd
}
