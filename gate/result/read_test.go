package result

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// sample is a small result with something in every kind of field.
func sample() *Result {
	return &Result{
		Schema: Schema, Started: time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC), Repro: "perfgate run --base 'a b' && true",
		Conclusion: Conclusion{Verdict: RunFailed, Exit: ExitFailed, Counts: map[Verdict]int{Regression: 1}},
		Policy:     Policy{Tolerance: 0.015, Improvement: 0.1, Confidence: 0.99, OnInconclusive: OnInconclusiveEstimate, Cases: 1, Rule: RuleVersion},
		Base:       Version{Kind: KindDirectory, Label: "base"},
		Head:       Version{Kind: KindWorktree, Label: "head", Flags: []string{"-O3"}},
		Kernels:    []Kernel{{Name: "attention", Status: KernelCompared, Parity: Parity{Status: ParityPassed, Run: 3}}},
		Cases: []Case{{
			Name: "attention/B=1", Kernel: "attention", Params: []Param{{"B", "1"}}, Verdict: Regression,
			Looks:     []Look{{Rounds: 4, Verdict: Regression}},
			Compared:  &Comparison{Rounds: 4, Ratio: 1.92},
			Processes: []Process{{Side: SideHead, ValueNS: 812345.25}},
		}},
		Rounds: []Round{{Order: "ABBA"}},
	}
}

func written(t *testing.T, r *Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestRoundTrip(t *testing.T) {
	want := sample()
	got, err := Read(strings.NewReader(written(t, want)))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestSamples reads the recorded runs that reports are tested with.
func TestSamples(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/report/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d samples, %v", len(paths), err)
	}
	for _, path := range paths {
		r, err := ReadFile(path)
		if err != nil {
			t.Error(err)
			continue
		}
		again, err := Read(strings.NewReader(written(t, r)))
		if err != nil || !reflect.DeepEqual(r, again) {
			t.Errorf("%s reads differently when written anew (%v)", path, err)
		}
	}
}

func TestUnknownFields(t *testing.T) {
	text := strings.Replace(written(t, sample()), `"repro"`, `"later": {"a": [1]}, "repro"`, 1)
	if _, err := Read(strings.NewReader(text)); err != nil {
		t.Errorf("a later field of the same schema: %v", err)
	}
}

// TestBadFiles damages a good result, one place at a time.
func TestBadFiles(t *testing.T) {
	good := written(t, sample())
	replaced := func(old, with string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("the sample has no %s", old)
		}
		return strings.Replace(good, old, with, 1)
	}
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "r.json: the file is empty"},
		{"not JSON", "PASS", "r.json:1:1: invalid character 'P'"},
		{"another document", `{"schema": "else/v1"}`, `r.json: schema: "else/v1" is not perfgate/result/v2`},
		{"no schema", `{}`, "r.json: schema: missing"},
		{"not an object", `[1]`, "r.json:1:1: array does not fit here"},
		{"newer", replaced(Schema, "perfgate/result/v3"), "perfgate/result/v3, and this perfgate reads perfgate/result/v2"},
		{"newer with other types", `{"schema": "perfgate/result/v3", "tool": 7}`, "measure again"},
		{"odd number", replaced(Schema, "perfgate/result/v0"), "is not perfgate/result/v2"},
		{"trailing data", good + "{}", "invalid character '{' after top-level value"},
		{"cut off", good[:len(good)/2], "was it cut off?"},
		{"too large a number", replaced("812345.25", "1e999"), "number 1e999 does not fit here, float64 is expected"},
		{"no number", replaced("812345.25", "NaN"), "invalid character 'N'"},
		{"unknown verdict", replaced(`"verdict": "regression"`, `"verdict": "fine"`), `r.json: cases[0].verdict: "fine" is none of`},
		{"unknown status", replaced(`"status": "compared"`, `"status": "ok"`), `r.json: kernels[0].status: "ok" is none of compared`},
		{"unknown parity", replaced(`"status": "passed"`, `"status": "fine"`), `kernels[0].parity.status`},
		{"unknown side", replaced(`"side": "head"`, `"side": "tail"`), `cases[0].processes[0].side`},
		{"unknown order", replaced(`"ABBA"`, `"AABB"`), `rounds[0].order`},
		{"too many parameters", replaced(`"params": [`, `"params": [`+strings.Repeat(`{"name": "a", "value": "1"},`, 256)), `r.json: cases[0].params: 257 entries, at most 256`},
		{"pass with exit 1", replaced(`"verdict": "fail"`, `"verdict": "pass"`), `conclusion.exit: 1 does not go with "pass", which has 0`},
	} {
		path := filepath.Join(t.TempDir(), "r.json")
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := ReadFile(path)
		var bad *ReadError
		if !errors.As(err, &bad) {
			t.Errorf("%s: error is %T %v, not an *ReadError", c.name, err, err)
			continue
		}
		message := strings.ReplaceAll(err.Error(), path, "r.json")
		if !strings.Contains(message, c.want) || !strings.HasPrefix(message, "r.json:") {
			t.Errorf("%s: %q, want %q", c.name, message, c.want)
		}
	}
}

