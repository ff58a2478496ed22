package config

import (
	"reflect"

	"github.com/goccy/go-yaml/ast"
)

// entry is one key of a mapping with its value.
type entry struct {
	key   string
	node  ast.Node // of the key
	value ast.Node
}

// entries returns the entries of a mapping in their order, the first of each key; what names the mapping in messages.
func (d *decoder) entries(n ast.Node, what string) []entry {
	m, ok := n.(*ast.MappingNode)
	if !ok {
		d.fail(n, "", "%s must be a mapping (key: value), not %s", what, kindOf(n))
		return nil
	}
	first := map[string]int{}
	var out []entry
	for _, v := range m.Values {
		key, ok := keyText(v.Key)
		if !ok {
			d.fail(v.Key, "", "%s has a key that is not plain text", what)
			continue
		}
		if !d.again(v.Key, key, first, "key %s stands twice", quoted(key)) {
			out = append(out, entry{key: key, node: v.Key, value: v.Value})
		}
	}
	return out
}

// keyText is the text of a key as written: a parameter may be called n, y or no.
func keyText(k ast.MapKeyNode) (string, bool) {
	switch k.(type) {
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode, *ast.InfinityNode, *ast.NanNode:
		return k.GetToken().Value, true
	}
	return "", false
}

// mapping reads a mapping from names to values into a list of structs, in the order of the file. A struct without keys has the value in its
// second field. With a problem the list stays empty: what refers to its names could not be checked.
func (d *decoder) mapping(n ast.Node, at, what string, tag reflect.StructTag, to reflect.Value) {
	list := reflect.New(to.Type()).Elem()
	sound := d.clean(func() {
		entries := d.entries(n, what)
		if m, ok := n.(*ast.MappingNode); ok && len(m.Values) == 0 {
			d.fail(n, "", "%s is empty; leave it out", what)
		}
		if d.tooMany(n, what, tag, len(entries)) {
			return
		}
		for _, e := range entries {
			list = reflect.Append(list, d.namedValue(e, join(at, e.key), what, tag, to.Type().Elem()))
		}
	})
	if sound {
		to.Set(list)
	}
}

func (d *decoder) namedValue(e entry, at, what string, tag reflect.StructTag, t reflect.Type) reflect.Value {
	v := reflect.New(t).Elem()
	if _, problem, allowed := kindNamed(tag.Get("names"))(scalar{text: e.key, plain: true}); problem != "" {
		d.fail(e.node, allowed, "a name in %s %s", what, problem)
		return v
	}
	v.Field(0).SetString(e.key)
	one, form := tag.Get("one")+" "+e.key, tag.Get("form")
	d.nodes[at] = e.value
	_, isMapping := e.value.(*ast.MappingNode)
	switch {
	case form != "" && !isMapping:
		d.fail(e.value, form, "%s must be a mapping, not %s", one, kindOf(e.value))
	case form != "":
		d.object(e.value, at, one, v)
	default:
		d.read(e.value, at, one, t.Field(1).Tag, v.Field(1))
	}
	return v
}
