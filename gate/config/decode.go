package config

import (
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// decoder walks the tree and collects every problem instead of stopping at the first.
type decoder struct {
	src      *source
	errs     Errors
	problems int // as many as there were, even when errs has enough of them
}

// field is one key of a mapping and what reads its value.
type field struct {
	key  string
	read reader
}

// fail reports a problem at a node.
func (d *decoder) fail(n ast.Node, allowed, format string, args ...any) {
	d.failAt(placeOf(n, ""), allowed, format, args...)
}

func (d *decoder) failAt(at place, allowed, format string, args ...any) {
	d.problems++
	// Far more than are shown, since they do not come in the order of lines; thousands would take their time.
	if d.problems <= 10*maxErrors {
		d.errs = append(d.errs, d.src.at(at.line, at.column, allowed, format, args...))
	}
}

// clean runs read and says whether it reported nothing.
func (d *decoder) clean(read func()) bool {
	before := d.problems
	read()
	return d.problems == before
}

// entry is one key of a mapping with its value.
type entry struct {
	key        string
	node       ast.Node // of the key
	value      ast.Node
	duplicates bool // an earlier entry has the same key
}

// entries returns the entries of a mapping in their order; what names the mapping in messages.
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
		line, _ := position(v.Key)
		earlier, seen := first[key]
		if seen {
			d.fail(v.Key, "", "key %s stands twice (first at line %d)", quoted(key), earlier)
		} else {
			first[key] = line
		}
		out = append(out, entry{key: key, node: v.Key, value: v.Value, duplicates: seen})
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

// object reads a mapping by its table and returns the values that were there.
func (d *decoder) object(n ast.Node, what string, fields []field) map[string]ast.Node {
	found := map[string]ast.Node{}
	for _, e := range d.entries(n, what) {
		if e.duplicates {
			continue
		}
		found[e.key] = e.value
		d.field(e, what, fields)
	}
	return found
}

func (d *decoder) field(e entry, what string, fields []field) {
	for _, f := range fields {
		if f.key != e.key {
			continue
		}
		if isNull(e.value) {
			d.fail(e.node, "", "%s has no value", f.key)
			return
		}
		f.read(d, e.value, f.key)
		return
	}
	d.fail(e.node, allowedWords(e.key, keys(fields)), "unknown key %s in %s", quoted(e.key), what)
}

func keys(fields []field) []string {
	var out []string
	for _, f := range fields {
		out = append(out, f.key)
	}
	return out
}

// require reports keys that are not there.
func (d *decoder) require(n ast.Node, found map[string]ast.Node, what string, wanted ...string) {
	for _, key := range wanted {
		if _, ok := found[key]; !ok {
			d.fail(n, "", "%s lacks the key %q", what, key)
		}
	}
}

// items returns the elements of a list.
func (d *decoder) items(n ast.Node, what string) []ast.Node {
	s, ok := n.(*ast.SequenceNode)
	if !ok {
		d.fail(n, "", "%s must be a list ([a, b]), not %s", what, kindOf(n))
		return nil
	}
	if len(s.Values) == 0 {
		d.fail(n, "", "%s is an empty list", what)
	}
	return s.Values
}

// scalar is a single value as written.
type scalar struct {
	text   string
	quoted bool
	plain  bool // neither a number nor true or false: text without doubt
}

// asWritten quotes text, so that "1" and 1 look different in a message.
func (s scalar) asWritten() string {
	if s.plain {
		return quoted(s.text)
	}
	return s.text
}

// scalar reads a single value; what names it in messages.
func (d *decoder) scalar(n ast.Node, what string) (scalar, bool) {
	switch v := n.(type) {
	case *ast.StringNode:
		t := v.GetToken().Type
		return scalar{text: v.Value, quoted: t == token.SingleQuoteType || t == token.DoubleQuoteType, plain: true}, true
	case *ast.LiteralNode:
		return scalar{text: strings.TrimRight(v.Value.Value, "\n"), quoted: true, plain: true}, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return scalar{text: n.GetToken().Value}, true
	}
	d.fail(n, "", "%s must be a single value, not %s", what, kindOf(n))
	return scalar{}, false
}

func isNull(n ast.Node) bool {
	_, ok := n.(*ast.NullNode)
	return n == nil || ok
}

// kindOf names what stands in the file in the words of its author.
func kindOf(n ast.Node) string {
	switch v := n.(type) {
	case *ast.MappingNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.NullNode:
		return "nothing"
	case *ast.StringNode:
		return quoted(v.Value)
	}
	if t := n.GetToken(); t != nil {
		return quoted(t.Value)
	}
	return "something else"
}
