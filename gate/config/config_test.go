package config_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/config"
)

var update = flag.Bool("update", false, "write the golden files, and the keys of docs/config.md")

const testdata = "../../testdata/config"

// golden compares text with the golden file beside a testdata file.
func golden(t *testing.T, file, got string) {
	t.Helper()
	name := strings.TrimSuffix(file, ".yaml") + ".golden"
	if *update {
		must(t, os.WriteFile(name, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(name)
	must(t, err)
	if got != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", file, got, want)
	}
}

// each runs a subtest for every file of a folder.
func each(t *testing.T, folder string, test func(t *testing.T, file string, src []byte)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(testdata, folder, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in %s: %v", folder, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			src, err := os.ReadFile(file)
			must(t, err)
			test(t, file, src)
		})
	}
}

func TestValid(t *testing.T) {
	each(t, "ok", func(t *testing.T, file string, src []byte) {
		c, err := config.Parse("perfgate.yaml", src)
		must(t, err)
		text, err := json.MarshalIndent(c, "", "  ")
		must(t, err)
		golden(t, file, string(text)+"\n")
	})
}

func TestInvalid(t *testing.T) {
	each(t, "err", func(t *testing.T, file string, src []byte) {
		_, err := config.Parse("perfgate.yaml", src)
		if err == nil {
			t.Fatal("accepted")
		}
		checkErrors(t, err)
		golden(t, file, err.Error()+"\n")
	})
}

// checkErrors holds for whatever Parse refuses.
func checkErrors(t *testing.T, err error) {
	t.Helper()
	var all config.Errors
	var first *config.Error
	if !errors.As(err, &all) || !errors.As(err, &first) {
		t.Fatalf("%T is not an Errors that unwraps to an Error", err)
	}
	if len(all) == 0 || len(all) > 10 {
		t.Errorf("%d errors", len(all))
	}
	for _, e := range all {
		if e.File == "" || e.Msg == "" || e.Line > 0 && e.Column < 1 {
			t.Errorf("incomplete: %+v", *e)
		}
		for _, r := range e.Error() {
			if r < ' ' && r != '\n' || r == 0x7f {
				t.Errorf("control character %U in %q", r, e.Error())
			}
		}
		for _, line := range strings.Split(e.Error(), "\n") {
			if strings.HasPrefix(line, "::") {
				t.Errorf("a line that a workflow would obey: %q", line)
			}
		}
	}
}

func TestNotText(t *testing.T) {
	valid := "version: 1\nkernels: [{name: k, adapter: k.cc}]\n"
	tests := []struct {
		name, src, want string
		line, column    int
	}{
		{"latin-1", valid + "# caf\xe9\n", "not UTF-8 text", 3, 6},
		{"UTF-16", "\xff\xfev\x00e\x00", "not UTF-8 text", 1, 1},
		{"NUL", valid + "device: c\x00pu\n", "control character U+0000", 3, 10},
		{"escape", valid + "device: \x1b[31m\n", "control character U+001B", 3, 9},
		{"lone carriage return", "version: 1\rkernels: []\n", "control character U+000D", 1, 11},
		{"too large", valid + strings.Repeat("# a\n", 1<<18), "larger than 1 MiB", 0, 0},
		{"too many words", valid + "paths: [" + strings.Repeat("a, ", 10_000) + "]", "more than 20000 words and signs", 3, 29980},
		{"too many lines", valid + strings.Repeat("\n", 10_000), "more than 10000 lines", 10_001, 1},
		{"too many <", valid + "device: é" + strings.Repeat("<", 200), "more than 128 < in a row", 3, 10},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := config.Parse("perfgate.yaml", []byte(test.src))
			var e *config.Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v", err)
			}
			checkErrors(t, err)
			if e.Msg != test.want || e.Line != test.line || e.Column != test.column {
				t.Errorf("got %d:%d %q", e.Line, e.Column, e.Msg)
			}
		})
	}
}

