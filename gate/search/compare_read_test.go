package search_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/search"
)

func TestJSONErrorsNameTheLine(t *testing.T) {
	dir := t.TempDir()
	for name, tt := range map[string]struct{ text, want string }{
		"cut.json":     {"{\n \"benchmarks\": [\n", ":3: not JSON"},
		"typed.json":   {"{\n \"benchmarks\":\n  [{\"name\": 7}]}", ":3: "},
		"other.json":   {"{\"hello\": 1}", "neither a perfgate result"},
		"list.json":    {"[1]", ":1: "},
		"none.json":    {`{"benchmarks": []}`, "no benchmark runs"},
		"unit.json":    {"{\"benchmarks\":[{\"name\":\"b\",\"real_time\":1},\n\n{\"name\":\"a\",\"real_time\":1,\"time_unit\":\"h\"}]}", `:3: benchmark "a": unknown time unit`},
		"zero.json":    {`{"benchmarks":[{"name":"a","real_time":0}]}`, "not a latency"},
		"noname.json":  {`{"benchmarks":[{"real_time":1}]}`, "has no name"},
		"nv.json":      {`{"devices":[],"benchmarks":[{"name":"a","states":[{"name":"s","summaries":null}]}]}`, "gives no cold time"},
		"future.json":  {`{"schema":"perfgate/result/v999"}`, "future.json"},
		"notours.json": {`{"schema":"something else"}`, "notours.json"},
	} {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte(tt.text), 0o644))
		_, err := search.ReadSamples(path, search.ReadOptions{})
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v, want %q", name, err, tt.want)
		}
	}
}

func TestFolderMakesEveryFileAProcess(t *testing.T) {
	dir := t.TempDir()
	for i := range 5 {
		text := fmt.Sprintf(`{"benchmarks":[{"name":"a","real_time":%d},{"name":"a","real_time":%d}]}`, 100+i, 101+i)
		must(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("run%d.json", i)), []byte(text), 0o644))
	}
	must(t, os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("not read"), 0o644))
	set, err := search.ReadSamples(dir, search.ReadOptions{})
	must(t, err)
	if len(set.Cases) != 1 || len(set.Cases[0].Processes) != 5 || set.Cases[0].Processes[3].ID != "run3.json:1" {
		t.Errorf("%+v", set)
	}
	must(t, os.WriteFile(filepath.Join(dir, "x.csv"), []byte("process,kernel,case,ns\np,k,c,1\n"), 0o644))
	if _, err := search.ReadSamples(dir, search.ReadOptions{}); err == nil || !strings.Contains(err.Error(), "csv, together with files of googlebenchmark") {
		t.Errorf("mixed formats: %v", err)
	}
	if _, err := search.ReadSamples(t.TempDir(), search.ReadOptions{}); err == nil || !strings.Contains(err.Error(), "no .json or .csv") {
		t.Errorf("empty folder: %v", err)
	}
	if _, err := search.ReadSamples(filepath.Join(dir, "absent"), search.ReadOptions{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent: %v", err)
	}
}

// Formats are told by their content, on files that the tools wrote.
func TestFormatsAreTold(t *testing.T) {
	for file, want := range map[string]struct {
		format, first string
		cases, values int
	}{
		"testdata/google/new.json":                    {"googlebenchmark", "", 3, 1},
		"testdata/nvbench/run.json":                   {"nvbench", "copy/Device=0 Elements=2^20", 3, 1},
		"testdata/pytest/pytest-benchmark-3.2.2.json": {"pytest-benchmark", "test_sum[10]", 2, 1},
		"testdata/hyperfine/hyperfine-1.15.json":      {"hyperfine", "true", 2, 5},
	} {
		set, err := search.ReadSamples(file, search.ReadOptions{})
		must(t, err)
		first := set.Cases[0]
		if set.Format != want.format || len(set.Cases) != want.cases || len(first.Processes) != want.values || want.first != "" && first.Name != want.first {
			t.Errorf("%s: %s, %d cases, the first %q of %d processes", file, set.Format, len(set.Cases), first.Name, len(first.Processes))
		}
	}
}

func TestRecordIsReadProcessByProcess(t *testing.T) {
	record := &baseline.Record{
		Schema: baseline.Schema, Commit: strings.Repeat("a", 40), Time: time.Unix(1, 0).UTC(), Machine: result.Machine{Key: "cpu-x"},
		Cases: []baseline.Case{{
			Name: "k/n=1", Kernel: "k", ConfigHash: "h", Fingerprint: "f", Method: result.Method{Launches: 3, QuantumNS: 2},
			Rounds: []int{0, 0, 1, 1, 2, 2, 3, 3}, ValuesNS: []float64{100, 101, 102, 100, 101, 102, 100, 101},
		}},
	}
	data, err := baseline.Encode(record)
	must(t, err)
	path := filepath.Join(t.TempDir(), "a.json.gz")
	must(t, os.WriteFile(path, data, 0o600))
	set, err := search.ReadSamples(path, search.ReadOptions{})
	must(t, err)
	c := set.Cases[0]
	if set.Format != "record" || c.Name != "k/n=1" || len(c.Processes) != 8 || c.Processes[2].ValueNS != 102 || c.QuantumNS != 2 || c.Launches != 3 {
		t.Errorf("set = %+v", set)
	}
	must(t, os.WriteFile(path, data[:len(data)/2], 0o600))
	if _, err := search.ReadSamples(path, search.ReadOptions{}); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("half a record: %v", err)
	}
}

// A case that its saved run did not time is no failure of the file: what came of it there is kept, with what was said.
func TestUntimedCasesSayWhatCameOfThem(t *testing.T) {
	untimed := func(name string, v result.Verdict, why *result.Reason) result.Case {
		return result.Case{Name: "k/n=" + name, Kernel: "k", Verdict: v, Reason: why}
	}
	r := &result.Result{Schema: result.Schema, Cases: []result.Case{
		untimed("1", result.Error, result.Message("it crashed")), untimed("2", result.Same, &result.Reason{Kind: result.ReasonIdentical}), untimed("3", result.Skipped, nil),
	}}
	r.Conclusion.Verdict = result.RunPassed
	r.Base.Kind, r.Head.Kind = "directory", "directory"
	set := headSet(t, r)
	for i, want := range []result.Reason{{Name: "error", Message: "it crashed"}, {Name: "same, identical"}, {Name: "skipped"}} {
		want.Kind = result.ReasonUntimed
		if got := set.Cases[i].Untimed; got == nil || got.Name != want.Name || got.Message != want.Message || got.Kind != want.Kind {
			t.Errorf("%s: %+v, want %+v", set.Cases[i].Name, got, want)
		}
	}
}
