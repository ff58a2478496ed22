package saved

import (
	"bytes"
	"errors"
	"fmt"

	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"
)

// doc has a field of every sort.
type doc struct {
	Schema string         `json:"schema"`
	Name   string         `json:"name"`
	Note   string         `json:"note,omitempty"`
	NS     float64        `json:"ns"`
	Count  int            `json:"count"`
	Tags   []string       `json:"tags,omitempty"`
	Rows   []row          `json:"rows,omitempty"`
	By     map[string]row `json:"by,omitempty"`
	When   time.Time      `json:"when"`
	Below  *doc           `json:"below,omitempty"`
	embedded
}

type row struct {
	NS     float64 `json:"ns"`
	Reason string  `json:"reason,omitempty"`
}

type embedded struct {
	Inner string `json:"inner,omitempty"`
}

func (d *doc) Check() error {
	if d.Count < 0 {
		return errors.New("a count below 0")
	}
	return nil
}

var kind = Kind[doc]{Schema: "perfgate/doc/v2", Bytes: 64 << 20, Texts: []string{"note", "tags"}, Most: map[string]int{"rows": 10}}

func sample() *doc {
	return &doc{Schema: kind.Schema, Name: "attention/B=1", Note: "two\nlines", NS: 812345.25, Count: 4, Tags: []string{"a", "b"}, Rows: []row{{NS: 1}, {NS: 2}},
		By: map[string]row{"x": {NS: 3}}, When: time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC), Below: &doc{Name: "inner"}, embedded: embedded{"inner"}}
}

func encoded(t *testing.T, k Kind[doc], v *doc) string {
	t.Helper()
	var text bytes.Buffer
	err := k.Encode(&text, v)
	must(t, err)
	return text.String()
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	line := kind
	line.Line = true
	for _, k := range []Kind[doc]{kind, line} {
		text := encoded(t, k, sample())
		if got, err := k.Read(strings.NewReader(text)); err != nil || !reflect.DeepEqual(got, sample()) {
			t.Errorf("%v, %+v", err, got)
		}
		if lines := strings.Count(text, "\n"); k.Line != (lines == 1) {
			t.Errorf("%d lines", lines)
		}
	}
}

