package github

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/internal/fakegithub"
)

func (r *rig) upsert(t *testing.T, body string) (url string, changed bool) {
	t.Helper()
	before := r.writes()
	url, err := r.client.UpsertComment(t.Context(), Comment{PR: r.pr, Key: "perfgate", Body: body, Create: true})
	must(t, err)
	return url, r.writes() > before
}

// writes counts the requests that change something.
func (r *rig) writes() int {
	n := 0
	for _, call := range r.Log() {
		if call.Method != "GET" {
			n++
		}
	}
	return n
}

func TestUpsertCommentWritesOnceAndEdits(t *testing.T) {
	r := newRig(t, everything)
	first, changed := r.upsert(t, "one\n")
	if !changed || !strings.Contains(first, "#issuecomment-") {
		t.Errorf("%s, %v", first, changed)
	}
	second, changed := r.upsert(t, "two")
	if !changed || second != first {
		t.Errorf("%s, %v", second, changed)
	}
	if _, changed := r.upsert(t, "two"); changed {
		t.Error("written again though nothing changed")
	}
	comments := r.Comments(r.pr)
	if len(comments) != 1 || comments[0].Edits != 1 || comments[0].Body != "two\n\n"+Marker("perfgate")+"\n" {
		t.Errorf("%+v", comments)
	}
}

func TestUpsertCommentGoesThroughAllPages(t *testing.T) {
	r := newRig(t, everything)
	for range 250 {
		r.AddComment(r.pr, "mona", "hello")
	}
	r.upsert(t, "one")
	for range 120 {
		r.AddComment(r.pr, "mona", "hello")
	}
	before := len(r.Log())
	r.upsert(t, "two")
	if got := r.calls(before); len(got) != 4 || !strings.HasPrefix(got[3], "PATCH") {
		t.Errorf("%q", got)
	}
	if n := len(r.Comments(r.pr)); n != 371 {
		t.Errorf("%d comments", n)
	}
}

func TestUpsertCommentLeavesThoseOfOthersAlone(t *testing.T) {
	r := newRig(t, everything)
	planted := "PASS\n\n" + Marker("perfgate")
	r.AddComment(r.pr, "mallory", planted)
	r.AddComment(r.pr, bot, "another bot quotes "+Marker("perfgate")+" and goes on")
	r.AddComment(r.pr, bot, "another gate\n\n"+Marker("perfgate-h100"))
	r.upsert(t, "ours")
	comments := r.Comments(r.pr)
	if len(comments) != 4 || comments[0].Body != planted || comments[1].Edits+comments[2].Edits != 0 || !strings.HasPrefix(comments[3].Body, "ours") {
		t.Errorf("%+v", comments)
	}
}

// Of two comments the first is edited: a race between two jobs leaves a second, and it must not be that both are
// edited in turn.
func TestUpsertCommentOfDuplicatesTakesTheFirst(t *testing.T) {
	r := newRig(t, everything)
	r.AddComment(r.pr, bot, "x\r\n\r\n"+Marker("perfgate"))
	r.AddComment(r.pr, bot, "y\n\n"+Marker("perfgate"))
	r.upsert(t, "z")
	comments := r.Comments(r.pr)
	if len(comments) != 2 || comments[0].Edits != 1 || comments[1].Edits != 0 {
		t.Errorf("%+v", comments)
	}
}

func TestUpsertCommentOnlyEdits(t *testing.T) {
	r := newRig(t, everything)
	comment := Comment{PR: r.pr, Key: "perfgate", Body: "x"}
	if url, err := r.client.UpsertComment(t.Context(), comment); url != "" || r.writes() > 0 || err != nil {
		t.Errorf("%q %v", url, err)
	}
	r.AddComment(r.pr, bot, Marker("perfgate"))
	if _, err := r.client.UpsertComment(t.Context(), comment); r.writes() != 1 || err != nil {
		t.Errorf("%d writes, %v", r.writes(), err)
	}
}

