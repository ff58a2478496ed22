package baseline

import (
	"context"
	"errors"
	"testing"
)

// refusing is a repository whose branch nobody moves and nothing can be added to, as under a rule that protects it.
type refusing struct {
	Repository
	tries int
}

func (r *refusing) Tip(context.Context) (string, error) { return "aaaa", nil }

func (r *refusing) Advance(context.Context, string, map[string][]byte, string) error {
	r.tries++
	return ErrMoved
}

func TestRefusedWriteIsNoRaceForLong(t *testing.T) {
	repo := &refusing{}
	err := NewBranch(repo, "git:records").Put(t.Context(), "m/0123456789abcdef0123456789abcdef01234567.json.gz", []byte("x"))
	if !errors.Is(err, ErrMoved) {
		t.Fatalf("error %v, want the refusal", err)
	}
	if repo.tries > maxUnmoved+1 {
		t.Errorf("tried %d times while nobody moved the branch, want at most %d", repo.tries, maxUnmoved+1)
	}
}