// TestRefusals damages a good document, one place at a time.
func TestRefusals(t *testing.T) {
	t.Parallel()
	good := encoded(t, kind, sample())
	replaced := func(old, with string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("the sample has no %s", old)
		}
		return strings.Replace(good, old, with, 1)
	}
	before := func(text string) string { return replaced(`"name"`, text+`, "name"`) }
	name := `"name": "attention/B=1"`
	for _, c := range []struct {
		name, text, want string
		fault            Fault
	}{
		{"empty", "", "d.json: the file is empty", Damaged},
		{"not JSON", "PASS", "d.json: schema: missing: this is no doc of perfgate", Foreign},
		{"not an object", `[1]`, "d.json: schema: missing: this is no doc of perfgate", Foreign},
		{"no schema", `{}`, "d.json: schema: missing", Foreign},
		{"the schema later", `{"name": "a", "schema": "perfgate/doc/v2"}`, "d.json: schema: missing", Foreign},
		{"the schema of something else", `{"schema": "else/v1"}`, `d.json: schema: "else/v1" is not perfgate/doc/v2`, Foreign},
		{"a number as the schema", `{"schema": 2}`, "d.json: schema: missing", Foreign},
		{"no version", replaced(kind.Schema, "perfgate/doc/v0"), "is not perfgate/doc/v2", Foreign},
		{"a long schema", replaced(kind.Schema, strings.Repeat("x", 400)), "is not perfgate/doc/v2", Foreign},
		{"older", replaced(kind.Schema, "perfgate/doc/v1"), "perfgate/doc/v1, and this perfgate reads perfgate/doc/v2: measure again, or use the perfgate that wrote it", Foreign},
		{"newer with other types", `{"schema": "perfgate/doc/v3", "name": 7}`, "measure again", Newer},
		{"cut off", good[:len(good)/2], "was it cut off?", Damaged},
		{"cut off between values", good[:strings.Index(good, `"note"`)], "was it cut off?", Damaged},
		{"something behind it", good + "{}", "something behind its end", Damaged},
		{"a word behind it", good + "x", "invalid character 'x'", Damaged},
		{"unknown key", before(`"later": {"a": [1]}`), `unknown field "later"`, Damaged},
		{"key twice", before(`"count": 3`), `"count" is given twice`, Damaged},
		{"key twice in another case", before(`"COUNT": 3`), `"count" is given twice`, Damaged},
		{"key twice in another alphabet", before(`"tag\u017f": []`), `"tags" is given twice`, Damaged},
		{"deep", before(`"later": ` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000)), "deeper than 16", Damaged},
		{"deep and cut off", before(`"later": ` + strings.Repeat("[", 5000)), "deeper than 16", Damaged},
		{"many values", before(`"tags": [` + strings.Repeat("1,", mostValues) + `1]`), "more than 4194304 values", Damaged},
		{"wrong type", replaced(`"count": 4`, `"count": "4"`), "d.json:6:13: count: string does not fit here, int is expected", Damaged},
		{"no float64", replaced("812345.25", "1e999"), "number 1e999 does not fit here, float64 is expected", Damaged},
		{"no number", replaced("812345.25", "NaN"), "invalid character 'N'", Damaged},
		{"huge number", replaced("812345.25", "1e300"), "d.json: ns: 1e+300 is larger", Damaged},
		{"huge number in a list", replaced(`"ns": 2`, `"ns": -1e300`), "d.json: rows[1].ns: -1e+300 is larger", Damaged},
		{"huge number in a map", replaced(`"ns": 3`, `"ns": 1e300`), "d.json: by[x].ns: 1e+300 is larger", Damaged},
		{"escape in a line", replaced(name, `"name": "a\u001b[2J"`), "d.json: name: a control character", Damaged},
		{"line end in a line", replaced(name, `"name": "a\n::error::x"`), "a control character", Damaged},
		{"C1 control in a line", replaced(name, `"name": "a\u009b2J"`), "a control character", Damaged},
		{"NUL in a line", replaced(name, `"name": "a\u0000"`), "a control character", Damaged},
		{"control character of what is embedded", replaced(`"inner": "inner"`, `"inner": "\r"`), "d.json: inner: a control character", Damaged},
		{"control character in a key", replaced(`"x": {`, `"\u0007": {`), "d.json: by: a control character", Damaged},
		{"long line", replaced(name, `"name": "`+strings.Repeat("a", 20_000)+`"`), "20000 bytes, at most", Damaged},
		{"long text", replaced(`two`, strings.Repeat("a", 40_000)), "note: a text of 40006 bytes", Damaged},
		{"long list", replaced(`"a",`, strings.Repeat(`"a",`, 5000)), "tags: 5001 entries, at most 4096", Damaged},
		{"list that the kind bounds", replaced(`"rows": [`, `"rows": [`+strings.Repeat(`{"ns": 1},`, 10)), "rows: 12 entries, at most 10", Damaged},
		{"large map", replaced(`"by": {`, `"by": {`+manyKeys(5000)), "by: 5001 entries", Damaged},
		{"its own check", replaced(`"count": 4`, `"count": -4`), "d.json: a count below 0", Damaged},
		{"too many bytes", strings.Repeat(" ", 64<<20) + good, "d.json: it is larger than 64 MiB", Damaged},
	} {
		path := filepath.Join(t.TempDir(), "d.json")
		must(t, os.WriteFile(path, []byte(c.text), 0o666))
		_, err := kind.ReadFile(path)
		var bad *Error
		if !errors.As(err, &bad) {
			t.Errorf("%s: error is %T %v, not an *Error", c.name, err, err)
			continue
		}
		message := strings.ReplaceAll(err.Error(), path, "d.json")
		if !strings.Contains(message, c.want) || !strings.HasPrefix(message, "d.json:") || bad.Fault != c.fault || len(message) > 1000 {
			t.Errorf("%s: %d %.1000q, want %d %q", c.name, bad.Fault, message, c.fault, c.want)
		}
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"k%d": {}, `, i)
	}
	return b.String()
}

func TestPosition(t *testing.T) {
	t.Parallel()
	text := "{\n \"schema\": \"" + kind.Schema + "\",\n \"rows\": 7\n}"
	_, err := kind.Decode([]byte(text))
	var bad *Error
	if !errors.As(err, &bad) || bad.Line != 3 || bad.Column != 10 || bad.Field != "rows" {
		t.Errorf("%+v", err)
	}
	if want := "line 3, column 10: rows: number does not fit here"; !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%q, want %q", err, want)
	}
	line := Kind[doc]{Bytes: 100, Line: true}
	if _, err := line.Decode([]byte(`{"count": "x"}`)); err == nil || !strings.HasPrefix(err.Error(), "column 13: count: string") {
		t.Errorf("%v", err)
	}
}

// TestExtremesAreReadAgain: whatever tools and kernels say, what is written is read again, and is what the caller then has.
func TestExtremesAreReadAgain(t *testing.T) {
	t.Parallel()
	d := sample()
	d.Name = strings.Repeat("a\x1b[2J\nb\x00\u009b", 10_000)
	d.Note = strings.Repeat("ü\n\xff\x1b", 40_000)
	d.Inner = "\xff\xfe" + strings.Repeat("\xff", 1<<20)
	d.NS, d.Rows[0].NS = 1e300, -math.MaxFloat64
	for range 5000 {
		d.Tags = append(d.Tags, strings.Repeat("x", 50))
	}
	d.Rows[1].Reason = "a\rb"
	d.By["x"] = row{NS: 1e31, Reason: strings.Repeat("\x7f", 20_000)}
	d.Below.Name = "\t"
	text := encoded(t, kind, d)
	got, err := kind.Decode([]byte(text))
	must(t, err)
	if !reflect.DeepEqual(got, d) {
		t.Errorf("read %.500q…, want %.500q…", fmt.Sprint(*got), fmt.Sprint(d))
	}
	if len(d.Tags) != mostEntries || d.NS != mostNumber || d.Rows[0].NS != -mostNumber || d.Rows[1].Reason != "a b" || !strings.HasSuffix(d.Name, "…") || !strings.HasPrefix(d.Note, "ü\n\ufffd\x1b") {
		t.Errorf("%d tags, %v ns, %v, %q, %.40q", len(d.Tags), d.NS, d.Rows[0].NS, d.Rows[1].Reason, d.Name)
	}
}

// What cannot be mended is not written.
func TestEncodeRefuses(t *testing.T) {
	t.Parallel()
	small := kind
	small.Bytes = 100
	for name, c := range map[string]struct {
		kind  Kind[doc]
		spoil func(*doc)
		want  string
	}{
		"no schema":         {kind, func(d *doc) { d.Schema = "" }, `schema: "" is not perfgate/doc/v2`},
		"NaN":               {kind, func(d *doc) { d.Rows[1].NS = math.NaN() }, "rows[1].ns: NaN is not a finite number"},
		"infinite":          {kind, func(d *doc) { d.NS = math.Inf(-1) }, "ns: -Inf is not a finite number"},
		"too many of Most":  {kind, func(d *doc) { d.Rows = make([]row, 11) }, "rows: 11 entries"},
		"its own check":     {kind, func(d *doc) { d.Count = -1 }, "a count below 0"},
		"too large":         {small, func(*doc) {}, "it is larger than 100 bytes"},
		"a key with an end": {kind, func(d *doc) { d.By["\n"] = row{} }, "by: a control character"},
	} {
		d := sample()
		c.spoil(d)
		var bad *Error
		var text bytes.Buffer
		if err := c.kind.Encode(&text, d); !errors.As(err, &bad) || !strings.HasPrefix(err.Error(), c.want) || text.Len() > 0 {
			t.Errorf("%s: %v, %d bytes", name, err, text.Len())
		}
	}
}

func TestBegins(t *testing.T) {
	t.Parallel()
	for start, want := range map[string]bool{
		`{"schema":"perfgate/doc/v1"`: true, " {\n \"schema\": \"perfgate/doc/v2\",": true, `{"schema":"perfgate/result/v3"`: false, `["schema"`: false, "": false,
	} {
		if kind.Begins([]byte(start)) != want {
			t.Errorf("%q: %v", start, !want)
		}
	}
}

// Ten gigabytes are not read to find out that they are too many.
func TestNoMoreIsReadThanMayBe(t *testing.T) {
	t.Parallel()
	endless := &counted{}
	k := kind
	k.Bytes = 1 << 20
	if _, err := k.Read(endless); err == nil || !strings.Contains(err.Error(), "larger than 1 MiB") || endless.n > k.Bytes+1<<16 {
		t.Errorf("%v, %d bytes were read", err, endless.n)
	}
}

// counted are spaces without end.
type counted struct{ n int64 }

func (c *counted) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	c.n += int64(len(p))
	return len(p), nil
}

func TestOnlyPlainFilesAreRead(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "result.json")
	must(t, syscall.Mkfifo(pipe, 0o600))
	for _, path := range []string{pipe, t.TempDir(), "/dev/zero"} {
		if _, err := kind.ReadFile(path); err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("%s: %v", path, err)
		}
	}
	_, err := kind.ReadFile(filepath.Join(t.TempDir(), "none.json"))
	if !errors.Is(err, os.ErrNotExist) || !strings.HasPrefix(err.Error(), "read doc: ") {
		t.Errorf("%v", err)
	}
}

func TestPrintIsForPeople(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := Print(&b, row{Reason: "a && b"}); err != nil || b.String() != "{\n \"ns\": 0,\n \"reason\": \"a && b\"\n}\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
}

// FuzzRead: whatever comes in, what is accepted can be written, and read again as the same.
func FuzzRead(f *testing.F) {
	var good bytes.Buffer
	if err := kind.Encode(&good, sample()); err != nil {
		f.Fatal(err)
	}
	f.Add(good.Bytes())
	f.Add([]byte(`{"schema": "perfgate/doc/v1"}`))
	f.Add([]byte(`[[[[[[[[[[[[[[[[[[[[[[`))
	f.Fuzz(func(t *testing.T, data []byte) {
		once, err := kind.Decode(data)
		if err != nil {
			return
		}
		var text bytes.Buffer
		if err := kind.Encode(&text, once); err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		again, err := kind.Decode(text.Bytes())
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		var twice bytes.Buffer
		if err := kind.Encode(&twice, again); err != nil || twice.String() != text.String() {
			t.Fatalf("it is written differently after it was read: %v", err)
		}
	})
}

// must ends a test where what it needs fails.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
