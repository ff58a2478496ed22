package benchmark

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

func readCSVText(text string) (Set, error) { return ReadTable("s.csv", strings.NewReader(text)) }

func TestCSVKeepsOrderAndGroups(t *testing.T) {
	set, err := readCSVText("\ufeffprocess,kernel,case,ns\r\n" +
		"p2,attn,\"B=32,H=8\",10\r\n" +
		"p2,attn,\"B=32,H=8\",11.5\r\n" +
		"p1,attn,\"B=32,H=8\",1.2e1\r\n" +
		"\r\n" +
		"p2,copy,,\"7\"\r\n" +
		"p2,attn,\"B=32,H=8\",13\r\n")
	must(t, err)
	var got string
	for _, c := range set.Cases {
		got += fmt.Sprint(c.Name, c.Processes, c.Launches)
	}
	want := "attn/B=32,H=8[{p2 [10 11.5 13] 0 0 0 } {p1 [12] 0 0 0 }] 1copy[{p2 [7] 0 0 0 }] 1"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A benchmark's own table is a file of samples of one process.
func TestCSVOfOneProcess(t *testing.T) {
	set, err := readCSVText("kernel,us\nk,2\nk,3\n")
	if err != nil || len(set.Cases) != 1 || fmt.Sprint(set.Cases[0].Processes) != "[{1 [2000 3000] 0 0 0 }]" {
		t.Errorf("%+v, %v", set, err)
	}
}

func TestCSVErrorsNameTheLine(t *testing.T) {
	const header = "process,kernel,case,ns\n"
	for _, tt := range []struct{ text, want string }{
		{"", "no samples"},
		{header, "s.csv:1: there is no line behind the header"},
		{"process,case,ns\np,c,1\n", "s.csv:1: the header is \"process,case,ns\", want [process,]kernel"},
		{"p,k,c,1\n", `s.csv:1: unknown column "p", want [process,]kernel,case,ns`},
		{header + "p,k,c,1\np,k,c\n", `s.csv:3: 3 fields, and the header has 4`},
		{header + "p,k,c,1_000\n", `s.csv:2: ns is "1_000", which is not a number`},
		{header + "p,k,c,0x1p10\n", `s.csv:2: ns is "0x1p10", which is not a number`},
		{header + "p,k,c,x\n", `s.csv:2: ns is "x", which is not a number`},
		{header + "p,k,c,\n", `s.csv:2: ns is "", which is not a number`},
		{header + "p,k,c,.\n", `s.csv:2: ns is ".", which is not a number`},
		{header + "p,k,c,-1\n", "s.csv:2: -1 is not a latency"},
		{header + "p,k,c,0\n", "s.csv:2: 0 is not a latency"},
		{header + "p,k,c,NaN\n", "s.csv:2: NaN is not a latency"},
		{header + "p,k,c,1e400\n", "s.csv:2: ns is"},
		{header + "p,k,B=1,H=2,3\n", "s.csv:2: 5 fields, and the header has 4"},
		{header + "p,k,\"open,3\n", "s.csv:2:"},
		{header + ",k,c,3\n", "s.csv:2: kernel and process must not be empty"},
		{header + "nonsense\n", `s.csv:2: 1 field, and the header has 4`},
	} {
		_, err := readCSVText(tt.text)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.40q: error %v, want %q", tt.text, err, tt.want)
		}
		var located *FileError
		if !errors.As(err, &located) {
			t.Errorf("%.40q: error is a %T", tt.text, err)
		}
	}
}

func TestCSVQuotesAsRFC4180Says(t *testing.T) {
	for prefix, want := range map[string]string{
		`a,b,c`:               "b/c",
		`a,"b,1","c""d"`:      `b,1/c"d`,
		`"",x,""`:             "must not be empty",
		`a`:                   "2 fields",
		`"a"b,k,c`:            "column 3: extraneous",
		`a"b,k,c`:             "column 2: bare",
		`"a,k,c`:              "column",
		`a,"b""`:              "column",
		`"process,1",k,"S=1"`: "k/S=1",
	} {
		set, err := readCSVText("process,kernel,case,ns\n" + prefix + ",3\n")
		got := fmt.Sprint(err)
		if err == nil {
			got = set.Cases[0].Name
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", prefix, got, want)
		}
	}
}

func TestGoogleBenchmarkRepetitionsAreSamples(t *testing.T) {
	set, err := readGoogleFile(false)
	must(t, err)
	if set.Format != "googlebenchmark" || len(set.Cases) != 3 || len(set.Cases[0].Processes[0].Samples) != 12 {
		t.Fatalf("%+v", set)
	}
	if !strings.Contains(set.Cases[2].Failed, "no device") {
		t.Errorf("an error of the benchmark reads as %q", set.Cases[2].Failed)
	}
	cpu, err := readGoogleFile(true)
	must(t, err)
	if wall, cpu := set.Cases[0].Processes[0].Samples[0], cpu.Cases[0].Processes[0].Samples[0]; cpu >= wall {
		t.Errorf("CPU time %v, wall time %v", cpu, wall)
	}
}

