package action

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/result"
)

// TestRetain: of a machine's records the nearest stay, those of other machines do too, and a clone that cannot tell which are near removes
// none.
func TestRetain(t *testing.T) {
	t.Parallel()
	origin, clones := filepath.Join(t.TempDir(), "origin"), filepath.Join(t.TempDir(), "clone")
	git := func(dir string, args ...string) string { return (&checkout{T: t, dir: dir}).git(args...) }
	git(".", "init", "-q", "-b", "main", origin)
	store, err := baseline.Open("git:records", origin)
	must(t, err)
	var ids []string
	for i := range 4 {
		git(origin, "commit", "-q", "--allow-empty", "-m", fmt.Sprint(i))
		ids = append(ids, git(origin, "rev-parse", "HEAD"))
		for _, machine := range []string{"m", "other"} {
			r := &baseline.Record{Schema: baseline.Schema, Commit: ids[i], Time: time.Unix(int64(i), 0), Machine: result.Machine{Key: machine}, Cases: []baseline.Case{{
				Name: "k/n=1", Kernel: "k", Method: result.Method{Clock: "wall", Launches: 1}, Rounds: []int{1, 1, 1, 1}, ValuesNS: []float64{1, 1, 1, 1},
			}}}
			must(t, baseline.Save(t.Context(), store, r))
		}
	}
	left := func() []string {
		keys, err := store.List(context.Background(), "")
		must(t, err)
		slices.Sort(keys)
		return keys
	}
	for _, shallow := range []bool{true, false} {
		at := clones + fmt.Sprint(shallow)
		args := []string{"clone", "-q", "file://" + origin, at}
		if shallow {
			args = append(args, "--depth", "1", "--no-single-branch")
		}
		git(".", args...)
		var log bytes.Buffer
		s := &step{Job: Job{Dir: at, Env: func(string) string { return "" }, Log: github.NewLog(&log, func(string) string { return "" })}, in: Inputs{KeepRecords: 2}, target: Target{Head: ids[3]}}
		s.retain(t.Context(), store, "m")
		want := []string{baseline.Key("m", ids[2]), baseline.Key("m", ids[3])}
		if shallow {
			want = append(want, baseline.Key("m", ids[0]), baseline.Key("m", ids[1]))
		}
		for _, id := range ids {
			want = append(want, baseline.Key("other", id))
		}
		slices.Sort(want)
		if got := left(); !slices.Equal(got, want) || shallow != (len(s.warnings) > 0) {
			t.Errorf("shallow %v: %v, want %v; warnings %q, log %s", shallow, got, want, s.warnings, log.String())
		}
	}
}
