package repo

import (
	"slices"
	"testing"
)

func TestTrailers(t *testing.T) {
	for message, want := range map[string][]string{
		"faster\n\nPerfgate-Accept: k/** why":                                  {"k/** why"},
		"faster\n\nbody\n\nSigned-off-by: m\nperfgate-accept: k why\n":         {"k why"},
		"faster\n\nPerfgate-Accept: k/**\n because it is exact\n":              {"k/** because it is exact"},
		"faster\n\nPerfgate-Accept: k/**\n because\nOther: x\n of the other\n": {"k/** because"},
		"faster\n\nPerfgate-Accept: a x\nPerfgate-Accept: b y":                 {"a x", "b y"},
		"faster\r\n\r\nPerfgate-Accept: k why\r\n":                             {"k why"},
		"Perfgate-Accept: k why":                                               {}, // a title
		"faster\n\nPerfgate-Accept: k why\n\nthe last paragraph is prose":      {},
		"faster":                        {},
		"faster\n\nPerfgate-Acceptance": {},
	} {
		if got := Trailers("Perfgate-Accept", []string{message}); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
}
