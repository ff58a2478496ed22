package config

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// A key of the file is a field of a struct with these tags:
//
//	key       what the file calls it
//	is        what its value is, or an entry of its list: the name of a kind or a shape, or words with | between them
//	default   its value where the file has none, as the file would write it
//	one       what messages call an entry of its list; "an entry of KEY" where there is none
//	name      the field that tells the entries of its list apart
//	most      the most entries of its list
//	names     its list is a mapping in the file: the kind of the names, which are the first field of its entries
//	form      what messages show of a key that is not there, or of the value of a name, where that is a mapping
//	repeats   its list may have an entry twice
//	required  it has to be there
//	first     what is wrong with it comes before all else
//	aside     it does not decide, see DiffRules
//	ordered   "no": the order of its list means nothing, see Diff
//
// A struct is a mapping, a pointer has nothing in the place of a default. What needs more than one key to be judged, check sees to.

// checker is a struct with more to check than single values, when all of them were read. clean says that nothing was wrong with them.
type checker interface {
	check(d *decoder, n ast.Node, at string, clean bool)
}

// decoder walks the tree along the tags and collects every problem instead of stopping at the first.
type decoder struct {
	src      *source
	errs     Errors
	problems int                 // as many as there were, even when errs has enough of them
	nodes    map[string]ast.Node // values that are there, by path: kernels[0].sources[1]
	kernel   *Kernel             // the one that is read, by whose parameters its cases are
}

// fail reports a problem at a node.
func (d *decoder) fail(n ast.Node, allowed, format string, args ...any) {
	d.problems++
	// Far more than are shown, since they do not come in the order of lines; thousands would take their time.
	if d.problems <= 10*maxErrors {
		d.errs = append(d.errs, d.src.atNode(n, allowed, format, args...))
	}
}

// failAt reports a problem of a key, if it is there.
func (d *decoder) failAt(path, allowed, format string, args ...any) {
	if n := d.nodes[path]; n != nil {
		d.fail(n, allowed, format, args...)
	}
}

// failEach reports those of some keys of a mapping that are there. The format begins with the key.
func (d *decoder) failEach(at string, keys []string, format string, args ...any) {
	for _, key := range keys {
		d.failAt(join(at, key), "", format, append([]any{key}, args...)...)
	}
}

func (d *decoder) has(at, key string) bool { return d.nodes[join(at, key)] != nil }

func join(at, key string) string { return strings.TrimPrefix(at+"."+key, ".") }

func index(at string, i int) string { return fmt.Sprintf("%s[%d]", at, i) }

// clean runs read and says whether it reported nothing.
func (d *decoder) clean(read func()) bool {
	before := d.problems
	read()
	return d.problems == before
}

// read reads a value; what names it in messages.
func (d *decoder) read(n ast.Node, at, what string, tag reflect.StructTag, to reflect.Value) {
	is := tag.Get("is")
	if read := shapeOf(is); read != nil {
		read(d, n, at, what, to.Addr().Interface())
		return
	}
	switch {
	case to.Kind() == reflect.Pointer:
		v := newValue(to.Type().Elem())
		if d.clean(func() { d.read(n, at, what, tag, v.Elem()) }) || v.Elem().Kind() == reflect.Struct {
			to.Set(v)
		}
	case tag.Get("names") != "":
		d.mapping(n, at, what, tag, to)
	case to.Kind() == reflect.Slice:
		d.list(n, at, what, tag, to)
	case is != "":
		d.single(n, what, is, to)
	default:
		d.object(n, at, what, to)
	}
}

// newValue is a pointer to a value with its defaults.
func newValue(t reflect.Type) reflect.Value {
	v := reflect.New(t)
	if t.Kind() == reflect.Struct {
		setDefaults(v.Elem())
	}
	return v
}

// setDefaults sets the defaults of a struct, and of structs in it.
func setDefaults(v reflect.Value) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if text := f.Tag.Get("default"); text != "" {
			value, _, _ := kindNamed(f.Tag.Get("is"))(scalar{text: text, plain: true})
			v.Field(i).Set(reflect.ValueOf(value).Convert(f.Type))
		} else if f.Type.Kind() == reflect.Struct && f.Tag.Get("key") != "" {
			setDefaults(v.Field(i))
		}
	}
}

