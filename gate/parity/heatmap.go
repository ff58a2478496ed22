package parity

import (
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// MapOf is where the worst output is wrong; nil where the process did not say, or nothing that can be drawn.
func MapOf(r kernels.ParityReply) *result.Map {
	if r.Worst == nil || r.Pattern == nil || r.Pattern.Map == nil {
		return nil
	}
	p, from := r.Pattern, r.Pattern.Map
	names := dimensions(r.Worst.Dims, len(p.Extents))
	axis := func(d int) result.Axis {
		if d < 0 || d >= len(p.Extents) {
			return result.Axis{Size: 1}
		}
		return result.Axis{Name: names[d], Size: p.Extents[d].Size}
	}
	m := &result.Map{Tensor: r.Worst.Tensor, Rows: axis(from.Rows), Columns: axis(from.Columns), Levels: from.Levels}
	if !m.IsSound() {
		return nil
	}
	return m
}
