package result

import "strings"

// Most lines and digits of a Map.
const (
	MostMapRows    = 24
	MostMapColumns = 48
)

// Map is a coarse picture of where an output is wrong: two of its dimensions, cut into parts. It came from the process under test.
type Map struct {
	Tensor  string `json:"tensor"`  // the output
	Rows    Axis   `json:"rows"`    // the dimension that goes down
	Columns Axis   `json:"columns"` // the dimension that goes across
	// a line for each part of the rows, a digit for each of the columns: 0 where all is right, 9 where all is wrong, 1
	// to 8 between
	Levels []string `json:"levels"`
}

// Axis is a dimension of a Map.
type Axis struct {
	Name string `json:"name,omitempty"` // as the adapter calls it
	Size int64  `json:"size"`           // how long it is; 1 where the output has one dimension (elements)
}

// IsSound says whether a map can be drawn: as many parts as it may have, lines of one length, and digits alone.
func (m *Map) IsSound() bool {
	if m == nil || len(m.Levels) == 0 || len(m.Levels) > MostMapRows {
		return false
	}
	width := len(m.Levels[0])
	for _, line := range m.Levels {
		if len(line) != width || width == 0 || width > MostMapColumns || strings.Trim(line, "0123456789") != "" {
			return false
		}
	}
	return m.Rows.Size >= int64(len(m.Levels)) && m.Columns.Size >= int64(width)
}

// Tells says whether it shows more than that something is wrong: not all parts are alike.
func (m *Map) Tells() bool {
	if !m.IsSound() {
		return false
	}
	all := strings.Join(m.Levels, "")
	return strings.Trim(all, all[:1]) != ""
}

// From is the first coordinate of a part of an axis that is cut into so many.
func (a Axis) From(part, parts int) int64 {
	return (int64(part)*a.Size + int64(parts) - 1) / int64(parts)
}
