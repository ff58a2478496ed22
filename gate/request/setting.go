package request

import (
	"encoding"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/org/perfgate/gate/result"
)

// Setting is an option of a verb, with the variable that it sets. It is a pflag.Value.
type Setting struct {
	Option
	Verb  string
	To    any
	Given []string // as it was typed
}

// Type stands for the value in a help.
func (s *Setting) Type() string {
	switch values := s.Values(s.Verb); {
	case s.Value == "":
		return "bool"
	case len(values) > 0:
		return strings.Join(values, "|")
	}
	return s.Value
}

// Set reads a value. Of a list the first one replaces the default, and others are added.
func (s *Setting) Set(text string) (err error) {
	s.Given = append(s.Given, text)
	if _, isText := s.To.(*string); text == "" && !isText {
		return nil // Check refuses it
	}
	switch to := s.To.(type) {
	case *string:
		on := false
		if s.Sets == "" {
			*to = text
		} else if on, err = strconv.ParseBool(text); on {
			*to = s.Name
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
		if len(s.Given) == 1 {
			*to = nil
		}
		*to = append(*to, s.words(text)...)
	case encoding.TextUnmarshaler:
		return to.UnmarshalText([]byte(text))
	default:
		err = fmt.Errorf("a variable of type %T takes no option", s.To)
	}
	if err != nil {
		err = fmt.Errorf("%.100q is not %s", text, kinds[s.Value])
	}
	return err
}

// words are the elements of a list, or the one text of another option.
func (s *Setting) words(text string) []string {
	if _, isList := s.To.(*[]string); s.Repeated || !isList {
		return []string{text}
	}
	return strings.Split(text, ",")
}

// kinds name the values that are read as something other than text, by what stands for them in a help.
var kinds = map[string]string{
	"": "true or false", "N": "a whole number", "NS": "a number of nanoseconds", "RATIO": "a number", "DURATION": "a time with a unit, such as 90s or 10m",
}

// String is the value as it is typed; "" where the variable has the zero value of its type.
func (s *Setting) String() string {
	switch to := s.To.(type) {
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

// Check refuses an empty value, as an unset variable of a shell makes it, a number that is not above 0, and a word that is not allowed. what names the
// option in the error, which is one of usage.
func (s *Setting) Check(what string) error {
	values := s.Values(s.Verb)
	for _, text := range s.Given {
		switch {
		case !s.Empty && slices.Contains(s.words(text), ""):
			return result.Usagef("%s is empty; give it a value, or leave it out", what)
		case len(values) > 0 && !slices.Contains(values, text):
			return result.Usagef("%s %.100q is not one of %s", what, text, strings.Join(values, ", "))
		}
	}
	low := false
	switch to := s.To.(type) {
	case *int:
		low = *to < 0 || *to == 0 && !s.Zero
	case *float64:
		low = !(*to > 0) || math.IsInf(*to, 0)
	case *time.Duration:
		low = *to <= 0
	}
	if low && len(s.Given) > 0 {
		least := map[bool]string{true: "not be negative", false: "be more than 0"}[s.Zero]
		return result.Usagef("%s is %s; it must %s", what, s.Given[len(s.Given)-1], least)
	}
	return nil
}
