package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/config"
)

// A pattern of watch or files that matches nothing in base or head is a mistake, shown with what there is. What only one of them has is none.
func TestPatternsThatMatchNothing(t *testing.T) {
	folder := func(files ...string) string {
		dir := t.TempDir()
		for _, file := range files {
			must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o755))
			must(t, os.WriteFile(filepath.Join(dir, file), nil, 0o644))
		}
		return dir
	}
	base, head := folder("csrc/a.cu", "bench/run.py", "old/gone.cu"), folder("csrc/a.cu", "bench/run.py", "bench/more/x.py", "new/k.cu", ".git/config")
	must(t, os.Mkdir(filepath.Join(head, "empty-submodule"), 0o755))
	for name, tt := range map[string]struct{ watch, files, want string }{
		"all match":         {"csrc/**, '**/*.py'", "bench/*.py, bench/more", ""},
		"a folder":          {"csrc", "bench", ""},
		"head deletes it":   {"old/**", "old/gone.cu", ""},
		"head adds it":      {"new/*.cu", "'**/x.py'", ""},
		"a submodule":       {"empty-submodule", "bench", ""},
		"what is left out":  {"csrc, '!docs/**'", "bench", ""},
		"watch":             {"crsc/**", "bench", `paths: "crsc/**" matches nothing in base or head` + "|what there is, such as \"csrc\""},
		"files":             {"csrc", "bench/rnu.py", `kernel k: files: "bench/rnu.py" matches nothing in base or head` + "|what there is in \"bench\", such as \"run.py\", \"more\""},
		"what git keeps":    {".git/*", "bench", `paths: ".git/*" matches nothing`},
		"another extension": {"csrc/*.cpp", "bench", `what there is in "csrc", such as "a.cu"`},
	} {
		c, err := config.Parse("perfgate.yaml", []byte("version: 1\npaths: ["+tt.watch+"]\nkernels:\n  - {name: k, bench: {command: ./b, format: csv}, files: ["+tt.files+"]}\n"))
		must(t, err)
		var all config.Errors
		switch err := c.CheckPatterns(base, head); {
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case tt.want != "" && (!errors.As(err, &all) || len(all) != 1 || !saysAll(err, strings.Split(tt.want, "|"))):
			t.Errorf("%s: %v\nlacks %s", name, err, tt.want)
		}
		if err := c.CheckPatterns(base, filepath.Join(head, "no-such-folder")); err != nil {
			t.Errorf("%s: a folder that cannot be read: %v", name, err)
		}
	}
}

func saysAll(err error, parts []string) bool {
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			return false
		}
	}
	return true
}