// single reads a single value, and keeps the default where something is wrong.
func (d *decoder) single(n ast.Node, what, is string, to reflect.Value) {
	s, ok := d.scalar(n, what)
	if !ok {
		return
	}
	v, problem, allowed := kindNamed(is)(s)
	if problem != "" {
		d.fail(n, allowed, "%s %s", what, problem)
		return
	}
	to.Set(reflect.ValueOf(v).Convert(to.Type()))
}

// list reads a list of values, none of them twice.
func (d *decoder) list(n ast.Node, at, what string, tag reflect.StructTag, to reflect.Value) {
	items := d.items(n, what)
	if d.tooMany(n, what, tag, len(items)) {
		return
	}
	one := cmp.Or(tag.Get("one"), "an entry of "+what)
	first := map[string]int{}
	for i, item := range items {
		path := index(at, i)
		d.nodes[path] = item
		v := newValue(to.Type().Elem())
		clean := d.clean(func() { d.read(item, path, one, tag, v.Elem()) })
		if named := tag.Get("name"); named != "" {
			d.named(path, one, named, v.Elem(), first)
		} else if text := fmt.Sprint(v.Elem()); !clean || tag.Get("repeats") == "" && d.again(item, text, first, "%s lists %s twice", what, quoted(text)) {
			continue
		}
		to.Set(reflect.Append(to, v.Elem()))
	}
}

func (d *decoder) tooMany(n ast.Node, what string, tag reflect.StructTag, entries int) bool {
	most, err := strconv.Atoi(tag.Get("most"))
	if err == nil && entries > most {
		d.fail(n, "", "%s has %d entries, at most %d", what, entries, most)
		return true
	}
	return false
}

// named reports an entry of a list that has the name of an earlier one.
func (d *decoder) named(path, one, field string, v reflect.Value, first map[string]int) {
	f, _ := v.Type().FieldByName(field)
	name := v.FieldByName(field).String()
	if n := d.nodes[join(path, f.Tag.Get("key"))]; n != nil && name != "" {
		_, what, _ := strings.Cut(one, " ")
		d.again(n, name, first, "a second %s %s", what, quoted(name))
	}
}

// again reports what stood in an earlier line already.
func (d *decoder) again(n ast.Node, text string, first map[string]int, format string, args ...any) bool {
	line, seen := first[text]
	if seen {
		d.fail(n, "", format+" (first at line %d)", append(args, line)...)
	} else {
		first[text], _ = position(n)
	}
	return seen
}

// object reads a mapping into a struct, in the order of its fields: what a value means may depend on one before it.
func (d *decoder) object(n ast.Node, at, what string, to reflect.Value) {
	if k, ok := to.Addr().Interface().(*Kernel); ok {
		k.at, d.kernel = at, k
	}
	before, given := d.problems, map[string]entry{}
	entries := d.entries(n, what)
	for _, e := range entries {
		given[e.key], d.nodes[join(at, e.key)] = e, e.value
	}
	if _, ok := n.(*ast.MappingNode); !ok {
		return
	}
	for _, f := range fieldsOf(to.Type()) {
		key := f.Tag.Get("key")
		e, ok := given[key]
		delete(given, key)
		clean := d.clean(func() {
			switch {
			case ok && isNull(e.value):
				d.fail(e.node, "", "%s has no value", key)
			case ok:
				d.read(e.value, join(at, key), key, f.Tag, to.FieldByIndex(f.Index))
			case f.Tag.Get("required") != "":
				d.require(n, at, what, key, f.Tag.Get("form"))
			}
		})
		if !clean && f.Tag.Get("first") != "" {
			return
		}
	}
	for _, e := range slices.DeleteFunc(entries, func(e entry) bool { return given[e.key].node == nil }) {
		d.fail(e.node, allowedWords(e.key, keysOf(to.Type())), "unknown key %s in %s", quoted(e.key), what)
	}
	if v, ok := to.Addr().Interface().(checker); ok {
		v.check(d, n, at, d.problems == before)
	}
}

// require reports a key that is not there.
func (d *decoder) require(n ast.Node, at, what, key, form string) {
	if !d.has(at, key) {
		d.fail(n, form, "%s lacks the key %q", what, key)
	}
}

// fieldsOf are the fields of a struct that the file has keys for.
func fieldsOf(t reflect.Type) (out []reflect.StructField) {
	for _, f := range reflect.VisibleFields(t) {
		if f.Tag.Get("key") != "" {
			out = append(out, f)
		}
	}
	return out
}

func keysOf(t reflect.Type) (keys []string) {
	for _, f := range fieldsOf(t) {
		keys = append(keys, f.Tag.Get("key"))
	}
	return keys
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
