package github

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	gh "github.com/google/go-github/v60/github"
)

// Conclusions of a check run.
const (
	CheckSuccess        = "success"
	CheckFailure        = "failure"
	CheckNeutral        = "neutral"
	CheckActionRequired = "action_required"
)

// Check is a finished check run.
type Check struct {
	SHA        string // head of the pull request
	Name       string // must not be the name of a job or of a status that is required
	ExternalID string // tells this run's check from others of the same name: RUN_ID-ATTEMPT
	Conclusion string // CheckSuccess, …
	DetailsURL string // may be ""
	Output     Output
}

// Output is what a check run shows.
type Output struct {
	Title       string // plain text
	Summary     string // Markdown, at most MaxCheckText bytes; longer is cut at a line
	Text        string // Markdown, at most MaxCheckText bytes
	Annotations []Annotation
}

// Annotation is a note on lines of the change.
type Annotation struct {
	Path      string // within the repository
	StartLine int    // from 1
	EndLine   int
	Level     string // notice, warning or failure
	Title     string // plain text, at most 255 bytes
	Message   string // plain text, at most 64 KiB
}

// Levels of an annotation.
const (
	LevelNotice  = "notice"
	LevelWarning = "warning"
	LevelFailure = "failure"
)

// Sizes that GitHub takes. The API counts the texts of check runs in bytes of UTF-8 ("exceeds a maximum bytesize of 65535").
const (
	MaxCheckText       = 65535
	MaxStatus          = 140 // characters
	AnnotationsPerCall = 50
	MaxAnnotations     = 200 // that PublishCheck sends; more do not help, and cost a call per 50
	maxTitle           = 255
	maxMessage         = 64<<10 - 1
)

// PublishCheck makes a finished check run with its annotations, AnnotationsPerCall a request. Texts that are too long
// are cut, annotations after MaxAnnotations left out. Errors: *ErrPermission, or what the API answered; after one, the
// check may be there with a part of its annotations.
func (c *Client) PublishCheck(ctx context.Context, check Check) error {
	q := request{what: fmt.Sprintf("write check run %q", check.Name), needs: "checks: write", hidden: true, method: http.MethodPost, path: "/check-runs"}
	if check.Name == "" || check.SHA == "" || check.ExternalID == "" {
		return fmt.Errorf("%s: a check needs a name, a commit and an external ID", q.what)
	}
	check.Output = check.Output.cut()
	notes := check.Output.Annotations
	var made gh.CheckRun
	for sent := 0; ; {
		next := min(len(notes), sent+AnnotationsPerCall)
		output := check.Output.body(notes[sent:next])
		q.into = &made
		q.body = gh.CreateCheckRunOptions{
			Name: check.Name, HeadSHA: check.SHA, ExternalID: &check.ExternalID, Status: gh.String("completed"), Conclusion: &check.Conclusion,
			DetailsURL: given(check.DetailsURL), Output: output,
		}
		if sent > 0 {
			q.method, q.path, q.body = http.MethodPatch, fmt.Sprintf("/check-runs/%d", made.GetID()), gh.UpdateCheckRunOptions{Name: check.Name, Output: output}
		}
		// Each update adds annotations, so one that may have been done is counted before it is sent again.
		err := c.once(ctx, q, func() (bool, error) {
			found, lost := c.findCheck(ctx, check)
			if found == nil || lost != nil {
				return false, lost
			}
			made = *found
			return sent == 0 || found.GetOutput().GetAnnotationsCount() > sent, nil
		})
		if sent = next; err != nil || sent == len(notes) {
			return err
		}
	}
}

