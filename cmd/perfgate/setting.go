package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/org/perfgate/gate/result"
)

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
		on := false
		if s.option.sets == "" {
			*to = text
		} else if on, err = strconv.ParseBool(text); on {
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
	case *float64:
		low = !(*to > 0) || math.IsInf(*to, 0)
	case *time.Duration:
		low = *to <= 0
	}
	if low {
		least := map[bool]string{true: "not be negative", false: "be more than 0"}[s.option.zero]
		return result.Usagef("--%s is %s; it must %s", name, s.given[len(s.given)-1], least)
	}
	return nil
}
