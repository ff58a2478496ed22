package explain_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/org/perfgate/gate/profile/explain"
)

// TestKeep trims the recording that lies unpacked in the folder that PERFGATE_ZOO_KEEP names into testdata/ncu/zoo, or the folder beside it
// that PERFGATE_ZOO_SET names, if the trimmed one explains exactly as the whole does. docs/measurements/evidence/keep.sh runs it.
func TestKeep(t *testing.T) {
	from := os.Getenv("PERFGATE_ZOO_KEEP")
	if from == "" {
		t.Skip("PERFGATE_ZOO_KEEP names no recording to keep")
	}
	pairs, err := Read(from)
	explain.Must(t, err)
	to := t.TempDir()
	var names []string
	for _, p := range pairs {
		names = append(names, p.Base, p.Head)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		trim(t, filepath.Join(from, name+".raw.csv"), filepath.Join(to, name+".raw.csv"), TrimRaw)
		trim(t, filepath.Join(from, name+".details.csv"), filepath.Join(to, name+".details.csv"), TrimDetails)
	}
	for _, p := range pairs {
		whole, err := p.Explain(from)
		explain.Must(t, err)
		trimmed, err := p.Explain(to)
		explain.Must(t, err)
		if a, b := text(whole), text(trimmed); a != b {
			t.Fatalf("%s %s: trimmed, it explains otherwise:\n%s\n%s", p.Kernel, p.Flag, a, b)
		}
	}
	recorded := filepath.Join(setsFolder, cmp.Or(os.Getenv("PERFGATE_ZOO_SET"), zooSet))
	explain.Must(t, os.RemoveAll(recorded))
	explain.Must(t, os.CopyFS(recorded, os.DirFS(to)))
	var list bytes.Buffer
	explain.Must(t, Write(&list, pairs))
	explain.Must(t, os.WriteFile(filepath.Join(recorded, pairsFile), list.Bytes(), 0o644))
}

// text is what is compared of explanations.
func text(e explain.Explanation) string {
	b, err := json.Marshal([]any{e.Causes, e.Rest, e.Rules})
	return fmt.Sprint(string(b), err)
}

func trim(t *testing.T, from, to string, how func(io.Writer, io.Reader) error) {
	t.Helper()
	in, err := os.Open(from)
	explain.Must(t, err)
	defer in.Close()
	var out bytes.Buffer
	if err := how(&out, in); err != nil {
		t.Fatalf("%s: %v", from, err)
	}
	explain.Must(t, os.WriteFile(to, out.Bytes(), 0o644))
}
