package report

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/org/perfgate/gate/result"
)

var update = flag.Bool("update", false, "write the sample results of testdata/report")

const samplesDir = "../../testdata/report"

// TestSamples writes the samples; tests read them from their files, as a report job would.
func TestSamples(t *testing.T) {
	for name, sample := range samples {
		path := filepath.Join(samplesDir, name, "result.json")
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := result.WriteFile(path, sample(t)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%v: go test ./gate/report -update writes it", err)
		}
	}
}
