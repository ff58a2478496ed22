package baseline

import (
	"bytes"
	"errors"
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
	if err := WriteLines(&text, []Found{{Record: one}, {Record: two}}); err != nil {
		t.Fatal(err)
	}
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

// TestTableComesBack: a trend as CSV comes back with its commits, times and values, as other work than what was measured.
func TestTableComesBack(t *testing.T) {
	t.Parallel()
	one, two := sampleRecord(1, 4), sampleRecord(2, 5)
	var text bytes.Buffer
	if err := WriteTable(&text, []Found{{one, 0}, {two, 3}}, true); err != nil {
		t.Fatal(err)
	}
	back, err := ReadTable(&text, "desk")
	if err != nil || len(back) != 2 {
		t.Fatal(len(back), err)
	}
	got, want := back[1], two
	if got.Key() != Key("desk", want.Commit) || !got.Time.Equal(want.Time.Truncate(time.Second)) || len(got.Cases) != len(want.Cases) {
		t.Errorf("%+v", got)
	}
	if c := got.Cases[0]; c.Kernel != want.Cases[0].Kernel || len(c.ValuesNS) != 10 || c.ValuesNS[4] != significant(want.Cases[0].ValuesNS[4]) {
		t.Errorf("%+v", c)
	}
	if SameMethod(got.Cases[0].Method, want.Cases[0].Method) {
		t.Error("times of a table would be compared with measured ones")
	}
}

// TestImportRefuses: each broken file is an error that names its line, and nothing of it is taken.
func TestImportRefuses(t *testing.T) {
	t.Parallel()
	commit, at := strings.Repeat("a", 40), "2026-03-14T09:26:53Z"
	row := func(cells ...string) string { return strings.Join(cells, ",") + "\n" }
	const header = "commit,time,case,ns\n"
	good := strings.Repeat(row(commit, at, "gemm", "100"), 4)
	if r, err := ReadTable(strings.NewReader(header+good), "m"); err != nil || len(r) != 1 {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"":                            "line 1: the table is empty",
		"commit,time,case\n" + good:   "line 1: there is no column ns",
		"commit,time,case,ns,ns\n":    "line 1: the column ns is there twice",
		"commit,time,case,ns,gpu\n":   `line 1: no column is called "gpu"`,
		header + row(commit, at, "g"): "line 2: wrong number of fields",
		header + good + row("abc", at, "gemm", "100"):                                            `line 6: "abc" is no commit`,
		header + row("../../../etc/passwd", at, "gemm", "100"):                                   "is no commit",
		header + row(commit, "yesterday", "gemm", "100"):                                         `line 2: "yesterday" is no time`,
		header + good + row(commit, "2026-03-15T09:26:53Z", "g", "1"):                            "has two times",
		header + row(commit, at, "gemm", "-1"):                                                   `line 2: "-1" is no time in ns`,
		header + row(commit, at, "gemm", "NaN"):                                                  "is no time in ns",
		header + row(commit, at, "gemm", "1e999"):                                                "is no time in ns",
		header + row(commit, at, "\"a\nb\"", "1"):                                                "is no name of a case",
		header + row(commit, at, strings.Repeat("x", 2000), "1"):                                 "is no name of a case",
		header + row(commit, at, "gemm", "100"):                                                  "it takes the times of 4 processes",
		"commit,time,kernel,case,ns\n" + row(commit, at, "softmax", "gemm/n=1", "100"):           "is no case of the kernel",
		"commit,time,process,case,ns\n" + strings.Repeat(row(commit, at, "0", "gemm", "100"), 2): "line 3: process \"0\" of \"gemm\"",
		header + "\"" + row(commit, at, "gemm", "100"):                                           "line 2: ",
	} {
		r, err := ReadTable(strings.NewReader(text), "m")
		if err == nil || r != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80q: %v, want %q", text, err, want)
		}
	}
	if _, err := ReadTable(strings.NewReader(header+good), "../x"); err == nil {
		t.Error("a machine that is no key is taken")
	}
	var lines bytes.Buffer
	if err := WriteLines(&lines, []Found{{Record: sampleRecord(1, 4)}}); err != nil {
		t.Fatal(err)
	}
	line := lines.String()
	for text, want := range map[string]string{
		line + line:   "line 2: the record of",
		line + "{}\n": "line 2: not a record of perfgate",
		line + "{":    "line 2: ",
		strings.Replace(line, `"valuesNs":[`, `"valuesNs":[-5,`, 1): "line 1: corrupt record",
		strings.Replace(line, "/v3", "/v9", 1):                      "newer schema",
	} {
		r, err := ReadLines(strings.NewReader(text))
		var bad *LineError
		if !errors.As(err, &bad) || r != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %q", text, err, want)
		}
	}
}

// FuzzImport: whatever a file is, what is taken of it can be stored.
func FuzzImport(f *testing.F) {
	f.Add("commit,time,case,ns\n" + strings.Repeat(strings.Repeat("a", 40)+",2026-03-14T09:26:53Z,gemm/n=1,100\n", 4))
	f.Add(`{"schema":"perfgate/record/v3"}`)
	f.Fuzz(func(t *testing.T, text string) {
		table, _ := ReadTable(strings.NewReader(text), "m")
		lines, _ := ReadLines(strings.NewReader(text))
		for _, r := range append(table, lines...) {
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
		if err := Save(t.Context(), store, r); err != nil {
			t.Fatal(err)
		}
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
