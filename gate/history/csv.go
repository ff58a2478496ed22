package history

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"time"
)

// CSV writes a line for each point, times in ns. What changed stands in the line of the first point of a level.
func (h History) CSV(w io.Writer) error {
	out := csv.NewWriter(w)
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 7, 64) }
	if err := out.Write([]string{"case", "commit", "time", "behind", "ns", "steadied_ns", "level", "level_ns", "ratio", "ratio_low", "ratio_high", "machine", "cause"}); err != nil {
		return err
	}
	for _, c := range h.Cases {
		for i, l := range c.Levels {
			for j, p := range c.Points[l.First : l.First+l.Count] {
				change := make([]string, 5) // what cannot be compared has no ratio
				if j == 0 && i > 0 {
					x := c.Changes[i-1]
					for n, ratio := range []float64{x.Ratio, x.Low, x.High, x.Machine} {
						if ratio > 0 {
							change[n] = number(ratio)
						}
					}
					change[4] = string(x.Cause)
				}
				row := []string{c.Name, p.ID, p.Time.Format(time.RFC3339), strconv.Itoa(p.Distance), number(p.NS), number(p.Steadied), fmt.Sprint(i), number(l.NS)}
				if err := out.Write(append(row, change...)); err != nil {
					return err
				}
			}
		}
	}
	out.Flush()
	return out.Error()
}
