package compare

import (
	"bytes"
	"io"
	"strconv"
	"testing"
	"testing/fstest"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// FuzzRead feeds bytes to whichever reader their content calls for. A broken file must be an error; a file that is
// read must compare with itself without a panic, and never as a regression.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		csvHeader + "\np1,k,\"a=1,b=2\",3\np1,k,\"a=1,b=2\",4\np2,k,\"a=1,b=2\",5\n",
		`{"benchmarks":[{"name":"a","real_time":1.5,"time_unit":"us"},{"name":"a","real_time":1.6,"time_unit":"us"}]}`,
		string(nvbenchWith("d-bin/0.bin", `"2"`)),
		`{"schema":"perfgate/result/v1","cases":[{"name":"k","processes":[{"side":"head","valueNs":5}]}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		folder := fstest.MapFS{"f": {Data: data}, "d-bin/0.bin": {Data: []byte{0, 0, 128, 63, 0, 0, 0, 64}}}
		set, err := ReadFS(folder, "f", "f", ReadOptions{})
		if err != nil {
			if err.Error() == "" {
				t.Fatal("an error without words")
			}
			return
		}
		for _, paired := range []bool{false, true} {
			d, err := Sets(set, set, Options{Policy: rule.Default(), Paired: paired})
			if err != nil {
				t.Fatal(err)
			}
			if d.Conclusion.Counts[result.Regression] > 0 {
				t.Fatalf("a file is slower than itself: %+v", d.Rows)
			}
			for _, format := range Formats {
				if err := d.Render(io.Discard, format, report.TerminalOptions{}); err != nil {
					t.Fatalf("%s: %v", format, err)
				}
			}
		}
	})
}

// FuzzSampleFile feeds bytes to the reader of nvbench's binary samples.
func FuzzSampleFile(f *testing.F) {
	f.Add([]byte{0, 0, 128, 63})
	f.Add([]byte{0, 0, 192, 127, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		folder := fstest.MapFS{"r-bin/0.bin": {Data: bytes.Clone(data)}}
		set, err := ReadNVBench("r.json", nvbenchWith("r-bin/0.bin", strconv.Itoa(len(data)/4)), folder)
		if err != nil {
			return
		}
		for _, ns := range set.Cases[0].Processes[0].Samples {
			if !(ns > 0) {
				t.Fatalf("read a latency of %v", ns)
			}
		}
	})
}
