package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

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

// targets are the variables that options set, by the names of the options.
type targets map[string]any

// with are these targets and others.
func (t targets) with(others targets) targets {
	out := maps.Clone(t)
	maps.Copy(out, others)
	return out
}

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

// define gives a command the options of the table that are valid in it, and has their values checked before it runs.
func define(cmd *cobra.Command, t targets) {
	defineIn(cmd.Flags(), cmd.Name(), t)
	cmd.PreRunE = checkOptions
}

func defineIn(flags *pflag.FlagSet, verb string, t targets) {
	for _, o := range options {
		if !o.validIn(verb) {
			continue
		}
		name := o.name
		if o.sets != "" {
			name = o.sets
		}
		to, ok := t[name]
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

// setting is an option of a verb, with the variable that it sets.
type setting struct {
	option option
	verb   string
	to     any
	given  []string // as it was typed
}

// Type stands for the value in a help.
func (s *setting) Type() string {
	switch values := s.option.values(s.verb); {
	case s.option.value == "":
		return "bool"
	case len(values) > 0:
		return strings.Join(values, "|")
	}
	return s.option.value
}

func (s *setting) Set(text string) (err error) {
	s.given = append(s.given, text)
	if _, isText := s.to.(*string); text == "" && !isText {
		return nil // check refuses it
	}
	switch to := s.to.(type) {
	case *string:
		if s.option.sets == "" {
			*to = text
		} else if text == "true" {
			*to = s.option.name
		}
	case *bool:
		*to, err = strconv.ParseBool(text)
	case *int:
		*to, err = strconv.Atoi(text)
	case *float64:
		*to, err = strconv.ParseFloat(text, 64)
	case *time.Duration:
		*to, err = time.ParseDuration(text)
	case *[]string:
		if len(s.given) == 1 {
			*to = nil
		}
		*to = append(*to, s.words(text)...)
	default:
		err = fmt.Errorf("a variable of type %T takes no option", s.to)
	}
	if err != nil {
		err = fmt.Errorf("%q is not %s", text, kinds[s.option.value])
	}
	return err
}

// words are the elements of a list.
func (s *setting) words(text string) []string {
	if s.option.repeated {
		return []string{text}
	}
	return strings.Split(text, ",")
}

// kinds name the values that are read as something other than text, by what stands for them in a help.
var kinds = map[string]string{
	"": "true or false", "N": "a whole number", "NS": "a number of nanoseconds", "RATIO": "a number", "DURATION": "a time with a unit, such as 90s or 10m",
}

// String is the value as it is typed; "" where the variable has the zero value of its type.
func (s *setting) String() string {
	switch to := s.to.(type) {
	case *string:
		return *to
	case *bool:
		if *to {
			return "true"
		}
	case *int:
		if *to != 0 {
			return strconv.Itoa(*to)
		}
	case *float64:
		if *to != 0 {
			return strconv.FormatFloat(*to, 'g', -1, 64)
		}
	case *time.Duration:
		if *to != 0 {
			return to.String()
		}
	case *[]string:
		return strings.Join(*to, ",")
	}
	return ""
}

// check refuses an empty value, as an unset variable of a shell makes it, a number that is not above 0, and a word that is not allowed.
func (s *setting) check() error {
	name := s.option.name
	for _, text := range s.given {
		if !s.option.empty && slices.Contains(s.words(text), "") {
			return result.Usagef("--%s is empty; give it a value, or leave it out", name)
		}
	}
	values := s.option.values(s.verb)
	if word, ok := s.to.(*string); ok && len(values) > 0 && !slices.Contains(values, *word) {
		return result.Usagef("--%s %q is not one of %s", name, *word, strings.Join(values, ", "))
	}
	low := false
	switch to := s.to.(type) {
	case *int:
		low = *to < 0 || *to == 0 && !s.option.zero
	case *time.Duration:
		low = *to <= 0
	}
	if low && s.option.zero {
		return result.Usagef("--%s is %s; it must not be negative", name, s.given[len(s.given)-1])
	} else if low {
		return result.Usagef("--%s is %s; it must be more than 0", name, s.given[len(s.given)-1])
	}
	return nil
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

// repeat sets the options of a run that are not set and that say what is measured, as the line of another run has them: anybody may have
// written that. other are the options of that line that have to be given again to count.
func (t targets) repeat(line string) (other []string, err error) {
	words := report.CommandWords(line)
	if len(words) < 2 || words[1] != "run" {
		return nil, nil
	}
	saved := pflag.NewFlagSet("run", pflag.ContinueOnError)
	saved.Usage = func() {}
	defineIn(saved, "run", new(runFlags).targets())
	if err := saved.Parse(words[2:]); err != nil {
		return nil, result.Usagef("its command line, %.300q, is not one of this perfgate: %w", line, err)
	}
	saved.Visit(func(f *pflag.Flag) {
		s := f.Value.(*setting)
		now := &setting{option: s.option, verb: "run", to: t[f.Name]}
		switch {
		case now.String() != "" || err != nil:
		case !s.option.repeats:
			other = append(other, "--"+f.Name)
		default:
			for _, text := range s.given {
				err = cmp.Or(err, now.Set(text))
			}
			err = cmp.Or(err, now.check())
		}
	})
	return other, err
}

// commandLine is the line that does the same: a verb, its arguments, and of its options those that have another value than the default.
func commandLine(verb string, t targets, args ...string) string {
	line := []string{"perfgate " + verb}
	for _, arg := range args {
		line = append(line, kernels.ShellWord(arg))
	}
	words := strings.Fields(verb)
	verb = words[len(words)-1]
	for _, o := range options {
		to, known := t[o.name]
		s := setting{option: o, verb: verb, to: to}
		text := s.String()
		if !known || o.output || !o.validIn(verb) || text == "" || text == o.of(verb).value {
			continue
		}
		list, isList := to.(*[]string)
		switch {
		case o.value == "":
			line = append(line, "--"+o.name)
		case isList && o.repeated:
			for _, word := range *list {
				line = append(line, "--"+o.name+"="+kernels.ShellWord(word))
			}
		default:
			line = append(line, "--"+o.name+"="+kernels.ShellWord(text))
		}
	}
	return strings.Join(line, " ")
}
