package plan

import (
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/config"
)

// A name does not tell whether a file is read, so all start a run but those that paths leaves out: not even that counts for what a kernel is named to be made of.
func TestWatched(t *testing.T) {
	changed := []string{
		"README.md", "csrc/a.cu", "bench/table.md", "docs/LICENSE", "docs/more/b.png", "docs/perfgate.yaml", "lib/a.py", "perfgate.yaml", "../outside.md", "docs/k.pg.cc",
		"docs/made.py", "docs/beside.cc", "docs/rows.py", "docs/shared/x", "docs/uv.lock", "third_party/lib",
	}
	named := []string{"perfgate.yaml", "docs/k.pg.cc", "docs/made.py", "docs/beside.cc", "docs/rows.py", "docs/shared/x", "docs/uv.lock"}
	kept := slices.DeleteFunc(slices.Clone(changed), func(file string) bool {
		return file == "README.md" || strings.HasPrefix(file, "docs/") && !slices.Contains(named, file)
	})
	for _, tt := range []struct{ paths, want []string }{
		{nil, changed},
		{[]string{"csrc/**"}, changed},
		{[]string{"csrc/**", "!docs", "!README.md"}, kept},
		{[]string{"!docs/**", "!README.md"}, kept},
		{[]string{"**", "!docs/**", "!README.md", "!*.md"}, kept},
		{[]string{"!**"}, append(slices.Clone(named), "../outside.md")},
	} {
		cfg := &config.Config{File: "/repo/perfgate.yaml", Watch: tt.paths, Kernels: []config.Kernel{{
			Name: "k", Adapter: "docs/k.pg.cc", Sources: []string{"docs/made.py"}, Files: []string{"docs/shared/**"}, Bench: &config.Bench{Spec: benchmark.Spec{Script: "docs/rows.py"}},
			Competitors: []config.Competitor{{Adapter: "docs/beside.cc"}}, Environment: &config.Environment{Inputs: []string{"docs/uv.*"}},
		}}}
		got := Watched(cfg, changed)
		slices.Sort(got)
		slices.Sort(tt.want)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.paths, got, tt.want)
		}
	}
}