func TestUpsertCommentAtTheLimit(t *testing.T) {
	r := newRig(t, everything)
	room := MaxComment - len("\n\n"+Marker("perfgate")+"\n")
	r.upsert(t, strings.Repeat("x", room))
	_, err := r.client.UpsertComment(t.Context(), Comment{PR: r.pr, Key: "perfgate", Body: strings.Repeat("x", room+1), Create: true})
	if err == nil || !strings.Contains(err.Error(), "65537") {
		t.Errorf("%v", err)
	}
	if got := r.Comments(r.pr); len(got) != 1 || len(got[0].Body) != MaxComment {
		t.Errorf("%d comments", len(got))
	}
}

func TestUpsertCommentGivesUp(t *testing.T) {
	r := newRig(t, everything)
	r.Inject(fakegithub.Fault{Kind: fakegithub.BadGateway, Method: "POST"})
	_, err := r.client.UpsertComment(t.Context(), Comment{PR: r.pr, Key: "k", Body: "x", Create: true})
	if err == nil || !strings.Contains(err.Error(), "502") {
		t.Errorf("%v", err)
	}
	if n := len(r.slept); n != mostTries-1 {
		t.Errorf("slept %d times", n)
	}
}

func TestUpsertCommentRepeatsReadsAndEdits(t *testing.T) {
	r := newRig(t, everything)
	r.upsert(t, "one")
	r.Inject(fakegithub.Fault{Kind: fakegithub.BadGateway, Method: "GET", Times: 1})
	r.Inject(fakegithub.Fault{Kind: fakegithub.BadGatewayAfter, Method: "PATCH", Times: 1})
	r.upsert(t, "two")
	if got := r.Comments(r.pr); len(got) != 1 || !strings.HasPrefix(got[0].Body, "two") {
		t.Errorf("%+v", got)
	}
}

func isPermission(err error) bool {
	_, ok := IsPermission(err)
	return ok
}

func TestUnknownToken(t *testing.T) {
	r := newRig(t, everything)
	c := newClient(t, r.client.api.BaseURL.String(), "wrong")
	_, err := c.PullRequest(t.Context(), r.pr)
	if p, ok := IsPermission(err); !ok || p.Needs != "" || !strings.Contains(err.Error(), "does not accept the token") || strings.Contains(err.Error(), "wrong") {
		t.Errorf("%v", err)
	}
}

var limits = map[string]fakegithub.Kind{
	"primary": fakegithub.PrimaryLimit, "primary 429": fakegithub.PrimaryLimit429, "secondary": fakegithub.SecondaryLimit,
	"secondary 429": fakegithub.SecondaryLimit429, "429": fakegithub.TooMany,
}

// TestRateLimits sends a POST into each kind of limit: it waits, then it is done once.
func TestRateLimits(t *testing.T) {
	for name, kind := range limits {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, everything)
			r.client.sleeps.sleep = nil
			r.Inject(fakegithub.Fault{Kind: kind, Method: "POST", Times: 1})
			r.upsert(t, "one")
			if got := r.Comments(r.pr); len(got) != 1 || !strings.HasPrefix(got[0].Body, "one") {
				t.Errorf("%+v", got)
			}
			if got := r.calls(0); len(got) != 3 { // looked for, refused, done
				t.Errorf("%q", got)
			}
		})
	}
}

// FuzzMarker looks for keys whose markers are the same or can be seen.
func FuzzMarker(f *testing.F) {
	f.Add("a", "b")
	f.Add("-->", "_2d_2d_3e")
	f.Add("a b", "a_20b")
	f.Fuzz(func(t *testing.T, a, b string) {
		ma, mb := Marker(a), Marker(b)
		if (ma == mb) != (a == b) {
			t.Errorf("%q and %q: %s and %s", a, b, ma, mb)
		}
		inside := strings.TrimSuffix(strings.TrimPrefix(ma, "<!-- "), " -->")
		if strings.ContainsAny(inside, "<>\n\r") || strings.Contains(inside, "--") {
			t.Errorf("%q: %s", a, ma)
		}
	})
}

func TestNewRefuses(t *testing.T) {
	for _, o := range []Options{
		{}, {Owner: "o"}, {Owner: "o", Repo: "r/x"}, {Owner: "o", Repo: "r?x"}, {Owner: "o", Repo: "r", APIURL: "ftp://x"}, {Owner: "o", Repo: "r", APIURL: "://"},
	} {
		if _, err := New(o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}
