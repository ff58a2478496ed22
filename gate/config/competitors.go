package config

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/org/perfgate/kernels"
)

// When a competitor is measured.
const (
	WhenChanged = "changed" // in rounds that its kernel is measured in anyway, and in the first record of its kernel's code
	WhenAlways  = "always"  // in every run, for which its kernel is measured where its code is the same, too, and in every record
	WhenRecord  = "record"  // in every record, and in no run
	WhenManual  = "manual"  // where a run asks for it
)

// maxCompetitors is the most competitors of a kernel: each takes as long in a round as base or head.
const maxCompetitors = 3

// Competitor is an implementation that a kernel is measured beside, for the same cases and tensors.
type Competitor struct {
	Name       string
	Adapter    string   // path, or one of kernels.Against
	Sources    []string // paths, compiled with the adapter
	Flags      []string // of the compiler
	Python     string   // interpreter of an adapter in Python; "" is the kernel's
	MinSpeedup float64  // head has to be so many times as fast: 1.2; 0: nothing is asked
	When       string   // one of the above
}

func competitorFields(r *Competitor) []field {
	return []field{
		{"name", into(&r.Name, checked(checkName))},
		{"adapter", into(&r.Adapter, competitorAdapter)},
		{"sources", list(&r.Sources, true, "an entry of sources", file)},
		{"flags", list(&r.Flags, false, "an entry of flags", line)},
		{"python", into(&r.Python, checked(checkInterpreter))},
		{"min-speedup", into(&r.MinSpeedup, factor)},
		{"when", into(&r.When, word(WhenChanged, WhenAlways, WhenRecord, WhenManual))},
	}
}

// competitorAdapter is a path, or the name of a competitor that comes with perfgate.
func competitorAdapter(s scalar) (string, string, string) {
	library, _, named := strings.Cut(s.text, ":")
	if !named || strings.Contains(library, "/") {
		return file(s)
	}
	if !kernels.IsAgainst(s.text) {
		return "", "is " + quoted(s.text), "a path, or one of " + strings.Join(kernels.Against, ", ")
	}
	return s.text, "", ""
}

var times = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?x$`)

// factor is "1.2x". The sign is required: 1.2 could as well be a ratio of times.
func factor(s scalar) (float64, string, string) {
	const low, high = 0.01, 1000
	allowed := fmt.Sprintf("how many times as fast, like 1.2x or 0.99x, from %gx to %gx", float64(low), float64(high))
	v, err := strconv.ParseFloat(strings.TrimSuffix(s.text, "x"), 64)
	if err != nil || !times.MatchString(s.text) || v < low || v > high {
		return 0, "is " + quoted(s.text), allowed
	}
	return v, "", ""
}

// competitors reads the competitors of a kernel.
func (d *decoder) competitors(n ast.Node, what string) []Competitor {
	first := map[string]int{}
	var out []Competitor
	items := d.items(n, what)
	if len(items) > maxCompetitors {
		d.fail(items[maxCompetitors], "", "%s has %d entries, at most %d are measured beside a kernel", what, len(items), maxCompetitors)
	}
	for _, item := range items {
		r := Competitor{When: WhenChanged}
		found := d.object(item, "a competitor", competitorFields(&r))
		if _, ok := item.(*ast.MappingNode); !ok {
			continue
		}
		d.require(item, found, "a competitor", "name", "adapter")
		d.competitor(found, r)
		if line, twice := first[r.Name]; twice && r.Name != "" {
			d.fail(found["name"], "", "a second competitor %s (first at line %d)", quoted(r.Name), line)
		} else if found["name"] != nil {
			first[r.Name], _ = position(found["name"])
		}
		out = append(out, r)
	}
	return out
}

// competitor checks what has no effect on a competitor like this.
func (d *decoder) competitor(found map[string]ast.Node, r Competitor) {
	if at, ok := found["min-speedup"]; ok && r.When == WhenRecord {
		d.fail(at, "", "min-speedup has no effect with when: record: nothing is decided where records are made")
	}
	if r.Adapter == "" {
		return
	}
	if !IsPython(r.Adapter) {
		if at, ok := found["python"]; ok {
			d.fail(at, "", "python has no effect: the adapter %s is not written in Python (its name does not end in .pg.py)", quoted(r.Adapter))
		}
		return
	}
	if at, ok := found["sources"]; ok && IsTask(r.Adapter) {
		d.solved(at, r.Adapter, r.Sources)
	}
	for _, key := range []string{"sources", "flags"} {
		if at, ok := found[key]; ok && !(key == "sources" && IsTask(r.Adapter)) {
			d.fail(at, "", "%s has no effect beside an adapter in Python: nothing is compiled by perfgate, and it imports what it needs", key)
		}
	}
}

// beside checks that a kernel with competitors is one that competitors can be measured beside.
func (d *decoder) beside(found map[string]ast.Node, k *Kernel) {
	at, ok := found["competitors"]
	switch {
	case !ok:
	case k.Bench != nil:
		d.fail(at, "", "competitors has no effect beside bench: the benchmark times the kernel in processes of its own, and its own rows are its competitors")
	case k.Adapter == "" && k.Build == nil:
		d.fail(at, "", "competitors needs an adapter of the kernel: they are held against its tensors and its reference")
	}
}

// competitorPlaces are the files of competitors that were read without a problem.
func competitorPlaces(n ast.Node, competitors []Competitor) []place {
	items, ok := n.(*ast.SequenceNode)
	if !ok || len(items.Values) != len(competitors) {
		return nil
	}
	var out []place
	for i, r := range competitors {
		m, ok := items.Values[i].(*ast.MappingNode)
		if !ok {
			continue
		}
		found := map[string]ast.Node{}
		for _, v := range m.Values {
			if key, ok := keyText(v.Key); ok {
				found[key] = v.Value
			}
		}
		if !kernels.IsAgainst(r.Adapter) {
			out = append(out, filePlaces(found, Kernel{Adapter: r.Adapter, Sources: r.Sources})...)
		}
	}
	return out
}

// Adapters are the files of a kernel's adapter, if it has one, and of its competitors'.
func (k Kernel) Adapters() []string {
	var out []string
	if k.Adapter != "" {
		out = append(out, k.Adapter)
	}
	for _, r := range k.Competitors {
		if !kernels.IsAgainst(r.Adapter) {
			out = append(out, r.Adapter)
		}
	}
	return out
}

func competitorsText(competitors []Competitor) string {
	texts := make([]string, len(competitors))
	for i, r := range competitors {
		texts[i] = strings.TrimSpace(fmt.Sprintf("%s: %s %s", r.Name, strings.Join(append(append([]string{r.Adapter}, r.Sources...), r.Flags...), " "), r.Python))
		if r.MinSpeedup > 0 {
			texts[i] += fmt.Sprintf(" min-speedup %gx", r.MinSpeedup)
		}
		texts[i] += " when " + r.When
	}
	return strings.Join(texts, ", ")
}
