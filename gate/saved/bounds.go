package saved

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Most that a document may have. A run of the largest plan stays well below all of them.
const (
	mostDepth   = 16
	mostValues  = 4 << 20 // keys, values, and where objects and lists begin and end
	mostText    = 32 << 10
	mostLine    = 16 << 10 // the mangled names of templates are long
	mostEntries = 4096
	mostNumber  = 1e30
)

// scan goes through the JSON once, without building anything, and looks at its shape: what is small as a file may be large in memory.
func scan(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	// A value of ours takes 12 bytes.
	most := max(mostValues, len(data)/10)
	var keys []map[string]bool // of the objects around, nil for lists
	isKey, ended := false, false
	for values := 1; ; values++ {
		token, err := d.Token()
		switch {
		case err == io.EOF && ended:
			return nil
		case err != nil:
			return syntaxError(data, err)
		case ended:
			return at(data, d.InputOffset(), errors.New("there is something behind its end"))
		case values > most:
			return &Error{Err: fmt.Errorf("more than %d values", most)}
		}
		name, isText := token.(string)
		switch {
		case isKey && isText:
			around, folded := keys[len(keys)-1], strings.Map(fold, name)
			if around[folded] {
				return at(data, d.InputOffset(), fmt.Errorf("%q is given twice", clip(name)))
			}
			around[folded], isKey = true, false
			continue
		case token == json.Delim('{'):
			keys = append(keys, map[string]bool{})
		case token == json.Delim('['):
			keys = append(keys, nil)
		case token == json.Delim('}'), token == json.Delim(']'):
			keys = keys[:len(keys)-1]
		}
		if len(keys) > mostDepth {
			return at(data, d.InputOffset(), fmt.Errorf("deeper than %d", mostDepth))
		}
		ended = len(keys) == 0
		isKey = !ended && keys[len(keys)-1] != nil
	}
}

// fold is one rune for all that encoding/json takes for the same in a key, without regard to case.
func fold(r rune) rune {
	for {
		next := unicode.SimpleFold(r)
		if next <= r {
			return next
		}
		r = next
	}
}

// bound holds a place to what may be read. What is too large is an error, or cut where the kind mends: tools and code under test say things of any
// size. Lists that the kind bounds itself are data, and not cut.
func (k Kind[T]) bound(p Place, mends bool) error {
	switch p.Kind() {
	case reflect.Float64:
		f := p.Float()
		fits := max(-mostNumber, min(mostNumber, f))
		switch {
		case math.IsNaN(f) || math.IsInf(f, 0):
			return p.Wrong("%v is not a finite number", f)
		case f != fits && !mends:
			return p.Wrong("%v is larger than any number of a run", f)
		case f != fits:
			p.SetFloat(fits)
		}
	case reflect.String:
		s, isText := p.String(), slices.Contains(k.Texts, p.Name)
		if mends {
			s = fitting(s, isText)
			p.SetString(s)
		}
		return boundText(p, s, isText)
	case reflect.Slice, reflect.Map:
		most, own := k.Most[p.Name]
		if !own {
			most = mostEntries
		}
		switch {
		case p.Len() <= most:
		case mends && !own && p.Kind() == reflect.Slice:
			p.Set(p.Slice3(0, most, most))
		default:
			return p.Wrong("%d entries, at most %d are read", p.Len(), most)
		}
		if p.Kind() == reflect.Map {
			for _, key := range p.MapKeys() {
				if err := boundText(p, key.String(), false); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func boundText(p Place, s string, isText bool) error {
	switch {
	case isText && len(s) > mostText:
		return p.Wrong("a text of %d bytes, at most %d are read", len(s), mostText)
	case isText: // the report shows control characters for what they are
		return nil
	case len(s) > mostLine:
		return p.Wrong("%d bytes, at most %d are read", len(s), mostLine)
	case strings.ContainsFunc(s, unicode.IsControl):
		return p.Wrong("a control character in %q", clip(s))
	}
	return nil
}

// fitting is as much of a text or a line as boundText lets through.
func fitting(s string, isText bool) string {
	s = strings.ToValidUTF8(s, string(utf8.RuneError)) // JSON would do so, and make it longer
	most := mostText
	if !isText {
		most = mostLine
		s = strings.Map(func(r rune) rune {
			if unicode.IsControl(r) {
				return ' '
			}
			return r
		}, s)
	}
	if len(s) <= most {
		return s
	}
	const cut = "…"
	return strings.ToValidUTF8(s[:most-len(cut)], "") + cut
}
