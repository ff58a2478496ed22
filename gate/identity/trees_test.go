package identity

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/kernels/observe"
)

// comparedTrees are two trees with the same files, as they are before anything is built.
func comparedTrees(t *testing.T) Trees {
	t.Helper()
	base, head := t.TempDir(), t.TempDir()
	for _, tree := range []string{base, head} {
		write(t, filepath.Join(tree, "source"), "1")
		write(t, filepath.Join(tree, "other"), "1")
		write(t, filepath.Join(tree, "folder", "a"), "1")
	}
	write(t, filepath.Join(head, "other"), "2")
	var r RealPaths
	of := Trees{Base: []string{r.Of(base)}, Head: []string{r.Of(head)}, Scratch: t.TempDir(), Before: TakeSnapshots(base, head, "")}
	if r.Err != nil || of.Before.Err != nil {
		t.Fatal(r.Err, of.Before.Err)
	}
	of.Before.Settle()
	return of
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(text), 0o644))
}

// What is in neither tree is as what made it: base's own processes, those of another kernel with all that they asked for, or nobody that was seen.
func TestProductsAreAsWhatMadeThem(t *testing.T) {
	t.Parallel()
	of := comparedTrees(t)
	base, head := of.Base[0], of.Head[0]
	asked := func(paths ...any) (r observe.Report) {
		for i := 0; i < len(paths); i += 2 {
			r.Paths = append(r.Paths, observe.Access{Path: filepath.Join(base, paths[i].(string)), Asked: paths[i+1].(observe.Kinds)})
		}
		return r
	}
	write(t, filepath.Join(base, "made/x"), "1")
	write(t, filepath.Join(head, "made/x"), "2")
	write(t, filepath.Join(base, "between"), "1")
	write(t, filepath.Join(base, "equal"), "1")
	write(t, filepath.Join(head, "equal"), "1")
	hidden := asked("made", observe.Made)
	hidden.Incomplete = []observe.Reason{{Kind: observe.Connections}}
	for name, c := range map[string]struct {
		asked   observe.Report
		ran     []observe.Report
		differs string
	}{
		"on neither side": {asked("nothing", observe.LookedUp), nil, ""},
		"its own":         {asked("made", observe.Made, "made/x", observe.Opened), nil, ""},
		"its own, that another wrote over": {asked("made", observe.Made, "made/x", observe.Opened),
			[]observe.Report{asked("made/x", observe.Changed, "other", observe.Opened)}, "base asks for other, which differs"},
		"nobody's":                   {asked("made/x", observe.Opened), nil, "base asks for made/x, which differs"},
		"nobody's, and equal":        {asked("equal", observe.Opened), nil, ""},
		"nobody's, and then changed": {asked("equal", observe.Opened|observe.Changed), nil, "base asks for equal, which differs"},
		"another's of equal files":   {asked("made/x", observe.Opened), []observe.Report{asked("made", observe.Made, "source", observe.Opened)}, ""},
		"another's of others":        {asked("made/x", observe.Opened), []observe.Report{asked("made", observe.Made, "other", observe.Opened)}, "base asks for other, which differs"},
		"of one that made it of another's": {asked("made/x", observe.Opened),
			[]observe.Report{asked("between", observe.Made, "other", observe.Opened), asked("made", observe.Made, "between", observe.Opened)}, "base asks for other, which differs"},
		"nobody's, that another wrote":    {asked("made/x", observe.Opened), []observe.Report{asked("made/x", observe.Changed)}, "base asks for made/x, which differs"},
		"another's that was not seen":     {asked("made/x", observe.Opened), []observe.Report{hidden}, "what base asks for cannot all be seen (connection)"},
		"another's that it does not need": {asked("source", observe.Opened), []observe.Report{hidden, asked("other", observe.Opened)}, ""},
		"a folder under another name":     {asked("folder", observe.Moved|observe.Changed), nil, "base asks for folder, which the build rewrites"},
	} {
		of.Ran = c.ran
		got := ""
		if d := of.FirstDiffering(c.asked); d != nil {
			got = d.String()
		}
		if got != c.differs {
			t.Errorf("%s: %q, want %q", name, got, c.differs)
		}
	}
}

// A folder that is listed is told with the name in it that one side alone has.
func TestListedFoldersNameWhatDiffers(t *testing.T) {
	t.Parallel()
	for folder, want := range map[string]string{".": "base lists the top folder, where only one side has new", "sub": "base lists sub, where only one side has new"} {
		base, head := t.TempDir(), t.TempDir()
		for _, file := range []string{filepath.Join(base, "sub/a"), filepath.Join(head, "sub/a"), filepath.Join(head, folder, "new")} {
			write(t, file, "1")
		}
		of := Trees{Base: []string{base}, Head: []string{head}, Before: TakeSnapshots(base, head, t.TempDir())}
		asked := observe.Report{Paths: []observe.Access{{Path: filepath.Join(base, folder), Asked: observe.Listed}}}
		if d := of.FirstDiffering(asked); d == nil || d.String() != want {
			t.Errorf("%v, want %q", d, want)
		}
	}
}

// A file that was written, replaced or given back its content is not the one that it was, whatever times it says.
func TestSnapshotsTellWhatWasRewritten(t *testing.T) {
	t.Parallel()
	of := comparedTrees(t)
	file := filepath.Join(of.Head[0], "source")
	info, err := os.Lstat(file)
	must(t, err)
	if of.Before.Head.rewritten("source") {
		t.Error("it was not touched")
	}
	write(t, file, "1")
	must(t, os.Chtimes(file, info.ModTime(), info.ModTime()))
	if !of.Before.Head.rewritten("source") || of.Before.Head.rewritten("other") {
		t.Error("the time of change was not seen")
	}
}

// A run's own folder is of neither side, though it may lie in one, and what git keeps is not compared.
func TestSnapshotsLeaveOut(t *testing.T) {
	t.Parallel()
	tree := t.TempDir()
	for _, file := range []string{".git/HEAD", "sub/.git", "run/x", "a"} {
		write(t, filepath.Join(tree, file), "")
	}
	s, err := takeSnapshot(tree, filepath.Join(tree, "run"))
	if err != nil || len(s.files) != 3 || len(s.names["."]) != 2 {
		t.Errorf("%v, %v, %v", err, s.files, s.names)
	}
}

// What is asked for outside of base's tree is of head, of the checkout, or of neither side.
func TestWhatIsAskedForElsewhere(t *testing.T) {
	t.Parallel()
	of := &compared{Trees: Trees{
		Base: []string{"/checkout/.scratch/base"}, Head: []string{"/head"}, Kept: Pair{"/kept/1", "/kept/2"}, Checkout: "/checkout", Scratch: "/checkout/.scratch",
	}}
	for path, want := range map[string]string{
		"/usr/lib/libm.so":           "",
		"/checkout/.scratch/given/x": "",
		"/checkout/venv/bin/python":  "venv/bin/python of the checkout",
		"/head/build/liba.so":        "build/liba.so of head",
		"/head":                      "",
		"/headless/a":                "",
		"/kept/1/lib.so":             "", // on neither side
	} {
		got := ""
		if d := of.differs(observe.Access{Path: path, Asked: observe.Opened}); d != nil {
			got = strings.TrimPrefix(d.String(), "base asks for ")
		}
		if got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
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
