package request

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/org/perfgate/kernels"
)

// Options are all flags of perfgate, in the order of a line that repeats a run.
var Options = slices.Concat(runOptions, savedOptions, startOptions)

// Action is the verb that inputs of the GitHub action are options of.
const Action = "action"

// Option is a flag, or an input of the action. It has one name, one meaning, one type and one help text in every verb; only its default may differ.
type Option struct {
	Name     string
	Short    string
	Value    string            // what stands for its value in a help; "" is a switch
	Help     string            // without the default
	Allowed  []string          // values; none: any of its type
	Choices  map[string]string // by verb, in place of Allowed: values separated by "|"
	Fallback Fallback
	Other    map[string]Fallback // by verb, where the default is another one
	Verbs    string              // where it is valid
	Sets     string              // another option whose variable this switch sets to its own name
	Bare     string              // value of the option without one; "" needs a value
	Repeated bool                // a list whose elements have commas: one an option
	Output   bool                // of what is printed and kept: no part of a line that repeats a run
	Empty    bool                // may be empty: a list of words
	Zero     bool                // a number that may be 0
	Input    bool                // an input of the action has its name and its meaning
	Repeats  bool                // says what is measured, and nothing of how it is decided: rerun takes it from the run that it repeats
}

// Fallback is a default: a value, or what it means to give none.
type Fallback struct{ Value, Means string }

// Targets are the variables that options set, by the keys of the options.
type Targets map[string]any

// TargetsOf are the fields of a struct that a pointer leads to: an option sets the field that has its name, or has it in a tag.
func TargetsOf(flags any) Targets {
	t := Targets{}
	t.add(reflect.ValueOf(flags).Elem())
	return t
}

func (t Targets) add(flags reflect.Value) {
	for i := range flags.NumField() {
		field, to := flags.Type().Field(i), flags.Field(i)
		key := cmp.Or(strings.ReplaceAll(field.Tag.Get("option"), "-", ""), strings.ToLower(field.Name))
		switch {
		case field.Anonymous:
			t.add(to)
		case field.IsExported() && to.Kind() == reflect.String: // also a word with a type of its own
			t[key] = to.Addr().Convert(reflect.TypeFor[*string]()).Interface()
		case field.IsExported():
			t[key] = to.Addr().Interface()
		}
	}
}

// Key is what the field that an option sets is found by.
func (o Option) Key() string { return strings.ReplaceAll(cmp.Or(o.Sets, o.Name), "-", "") }

// ValidIn says whether a verb has the option.
func (o Option) ValidIn(verb string) bool {
	return slices.Contains(strings.Fields(o.Verbs), verb) || verb == Action && o.Input
}

// Default is that of a verb.
func (o Option) Default(verb string) Fallback {
	if f, ok := o.Other[verb]; ok {
		return f
	}
	return o.Fallback
}

// Values are those that a verb allows; none allows any.
func (o Option) Values(verb string) []string {
	if choices, ok := o.Choices[verb]; ok {
		return strings.Split(choices, "|")
	}
	return o.Allowed
}

// Settings are the options of a verb, those of the table first and then own ones, with the variables that they set. These get their defaults.
func Settings(verb string, t Targets, own ...Option) []*Setting {
	var all []*Setting
	for _, o := range slices.Concat(Options, own) {
		if !o.ValidIn(verb) {
			continue
		}
		to, ok := t[o.Key()]
		if !ok {
			panic(fmt.Sprintf("option --%s of perfgate %s sets nothing", o.Name, verb))
		}
		s := &Setting{Option: o, Verb: verb, To: to}
		if standard := o.Default(verb).Value; standard != "" {
			if err := s.Set(standard); err != nil {
				panic(fmt.Sprintf("option --%s of perfgate %s: %v", o.Name, verb, err))
			}
		}
		s.Given = nil
		all = append(all, s)
	}
	return all
}

// Line is the command line that does the same: a verb, its arguments, and of its options those that have another value than the default.
func Line(verb string, t Targets, args ...string) string {
	line := []string{"perfgate " + verb}
	for _, arg := range args {
		line = append(line, kernels.ShellWord(arg))
	}
	words := strings.Fields(verb)
	verb = words[len(words)-1]
	for _, o := range Options {
		to, known := t[o.Key()]
		s := Setting{Option: o, Verb: verb, To: to}
		text := s.String()
		if !known || o.Output || !o.ValidIn(verb) || text == "" || text == o.Default(verb).Value {
			continue
		}
		list, isList := to.(*[]string)
		switch {
		case o.Value == "":
			line = append(line, "--"+o.Name)
		case isList && o.Repeated:
			for _, word := range *list {
				line = append(line, "--"+o.Name+"="+kernels.ShellWord(word))
			}
		default:
			line = append(line, "--"+o.Name+"="+kernels.ShellWord(text))
		}
	}
	return strings.Join(line, " ")
}
