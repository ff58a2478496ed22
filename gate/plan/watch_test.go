package plan

import (
	"slices"
	"testing"

	"github.com/org/perfgate/gate/config"
)

func TestWatched(t *testing.T) {
	cfg := &config.Config{
		File: "/repo/perfgate.yaml", Watch: []string{"csrc/**", "bench/*.py"},
		Kernels: []config.Kernel{{Name: "k", Adapter: "tools/k.pg.cc"}},
	}
	changed := []string{
		"README.md", "csrc/a.cu", "csrc/deep/er/b.h", "bench/x.py", "bench/sub/y.py", "tools/k.pg.cc", "tools/other.cc", "perfgate.yaml", "../outside.cu",
	}
	want := []string{"csrc/a.cu", "csrc/deep/er/b.h", "bench/x.py", "tools/k.pg.cc", "perfgate.yaml"}
	if got := Watched(cfg, changed); !slices.Equal(got, want) {
		t.Errorf("watched = %q, want %q", got, want)
	}
	cfg.Watch = nil
	if got := Watched(cfg, changed); !slices.Equal(got, changed) {
		t.Errorf("without patterns everything is watched, got %q", got)
	}
}
