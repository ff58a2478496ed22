package profile

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const recorded = "../../testdata/ncu/recorded"

func readRecorded(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(recorded, name))
	must(t, err)
	return string(b)
}

// TestRecordedRaw reads the trimmed export of ncu 2025.3.1 with units that were scaled to fit, another one on each side.
func TestRecordedRaw(t *testing.T) {
	for name, want := range map[string]map[string]Metric{
		"attn_good.raw.csv": {
			"launch__grid_size": {16384, ""}, "dram__bytes_read.sum": {50357760, "byte"}, "dram__bytes_write.sum": {11070720, "byte"},
			"dram__bytes.sum.per_second": {20.299688e9, "byte/second"}, "gpc__cycles_elapsed.avg.per_second": {1.979018e9, "hz"},
			"gpu__time_duration.sum": {3.02608e-3, "second"}, "idc__requests.sum": {393216, ""}, "launch__registers_per_thread": {31, "register/thread"},
			"launch__shared_mem_per_block": {1024, "byte/block"}, "lts__t_sector_hit_rate.pct": {94.297233, "%"},
		},
		"attn_serial.raw.csv": {
			"launch__grid_size": {2, ""}, "dram__bytes_read.sum": {1583360, "byte"}, "dram__bytes_write.sum": {524288, "byte"},
			"dram__bytes.sum.per_second": {127.136344e6, "byte/second"}, "gpu__time_duration.sum": {16.577856e-3, "second"},
		},
	} {
		kernels, err := ParseRaw(strings.NewReader(readRecorded(t, name)))
		if err != nil || len(kernels) != 1 {
			t.Fatalf("%s: %d kernels, %v", name, len(kernels), err)
		}
		k := kernels[0]
		for metric, m := range want {
			got, ok := k.Metrics[metric]
			if !ok || math.Abs(got.Value-m.Value) > 1e-9*math.Abs(m.Value) || got.Unit != m.Unit {
				t.Errorf("%s: %s is %v, %v; want %v", name, metric, got, ok, m)
			}
		}
		// What was not collected is missing, never 0; words are no numbers.
		for _, metric := range []string{"sass__inst_executed_register_spilling_mem_local", "derived_tempMetric4", "LTS.TriageCompute.lts__throughput.avg.pct_of_peak_sustained_elapsed"} {
			if v, ok := k.Metrics[metric]; ok {
				t.Errorf("%s: %s was not collected and is %v", name, metric, v)
			}
		}
		if k.Words["launch__cluster_scheduling_policy"] != "PolicySpread" {
			t.Errorf("%s: words %v", name, k.Words)
		}
	}
}

// TestRecordedDetails reads rules from between rows of other lengths and tables of other shape.
func TestRecordedDetails(t *testing.T) {
	for name, want := range map[string]int{"attn_good.details.csv": 5, "attn_serial.details.csv": 10} {
		rules, err := ParseDetails(strings.NewReader(readRecorded(t, name)))
		if err != nil || len(rules) != want {
			t.Errorf("%s: %d rules, want %d, %v", name, len(rules), want, err)
		}
	}
	rules, _ := ParseDetails(strings.NewReader(readRecorded(t, "attn_serial.details.csv")))
	for _, r := range rules {
		if r.Name == "LaunchConfiguration" {
			if r.Type != RuleOptimize || r.SpeedupType != "global" || math.Abs(r.Speedup-0.9848) > 1e-9 || !strings.Contains(r.Text, "only 2 blocks") || r.Section != "LaunchStats" {
				t.Errorf("%+v", r)
			}
			return
		}
	}
	t.Error("LaunchConfiguration is missing")
}

