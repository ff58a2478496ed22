package main

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sampleCSV writes a sample file of one case whose processes scatter by 0.3 %.
func sampleCSV(t *testing.T, level float64, seed uint64) string {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 0))
	var b bytes.Buffer
	b.WriteString("process,kernel,case,ns\n")
	for p := range 20 {
		center := level * math.Exp(0.003*random.NormFloat64())
		for range 10 {
			fmt.Fprintf(&b, "p%d,copy,\"S=1,D=2\",%.3f\n", p, center*(1+0.01*random.NormFloat64()))
		}
	}
	path := filepath.Join(t.TempDir(), "samples.csv")
	must(t, os.WriteFile(path, b.Bytes(), 0o600))
	return path
}

// executed runs a command line in this process and returns its exit code, what it printed, and what it said on standard error.
func executed(t *testing.T, args ...string) (code int, out, said string) {
	t.Helper()
	var stdout, stderr strings.Builder
	code = execute(t.Context(), args, &streams{in: strings.NewReader(""), out: &stdout, err: &stderr})
	return code, stdout.String(), stderr.String()
}

func TestCompareExitCodes(t *testing.T) {
	t.Parallel()
	old, same, slower := sampleCSV(t, 1e5, 1), sampleCSV(t, 1e5, 2), sampleCSV(t, 1.05e5, 3)
	broken := filepath.Join(t.TempDir(), "broken.csv")
	must(t, os.WriteFile(broken, []byte("process,kernel,case,ns\np,k,c,fast\n"), 0o600))
	for _, tt := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{old, same}, 0, "same"},
		{[]string{old, slower}, 1, "regression"},
		{[]string{slower, old}, 0, "faster"},
		{[]string{"--paired", old, slower}, 1, "paired"},
		{[]string{"--tolerance", "20%", old, slower}, 0, "slower"},
		{[]string{"--session-sd", "5%", old, slower}, 3, "too noisy"},
		{[]string{"--session-sd", "5%", "--on-inconclusive", "pass", old, slower}, 0, "passes by policy"},
		{[]string{"--format", "json", old, slower}, 1, `"schema": "perfgate/compare/v2"`},
		{[]string{"--format", "markdown", old, same}, 0, "| case |"},
		{[]string{"--format", "csv", old, same}, 0, "case,verdict,"},
		{[]string{old}, 2, "two arguments"},
		{[]string{"--tolerance", "1.5", old, same}, 2, "--tolerance"},
		{[]string{"--tolerance", "0%", old, same}, 2, "tolerance"},
		{[]string{"--on-inconclusive", "shrug", old, same}, 2, "on-inconclusive"},
		{[]string{"--format", "xml", old, same}, 2, "--format"},
		{[]string{old, broken}, 2, "broken.csv:2"},
		{[]string{old, filepath.Join(t.TempDir(), "absent")}, 2, "absent"},
	} {
		if code, out, said := executed(t, append([]string{"compare"}, tt.args...)...); code != tt.code || !strings.Contains(out+said, tt.says) {
			t.Errorf("compare %q: exit %d, want %d with %q\n%s%s", tt.args, code, tt.code, tt.says, out, said)
		}
	}
}

// A page of the user's own stays, though --out names its folder.
func TestCompareKeepsAPageOfOthers(t *testing.T) {
	t.Parallel()
	samples, dir := sampleCSV(t, 1e5, 1), t.TempDir()
	theirs := filepath.Join(dir, "report.html")
	must(t, os.WriteFile(theirs, []byte("my page"), 0o600))
	code, _, said := executed(t, "compare", samples, samples, "--session-sd=0.1%", "--out", dir)
	if text := readText(t, theirs); code != 2 || text != "my page" {
		t.Errorf("exit %d (%s), and the page is %.40q", code, said, text)
	}
}
