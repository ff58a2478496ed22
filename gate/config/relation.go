package config

import (
	"slices"
	"strings"

	"github.com/org/perfgate/gate/text"
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

var relationText = text.Pattern(`^(scale|permute-batch|split)\(([^()]+)\)$`)

// parseRelation reads "scale(v)", "permute-batch(q, k, v)" or "split(B)".
func parseRelation(s scalar) (r Relation, problem, allowed string) {
	problem, allowed = "is "+quoted(s.text), "scale(TENSORS), permute-batch(TENSORS), split(PARAMETER)"
	m := relationText().FindStringSubmatch(s.text)
	if m == nil {
		return r, problem, allowed
	}
	r.Kind = m[1]
	for name := range strings.SplitSeq(m[2], ",") {
		name = strings.TrimSpace(name)
		if name == "" || slices.Contains(r.Over, name) {
			return r, problem, allowed
		}
		r.Over = append(r.Over, name)
	}
	if r.Kind == RelationSplit && len(r.Over) != 1 {
		return r, problem, allowed
	}
	return r, "", ""
}