// given is an optional text.
func given(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// body is an output with some of its annotations as GitHub takes it.
func (o Output) body(notes []Annotation) *gh.CheckRunOutput {
	out := &gh.CheckRunOutput{Title: &o.Title, Summary: &o.Summary, Text: given(o.Text)}
	for _, a := range notes {
		out.Annotations = append(out.Annotations, &gh.CheckRunAnnotation{
			Path: &a.Path, StartLine: &a.StartLine, EndLine: &a.EndLine, AnnotationLevel: &a.Level, Title: &a.Title, Message: &a.Message,
		})
	}
	return out
}

// findCheck returns the check run of the same name and external ID, nil if there is none.
func (c *Client) findCheck(ctx context.Context, check Check) (*gh.CheckRun, error) {
	runs, err := c.checksOf(ctx, check.SHA, check.Name, "checks: write")
	i := slices.IndexFunc(runs, func(run *gh.CheckRun) bool { return run.GetExternalID() == check.ExternalID })
	if err != nil || i < 0 {
		return nil, err
	}
	return runs[i], nil
}

// actionsApp is the app whose token every job of GitHub Actions has.
const actionsApp = "github-actions"

// EarlierConclusions are those of finished check runs of a name at a commit that other runs or attempts have made, the oldest first: the last one of each.
// With more than are read, they come with an error. Those of other apps than the author's, the login that the token writes as, are left out: every app that may write checks can make one of any name.
func (c *Client) EarlierConclusions(ctx context.Context, sha, name, externalID, author string) ([]string, error) {
	runs, err := c.checksOf(ctx, sha, name, "checks: read")
	if err == nil && len(runs) >= mostChecks { // another app may have made most of them
		err = fmt.Errorf("only %d check runs %q were read", len(runs), name)
	}
	app, isApp := strings.CutSuffix(cmp.Or(author, defaultAuthor), "[bot]")
	if !isApp { // a person's token makes no check runs
		app = actionsApp
	}
	all := len(runs)
	runs = slices.DeleteFunc(runs, func(run *gh.CheckRun) bool { return !strings.EqualFold(run.GetApp().GetSlug(), app) })
	if err == nil && all > 0 && len(runs) == 0 {
		err = fmt.Errorf("all %d check runs %q are of other apps than %s: where the token is of another app, comment-author names it", all, name, app)
	}
	slices.SortFunc(runs, func(a, b *gh.CheckRun) int { return cmp.Compare(a.GetID(), b.GetID()) })
	var ids, out []string
	for _, run := range runs {
		if run.GetExternalID() == "" || run.GetExternalID() == externalID || run.GetConclusion() == "" {
			continue
		}
		if i := slices.Index(ids, run.GetExternalID()); i >= 0 {
			ids, out = slices.Delete(ids, i, i+1), slices.Delete(out, i, i+1)
		}
		ids, out = append(ids, run.GetExternalID()), append(out, run.GetConclusion())
	}
	return out, err
}

// mostChecks is how many check runs of a name are read.
const mostChecks = 1000

// checksOf are the check runs of a name at a commit.
func (c *Client) checksOf(ctx context.Context, sha, name, needs string) (runs []*gh.CheckRun, err error) {
	query := url.Values{"check_name": {name}, "filter": {"all"}, "per_page": {"100"}}
	q := request{what: fmt.Sprintf("read check runs %q", name), needs: needs, hidden: true, path: "/commits/" + sha + "/check-runs?" + query.Encode()}
	err = pages(ctx, c, q, func(page gh.ListCheckRunsResults) bool {
		runs = append(runs, page.CheckRuns...)
		return len(runs) >= mostChecks
	})
	if err != nil {
		return nil, err // no part of them is an answer
	}
	return runs, nil
}

// cut shortens what is too long for GitHub.
func (o Output) cut() Output {
	o.Title, o.Summary, o.Text = shortened(o.Title, maxTitle), cutLines(o.Summary, MaxCheckText), cutLines(o.Text, MaxCheckText)
	notes := o.Annotations[:min(len(o.Annotations), MaxAnnotations)]
	o.Annotations = nil
	for _, a := range notes {
		a.EndLine, a.Title, a.Message = max(a.EndLine, a.StartLine), shortened(a.Title, maxTitle), shortened(a.Message, maxMessage)
		o.Annotations = append(o.Annotations, a)
	}
	return o
}

// shortened is text of at most most bytes, cut between letters.
func shortened(text string, most int) string {
	if len(text) <= most {
		return text
	}
	const dots = "…"
	end := most - len(dots)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + dots
}

const cutNote = "\n\n(cut for want of room)\n"

// cutLines is Markdown of at most most bytes, cut between lines. It is the last resort: RenderCheck keeps within.
func cutLines(text string, most int) string {
	if len(text) <= most {
		return text
	}
	text = text[:most-len(cutNote)]
	return text[:max(strings.LastIndexByte(text, '\n'), 0)] + cutNote
}

// States of a commit status.
const (
	StatusPending = "pending"
	StatusSuccess = "success"
	StatusFailure = "failure"
	StatusError   = "error"
)

// Status is a commit status.
type Status struct {
	SHA         string
	Context     string // its name
	State       string // StatusPending, …
	Description string // plain text; cut at 140 characters
	TargetURL   string // may be ""
}

// SetStatus sets a commit status. One that may have been set is looked for before it is set again.
func (c *Client) SetStatus(ctx context.Context, s Status) error {
	q := request{what: fmt.Sprintf("set commit status %q", s.Context), needs: "statuses: write", hidden: true, method: http.MethodPost, path: "/statuses/" + s.SHA}
	if s.SHA == "" || s.Context == "" {
		return errors.New(q.what + ": a status needs a commit and a context")
	}
	s.Description = firstRunes(s.Description, MaxStatus)
	q.body = gh.RepoStatus{State: &s.State, Context: &s.Context, Description: &s.Description, TargetURL: given(s.TargetURL)}
	return c.once(ctx, q, func() (bool, error) { return c.hasStatus(ctx, s) })
}

// hasStatus says whether the newest status of a context says the same. GitHub lists the newest first.
func (c *Client) hasStatus(ctx context.Context, s Status) (bool, error) {
	var list []*gh.RepoStatus
	_, err := c.do(ctx, request{what: fmt.Sprintf("find commit status %q", s.Context), needs: "statuses: write", path: "/commits/" + s.SHA + "/statuses?per_page=100", into: &list})
	for _, one := range list {
		if one.GetContext() == s.Context {
			return one.GetState() == s.State && one.GetDescription() == s.Description && one.GetTargetURL() == s.TargetURL, err
		}
	}
	return false, err
}

// firstRunes is text of at most most characters.
func firstRunes(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:most-1]) + "…"
}
