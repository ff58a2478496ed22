package layout

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/org/perfgate"

// layout is the architecture: every package of the module, and what of ours it imports. Arrows run one way: a package imports
// only what stands above it here. Tests may import more.
var layout = []struct{ path, imports string }{
	{"docs", ""}, // tests alone: what pages say of each other
	{"stats", ""},
	{"gate/untrusted", ""},
	{"gate/saved", "gate/untrusted"},
	{"gate/result", "gate/saved"},
	{"gate/rule", "gate/result stats"},

	{"kernels/observe", "gate/untrusted"},
	{"kernels/sandbox", "kernels/observe"},
	{"kernels/child", "kernels/observe kernels/sandbox"},
	{"kernels/pool", ""},
	{"kernels/task", "gate/untrusted"},
	{"kernels/checkout", "gate/untrusted"},
	{"kernels", "gate/untrusted gate/result kernels/checkout kernels/child kernels/observe kernels/sandbox kernels/task"},
	{"gate/benchmark", "gate/result kernels stats"},
	{"gate/config", "gate/benchmark gate/result kernels kernels/task"},
	{"gate/plan", "gate/config gate/result kernels"},
	{"gate/repo", "gate/config gate/result gate/untrusted kernels/checkout kernels/child kernels/task"},
	{"gate/identity", "gate/config gate/plan gate/repo gate/untrusted kernels/checkout kernels/observe"},
	{"gate/machine", "gate/untrusted gate/result"},
	{"gate/oracle", "gate/result kernels"},
	{"gate/parity", "gate/untrusted gate/config gate/oracle gate/plan gate/result gate/saved kernels"},
	{"gate/measure", "gate/rule gate/oracle gate/result kernels kernels/pool stats"},
	{"gate/program", "gate/benchmark gate/measure gate/result gate/untrusted kernels kernels/child kernels/observe kernels/pool"},
	{"gate/baseline", "gate/untrusted gate/rule gate/repo gate/result gate/saved kernels/checkout kernels/observe stats"},
	{"gate/bisect", "gate/result gate/saved"},
	{"gate/history", "gate/baseline gate/result stats"},
	{"gate/drift", "gate/baseline gate/history gate/result gate/saved stats"},
	{"gate/profile", "gate/untrusted gate/result kernels kernels/child kernels/sandbox"},
	{"gate/profile/explain", "gate/config gate/profile gate/result stats"},
	{"gate/pipeline", "gate/untrusted gate/rule gate/baseline gate/benchmark gate/config gate/history gate/identity gate/machine gate/measure gate/oracle gate/parity gate/plan gate/profile " +
		"gate/profile/explain gate/program gate/repo gate/result kernels kernels/checkout kernels/observe kernels/child kernels/pool kernels/sandbox"},

	{"gate/request", "gate/baseline gate/config gate/machine gate/parity gate/pipeline gate/plan gate/repo gate/result kernels kernels/checkout"},

	{"gate/judge", "gate/untrusted gate/repo gate/result gate/saved gate/rule stats"},
	{"gate/report", "gate/rule gate/baseline gate/bisect gate/history gate/judge gate/result gate/drift"},
	{"gate/render", "gate/saved gate/report gate/result"},
	{"gate/search", "gate/baseline gate/config gate/drift gate/history gate/judge gate/pipeline gate/plan gate/repo gate/report gate/request gate/result gate/rule kernels kernels/checkout"},
	{"gate/trial", "gate/benchmark gate/config gate/machine gate/repo gate/report gate/result gate/rule gate/untrusted kernels kernels/checkout kernels/child kernels/observe"},
	{"gate/bisect/steps", "gate/baseline gate/bisect gate/history gate/pipeline gate/plan gate/repo gate/report gate/result gate/saved gate/untrusted"},
	{"gate/compare", "gate/rule gate/baseline gate/benchmark gate/render gate/report gate/result gate/saved stats"},
	{"gate/calibrate", "gate/rule gate/benchmark gate/render gate/result stats"},
	{"gate/doctor", "gate/untrusted gate/benchmark gate/rule gate/config gate/machine gate/pipeline gate/profile gate/repo gate/report gate/result gate/saved kernels kernels/child kernels/sandbox stats"},
	{"gate/github", "gate/baseline gate/render gate/report gate/result"},
	{"gate/action", "gate/untrusted gate/rule gate/baseline gate/bisect gate/config gate/github gate/parity gate/pipeline gate/plan gate/repo gate/render gate/report gate/result gate/saved gate/drift kernels kernels/checkout kernels/task"},
	{"cmd/perfgate", "gate/untrusted gate/rule gate/action gate/baseline gate/bisect gate/bisect/steps gate/calibrate gate/compare gate/config gate/doctor gate/github gate/history gate/judge gate/machine gate/parity " +
		"gate/pipeline gate/plan gate/profile gate/profile/explain gate/repo gate/render gate/report gate/request gate/result gate/saved gate/search gate/trial gate/drift kernels kernels/checkout kernels/child kernels/task stats"},

	// Support of tests: no row above has it.
	{"cmd/perfgate/stories", ""},
	{"cmd/perfgate/usertest", "kernels"},
	{"gate/action/e2e", ""},
	{"gate/internal/fakegithub", ""},
	{"gate/internal/layout", ""},
	{"gate/internal/machinetest", ""},
	{"gate/internal/ruletest", "gate/rule gate/result stats"},
	{"kernels/kernelstest", ""},
}