func TestGoogleBenchmarkUnits(t *testing.T) {
	for unit, want := range map[string]float64{"ns": 2, "us": 2e3, "ms": 2e6, "s": 2e9} {
		set, err := ReadGoogleBenchmark("f", []byte(`{"benchmarks":[{"name":"a","real_time":2,"time_unit":"`+unit+`"}]}`), false)
		if err != nil || set.Cases[0].Processes[0].Samples[0] != want {
			t.Errorf("2 %s: %+v, %v", unit, set, err)
		}
	}
}

func TestNVBenchReadsBinarySamplesBesideTheFile(t *testing.T) {
	set, err := readNVBenchFile("run.json")
	must(t, err)
	first := set.Cases[0]
	if set.Format != "nvbench" || first.Name != "copy/Device=0 Elements=2^20" || len(first.Processes[0].Samples) != 80 {
		t.Fatalf("%+v", set)
	}
	if ns := first.Processes[0].Samples[0]; ns < 29_000 || ns > 33_000 {
		t.Errorf("31 µs reads as %v ns", ns)
	}
	if !strings.Contains(set.Cases[2].Failed, "out of memory") {
		t.Errorf("a skipped state reads as %q", set.Cases[2].Failed)
	}
	mean, err := readNVBenchFile("mean.json")
	must(t, err)
	if p := mean.Cases[0].Processes[0]; p.ValueNS < 30_999 || p.ValueNS > 31_001 {
		t.Errorf("a mean of 31 µs reads as %+v", p)
	}
}

func nvbenchWith(filename, size string) []byte {
	return fmt.Appendf(nil, `{"devices":[],"benchmarks":[{"name":"b","states":[{"name":"s","summaries":[
		{"tag":"nv/json/bin:nv/cold/sample_times","data":[{"name":"filename","type":"string","value":%q},{"name":"size","type":"int64","value":%s}]}]}]}]}`,
		filename, size)
}

func TestNVBenchRefusesBadSampleFiles(t *testing.T) {
	folder := fstest.MapFS{
		"r.json-bin/0.bin": {Data: []byte{0, 0, 128, 63, 0, 0, 128, 63}}, // 1 s, twice
		"r.json-bin/1.bin": {Data: []byte{0, 0, 128, 63, 0}},
		"r.json-bin/2.bin": {Data: []byte{0, 0, 192, 127}}, // NaN
		"r.json-bin/3.bin": {Data: nil},
		"secret":           {Data: []byte{0, 0, 128, 63}},
	}
	if _, err := ReadNVBench("r.json", nvbenchWith("r.json-bin/0.bin", `"2"`), folder, NVBenchCold); err != nil {
		t.Errorf("a good file: %v", err)
	}
	if _, err := ReadNVBench("r.json", nvbenchWith("r.json-bin/0.bin", `2`), folder, NVBenchCold); err != nil {
		t.Errorf("a size that is a number: %v", err)
	}
	for _, tt := range []struct{ file, size, want string }{
		{"r.json-bin/0.bin", `"3"`, "were announced"},
		{"r.json-bin/1.bin", `"1"`, "not a number of 32-bit floats"},
		{"r.json-bin/2.bin", `"1"`, "not a latency"},
		{"r.json-bin/3.bin", `"0"`, "not a number of 32-bit floats"},
		{"r.json-bin/9.bin", `"1"`, "not next to"},
		{"../../etc/passwd", `"1"`, "not next to"},
		{"/etc/passwd", `"1"`, "not next to"},
		{"r.json-bin", `"1"`, "not a file"},
		{"", `"1"`, "not a file"},
	} {
		_, err := ReadNVBench("r.json", nvbenchWith(tt.file, tt.size), folder, NVBenchCold)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.file, err, tt.want)
		}
	}
}

// What the real tools wrote lies with gate/search, which tells formats apart by it.
const recorded = "../search/testdata/"

func readGoogleFile(cpu bool) (Set, error) {
	data, err := os.ReadFile(recorded + "google/new.json")
	if err != nil {
		return Set{}, err
	}
	return ReadGoogleBenchmark("new.json", data, cpu)
}

func readNVBenchFile(name string) (Set, error) {
	data, err := os.ReadFile(recorded + "nvbench/" + name)
	if err != nil {
		return Set{}, err
	}
	return ReadNVBench(name, data, os.DirFS(recorded+"nvbench"), NVBenchCold)
}

// must ends a test where what it needs fails.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
