package baseline

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
)

// TestLinesAreWhole: what is written as JSON lines comes back with all that a record has.
func TestLinesAreWhole(t *testing.T) {
	t.Parallel()
	one, two := sampleRecord(1, 4), sampleRecord(2, 4)
	one.Accept(Acceptance{Commit: two.Commit, Pattern: "**", Reason: "r", By: "ada", Time: time.Unix(1e9, 0).UTC()})
	two.Cases[0].Pin = &Pin{Commit: one.Commit, Records: 5, Over: 0.02}
	var text bytes.Buffer
	must(t, WriteLines(&text, []Found{{Record: one}, {Record: two}}))
	back, err := ReadLines(strings.NewReader("\n" + text.String()))
	if err != nil || len(back) != 2 {
		t.Fatal(len(back), err)
	}
	for i, want := range []*Record{one, two} {
		a, _ := Encode(want)
		if b, err := Encode(back[i]); err != nil || !bytes.Equal(a, b) {
			t.Errorf("record %d came back as another: %v", i, err)
		}
	}
}

// TestTable: a trend as CSV has a line a process, with commit, time and distance in front.
func TestTable(t *testing.T) {
	t.Parallel()
	r := sampleRecord(1, 4)
	for trend, want := range map[bool]string{true: "commit,time,behind,process,kernel,case,ns\n" + r.Commit + "," + r.Time.Format(time.RFC3339) + ",3,0,", false: "process,kernel,case,ns\n0,"} {
		var text bytes.Buffer
		if err := WriteTable(&text, []Found{{r, 3}}, trend); err != nil || !strings.HasPrefix(text.String(), want) || strings.Count(text.String(), "\n") != 1+len(r.Cases)*len(r.Cases[0].ValuesNS) {
			t.Errorf("%v: %v\n%s", trend, err, text.String())
		}
	}
}

// TestImportRefuses: each broken file is an error that names its line, and nothing of it is taken.
func TestImportRefuses(t *testing.T) {
	t.Parallel()
	var lines bytes.Buffer
	must(t, WriteLines(&lines, []Found{{Record: sampleRecord(1, 4)}}))
	line := lines.String()
	for text, want := range map[string]string{
		line + line:     "line 2: the record of",
		line + "{}\n":   "line 2: not a record of perfgate",
		line + "{":      "line 2: ",
		"commit,time\n": "line 1: not a record of perfgate",
		strings.Replace(line, `"valuesNs":[`, `"valuesNs":[-5,`, 1): "line 1: corrupt record",
		strings.Replace(line, "/v3", "/v9", 1):                      "newer schema",
	} {
		r, err := ReadLines(strings.NewReader(text))
		if err == nil || r != nil || !strings.HasPrefix(err.Error(), "line ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %q", text, err, want)
		}
	}
}

// FuzzImport: whatever a file is, what is taken of it can be stored.
func FuzzImport(f *testing.F) {
	f.Add(`{"schema":"perfgate/record/v3"}`)
	f.Fuzz(func(t *testing.T, text string) {
		lines, _ := ReadLines(strings.NewReader(text))
		for _, r := range lines {
			if _, err := Encode(r); err != nil {
				t.Errorf("%q: %v", text, err)
			}
		}
	})
}

// TestAcceptedRecordsStay: pruning keeps what says who accepted what, and a record written anew keeps it, too.
func TestAcceptedRecordsStay(t *testing.T) {
	t.Parallel()
	store := OpenFolder(t.TempDir())
	var keys, ancestors []string
	for i := range 4 {
		r := sampleRecord(i+1, 4)
		r.Commit = fmt.Sprintf("%040x", i+1)
		if i == 3 {
			r.Accept(Acceptance{Commit: r.Commit, Pattern: "**", Reason: "r", By: "ada", Time: time.Unix(1e9, 0).UTC()})
		}
		must(t, Save(t.Context(), store, r))
		keys, ancestors = append(keys, r.Key()), append(ancestors, r.Commit)
	}
	doomed, err := Prunable(t.Context(), store, keys, ancestors, Retention{Keep: 1})
	if err != nil || len(doomed) != 2 || doomed[0].Key != keys[1] || doomed[1].Key != keys[2] {
		t.Errorf("%v, %v", doomed, err)
	}
	anew := sampleRecord(4, 4)
	anew.Commit = ancestors[3]
	if err := Save(t.Context(), store, anew); err != nil || len(anew.Accepted) != 1 {
		t.Errorf("%v, %v", anew.Accepted, err)
	}
}

// TestAcceptedRunsAreRecorded: what somebody accepted in a run is accepted in its record, for the cases that it was of.
func TestAcceptedRunsAreRecorded(t *testing.T) {
	t.Parallel()
	c := result.Case{Name: "gemm/n=1", Kernel: "gemm", Method: &result.Method{Clock: "event", Launches: 1}}
	for range 4 {
		c.Processes = append(c.Processes, result.Process{Variant: result.VariantHead, ValueNS: 100}, result.Process{Variant: result.VariantBase, ValueNS: 90})
	}
	r := &result.Result{
		Head: result.Version{Revision: commitName(1)}, Base: result.Version{Revision: commitName(2)}, Machine: result.Machine{Key: "m"}, Cases: []result.Case{c},
		Kernels:  []result.Kernel{{Name: "gemm", Head: &result.Build{Fingerprint: "f"}, Base: &result.Build{Fingerprint: "g"}}},
		Accepted: []result.Accepted{{Case: "gemm/n=1", By: "ada", How: strings.Repeat("why ", 1000)}, {Case: "softmax/n=1", By: "eve"}},
	}
	for side, want := range map[result.Side]int{result.SideHead: 1, result.SideBase: 0} {
		rec, err := FromResult(r, side, func(string) string { return "c" })
		if err != nil || len(rec.Accepted) != want {
			t.Fatalf("%s: %v, %v", side, rec, err)
		}
		if _, err := Encode(rec); err != nil {
			t.Errorf("%s: %v", side, err)
		}
		if want == 1 && !rec.Accepted[0].Covers("gemm", "gemm/n=1") {
			t.Errorf("%+v", rec.Accepted)
		}
	}
}
