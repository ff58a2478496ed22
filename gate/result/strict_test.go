package result

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
)

func TestStrictReadsWhatWasWritten(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/report/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d samples, %v", len(paths), err)
	}
	for _, path := range paths {
		want, err := ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ReadFileStrictly(path)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s reads differently (%v)", path, err)
		}
	}
}

// TestStrictRefuses damages a good result as somebody might on purpose.
func TestStrictRefuses(t *testing.T) {
	good := written(t, sample())
	if _, err := ReadStrictly(strings.NewReader(good)); err != nil {
		t.Fatal(err)
	}
	replaced := func(old, with string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("the sample has no %s", old)
		}
		return strings.Replace(good, old, with, 1)
	}
	name := `"name": "attention/B=1"`
	for _, c := range []struct{ name, text, want string }{
		{"unknown key", replaced(`"repro"`, `"later": {"a": [1]}, "repro"`), `unknown field "later"`},
		{"key twice", replaced(`"repro"`, `"seed": "1", "repro"`), `"seed" is given twice`},
		{"key twice in another case", replaced(`"repro"`, `"SEED": "1", "repro"`), `given twice`},
		{"deep", replaced(`"repro"`, `"later": `+strings.Repeat("[", 5000)+strings.Repeat("]", 5000)+`, "repro"`), "deeper than 16"},
		{"two documents", good + good, "after top-level value"},
		{"many values", replaced(`"repro"`, `"later": [`+strings.Repeat("1,", strictValues)+`1], "repro"`), "more than 4194304 values"},
		{"huge number", replaced("812345.25", "1e300"), "cases[0].processes[0].valueNs: 1e+300 is larger"},
		{"not even a float64", replaced("812345.25", "1e999"), "does not fit"},
		{"no number", replaced("812345.25", "NaN"), "invalid character 'N'"},
		{"quoted number", replaced("812345.25", `"NaN"`), "does not fit"},
		{"negative count", replaced(`"rounds": 4`, `"rounds": -9e18`), "does not fit"},
		{"control characters in a name", replaced(name, `"name": "attention\u001b[2J"`), "cases[0].name: a control character"},
		{"line end in a name", replaced(name, `"name": "a\n::error::x"`), "a control character"},
		{"C1 control in a name", replaced(name, `"name": "a\u009b2J"`), "a control character"},
		{"NUL in a name", replaced(name, `"name": "a\u0000"`), "a control character"},
		{"long name", replaced(name, `"name": "`+strings.Repeat("a", 20_000)+`"`), "20000 bytes, at most"},
		{"long text", replaced(`"repro": "`, `"repro": "`+strings.Repeat("a", 40_000)), "a text of 400"},
		{"many notes", replaced(`"repro"`, `"notes": [`+strings.Repeat(`"a",`, 5000)+`"a"], "repro"`), "notes: 5001 entries"},
		{"many samples", replaced(`"processes": [`, `"processes": [`+strings.Repeat(`{"side": "head"},`, 5000)), "processes: 5001 entries"},
		{"many cases", replaced(`"cases": [`, `"cases": [`+strings.Repeat(`{"verdict": "same"},`, 10_001)), "cases: 10002 entries"},
		{"many counts", replaced(`"counts": {`, `"counts": {`+manyKeys(5000)), "counts: 500"},
		{"forged exit", replaced(`"exit": 1`, `"exit": 0`), "conclusion.exit"},
	} {
		_, err := ReadStrictly(strings.NewReader(c.text))
		var bad *ReadError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %T %.200v, want %q", c.name, err, err, c.want)
		}
		if err != nil && len(err.Error()) > 1000 {
			t.Errorf("%s: the message has %d bytes", c.name, len(err.Error()))
		}
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(`"k`)
		b.WriteString(strings.Repeat("a", i%7))
		b.WriteString(string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676%26)) + `": 1, `)
	}
	return b.String()
}

// Ten gigabytes are not read to find out that they are too many.
func TestStrictReadsNoMoreThanItMay(t *testing.T) {
	endless := &counted{Reader: endlessSpaces{}}
	if _, err := ReadStrictly(endless); err == nil || !strings.Contains(err.Error(), "larger than 64 MiB") {
		t.Errorf("err = %v", err)
	}
	if endless.n > strictBytes+1<<20 {
		t.Errorf("%d bytes were read", endless.n)
	}
}

type endlessSpaces struct{}

func (endlessSpaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

type counted struct {
	io.Reader
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}

func TestStrictReadsPlainFilesOnly(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "result.json")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	for _, path := range []string{pipe, t.TempDir(), "/dev/zero"} {
		if _, err := ReadFileStrictly(path); err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// FuzzReadStrictly: whatever comes in, what is accepted can be written, and read strictly again as the same.
func FuzzReadStrictly(f *testing.F) {
	var small bytes.Buffer
	if err := Write(&small, sample()); err != nil {
		f.Fatal(err)
	}
	f.Add(small.Bytes())
	f.Add([]byte(`{"schema": "perfgate/result/v1"}`))
	f.Add([]byte(`[[[[[[[[[[[[[[[[[[[[[[`))
	if b, err := os.ReadFile("../judge/testdata/identical.json"); err == nil {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := ReadStrictly(bytes.NewReader(data))
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := Write(&again, r); err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		if _, err := ReadStrictly(&again); err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
	})
}