// standard is what packages that have to stay pure may import besides.
var standard = map[string][]string{
	// Statistics need no more than arithmetic.
	"stats": {"cmp", "errors", "fmt", "math", "math/cmplx", "slices", "sync", "sync/atomic",
		"github.com/aclements/go-moremath/stats", "gonum.org/v1/gonum/dsp/fourier", "gonum.org/v1/gonum/mathext", "gonum.org/v1/gonum/stat/distuv", "pgregory.net/changepoint"},
	// A decision that could read a file, ask a clock or roll dice could not be taken again from a saved run.
	"gate/rule": {"cmp", "errors", "fmt", "math", "reflect", "slices", "strings"},
}

func TestLayout(t *testing.T) {
	found := packages(t)
	above := map[string]bool{}
	for _, row := range layout {
		imports, there := found[row.path]
		if !there {
			t.Errorf("%s is in the table and is no package: take its row out", row.path)
		}
		delete(found, row.path)
		allowed := strings.Fields(row.imports)
		for _, path := range imports {
			ours, isOurs := strings.CutPrefix(path, module+"/")
			switch std, pure := standard[row.path]; {
			case isOurs && !slices.Contains(allowed, ours):
				t.Errorf("%s imports %s: the table does not allow that", row.path, ours)
			case !isOurs && pure && !slices.Contains(std, path):
				t.Errorf("%s imports %q: it has to stay pure, with no more than %q", row.path, path, std)
			}
		}
		for _, ours := range allowed {
			if there && !slices.Contains(imports, module+"/"+ours) {
				t.Errorf("%s no longer imports %s: take it out of its row", row.path, ours)
			}
			if !above[ours] {
				t.Errorf("%s imports %s, which is not above it in the table: arrows run one way", row.path, ours)
			}
		}
		above[row.path] = true
	}
	for path := range found {
		t.Errorf("%s has no row in the table: say what it may import", path)
	}
}

// packages are the folders of the module with Go code, and what its files import, whatever their build tags. Tests may import
// anything.
func packages(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	root := os.DirFS("../../..")
	err := fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != "." && (name == "testdata" || name[0] == '.' || name[0] == '_'):
			return fs.SkipDir // as go does
		case entry.IsDir() || filepath.Ext(name) != ".go":
			return nil
		}
		var imports []string
		if !strings.HasSuffix(name, "_test.go") {
			imports, err = importsOf(root, path)
		}
		dir := filepath.Dir(path)
		found[dir] = append(found[dir], imports...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func importsOf(root fs.FS, path string) ([]string, error) {
	src, err := fs.ReadFile(root, path)
	if err != nil {
		return nil, err
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, src, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		out = append(out, imported)
	}
	return out, nil
}
