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
)

var update = flag.Bool("update", false, "write docs/cli.md, and the inputs and outputs of docs/action.md, anew")

// actionFile is what action.yml says of inputs and outputs.
type actionFile struct {
	Inputs  yaml.MapSlice `yaml:"inputs"`
	Outputs yaml.MapSlice `yaml:"outputs"`
}

type describedInput struct{ name, description, standard string }

func readAction(t *testing.T) (inputs, outputs []describedInput) {
	t.Helper()
	var file actionFile
	if err := yaml.Unmarshal([]byte(readText(t, "../../action.yml")), &file); err != nil {
		t.Fatal(err)
	}
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
	for _, o := range options {
		i := slices.IndexFunc(inputs, func(in describedInput) bool { return in.name == o.name })
		switch {
		case o.input != (i >= 0):
			t.Errorf("--%s: the table says that it is an input: %v, action.yml: %v", o.name, o.input, i >= 0)
		case i >= 0 && !strings.HasPrefix(inputs[i].description[1:], o.help[1:]):
			t.Errorf("input %s: its description does not begin with the help of the flag\n%s\n%s", o.name, inputs[i].description, o.help)
		case i >= 0 && inputs[i].standard != "" && inputs[i].standard != o.fallback.value && inputs[i].standard != o.fallback.means:
			t.Errorf("input %s: its default is %s, that of the flag %+v", o.name, inputs[i].standard, o.fallback)
		}
	}
}

// The inputs and outputs of docs/action.md are those of action.yml.
func TestActionReference(t *testing.T) {
	t.Parallel()
	inputs, outputs := readAction(t)
	page := readText(t, "../../docs/action.md")
	var in, out strings.Builder
	in.WriteString("\n| input | default | |\n|:--|:--|:--|\n")
	for _, i := range inputs {
		standard := ""
		if i.standard != "" {
			standard = "`" + i.standard + "`"
		}
		fmt.Fprintf(&in, "| `%s` | %s | %s |\n", i.name, standard, i.description)
	}
	out.WriteString("\n| output | |\n|:--|:--|\n")
	for _, o := range outputs {
		fmt.Fprintf(&out, "| `%s` | %s |\n", o.name, o.description)
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
	return before + "<!-- " + mark + " -->\n" + text + "\n<!-- end of " + mark + " -->" + after
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
	if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// docs/cli.md is the help of every verb.
func TestCommandLineReference(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(`# The command line

This page is made from the program: ` + "`go test ./cmd/perfgate -run Reference -update`" + ` writes it.
Every verb has ` + "`-q`" + ` (no progress on standard error) and ` + "`-v`" + ` (every command with its time); every verb that prints an answer has ` + "`--format` and `--json`" + `; every verb that writes files has ` + "`-o`" + `.
`)
	root := newTestRoot()
	found := leaves(root)
	for _, group := range root.Groups() {
		fmt.Fprintf(&b, "\n## %s\n", group.ID)
		for _, path := range slices.Sorted(maps.Keys(found)) {
			leaf := found[path]
			if top(leaf).GroupID == group.ID && !strings.HasPrefix(path, "completion") && path != "help" {
				fmt.Fprintf(&b, "\n### perfgate %s\n\n```text\n%s```\n", path, helpOf(leaf))
			}
		}
	}
	b.WriteString("\n## For maintainers\n")
	for _, path := range slices.Sorted(maps.Keys(found)) {
		if leaf := found[path]; top(leaf).Hidden {
			fmt.Fprintf(&b, "\n### perfgate %s\n\n```text\n%s```\n", path, helpOf(leaf))
		}
	}
	page, _ := os.ReadFile("../../docs/cli.md")
	holds(t, "../../docs/cli.md", string(page), b.String())
}

// top is the verb that a command belongs to.
func top(cmd *cobra.Command) *cobra.Command {
	for cmd.HasParent() && cmd.Parent().HasParent() {
		cmd = cmd.Parent()
	}
	return cmd
}

// helpOf is the help of a command, without the options that every verb has.
func helpOf(cmd *cobra.Command) string {
	lines := []string{cmd.Long, "", "Usage:", "  " + cmd.UseLine(), ""}
	if cmd.HasExample() {
		lines = append(lines, "Examples:", cmd.Example, "")
	}
	text := strings.Join(lines, "\n")
	if flags := cmd.LocalFlags(); flags.HasFlags() {
		text += "\nFlags:\n" + flags.FlagUsages()
	}
	return strings.TrimRight(text, "\n") + "\n"
}
