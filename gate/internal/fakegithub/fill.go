package fakegithub

import (
	"cmp"
	"maps"

	"github.com/getkin/kin-openapi/openapi3"
)

// fill adds to a JSON value what its schema requires and it does not have. What it has is left as it is: whether that
// fits is for the validation to say.
func fill(s *openapi3.Schema, v any) any {
	for _, part := range s.AllOf {
		v = fill(part.Value, v)
	}
	for _, variants := range []openapi3.SchemaRefs{s.AnyOf, s.OneOf} {
		if len(variants) > 0 {
			v = fillVariant(variants, v)
		}
	}
	switch have := v.(type) {
	case map[string]any:
		return fillObject(s, have)
	case []any:
		if s.Items == nil {
			return have
		}
		out := make([]any, len(have))
		for i := range have {
			out[i] = fill(s.Items.Value, have[i])
		}
		return out
	}
	return v
}

func fillObject(s *openapi3.Schema, have map[string]any) map[string]any {
	out := maps.Clone(have)
	for name, property := range s.Properties {
		if value, ok := have[name]; ok {
			out[name] = fill(property.Value, value)
		}
	}
	for _, name := range s.Required {
		if _, ok := out[name]; !ok {
			if property := s.Properties[name]; property != nil {
				out[name] = specimen(property.Value)
			}
		}
	}
	return out
}

// fillVariant fills v as the first of the variants that it then fits.
func fillVariant(variants openapi3.SchemaRefs, v any) any {
	for _, variant := range variants {
		if filled := fill(variant.Value, v); variant.Value.VisitJSON(filled) == nil {
			return filled
		}
	}
	return v
}

// specimen is a value that fits a schema.
func specimen(s *openapi3.Schema) any {
	for _, variants := range []openapi3.SchemaRefs{s.AnyOf, s.OneOf} {
		if len(variants) > 0 {
			return specimen(variants[0].Value)
		}
	}
	switch {
	case s.Nullable:
		return nil
	case len(s.Enum) > 0:
		return s.Enum[0]
	case s.Type.Is("boolean"):
		return false
	case s.Type.Is("integer"), s.Type.Is("number"):
		return max(1.0, *cmp.Or(s.Min, new(float64)))
	case s.Type.Is("array"):
		return []any{}
	case s.Type.Is("string"):
		return text(s)
	}
	return fill(s, map[string]any{})
}

func text(s *openapi3.Schema) string {
	switch s.Format {
	case "date-time":
		return "2026-01-01T00:00:00Z"
	case "uri":
		return "https://github.example/x"
	case "email":
		return "noreply@github.example"
	}
	return "x"
}
