package report

import (
	"flag"
	"path/filepath"
	"testing"

	"github.com/org/perfgate/gate/result"
)

var update = flag.Bool("update", false, "write changes.txt of the scenarios of testdata/report")

const samplesDir = "../../testdata/report"

// samples are the scenarios: folders with a saved result that was made by simulation, and with what every format makes of it (gate/render).
var samples = func() []string {
	paths, _ := filepath.Glob(filepath.Join(samplesDir, "*", "result.json")) // the pattern is well-formed
	for i, path := range paths {
		paths[i] = filepath.Base(filepath.Dir(path))
	}
	return paths
}()

func load(t *testing.T, name string) *result.Result {
	t.Helper()
	r, err := result.ReadFile(filepath.Join(samplesDir, name, "result.json"))
	must(t, err)
	return r
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