func TestPosition(t *testing.T) {
	_, err := Read(strings.NewReader("{\n \"schema\": \"" + Schema + "\",\n \"kernels\": 7\n}"))
	var bad *ReadError
	if !errors.As(err, &bad) || bad.Line != 3 || bad.Column != 13 || bad.Field != "kernels" {
		t.Errorf("%+v", err)
	}
	if want := "line 3, column 13: kernels: number does not fit here"; !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%q, want %q", err, want)
	}
}

func TestOtherSchemaIsKnown(t *testing.T) {
	for _, schema := range []string{"perfgate/result/v1", "perfgate/result/v3"} {
		_, err := Read(strings.NewReader(fmt.Sprintf(`{"schema": %q}`, schema)))
		if err == nil || !strings.Contains(err.Error(), "measure again") {
			t.Errorf("%s: %v", schema, err)
		}
	}
}

// FindingKinds and Effects list what is declared: what is not in them is refused when it is read.
func TestKindsAreListed(t *testing.T) {
	text, err := os.ReadFile("finding.go")
	if err != nil {
		t.Fatal(err)
	}
	declared := regexp.MustCompile(`(?m)^\t(Finding|Effect)\w+ +(FindingKind|Effect) += "([a-z-]+)"`).FindAllStringSubmatch(string(text), -1)
	listed := append(Words(FindingKinds), Words(Effects)...)
	for _, d := range declared {
		if !slices.Contains(listed, d[3]) {
			t.Errorf("%s is declared and not listed", d[3])
		}
	}
	if len(declared) != len(listed) {
		t.Errorf("%d declared, %d listed", len(declared), len(listed))
	}
}

func TestTooLarge(t *testing.T) {
	_, err := readAll(strings.NewReader(strings.Repeat(" ", 2<<20)), 1<<20)
	if err == nil || err.Error() != "larger than 1 MiB: not a result" {
		t.Errorf("got %v", err)
	}
	if _, err := readAll(strings.NewReader(strings.Repeat(" ", 1<<20)), 1<<20); err != nil {
		t.Errorf("exactly the limit: %v", err)
	}
}

func TestMissingFile(t *testing.T) {
	_, err := ReadFile(filepath.Join(t.TempDir(), "none.json"))
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestNotFinite(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		r := sample()
		r.Cases[0].Compared.RatioHigh = v
		var b bytes.Buffer
		err := Write(&b, r)
		if err == nil || !strings.HasPrefix(err.Error(), "cases[0].comparison.ratioHigh: ") || b.Len() > 0 {
			t.Errorf("%v: error %v, %d bytes written", v, err, b.Len())
		}
	}
}
