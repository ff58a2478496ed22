package action

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// The folders of parts are a stranger's too: links, folders and pipes in the place of a result are refused.
func TestPartsOfAStranger(t *testing.T) {
	t.Parallel()
	r := newForkRun(t)
	text, err := json.Marshal(r.measured(0, 1, 3))
	r.must(err)
	elsewhere := filepath.Join(t.TempDir(), "elsewhere.json")
	r.must(os.WriteFile(elsewhere, text, 0o644))
	for name, c := range map[string]struct {
		lay  func(path string) error
		says string
	}{
		"a result": {func(path string) error { return os.WriteFile(path, text, 0o644) }, ""},
		"a link":   {func(path string) error { return os.Symlink(elsewhere, path) }, "not a regular file"},
		"a folder": {func(path string) error { return os.Mkdir(path, 0o755) }, "not a regular file"},
		"garbage":  {func(path string) error { return os.WriteFile(path, []byte("pass"), 0o644) }, "this is no result of perfgate"},
	} {
		dir := t.TempDir()
		r.must(c.lay(filepath.Join(dir, resultFile)))
		l, err := part{name: "part"}.readFolder(dir)
		if c.says == "" && (err != nil || l.result == nil) || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %v, %v; want %q", name, l.result != nil, err, c.says)
		}
	}
	if l, err := (part{name: "part"}).readFolder(filepath.Join(t.TempDir(), "none")); err != nil || l.result != nil {
		t.Errorf("nothing: %+v, %v", l, err)
	}
}

// A part under another policy than the configuration's does not merge, nor do two of different seeds.
func TestPartsAreJudged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		forge func(*result.Result)
		says  string
	}{
		"policy":           {func(p *result.Result) { p.Policy.Tolerance = 0.9 }, "do not belong together"},
		"seed":             {func(p *result.Result) { p.Shard.Seed = "7" }, "do not belong together"},
		"said to pass":     {func(p *result.Result) { p.Cases[0].Verdict = "same" }, "its samples come to regression"},
		"a case of others": {func(p *result.Result) { p.Cases[0].Name = "k/n=1" }, "overlap"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newForkRun(t)
			r.env["INPUT_SHARDS"] = "3"
			for part := 1; part <= 3; part++ {
				res := r.measured(0.1, part, 3)
				if part == 2 {
					c.forge(res)
				}
				r.keep(artifactName("perfgate", "", part), res)
			}
			r.nothingGained(c.says)
		})
	}
}