// TestOtherForms are hand-made after what other versions and locales are known to write.
func TestOtherForms(t *testing.T) {
	long := `==PROF== Connected to process 1234 (/home/x/bench)
==PROF== Profiling "k" - 0: 0%....50%....100% - 9 passes
==PROF== Disconnected from process 1234
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Section Name","Metric Name","Metric Unit","Metric Value"
"0","1","bench","127.0.0.1","k(float*)","1","7","(64, 1, 1)","(1024, 1, 1)","GPU Speed Of Light","gpu__time_duration.sum","nsecond","500,000"
"0","1","bench","127.0.0.1","k(float*)","1","7","(64, 1, 1)","(1024, 1, 1)","Launch Statistics","launch__grid_size","","1,024"
"1","1","bench","127.0.0.1","l(float*)","1","7","(64, 1, 1)","(8, 1, 1)","GPU Speed Of Light","gpu__time_duration.sum","usecond","1.5"
"1","1","bench","127.0.0.1","l(float*)","1","7","(64, 1, 1)","(8, 1, 1)","Memory","dram__bytes_read.sum","Kbyte","2"
`
	kernels, err := ParseRaw(strings.NewReader(long))
	if err != nil || len(kernels) != 2 {
		t.Fatalf("%d kernels, %v", len(kernels), err)
	}
	expect(t, kernels[0], "gpu__time_duration.sum", 5e-4, "second")
	expect(t, kernels[0], "launch__grid_size", 1024, "")
	if kernels[0].Grid != "(1024, 1, 1)" || kernels[1].Block != "(64, 1, 1)" {
		t.Errorf("%+v", kernels)
	}
	expect(t, kernels[1], "gpu__time_duration.sum", 1.5e-6, "second")
	expect(t, kernels[1], "dram__bytes_read.sum", 2000, "byte")

	comma := "\"ID\",\"Kernel Name\",\"Grid Size\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n\"0\",\"k\",\"\",\"a.pct\",\"%\",\"9,00\"\n\"0\",\"k\",\"\",\"b.sum\",\"inst\",\"1.234,5\"\n"
	kernels, err = ParseRaw(strings.NewReader(comma))
	if err != nil || len(kernels) != 1 {
		t.Fatal(err)
	}
	expect(t, kernels[0], "a.pct", 9, "%")
	if v, ok := kernels[0].Value("b.sum"); ok {
		t.Errorf("an ambiguous number became %v", v)
	}

	wide := "ID,Kernel Name,Grid Size,a.sum,b.per_second,c.per_second\n,,,Gbyte,cycle/nsecond,Tbyte/second\n0,k<a; b>,\"(1, 1, 1)\",1.5,1.2,0.5\n1,k,\"(2, 1, 1)\",0,1.1,n/a\n"
	kernels, err = ParseRaw(strings.NewReader(wide))
	if err != nil || len(kernels) != 2 || kernels[1].Grid != "(2, 1, 1)" {
		t.Fatalf("%+v, %v", kernels, err)
	}
	expect(t, kernels[0], "a.sum", 1.5e9, "byte")
	expect(t, kernels[0], "b.per_second", 1.2e9, "hz")
	expect(t, kernels[0], "c.per_second", 5e11, "byte/second")
	expect(t, kernels[1], "a.sum", 0, "byte")
}

func expect(t *testing.T, k Kernel, name string, value float64, unit string) {
	t.Helper()
	if m, ok := k.Metrics[name]; !ok || math.Abs(m.Value-value) > 1e-9*math.Abs(value) || m.Unit != unit {
		t.Errorf("%s is %v, %v; want %v %s", name, m, ok, value, unit)
	}
}

