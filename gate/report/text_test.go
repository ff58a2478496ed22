package report

import (
	"reflect"
	"testing"
)

// What an argument says is never read as a template, what is missing is left out, and a Text keeps its tones.
func TestTemplates(t *testing.T) {
	hostile := "`[«%s{kernel}»]%%"
	warned := Say("w").In(Warn)
	for name, tt := range map[string]struct{ got, want Text }{
		"plain":             {say("%d of %s", 2, "3 cases"), Say("2 of 3 cases")},
		"verbatim":          {say("run `perfgate bisect %s HEAD` now", "abc"), Text{{Text: "run "}, {Text: "perfgate bisect abc HEAD", Code: true}, {Text: " now"}}},
		"read first":        {say("is «%s»", "slower"), Text{{Text: "is "}, {Text: "slower", Tone: Strong}}},
		"hostile words":     {say("%s!", hostile), Say(hostile + "!")},
		"hostile code":      {say("`%s`", hostile), code(hostile)},
		"hostile slot":      {slots{"kernel": hostile}.fill("{kernel} {unknown} 5 %"), Say(hostile + " {unknown} 5 %")},
		"missing words":     {say("a[ of `%s`][: %s]", "", "why"), Text{{Text: "a"}, {Text: ": why"}}},
		"missing number":    {say("a[ and %d more]", 0), Say("a")},
		"missing text":      {say("a[; %v]", Text(nil)), Say("a")},
		"there":             {say("a[ of `%s`]", "b"), Text{{Text: "a of "}, {Text: "b", Code: true}}},
		"one of two":        {say("[%s, %s]", "x", ""), nil},
		"hostile and there": {say("a[ %s]", "]["), Say("a ][")},
		"a text":            {say("a %v b", warned), Text{{Text: "a "}, warned[0], {Text: " b"}}},
		"percent":           {say("%d %%", 5), Say("5 %")},
	} {
		if !reflect.DeepEqual(tt.got, tt.want) {
			t.Errorf("%s: %+v, want %+v", name, tt.got, tt.want)
		}
	}
}
