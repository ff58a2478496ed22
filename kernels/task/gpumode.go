package task

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// submission is what task.yml has in the place of the path of what solves the problem.
const submission = "@SUBMISSION@"

// description is what is read of task.yml.
type description struct {
	Files []struct {
		Name   string `yaml:"name"`
		Source string `yaml:"source"`
	} `yaml:"files"`
	Lang   string `yaml:"lang"`
	Config struct {
		Main string `yaml:"main"`
	} `yaml:"config"`
	Tests      []yaml.MapSlice `yaml:"tests"`
	Benchmarks []yaml.MapSlice `yaml:"benchmarks"`
	MultiGPU   bool            `yaml:"multi_gpu"`
}

func (t *Task) readGPUMode(read Reader) error {
	source, err := fileText(read, t.Path)
	if err != nil {
		return err
	}
	d, err := parse(source)
	switch {
	case err != nil:
		return err
	case cmp.Or(d.Lang, "py") != "py":
		return fmt.Errorf("lang is %.20q: problems whose submissions are files of Python are read, and no others", d.Lang)
	case d.MultiGPU:
		return errors.New("multi_gpu: a kernel runs on one GPU here")
	}
	if t.Tests, err = specs(d.Tests); err != nil {
		return err
	}
	if t.Benchmarks, err = specs(d.Benchmarks); err != nil {
		return err
	}
	if len(t.Tests)+len(t.Benchmarks) == 0 {
		return errors.New("it has neither tests nor benchmarks")
	}
	return t.modules(read, d)
}

// parse turns panics of the parser on malformed text into errors: the file may come from anybody.
func parse(source string) (d description, err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("not valid YAML")
		}
	}()
	if err := guard(source); err != nil {
		return d, err
	}
	if err := yaml.Unmarshal([]byte(source), &d); err != nil {
		return d, fmt.Errorf("not a task.yml: %.300s", yaml.FormatError(err, false, false))
	}
	return d, nil
}

// modules reads what the problem says that its folder is made of, but the submission and the program that would judge it.
func (t *Task) modules(read Reader, d description) error {
	for _, f := range d.Files {
		name, isPython := strings.CutSuffix(f.Name, ".py")
		if !isPython || f.Source == submission || f.Name == cmp.Or(d.Config.Main, "eval.py") {
			continue
		}
		file := path.Join(path.Dir(t.Path), f.Source)
		source, err := fileText(read, file)
		if err != nil {
			return fmt.Errorf("files: %s: %w", f.Name, err)
		}
		t.Modules = append(t.Modules, Module{name, file, source})
	}
	at := slices.IndexFunc(t.Modules, func(m Module) bool { return m.Name == "reference" })
	if at < 0 {
		return errors.New("files has no reference.py, which says what is right")
	}
	for _, name := range []string{"ref_kernel", "generate_input", "check_implementation"} {
		if !defined(t.Modules[at].Text, name) {
			return fmt.Errorf("%s defines no %s", t.Modules[at].Path, name)
		}
	}
	return nil
}

func specs(rows []yaml.MapSlice) ([]Spec, error) {
	var out []Spec
	for _, row := range rows {
		var s Spec
		for _, item := range row {
			name, ok := item.Key.(string)
			if !ok {
				return nil, fmt.Errorf("an argument of a case is named %v", item.Key)
			}
			value := plain(item.Value)
			if _, err := json.Marshal(value); err != nil {
				return nil, fmt.Errorf("%s is %v in a case, which is no number that JSON has", name, value)
			}
			s = append(s, Argument{name, value})
		}
		out = append(out, s)
	}
	return out, nil
}

// plain is a value as JSON has it, whole numbers as int64 where they fit.
func plain(value any) any {
	switch v := value.(type) {
	case uint64:
		if v <= math.MaxInt64 {
			return int64(v)
		}
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case yaml.MapSlice:
		m := map[string]any{}
		for _, item := range v {
			m[fmt.Sprint(item.Key)] = plain(item.Value)
		}
		return m
	}
	return value
}

// Params are the names of all arguments, in the order of their first appearance.
func (t Task) Params() []string {
	var names []string
	for _, s := range t.all() {
		for _, a := range s {
			if !slices.Contains(names, a.Name) {
				names = append(names, a.Name)
			}
		}
	}
	return names
}

func (t Task) all() []Spec { return slices.Concat(t.Benchmarks, t.Tests) }

// choices are what the integers of each parameter stand for: nil where they are themselves, else the values of task.yml in the order of
// their first appearance, each in a list; an empty list stands for an argument that a case does not give.
func (t Task) choices() map[string][][]any {
	out := map[string][][]any{}
	for _, name := range t.Params() {
		var values [][]any
		whole := true
		for _, s := range t.all() {
			value, given := s.value(name)
			_, isInt := value.(int64)
			whole = whole && isInt
			choice := []any{}
			if given {
				choice = append(choice, value)
			}
			if !slices.ContainsFunc(values, func(v []any) bool { return reflect.DeepEqual(v, choice) }) {
				values = append(values, choice)
			}
		}
		out[name] = values
		if whole {
			out[name] = nil
		}
	}
	return out
}

func (s Spec) value(name string) (any, bool) {
	at := slices.IndexFunc(s, func(a Argument) bool { return a.Name == name })
	if at < 0 {
		return nil, false
	}
	return s[at].Value, true
}

// Choices says in words what the integers of a parameter stand for; nil where they are themselves.
func (t Task) Choices(name string) []string {
	var words []string
	for _, choice := range t.choices()[name] {
		if len(choice) == 0 {
			words = append(words, "not given")
		} else {
			words = append(words, fmt.Sprint(choice[0]))
		}
	}
	return words
}

// Cases are the specs as values of the parameters, each once.
func (t Task) Cases(specs []Spec) [][]int64 {
	var out [][]int64
	choices := t.choices()
	for _, s := range specs {
		var row []int64
		for _, name := range t.Params() {
			row = append(row, s.integer(name, choices[name]))
		}
		if !slices.ContainsFunc(out, func(r []int64) bool { return slices.Equal(r, row) }) {
			out = append(out, row)
		}
	}
	return out
}

// integer is what stands for an argument of a case.
func (s Spec) integer(name string, choices [][]any) int64 {
	value, given := s.value(name)
	if choices == nil {
		return value.(int64) // all are
	}
	return int64(slices.IndexFunc(choices, func(c []any) bool {
		return !given && len(c) == 0 || given && len(c) == 1 && reflect.DeepEqual(c[0], value)
	}))
}