func TestUnits(t *testing.T) {
	for unit, want := range map[string]struct {
		base   string
		factor float64
	}{
		"": {"", 1}, "%": {"%", 1}, "byte": {"byte", 1}, "Kbyte": {"byte", 1e3}, "Mbyte": {"byte", 1e6}, "Tbyte/s": {"byte/second", 1e12},
		"ns": {"second", 1e-9}, "us": {"second", 1e-6}, "ms": {"second", 1e-3}, "s": {"second", 1}, "msecond": {"second", 1e-3},
		"Ghz": {"hz", 1e9}, "hz": {"hz", 1}, "cycle/usecond": {"hz", 1e6}, "inst/cycle": {"inst/cycle", 1}, "Kbyte/block": {"byte/block", 1e3},
		"register/thread": {"register/thread", 1}, "warp": {"warp", 1}, "Mwarp": {"Mwarp", 1}, "sectors": {"sector", 1},
	} {
		base, factor := baseUnit(unit)
		if base != want.base || math.Abs(factor-want.factor) > 1e-12*want.factor {
			t.Errorf("%q is %v %q, want %v", unit, factor, base, want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for text, want := range map[string]float64{
		"0": 0, "16,384": 16384, "5,956,603.78": 5956603.78, "-0.00": 0, "1e6": 1e6, "9,00": 9, " 7 ": 7, "17,129,989,560,450,484": 17129989560450484,
	} {
		if got, ok := number(text); !ok || got != want {
			t.Errorf("%q is %v, %v; want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "no data", "nan", "inf", "-inf", "0x10", "1_000", "PolicySpread", "1.2.3", "e5", ",", "1,2,3x", "--1", "1 (2; 3)"} {
		if got, ok := number(text); ok {
			t.Errorf("%q is %v", text, got)
		}
	}
}

// TestBroken: what is no export is a typed error that says where, and nothing panics.
func TestBroken(t *testing.T) {
	for text, want := range map[string]string{
		"":                                       "there is no line that begins with the column ID",
		"==ERROR== no luck\n":                    "there is no line that begins with the column ID",
		"ID,a\n":                                 "no column Grid Size, as in exports of Nsight Compute before 2023.1",
		"\"ID\",\"Grid Size\"\n":                 "the second row is not one of units",
		"\"ID\",\"Grid Size\"\n\"0\",\"1\"\n":    "line 2: the second row is not one of units",
		"ID,Grid Size\n\"\",\"\"\n\"x\",\"1\"\n": "line 3: the column ID is no number",
		"ID," + strings.Repeat("a,", 20_001) + "b\n": "more than 20000 columns",
	} {
		_, err := ParseRaw(strings.NewReader(text))
		var bad *ParseError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
	many := "ID,Grid Size\n,\n" + strings.Repeat("0,1\n", maxKernels+1)
	if _, err := ParseRaw(strings.NewReader(many)); err == nil {
		t.Error("more kernels than the limit are read")
	}
}

func FuzzParseRaw(f *testing.F) {
	f.Add(readRecorded(f, "attn_good.raw.csv"))
	f.Add("==PROF== x\n\"ID\",\"Kernel Name\",\"Grid Size\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n\"0\",\"k\",\"\",\"m\",\"Kbyte\",\"1,000\"\n")
	f.Add("ID,Grid Size,a\n,,%\n0,,\"1\n")
	f.Add("ID,Grid Size\n\n0\n")
	f.Fuzz(func(t *testing.T, text string) {
		kernels, err := ParseRaw(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, k := range kernels {
			for name, m := range k.Metrics {
				if math.IsNaN(m.Value) || math.IsInf(m.Value, 0) && !strings.ContainsAny(text, "eE0123456789") {
					t.Errorf("%q is %v", name, m.Value)
				}
			}
		}
	})
}

func FuzzParseDetails(f *testing.F) {
	f.Add(readRecorded(f, "attn_serial.details.csv"))
	f.Add("\"ID\",\"Rule Name\",\"Rule Type\",\"Estimated Speedup\"\n\"0\",\"x\",\"OPT\",\"98.5\"\n\"0\"\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		rules, err := ParseDetails(strings.NewReader(text))
		if err == nil && len(rules) > strings.Count(text, "\n")+1 {
			t.Errorf("%d rules of %d lines", len(rules), strings.Count(text, "\n")+1)
		}
	})
}

// TestDetailsAreNoMetrics: the details page is of the same form as the long one, with labels for names.
func TestDetailsAreNoMetrics(t *testing.T) {
	for _, name := range []string{"attn_good", "attn_serial"} {
		f, err := os.Open(filepath.Join(recorded, name+".details.csv"))
		must(t, err)
		defer f.Close()
		if kernels, err := ParseRaw(f); err == nil || !strings.Contains(err.Error(), "--page raw") || kernels != nil {
			t.Errorf("%s: %d kernels, %v", name, len(kernels), err)
		}
	}
}

// must ends a test where what it needs fails.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
