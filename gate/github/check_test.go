package github

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/org/perfgate/gate/internal/fakegithub"
)

func sampleCheck(annotations int) Check {
	c := Check{SHA: shaA, Name: "perfgate details", ExternalID: "7-1", Conclusion: CheckFailure, DetailsURL: "https://github.example/run",
		Output: Output{Title: "2.00x slower", Summary: "summary", Text: "text"}}
	for i := range annotations {
		c.Output.Annotations = append(c.Output.Annotations, Annotation{Path: "a.cu", StartLine: i + 1, EndLine: i + 1, Level: LevelFailure, Title: "slower", Message: fmt.Sprint(i)})
	}
	return c
}

func TestPublishCheck(t *testing.T) {
	for n, calls := range map[int]int{0: 1, 50: 1, 51: 2, 101: 3, 1000: 4} {
		r := newRig(t, everything)
		must(t, r.client.PublishCheck(t.Context(), sampleCheck(n)))
		got := r.Checks(shaA)
		if len(got) != 1 || len(got[0].Annotations) != min(n, MaxAnnotations) || len(r.Log()) != calls {
			t.Errorf("%d: %d checks, %d annotations, %d calls", n, len(got), len(got[0].Annotations), len(r.Log()))
		}
		if c := got[0]; c.Status != "completed" || c.Conclusion != "failure" || c.Title != "2.00x slower" || c.Summary != "summary" || c.Text != "text" {
			t.Errorf("%+v", c)
		}
		for i, a := range got[0].Annotations {
			if a.Message != fmt.Sprint(i) {
				t.Fatalf("annotation %d says %q", i, a.Message)
			}
		}
	}
}

func TestPublishCheckOfAnotherRunIsAnother(t *testing.T) {
	r := newRig(t, everything)
	for _, id := range []string{"7-1", "7-2"} {
		c := sampleCheck(0)
		c.ExternalID = id
		r.Inject(fakegithub.Fault{Kind: fakegithub.BadGateway, Method: "POST", Times: 1}) // makes it look for its own
		must(t, r.client.PublishCheck(t.Context(), c))
	}
	if n := len(r.Checks(shaA)); n != 2 {
		t.Errorf("%d checks", n)
	}
}

// Of other runs' checks the last conclusion of each is known; this run's own, those of other names and those of other apps are none.
func TestEarlierConclusions(t *testing.T) {
	r := newRig(t, everything)
	r.AddToken("ghs_other", fakegithub.Identity{Login: "linter[bot]", Grants: everything})
	for _, one := range []struct{ token, id, name, conclusion string }{
		{token, "7-1", "", CheckFailure}, {token, "7-2", "", CheckNeutral}, {token, "7-2", "", CheckActionRequired}, {token, "8-1", "other", CheckFailure},
		{token, "9-1", "", CheckSuccess}, {"ghs_other", "6-1", "", CheckSuccess},
	} {
		r.client.token = one.token
		c := sampleCheck(0)
		c.ExternalID, c.Conclusion, c.Name = one.id, one.conclusion, cmp.Or(one.name, c.Name)
		must(t, r.client.PublishCheck(t.Context(), c))
	}
	for author, want := range map[string][]string{"": {CheckFailure, CheckActionRequired}, "ada": {CheckFailure, CheckActionRequired}, "linter[bot]": {CheckSuccess}} {
		got, err := r.client.EarlierConclusions(t.Context(), shaA, sampleCheck(0).Name, "9-1", author)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("by %q: %q, %v, want %q", author, got, err, want)
		}
	}
}

// A flood of check runs of our name is not read to its end, which is said.
func TestEarlierConclusionsOfAFlood(t *testing.T) {
	asked := 0
	c := through(t, "", func(q *http.Request) (*http.Response, error) {
		asked++
		runs := strings.Repeat(`{"id":1,"external_id":"1-1","conclusion":"success","app":{"slug":"linter"}},`, 100)
		next := fmt.Sprintf(`<https://api.github.com/x?page=%d>; rel="next"`, asked+1)
		return &http.Response{StatusCode: 200, Header: http.Header{"Link": {next}}, Body: io.NopCloser(strings.NewReader(`{"check_runs":[` + strings.TrimSuffix(runs, ",") + "]}")), Request: q}, nil
	})
	if got, err := c.EarlierConclusions(t.Context(), shaA, "x", "9-1", ""); len(got) > 0 || err == nil || asked != mostChecks/100 {
		t.Errorf("%q, %v after %d requests", got, err, asked)
	}
}

// The API counts bytes: 30 000 letters of three bytes each are too many for it.
func TestPublishCheckCutsBytes(t *testing.T) {
	r := newRig(t, everything)
	c := sampleCheck(1)
	c.Output.Summary, c.Output.Text = strings.Repeat("漢字\n", 15_000), strings.Repeat("é", 65_535)
	c.Output.Title, c.Output.Annotations[0].Title, c.Output.Annotations[0].Message = strings.Repeat("ü", 300), strings.Repeat("漢", 300), strings.Repeat("漢", 30_000)
	must(t, r.client.PublishCheck(t.Context(), c))
	got := r.Checks(shaA)[0]
	for name, text := range map[string]string{"summary": got.Summary, "text": got.Text, "title": got.Title, "annotation": got.Annotations[0].Message} {
		if !utf8.ValidString(text) || text == "" {
			t.Errorf("%s is cut within a letter", name)
		}
	}
	if !strings.HasSuffix(got.Summary, cutNote) || len(got.Summary) < 60_000 {
		t.Errorf("summary of %d bytes", len(got.Summary))
	}
}

func TestSetStatus(t *testing.T) {
	r := newRig(t, everything)
	s := Status{SHA: shaA, Context: "perfgate/verdict", State: StatusFailure, Description: strings.Repeat("é", 150), TargetURL: "https://github.example/run"}
	must(t, r.client.SetStatus(t.Context(), s))
	got := r.Statuses(shaA)
	if len(got) != 1 || got[0].Context != s.Context || got[0].State != "failure" || utf8.RuneCountInString(got[0].Description) != MaxStatus {
		t.Errorf("%+v", got)
	}
}
