package github

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestChangedLines reads what git itself says of a repository, with names and lines that are made to confuse.
func TestChangedLines(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@t"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return string(out)
	}
	write := func(files map[string]string) {
		for name, text := range files {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	git("init", "-q")
	write(map[string]string{"a.cu": "1\n2\n3\n4\n5\n", "src/sp ace.cu": "1\n", "gone.cu": "x\n", "t\tab\"ü.cu": "1\n2\n", "end.cu": "1", "trick.cu": "1\n2\n3\n"})
	git("add", ".")
	git("commit", "-qm", "base")
	if err := os.Remove(filepath.Join(dir, "gone.cu")); err != nil {
		t.Fatal(err)
	}
	write(map[string]string{
		"a.cu": "1\nTWO\n3\n5\n6\n7\n", "src/sp ace.cu": "2\n", "t\tab\"ü.cu": "1\nx\n", "end.cu": "2", "new/n.cu": "a\nb\nc\n",
		"trick.cu": "1\n++ b/evil.cu\n@@ -0,0 +1,99 @@\n-- a/x\n" + strings.Repeat("y", 200_000) + "\n2\n3\nend\n",
	})
	git("add", "-A")
	diff := git("diff", "--cached", "--unified=0", "--no-color", "--no-ext-diff", "--src-prefix=a/", "--dst-prefix=b/", "HEAD")
	got, err := ChangedLines(strings.NewReader(diff))
	if err != nil {
		t.Fatal(err)
	}
	want := map[Lines]bool{
		{"a.cu", 2, 2}: true, {"a.cu", 3, 3}: true, {"a.cu", 5, 6}: true, {"src/sp ace.cu", 1, 1}: true, {"t\tab\"ü.cu", 2, 2}: true,
		{"end.cu", 1, 1}: true, {"new/n.cu", 1, 3}: true, {"trick.cu", 2, 5}: true, {"trick.cu", 8, 8}: true,
	}
	if len(got) != len(want) {
		t.Errorf("%d places, want %d", len(got), len(want))
	}
	for _, l := range got {
		if !want[l] {
			t.Errorf("%+v is not wanted", l)
		}
	}
}

func FuzzChangedLines(f *testing.F) {
	f.Add("+++ b/a\n@@ -1 +1,2 @@\n-x\n+y\n+z\n")
	f.Add("+++ \"b/\\303\\274\"\n@@ -1,0 +2 @@\n+x\n\\ No newline at end of file\n")
	f.Add("@@ -1 +999999999,999999999 @@\n")
	f.Fuzz(func(t *testing.T, diff string) {
		got, err := ChangedLines(strings.NewReader(diff))
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range got {
			if l.Start < 1 || l.End < l.Start || l.Path == "" {
				t.Errorf("%+v", l)
			}
		}
	})
}

func TestAnnotations(t *testing.T) {
	changed := []Lines{{"csrc/attention.cu", 10, 12}, {"README.md", 1, 1}, {"csrc/sub/tile.cuh", 3, 3}}
	sources := map[string][]string{"attention": {"csrc/**/*.cu", "csrc/**/*.cuh"}, "softmax": {"README.md"}}
	got := Annotations(sample(t, "regression"), sources, changed)
	if len(got) != 2 || got[0].Path != "csrc/attention.cu" || got[0].StartLine != 10 || got[0].EndLine != 12 || got[1].Path != "csrc/sub/tile.cuh" {
		t.Fatalf("%+v", got)
	}
	if got[0].Level != LevelFailure || got[0].Title != "attention is slower in 2 cases, by up to +94.9 %" ||
		!strings.HasPrefix(got[0].Message, "attention/B=1,H=8,S=128,D=64,causal=0 is 1.95x slower (+94.9 %, 99 % interval +84.7 … +105.7 %); 5 % is tolerated\n") {
		t.Errorf("%q\n%s", got[0].Title, got[0].Message)
	}
	for name, want := range map[string]string{
		"parity": "computes the wrong result", "head-no-build": "does not build", "inconclusive": "may be slower", "pass": "", "base-no-build": "", "improvement": "",
	} {
		got := Annotations(sample(t, name), sources, changed[:1])
		switch {
		case want == "" && len(got) > 0:
			t.Errorf("%s: %+v", name, got)
		case want != "" && (len(got) != 1 || !strings.Contains(got[0].Title, want) || got[0].Message == ""):
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := Annotations(sample(t, "regression"), nil, changed); len(got) != 0 {
		t.Errorf("without sources: %+v", got)
	}
}

func TestAnnotationsAreFew(t *testing.T) {
	var changed []Lines
	for i := range 500 {
		changed = append(changed, Lines{"a.cu", 2 * (i + 1), 2 * (i + 1)})
	}
	if got := Annotations(sample(t, "regression"), map[string][]string{"attention": {"a.cu"}}, changed); len(got) != mostPlaces {
		t.Errorf("%d annotations", len(got))
	}
}

func TestAnnotationsShowWhatHides(t *testing.T) {
	r := sample(t, "head-no-build")
	r.Kernels[0].Head.Output = "a\x1b[31m\u202eb\nc\r\x00d"
	got := Annotations(r, map[string][]string{"attention": {"a.cu"}}, []Lines{{"a.cu", 1, 1}})
	if len(got) != 1 || !strings.HasSuffix(got[0].Message, "\na\\u202eb\nc \\x00d") {
		t.Errorf("%+v", got)
	}
}
