package main

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/org/perfgate/gate/result"
)

// options are all of perfgate's, in the order of a line that repeats a run.
var options = slices.Concat(runOptions, savedOptions, startOptions)

// option is a flag. It has one name, one meaning, one type and one help text in every verb; only its default may differ.
type option struct {
	name     string
	short    string
	value    string            // what stands for its value in a help; "" is a switch
	help     string            // without the default
	allowed  []string          // values; none: any of its type
	choices  map[string]string // by verb, in place of allowed: values separated by "|"
	fallback fallback
	other    map[string]fallback // by verb, where the default is another one
	verbs    string              // where it is valid
	sets     string              // another option whose variable this switch sets to its own name
	bare     string              // value of the option without one; "" needs a value
	repeated bool                // a list whose elements have commas: one an option
	output   bool                // of what is printed and kept: no part of a line that repeats a run
	empty    bool                // may be empty: a list of words
	zero     bool                // a number that may be 0
	input    bool                // an input of the action has its name and its meaning
	repeats  bool                // says what is measured, and nothing of how it is decided: rerun takes it from the run that it repeats
}

// fallback is a default: a value, or what it means to give none.
type fallback struct{ value, means string }

// targets are the variables that options set, by the keys of the options.
type targets map[string]any

// targetsOf are the fields of a verb's flags: an option sets the field that has its name, or has it in a tag.
func targetsOf(flags any) targets {
	t := targets{}
	t.add(reflect.ValueOf(flags).Elem())
	return t
}

func (t targets) add(flags reflect.Value) {
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

// key is what the field that an option sets is found by.
func (o option) key() string { return strings.ReplaceAll(cmp.Or(o.sets, o.name), "-", "") }

func (o option) validIn(verb string) bool { return slices.Contains(strings.Fields(o.verbs), verb) }

// of is the default in a verb.
func (o option) of(verb string) fallback {
	if f, ok := o.other[verb]; ok {
		return f
	}
	return o.fallback
}

// values are those that a verb allows; none allows any.
func (o option) values(verb string) []string {
	if choices, ok := o.choices[verb]; ok {
		return strings.Split(choices, "|")
	}
	return o.allowed
}

// define gives flags the options of the table that are valid in a verb.
func define(flags *pflag.FlagSet, verb string, t targets) {
	for _, o := range options {
		if !o.validIn(verb) {
			continue
		}
		to, ok := t[o.key()]
		if !ok {
			panic(fmt.Sprintf("option --%s of perfgate %s sets nothing", o.name, verb))
		}
		s := &setting{option: o, verb: verb, to: to}
		standard := o.of(verb)
		if standard.value != "" {
			if err := s.Set(standard.value); err != nil {
				panic(fmt.Sprintf("option --%s of perfgate %s: %v", o.name, verb, err))
			}
		}
		s.given = nil
		f := flags.VarPF(s, o.name, o.short, o.help)
		f.DefValue, f.NoOptDefVal = standard.value+standard.means, o.bare
		if o.value == "" {
			f.NoOptDefVal = "true"
		}
	}
}

// checkOptions checks the options and arguments that were given.
func checkOptions(cmd *cobra.Command, args []string) error {
	if slices.Contains(args, "") {
		return result.Usagef("an argument of %s is empty", cmd.CommandPath())
	}
	var err error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if s, ok := f.Value.(*setting); ok && err == nil {
			err = s.check()
		}
	})
	return err
}
