package baseline

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/repo"
)

// refusing is a repository whose branch does not move and takes no commits, as under a rule that protects it.
type refusing struct {
	Repository
	tries int
}

func (r *refusing) Tip(context.Context) (string, error) { return "aaaa", nil }

func (r *refusing) Files(context.Context, string, string) ([]string, error) { return nil, nil }

func (r *refusing) Advance(context.Context, string, map[string][]byte, string) error {
	r.tries++
	return ErrMoved
}

func TestRefusedWriteIsNoRaceForLong(t *testing.T) {
	t.Parallel()
	repo := &refusing{}
	err := NewBranch(repo, "git:records").Put(t.Context(), "m/0123456789abcdef0123456789abcdef01234567.json.gz", []byte("x"))
	if !errors.Is(err, ErrMoved) {
		t.Fatalf("error %v, want the refusal", err)
	}
	if repo.tries > maxUnmoved+1 {
		t.Errorf("tried %d times while the branch did not move, want at most %d", repo.tries, maxUnmoved+1)
	}
}

// sourceRepository is a repository whose branch main is checked out and holds a source file, with a branch sources beside it.
func sourceRepository(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repo")
	must(t, ".", "init", "-q", "-b", "main", dir)
	commitFile(t, dir, "kernel.cc")
	must(t, dir, "branch", "sources")
	return dir
}

func commitFile(t *testing.T, dir, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, path)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, path), []byte("x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	must(t, dir, "add", path)
	must(t, dir, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "add "+path)
}

func must(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := repo.Git{Dir: dir, Bare: true}.Output(t.Context(), args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A branch that is checked out, or that holds anything but records, stays as it is, and the message says which it is.
func TestBranchNotForRecords(t *testing.T) {
	t.Parallel()
	repo := sourceRepository(t)
	linked := filepath.Join(t.TempDir(), "linked")
	must(t, repo, "worktree", "add", "-q", "-b", "elsewhere", linked)
	must(t, repo, "update-ref", "-d", "refs/heads/elsewhere") // checked out and without a commit
	for branch, says := range map[string]string{
		"main": "checked out in " + repo, "elsewhere": "checked out in " + linked, "sources": `holds "kernel.cc", which is no record`,
	} {
		t.Run(branch, func(t *testing.T) {
			s, err := Open("git:"+branch, repo)
			if err != nil {
				t.Fatal(err)
			}
			before := must(t, repo, "for-each-ref")
			for what, err := range map[string]error{
				"asked": CheckWritable(t.Context(), s), "saved": Save(t.Context(), s, sampleRecord(1, 4)),
				"deleted": s.Delete(t.Context(), sampleRecord(1, 4).Key()),
			} {
				if !errors.Is(err, ErrNotForRecords) || !strings.Contains(err.Error(), says) {
					t.Errorf("%s: %v, want %q", what, err, says)
				}
			}
			if after := must(t, repo, "for-each-ref"); after != before {
				t.Errorf("branches were\n%sand are\n%s", before, after)
			}
		})
	}
}

// A branch whose work tree was removed without telling git, and one of records only, take records.
func TestBranchForRecords(t *testing.T) {
	t.Parallel()
	repo := sourceRepository(t)
	linked := filepath.Join(t.TempDir(), "linked")
	must(t, repo, "worktree", "add", "-q", "-b", "perf/records", linked)
	must(t, repo, "update-ref", "-d", "refs/heads/perf/records")
	if err := os.RemoveAll(linked); err != nil {
		t.Fatal(err)
	}
	s := twoRecords(t, repo)
	if err := CheckWritable(t.Context(), s); err != nil {
		t.Error(err)
	}
}

// twoRecords saves records 0 and 1 to a branch of repo.
func twoRecords(t *testing.T, repo string) Store {
	t.Helper()
	s, err := Open("git:perf/records", repo)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 2 {
		if err := Save(t.Context(), s, sampleRecord(n, 4)); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// Writing to a branch makes no temporary file: one would stay behind whenever a writer is killed.
func TestGitWritesNoTemporaryFile(t *testing.T) {
	repo := bareRepository(t)
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "nowhere")) // making one is an error
	s := twoRecords(t, repo)
	if err := s.Delete(t.Context(), sampleRecord(0, 4).Key(), sampleRecord(1, 4).Key()); err != nil {
		t.Fatal(err)
	}
	if left := must(t, repo, "ls-tree", "perf/records"); left != "" {
		t.Errorf("a folder without records stayed: %s", left)
	}
}

// A branch of records may say what it is, at its top.
func TestNoticesAreNoForeignFiles(t *testing.T) {
	t.Parallel()
	b := &Branch{}
	if err := b.checkRecordsOnly([]string{"README.md", "LICENSE", ".gitattributes"}); err != nil {
		t.Error(err)
	}
	for _, path := range []string{"src/README.md", "kernel.cc", ".github/workflows/x.yml"} {
		if err := b.checkRecordsOnly([]string{path}); !errors.Is(err, ErrNotForRecords) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
