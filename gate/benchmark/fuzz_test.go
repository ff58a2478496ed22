package benchmark

import (
	"bytes"
	"strconv"
	"testing"
	"testing/fstest"
)

// FuzzSampleFile feeds bytes to the reader of nvbench's binary samples.
func FuzzSampleFile(f *testing.F) {
	f.Add([]byte{0, 0, 128, 63})
	f.Add([]byte{0, 0, 192, 127, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		folder := fstest.MapFS{"r-bin/0.bin": {Data: bytes.Clone(data)}}
		set, err := ReadNVBench("r.json", nvbenchWith("r-bin/0.bin", strconv.Itoa(len(data)/4)), folder, NVBenchCold)
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
