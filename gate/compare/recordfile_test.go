package compare

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/result"
)

func TestRecordIsReadProcessByProcess(t *testing.T) {
	record := &baseline.Record{
		Schema: baseline.Schema, Commit: strings.Repeat("a", 40), Time: time.Unix(1, 0).UTC(), Machine: result.Machine{Key: "cpu-x"},
		Cases: []baseline.Case{{
			Name: "k/n=1", Kernel: "k", ConfigHash: "h", Fingerprint: "f", Method: result.Method{Launches: 3, QuantumNS: 2},
			Rounds: []int{0, 0, 1, 1, 2, 2, 3, 3}, ValuesNS: []float64{100, 101, 102, 100, 101, 102, 100, 101},
		}},
	}
	data, err := baseline.Encode(record)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.json.gz")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := Read(path, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	c := set.Cases[0]
	if set.Format != "record" || c.Name != "k/n=1" || len(c.Processes) != 8 || c.Processes[2].ValueNS != 102 || c.QuantumNS != 2 || c.Launches != 3 {
		t.Errorf("set = %+v", set)
	}
	if err := os.WriteFile(path, data[:len(data)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path, ReadOptions{}); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("half a record: %v", err)
	}
}
