package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/text"
)

// Value is a value of a parameter: an integer, or a word that names an element type.
type Value struct {
	Text string // as written, the form in names of cases
	Int  int64  // the integer, or the number of the dtype in perfgate.h
}

// dtypes in the order of pg_dtype in perfgate.h, which counts from 1.
var dtypes = []string{"f64", "f32", "f16", "bf16", "f8e4m3", "f8e5m2", "i64", "i32", "i8", "u8"}

// integer has one spelling per number, since the spelling is part of a case's name.
var integer = text.Pattern(`^(0|-?[1-9][0-9]*)$`)

// IntValue is the value for an integer.
func IntValue(i int64) Value {
	return Value{Text: strconv.FormatInt(i, 10), Int: i}
}

// IsDtype tells a dtype word from an integer.
func (v Value) IsDtype() bool {
	return v.Text != "" && v.Text[0] >= 'a'
}

func (v Value) String() string { return v.Text }

// ParseValue reads a decimal integer of 64 bits or a dtype word.
func ParseValue(text string) (Value, error) {
	if i := slices.Index(dtypes, text); i >= 0 {
		return Value{Text: text, Int: int64(i + 1)}, nil
	}
	if !integer().MatchString(text) {
		return Value{}, fmt.Errorf("%s is neither a plain decimal integer nor a dtype (%s)", quoted(text), strings.Join(dtypes, " "))
	}
	i, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return Value{}, fmt.Errorf("%s does not fit into 64 bits", quoted(text))
	}
	return Value{Text: text, Int: i}, nil
}

// paramValue is ParseValue for the file, where a quoted number is text, and only a dtype is text to us.
func paramValue(s scalar) (Value, string, string) {
	v, err := ParseValue(s.text)
	if err != nil || s.quoted && !v.IsDtype() {
		return Value{}, "is " + quoted(s.text) + hint(s.text), "plain decimal integers, " + strings.Join(dtypes, " ")
	}
	return v, "", ""
}

// hints are what people try, and what they mean.
var hints = map[string]string{
	"true": "1", "on": "1", "yes": "1", "false": "0", "off": "0", "no": "0", "float": "f32", "fp32": "f32", "float32": "f32",
	"half": "f16", "fp16": "f16", "float16": "f16", "double": "f64", "fp64": "f64", "float64": "f64", "bfloat16": "bf16",
}

func hint(text string) string {
	if word := hints[strings.ToLower(text)]; word != "" {
		return "; write " + word
	}
	return ""
}

// HasDtypes says whether the values of the parameter are dtype words rather than integers.
func (p Param) HasDtypes() bool {
	return len(p.Values) > 0 && p.Values[0].IsDtype()
}

// Contains says whether v is one of the parameter's values or lies in its range.
func (p Param) Contains(v Value) bool {
	return slices.Contains(p.Values, v) || p.Fuzz != nil && !v.IsDtype() && p.Fuzz.Contains(v.Int)
}

// Contains says whether i can be drawn from the range.
func (f Fuzz) Contains(i int64) bool {
	return i >= f.Min && i <= f.Max && (f.MultipleOf <= 1 || i%f.MultipleOf == 0)
}

// ParsePercent reads "1.5%" as 0.015, from 0% to under 100%, as the configuration writes a share.
func ParsePercent(text string) (float64, error) {
	return parsePercent(text, limits{high: 100, openHigh: true})
}

// ParseTolerance reads a tolerance as the configuration does, from above 0% to under 100%.
func ParseTolerance(text string) (float64, error) { return parsePercent(text, tolerable) }

func parsePercent(text string, l limits) (float64, error) {
	v, problem, _ := percent(l)(scalar{text: text})
	if problem != "" {
		return 0, fmt.Errorf("%q is not a percentage with its sign, like 1.5%%, %s", text, l.words("%"))
	}
	return v, nil
}
