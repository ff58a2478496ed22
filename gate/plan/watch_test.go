package plan

import (
	"slices"
	"testing"

	"github.com/org/perfgate/gate/config"
)

func TestWatched(t *testing.T) {
	cfg := &config.Config{
		File: "/repo/perfgate.yaml", Watch: []string{"csrc/**", "bench/*.py"},
		Kernels: []config.Kernel{{Name: "k", Adapter: "tools/k.pg.cc", Sources: []string{"gen/made.py"}}},
	}
	changed := []string{
		"README.md", "csrc/a.cu", "csrc/deep/er/b.h", "bench/x.py", "bench/sub/y.py", "tools/k.pg.cc", "perfgate.yaml", "docs/LICENSE",
		"lib/saxpy.cc", "include/saxpy.h", "../outside.cu", "data/table.bin", "saxpy.h.gch", "flags.rsp", "third_party/lib", "tools/gen.md.inc",
	}
	want := []string{
		"csrc/a.cu", "csrc/deep/er/b.h", "bench/x.py", "tools/k.pg.cc", "perfgate.yaml",
		"lib/saxpy.cc", "include/saxpy.h", "../outside.cu", "data/table.bin", "saxpy.h.gch", "flags.rsp", "third_party/lib", "tools/gen.md.inc",
	}
	if got := Watched(cfg, changed); !slices.Equal(got, want) {
		t.Errorf("watched = %q, want %q", got, want)
	}
	if got := Watched(cfg, []string{"gen/made.py"}); len(got) != 1 {
		t.Error("a source counts whatever it is called")
	}
	cfg.Watch = nil
	if got := Watched(cfg, changed); !slices.Equal(got, changed) {
		t.Errorf("without patterns everything is watched, got %q", got)
	}
	cfg.Watch, cfg.Kernels[0].Adapter = []string{"csrc/**"}, "tools/k.pg.py"
	if got := Watched(cfg, []string{"README.md", "lib/a.py", "picture.png", "shapes.yaml"}); !slices.Equal(got, []string{"lib/a.py", "shapes.yaml"}) {
		t.Errorf("what an adapter in Python may import or read counts, got %q", got)
	}
}
