package request

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
)

// A revision is taken at the folder that the user stands in, where that has a configuration now or had one then.
func TestConfigurationOfARevision(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		now, then []string // folders with a configuration
		head      string   // "" is the working tree
		want      string   // "": an error
	}{
		"in both":          {[]string{"sub"}, []string{"sub", "."}, "HEAD", "sub/perfgate.yaml"},
		"only then":        {nil, []string{"sub", "."}, "HEAD", "sub/perfgate.yaml"},
		"only now":         {[]string{"sub"}, []string{"."}, "HEAD", ""},
		"of the root":      {[]string{"."}, []string{"."}, "HEAD", "perfgate.yaml"},
		"the working tree": {[]string{"sub"}, []string{"sub"}, "", "sub/perfgate.yaml"},
	} {
		top, root := t.TempDir(), t.TempDir()
		dirs := []string{filepath.Join(top, ".git"), filepath.Join(top, "sub")}
		var files []string
		for _, dir := range c.now {
			files = append(files, filepath.Join(top, dir))
		}
		for _, dir := range c.then {
			files = append(files, filepath.Join(root, dir))
		}
		for _, dir := range append(dirs, files...) {
			must(t, os.MkdirAll(dir, 0o755))
		}
		for _, dir := range files {
			must(t, os.WriteFile(filepath.Join(dir, "perfgate.yaml"), nil, 0o644))
		}
		side := repo.Side{Root: root, Info: result.Version{Kind: result.KindRevision}}
		if c.head == "" {
			side = repo.Side{Root: top, Info: result.Version{Kind: result.KindWorktree}}
		}
		got, err := (Run{Head: c.head}).configPath(filepath.Join(top, "sub"), side)
		if got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%s: %q, %v, want %q", name, got, err, c.want)
		}
	}
}