func TestReplacementCharacterIsText(t *testing.T) {
	src := "version: 1 # \uFFFD\nkernels: [{name: k, adapter: k.cc}]\n"
	if _, err := config.Parse("perfgate.yaml", []byte(src)); err != nil {
		t.Error(err)
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, config.DefaultFile)
	_, err := config.Load(file)
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "perfgate init") {
		t.Errorf("without a file: %v", err)
	}
	if _, err := config.Load(dir); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a folder: %v", err)
	}
	src := []byte("version: 1\nkernels: [{name: k, adapter: k.cc}]\n")
	must(t, os.WriteFile(file, src, 0o644))
	c, err := config.Load(file)
	must(t, err)
	if c.Dir != dir || c.File != file || len(c.SHA256) != 64 {
		t.Errorf("dir %q, file %q, sha %q", c.Dir, c.File, c.SHA256)
	}
	if _, ok := c.Kernel("k"); !ok {
		t.Error("kernel k is not found")
	}
	if _, ok := c.Kernel("j"); ok {
		t.Error("kernel j is found")
	}
}

// mostAllocated is four times what the largest file allocates: what is copied for each line or byte of it allocates thousands of times as much.
const mostAllocated = 1 << 30

// TestLargestFiles: whatever fits into the limits is read, in one line or in many, and costs memory in proportion. What only looks at all of it for each byte ends
// at go test's own limit.
func TestLargestFiles(t *testing.T) {
	fill := func(unit string) string { return strings.Repeat(unit, (1<<20-64)/len(unit)) }
	where := func(unit string) string { return strings.Repeat(unit, 990/len(unit)) }
	var keys strings.Builder
	for i := range 6000 {
		fmt.Fprintf(&keys, "%0150d: 1, ", i)
	}
	tests := []struct{ name, src string }{
		{"one line", "version: 1 # " + fill("é")},
		{"one value", "version: " + fill("a")},
		{"tabs", "version: 1 #" + fill("\t")},
		{"blank lines", fill("\n")},
		{"blank lines in text", "version: |\n" + strings.Repeat(" \n", 9_990)},
		{"less than", "version: 1 " + fill(strings.Repeat("<", 128)+" ")},
		{"tab lines", fill("\t\n")},
		{"comments", fill("#\n")},
		{"unknown keys in one line", "{" + keys.String() + "}"},
		{"unknown keys", strings.ReplaceAll(keys.String(), ", ", "\n")},
		{"words", fill("a ")},
		{"quotes", fill("\"")},
		{"braces", fill("{")},
		{"list", "version: [" + fill("1,")},
		{"long where", "version: 1\nkernels: [{name: k, adapter: k.cc, parity: {where: '" + where("1<2 && ") + "1<2'}}]"},
		{"nested where", "version: 1\nkernels: [{name: k, adapter: k.cc, parity: {where: '" + where("(") + "'}}]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := config.Parse("perfgate.yaml", []byte(test.src))
			runtime.ReadMemStats(&after)
			if err != nil {
				checkErrors(t, err)
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > mostAllocated {
				t.Errorf("took %d MiB of memory for %d KiB", took>>20, len(test.src)>>10)
			}
		})
	}
}

// Depth counts what encloses a line, not what came before it: a long flat configuration is not deep.
func TestManyKernelsAreNotDeep(t *testing.T) {
	var src strings.Builder
	src.WriteString("version: 1\nkernels:\n")
	for i := range 60 {
		fmt.Fprintf(&src, "  - name: k%d\n    adapter: k.pg.cc\n    params:\n      n:\n        values: [1]\n    parity:\n      cases: 3\n", i)
	}
	if _, err := config.Parse("perfgate.yaml", []byte(src.String())); err != nil {
		t.Error(err)
	}
}

func TestMatchesAny(t *testing.T) {
	for file, want := range map[string]bool{
		"bench/a.py": true, "bench/x/y.py": true, "bench": true, "benches/a": false, "k.cu": true, "src/k.cu": false, "data/x": true, "../data/x": false, "/data/x": false,
	} {
		if got := config.MatchesAny([]string{"bench/**", "*.cu", "data"}, file); got != want {
			t.Errorf("%s: %v", file, got)
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
