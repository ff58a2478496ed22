package search_test

import (
	"testing"
	"testing/fstest"

	"github.com/org/perfgate/gate/render"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/gate/search"
)

const nvbenchFile = `{"devices":[],"benchmarks":[{"name":"b","states":[{"name":"s","summaries":[
	{"tag":"nv/json/bin:nv/cold/sample_times","data":[{"name":"filename","type":"string","value":"d-bin/0.bin"},{"name":"size","type":"int64","value":"2"}]}]}]}]}`

// FuzzRead feeds bytes to whichever reader their content calls for. A broken file must be an error; a file that is
// read must compare with itself without a panic, and never as a regression.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"process,kernel,case,ns\np1,k,\"a=1,b=2\",3\np1,k,\"a=1,b=2\",4\np2,k,\"a=1,b=2\",5\n",
		`{"benchmarks":[{"name":"a","real_time":1.5,"time_unit":"us"},{"name":"a","real_time":1.6,"time_unit":"us"}]}`,
		nvbenchFile,
		`{"benchmarks":[{"name":"a \"NaN","real_time":5,"x":NaN,"y":-Infinity}]}`,
		`{"schema":"perfgate/result/v3","cases":[{"name":"k","processes":[{"variant":{"role":"head"},"valueNs":5}]}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		folder := fstest.MapFS{"f": {Data: data}, "d-bin/0.bin": {Data: []byte{0, 0, 128, 63, 0, 0, 0, 64}}}
		set, err := search.ReadSamplesFS(folder, "f", "f", search.ReadOptions{})
		if err != nil {
			if err.Error() == "" {
				t.Fatal("an error without words")
			}
			return
		}
		for _, paired := range []bool{false, true} {
			d, err := search.CompareSets(set, set, search.CompareOptions{Policy: rule.Default(), Paired: paired})
			must(t, err)
			if d.Conclusion.Counts[result.Regression] > 0 {
				t.Fatalf("a file is slower than itself: %+v", d.Rows)
			}
			for _, format := range formats {
				written(t, d, format, render.TerminalOptions{})
			}
		}
	})
}
