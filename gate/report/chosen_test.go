package report

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

func TestChoicesOfAutotuners(t *testing.T) {
	chose := func(base, head string) (out []result.Process) {
		for side, configs := range map[result.Side]string{result.SideBase: base, result.SideHead: head} {
			for _, config := range strings.Fields(configs) {
				out = append(out, result.Process{Variant: side.Variant(), Chosen: strings.TrimPrefix(config, "-")})
			}
		}
		return out
	}
	for _, c := range []struct{ base, head, want string }{
		{"64 64", "64 64", ""},
		{"", "64 64", ""}, // base does not tune
		{"", "", ""},
		{"64 64", "128 128", "base chose 64, head 128"},
		{"64 64 128", "64 64 64", "base chose 64 in 2 processes, 128 in 1; head chose 64 in 3 processes"},
		{"64", "128 64 128", "base chose 64 in 1 process; head chose 128 in 2 processes, 64 in 1"},
		{"", "1 2 3 4 5 6 6", "head chose 6 in 2 processes, 1 in 1, 2 in 1, 3 in 1, 2 others"},
	} {
		var got strings.Builder
		for _, span := range choiceRemark(result.Case{Processes: chose(c.base, c.head)}) {
			got.WriteString(span.Text)
		}
		if flat := strings.ReplaceAll(got.String(), tie, " "); flat != c.want {
			t.Errorf("%q and %q: %q, want %q", c.base, c.head, flat, c.want)
		}
	}
}
