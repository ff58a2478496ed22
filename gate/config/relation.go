package config

import (
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Kinds of relations between a kernel's outputs for two inputs.
const (
	RelationScale   = "scale"         // inputs doubled double the outputs
	RelationPermute = "permute-batch" // inputs rolled along dimension 0 roll the outputs
	RelationSplit   = "split"         // half of a parameter gives the first half of the outputs
)

// Relation is something that a kernel's outputs obey, which serves where there is no oracle.
type Relation struct {
	Kind string
	Over []string // tensors; of split one parameter
}

func (r Relation) String() string { return r.Kind + "(" + strings.Join(r.Over, ", ") + ")" }

var relationText = regexp.MustCompile(`^(scale|permute-batch|split)\(([^()]+)\)$`)

// relation reads "scale(v)", "permute-batch(q, k, v)" or "split(B)".
func relation(what string, to *Relation) reader {
	const forms = "scale(TENSORS), permute-batch(TENSORS), split(PARAMETER)"
	return single(what, func(s scalar) (string, string) {
		m := relationText.FindStringSubmatch(s.text)
		if m == nil {
			return "is " + quoted(s.text), forms
		}
		r := Relation{Kind: m[1]}
		for _, name := range strings.Split(m[2], ",") {
			name = strings.TrimSpace(name)
			if name == "" || slices.Contains(r.Over, name) {
				return "is " + quoted(s.text), forms
			}
			r.Over = append(r.Over, name)
		}
		if r.Kind == RelationSplit && len(r.Over) != 1 {
			return "is " + quoted(s.text), forms
		}
		*to = r
		return "", ""
	})
}

func relations(to *[]Relation) reader {
	return func(d *decoder, n ast.Node) {
		for _, item := range d.items(n, "metamorphic") {
			var r Relation
			if d.clean(func() { relation("a relation", &r)(d, item) }) {
				*to = append(*to, r)
			}
		}
	}
}
