package search_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/run"
	"github.com/org/perfgate/gate/search"
)

// What is no adapter is refused before anything is built.
func TestVersusOfWhatIsNotThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, file := range []string{"k.pg.cc", "old.pg.cc"} {
		must(t, os.WriteFile(filepath.Join(dir, file), nil, 0o600))
	}
	must(t, os.Mkdir(filepath.Join(dir, "folder"), 0o700))
	kernel := config.Kernel{Name: "k", Adapter: "k.pg.cc", Competitors: []config.Competitor{
		{Name: "old", Adapter: "old.pg.cc"}, {Name: "lost", Adapter: "lost.pg.cc"}, {Name: "sdpa", Adapter: "torch:sdpa"},
	}}
	opt := run.Options{Question: run.Question{Trusted: repo.Trusted{Config: &config.Config{Dir: dir, Kernels: []config.Kernel{kernel}}}}}
	for name, tt := range map[string]struct{ a, b, fault string }{
		"two files":              {"k.pg.cc", "old.pg.cc", ""},
		"a competitor":           {"k.pg.cc", "old", ""},
		"two competitors":        {"old", "old", ""},
		"a built-in":             {"k.pg.cc", "torch:sdpa", ""},
		"a built-in by its name": {"k.pg.cc", "sdpa", ""},
		"a built-in as A":        {"sdpa", "k.pg.cc", "it can only be B"},
		"A misspelt":             {"kk.pg.cc", "old", "kk.pg.cc is no competitor"},
		"B misspelt":             {"k.pg.cc", "olt", "olt is no competitor"},
		"a competitor's file":    {"k.pg.cc", "lost", "no adapter there"},
		"a folder":               {"k.pg.cc", "folder", "not a regular file"},
		"elsewhere":              {"k.pg.cc", "../k.pg.cc", "outside of the folder"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := search.VersusOf(t.Context(), opt, "k", tt.a, tt.b, "")
			if tt.fault == "" && err != nil || tt.fault != "" && (!result.IsUsage(err) || !strings.Contains(err.Error(), tt.fault)) {
				t.Errorf("%v, want %q", err, tt.fault)
			}
		})
	}
}
