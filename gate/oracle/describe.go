package oracle

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/org/perfgate/kernels"
)

// Describe says where the output is wrong, by how much, and how much of it.
func Describe(r kernels.ParityReply) string {
	share := fmt.Sprintf("%d of %d elements are wrong", r.Failed, r.Elements)
	if r.Unwritten > 0 {
		share += fmt.Sprintf(", %d of them were never written", r.Unwritten)
	}
	if r.NaN > 0 {
		share += fmt.Sprintf(", %d are NaN", r.NaN)
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
		share, place(w), w.Got, w.Want, w.AbsError, off, w.Tolerance)
}

// place writes "o[b=0,h=0,s=65,d=0]", or "o[0,0,65,0]" where the adapter names no dimensions.
func place(w *kernels.WorstElement) string {
	names := dimensions(w.Dims, len(w.Coords))
	parts := make([]string, len(w.Coords))
	for i, at := range w.Coords {
		parts[i] = strconv.FormatInt(at, 10)
		if w.Dims != "" {
			parts[i] = names[i] + "=" + parts[i]
		}
	}
	return w.Tensor + "[" + strings.Join(parts, ",") + "]"
}

// dimensions are the names that the adapter gives, or else "dimension 0" and so on.
func dimensions(dims string, n int) []string {
	names := strings.Split(dims, ",")
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("dimension %d", i)
		if dims != "" && len(names) == n {
			out[i] = strings.TrimSpace(names[i])
		}
	}
	return out
}

// PatternWords says what the wrong elements have in common: "every s >= 64", "last d only", "all of b=1", and the like; "" where
// they have nothing in common, or where the shape is too small to tell.
func PatternWords(p *kernels.Pattern, dims string) string {
	if p == nil || p.Wrong == 0 {
		return ""
	}
	names := dimensions(dims, len(p.Extents))
	box := int64(1)
	var parts []string
	for i, e := range p.Extents {
		box *= e.Count
		if text := extentWords(e, names[i]); text != "" {
			parts = append(parts, text)
		}
	}
	switch {
	case len(parts) > 0 && p.Wrong == box:
		return "all of " + strings.Join(parts, ", ")
	case len(parts) > 0:
		return "only " + strings.Join(parts, ", ")
	case p.Wrong == p.Looked && p.Looked > 1:
		return "every element"
	}
	return ""
}

// extentWords says which coordinates of a dimension are wrong; "" for all of them, and for a handful without order.
func extentWords(e kernels.Extent, name string) string {
	run := e.Count == e.Last-e.First+1
	switch {
	case e.Size <= 1 || e.Count == e.Size:
		return ""
	case e.Count == 1 && e.First == e.Size-1:
		return fmt.Sprintf("the last %s (%d)", name, e.First)
	case e.Count == 1:
		return fmt.Sprintf("%s=%d", name, e.First)
	case run && e.Last == e.Size-1:
		return fmt.Sprintf("%s >= %d", name, e.First)
	case run && e.First == 0:
		return fmt.Sprintf("%s <= %d", name, e.Last)
	case run:
		return fmt.Sprintf("%s from %d to %d", name, e.First, e.Last)
	case e.First > 0 && e.Count*2 > e.Size-e.First:
		return fmt.Sprintf("%s >= %d", name, e.First)
	}
	return ""
}
