package parity

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/org/perfgate/kernels"
)

// Describe says where the output is wrong, by how much, and how much of it, and what was written that a launch leaves alone.
func Describe(r kernels.ParityReply) string {
	if r.Trespass == nil {
		return describeWrong(r)
	}
	t := r.Trespass
	left := fmt.Sprintf("the kernel wrote %d %s of %s that pg_written says a launch does not write, the first at %s: %s",
		t.Count, beWord(t.Count, "element", "elements"), t.Tensor, place(t.Tensor, t.Dims, t.Coords), t.Got)
	if r.Failed == 0 {
		return left
	}
	return describeWrong(r) + "; and " + left
}

func describeWrong(r kernels.ParityReply) string {
	share := fmt.Sprintf("%d of %d elements %s wrong", r.Failed, r.Elements, beWord(r.Failed, "is", "are"))
	if r.Unwritten > 0 {
		share += fmt.Sprintf(", %d of them %s never written", r.Unwritten, beWord(r.Unwritten, "was", "were"))
	}
	if r.NaN > 0 {
		share += fmt.Sprintf(", %d %s NaN", r.NaN, beWord(r.NaN, "is", "are"))
	}
	if r.Worst == nil {
		return share
	}
	if where := PatternWords(r.Pattern, r.Worst.Dims); where != "" {
		share += " (" + where + ")"
	}
	w := r.Worst
	off := ""
	if w.ULPs > 0 {
		off = fmt.Sprintf(" (%d ulp)", w.ULPs)
	}
	return fmt.Sprintf("%s; worst at %s: got %s, want %s, error %s%s against a tolerance of %s",
		share, place(w.Tensor, w.Dims, w.Coords), w.Got, w.Want, w.AbsError, off, w.Tolerance)
}

func beWord(n int64, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// place writes "o[b=0,h=0,s=65,d=0]", or "o[0,0,65,0]" where the adapter names no dimensions.
func place(tensor, dims string, coords []int64) string {
	names := dimensions(dims, len(coords))
	parts := make([]string, len(coords))
	for i, at := range coords {
		parts[i] = strconv.FormatInt(at, 10)
		if names[i] != "" {
			parts[i] = names[i] + "=" + parts[i]
		}
	}
	return tensor + "[" + strings.Join(parts, ",") + "]"
}

// dimensions are the names that the adapter gives, each "" where it gives none or not as many as there are.
func dimensions(dims string, n int) []string {
	names := strings.Split(dims, ",")
	out := make([]string, n)
	for i := range out {
		if dims != "" && len(names) == n {
			out[i] = strings.TrimSpace(names[i])
		}
	}
	return out
}

// PatternWords says what the wrong elements have in common: "all of s >= 64", "only the last d (63)", "all of b=1", and the like; ""
// where they have nothing in common, or where the shape is too small to tell.
func PatternWords(p *kernels.Pattern, dims string) string {
	if p == nil || p.Wrong == 0 {
		return ""
	}
	names := dimensions(dims, len(p.Extents))
	box, told := int64(1), true // told: the words say which coordinates, of each dimension
	var parts []string
	for i, e := range p.Extents {
		box *= e.Count
		text := extentWords(e, dimension{names[i], i, len(p.Extents)})
		if text != "" {
			parts = append(parts, text)
		}
		told = told && (text != "" || e.Count == e.Size)
	}
	switch {
	case len(parts) > 0 && told && p.Wrong == box && p.Wrong > 1:
		return "all of " + strings.Join(parts, ", ")
	case len(parts) > 0:
		return "only " + strings.Join(parts, ", ")
	case p.Wrong == p.Looked && p.Looked > 1:
		return "every element"
	}
	return ""
}

// dimension is one of a tensor's, which the adapter may have left without a name.
type dimension struct {
	name     string
	at, rank int
}

// one names one coordinate: "b=1", "index 1 of dimension 0", and "element 1" where there is one dimension only.
func (d dimension) one(at int64) string {
	if d.name != "" {
		return fmt.Sprintf("%s=%d", d.name, at)
	}
	return fmt.Sprintf("%s %d%s", d.noun(""), at, d.of())
}

func (d dimension) last(at int64) string {
	if d.name != "" {
		return fmt.Sprintf("the last %s (%d)", d.name, at)
	}
	return fmt.Sprintf("the last %s%s (%d)", d.noun(""), d.of(), at)
}

// many names coordinates by a relation such as ">= 64".
func (d dimension) many(relation string) string {
	if d.name != "" {
		return d.name + " " + relation
	}
	return d.noun("s") + " " + relation + d.of()
}

func (d dimension) noun(ending string) string {
	switch {
	case d.rank == 1:
		return "element" + ending
	case ending != "":
		return "indices"
	}
	return "index"
}

func (d dimension) of() string {
	if d.rank == 1 {
		return ""
	}
	return fmt.Sprintf(" of dimension %d", d.at)
}

// extentWords says which coordinates of a dimension are wrong; "" for all of them, and for a handful without order.
func extentWords(e kernels.Extent, d dimension) string {
	run := e.Count == e.Last-e.First+1
	switch {
	case e.Size <= 1 || e.Count == e.Size:
		return ""
	case e.Count == 1 && e.First == e.Size-1:
		return d.last(e.First)
	case e.Count == 1:
		return d.one(e.First)
	case run && e.Last == e.Size-1:
		return d.many(fmt.Sprintf(">= %d", e.First))
	case run && e.First == 0:
		return d.many(fmt.Sprintf("<= %d", e.Last))
	case run:
		return d.many(fmt.Sprintf("from %d to %d", e.First, e.Last))
	case e.First > 0 && e.Count*2 > e.Size-e.First:
		return d.many(fmt.Sprintf(">= %d", e.First))
	}
	return ""
}
