package report

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// Under base's rules a build command is base's, and the files that it compiles are head's: the adapter among them. Nobody may
// read that base's was used.
func TestWhoseAdapter(t *testing.T) {
	compiled := result.Kernel{Name: "direct", Head: &result.Build{Command: []string{"c++", "-O2", "k.pg.cc"}}}
	commanded := result.Kernel{Name: "made", Head: &result.Build{Command: []string{"sh", "-c", "make k.so"}}}
	changed := []result.RuleChange{{Kind: result.RuleAdapter, File: "k.pg.cc"}}
	for name, c := range map[string]struct {
		trust   string
		changed []result.RuleChange
		kernels []result.Kernel
		says    []string
		not     string
	}{
		"compiled": {"base", changed, []result.Kernel{compiled}, []string{"base's version was used: adapter k.pg.cc: changed"}, "build files"},
		"commanded": {"base", changed, []result.Kernel{compiled, commanded},
			[]string{"base's version was used, but for adapters that head's build files compile: adapter k.pg.cc: changed", "made: built by head's build files, so its adapter is head's"}, "direct: built"},
		"commanded, nothing changed": {"base", nil, []result.Kernel{commanded}, []string{"made: built by head's build files, so its adapter is head's"}, "touches what the gate is ruled by"},
		"at a desk":                  {"worktree", changed, []result.Kernel{commanded}, []string{"the change's own version was used: adapter k.pg.cc: changed"}, "build files"},
	} {
		var lines []string
		for _, note := range gather(&result.Result{Config: result.Config{Trust: c.trust, Changed: c.changed}, Kernels: c.kernels}).noted {
			lines = append(lines, PlainText(note))
		}
		text := strings.Join(lines, "\n")
		for _, want := range c.says {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is not in:\n%s", name, want, text)
			}
		}
		if strings.Contains(text, c.not) {
			t.Errorf("%s: %q is in:\n%s", name, c.not, text)
		}
	}
}
