package config

import (
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Pin takes the choice from an autotuner: of its configurations only those remain that have these values.
type Pin struct {
	Function string // the name of the tuned function
	Config   string // NAME=VALUE, NAME=VALUE, as reports name a configuration
}

// maxPins bounds the tuners of one kernel.
const maxPins = 64

var (
	pythonName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)
	pinned     = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]* *= *[A-Za-z0-9_.+-]+$`)
)

const pinForms = `BLOCK=64, num_warps=4`

// pins reads a mapping from the names of tuned functions to configurations.
func (d *decoder) pins(n ast.Node) []Pin {
	entries := d.entries(n, "pin")
	if len(entries) > maxPins {
		d.fail(n, "", "%d entries in pin; at most %d", len(entries), maxPins)
		return nil
	}
	var out []Pin
	for _, e := range entries {
		if e.duplicates {
			continue
		}
		if !pythonName.MatchString(e.key) {
			d.fail(e.node, "the name of a function that is decorated with @triton.autotune", "pin names %s", quoted(e.key))
			continue
		}
		if s, ok := d.scalar(e.value, "the configuration of "+e.key); ok && d.pinned(e, s.text) {
			out = append(out, Pin{e.key, s.text})
		}
	}
	return out
}

func (d *decoder) pinned(e entry, text string) bool {
	bad := slices.IndexFunc(strings.Split(text, ","), func(part string) bool { return !pinned.MatchString(strings.TrimSpace(part)) })
	if bad >= 0 || len(text) > 500 {
		d.fail(e.value, pinForms, "the configuration of %s is %s", e.key, quoted(text))
		return false
	}
	return true
}

func pinsText(pins []Pin) string {
	texts := make([]string, len(pins))
	for i, p := range pins {
		texts[i] = p.Function + ": " + p.Config
	}
	slices.Sort(texts)
	return strings.Join(texts, "; ")
}
