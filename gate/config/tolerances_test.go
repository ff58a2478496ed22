package config

import (
	"strings"
	"testing"
	"time"
)

func TestTolerances(t *testing.T) {
	parse := func(text string) (*Config, error) {
		return Parse("p", []byte("version: 1\nkernels:\n  - {name: k, adapter: k.pg.cc, params: {n: {values: [1]}}}\n"+text+"\n"))
	}
	c, err := parse("tolerances: [{cases: \"k/**\", tolerance: 3%, floor: 0.5us}, {cases: k, tolerance: 5%}]")
	if err != nil || len(c.Tolerances) != 2 || c.Tolerances[0].Floor != 500*time.Nanosecond || c.Tolerances[1].Floor != 0 || c.Tolerances[0].Cases != "k/**" || c.Tolerances[0].Tolerance != 0.03 {
		t.Fatalf("%v, %+v", err, c)
	}
	for text, want := range map[string][]string{
		"tolerances: {k: 3%}":                                                           {"4:13: tolerances must be a list"},
		"tolerances: []":                                                                {"tolerances is an empty list"},
		"tolerances: [{cases: k}]":                                                      {`4:14: an entry of tolerances lacks the key "tolerance"`},
		"tolerances: [{tolerance: 3%}]":                                                 {`an entry of tolerances lacks the key "cases"`},
		"tolerances: [{cases: k, tolerance: 3%, case: k}]":                              {`unknown key "case" in an entry of tolerances`, `did you mean "cases"?`},
		"tolerances: [{cases: k, tolerance: 3}]":                                        {"4:36: tolerance is \"3\", which is not a percentage"},
		"tolerances: [{cases: k, tolerance: 0%}]":                                       {"a percentage above 0% to under 100%"},
		"tolerances: [{cases: \"k[\", tolerance: 3%}]":                                  {`4:22: cases "k[" has a bracket`},
		"tolerances: [{cases: " + strings.Repeat("k", 257) + ", tolerance: 3%}]":        {"cases is too long"},
		"tolerances: [{cases: k, tolerance: 3%}, {cases: k, tolerance: 4%}]":            {`4:49: a second entry of tolerances "k" (first at line 4)`},
		"tolerances: [{cases: k, tolerance: 3%, floor: 2s}]":                            {`4:47: floor is "2s"`, "0.5us"},
		"tolerances: [{cases: k, tolerance: 3%, floor: 0.5}]":                           {`4:47: floor is "0.5"`, "0.5us"},
		"tolerances: [{cases: k, tolerance: 6%}]":                                       {`4:36: the tolerance 6% of "k" is larger than baseline.cumulative-tolerance (5%)`, "baseline: {cumulative-tolerance: 6%}"},
		"baseline: {cumulative-tolerance: 2%}\ntolerances: [{cases: k, tolerance: 3%}]": {`5:36: the tolerance 3% of "k" is larger`},
		"tolerances: [" + strings.Repeat("{cases: k, tolerance: 3%},", 257) + "]":       {"tolerances has 257 entries, at most 256"},
	} {
		var all Errors
		_, err := parse(text)
		if err == nil {
			t.Errorf("%.80s is taken", text)
			continue
		}
		if all = err.(Errors); len(all) != 1 || !saysEach(err, want) {
			t.Errorf("%.80s: %v\nwant %q", text, err, want)
		}
	}
	if _, err := parse("tolerances: [{cases: k, tolerance: 8%}]\nbaseline: {cumulative-tolerance: 8%}"); err != nil {
		t.Error(err)
	}
}

func saysEach(err error, parts []string) bool {
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			return false
		}
	}
	return true
}
