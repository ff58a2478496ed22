package github

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	gh "github.com/google/go-github/v60/github"
)

// PublishCheck makes a finished check run with its annotations, AnnotationsPerCall a request. Texts that are too long
// are cut, annotations after MaxAnnotations left out. Errors: *ErrPermission, or what the API answered; after one, the
// check may be there with a part of its annotations.
func (c *Client) PublishCheck(ctx context.Context, check Check) error {
	what := fmt.Sprintf("write check run %q", check.Name)
	if check.Name == "" || check.SHA == "" || check.ExternalID == "" {
		return fmt.Errorf("%s: a check needs a name, a commit and an external ID", what)
	}
	notes := annotations(check.Annotations)
	run, err := c.createCheck(ctx, check, notes[:min(len(notes), AnnotationsPerCall)])
	if err != nil {
		return explain(err, what, "checks: write", mayBeHidden)
	}
	for sent := min(len(notes), AnnotationsPerCall); sent < len(notes); {
		next := min(len(notes), sent+AnnotationsPerCall)
		if err := c.addAnnotations(ctx, check, run.GetID(), notes[sent:next], sent); err != nil {
			return explain(err, what, "checks: write", mayBeHidden)
		}
		sent = next
	}
	return nil
}

func (c *Client) createCheck(ctx context.Context, check Check, notes []*gh.CheckRunAnnotation) (run *gh.CheckRun, err error) {
	opt := gh.CreateCheckRunOptions{Name: check.Name, HeadSHA: check.SHA, ExternalID: &check.ExternalID,
		Status: gh.String("completed"), Conclusion: &check.Conclusion, Output: check.output(notes)}
	if check.DetailsURL != "" {
		opt.DetailsURL = &check.DetailsURL
	}
	err = c.once(ctx, func() error {
		var err error
		run, _, err = c.api.Checks.CreateCheckRun(ctx, c.owner, c.repo, opt)
		return err
	}, func() (bool, error) {
		var err error
		run, err = c.findCheck(ctx, check)
		return run != nil, err
	})
	return run, err
}

// findCheck returns the check run of the same name and external ID, nil if there is none.
func (c *Client) findCheck(ctx context.Context, check Check) (*gh.CheckRun, error) {
	runs, err := c.checksOf(ctx, check.SHA, check.Name)
	i := slices.IndexFunc(runs, func(run *gh.CheckRun) bool { return run.GetExternalID() == check.ExternalID })
	if err != nil || i < 0 {
		return nil, err
	}
	return runs[i], nil
}

// EarlierConclusions are those of finished check runs of a name at a commit that other runs or attempts have made, the oldest first: the last one of each.
func (c *Client) EarlierConclusions(ctx context.Context, sha, name, externalID string) ([]string, error) {
	runs, err := c.checksOf(ctx, sha, name)
	if err != nil {
		return nil, explain(err, fmt.Sprintf("read check runs %q", name), "checks: read", mayBeHidden)
	}
	slices.SortFunc(runs, func(a, b *gh.CheckRun) int { return cmp.Compare(a.GetID(), b.GetID()) })
	var ids, out []string
	for _, run := range runs {
		id := run.GetExternalID()
		if id == "" || id == externalID || run.GetConclusion() == "" {
			continue
		}
		if i := slices.Index(ids, id); i >= 0 {
			ids, out = slices.Delete(ids, i, i+1), slices.Delete(out, i, i+1)
		}
		ids, out = append(ids, id), append(out, run.GetConclusion())
	}
	return out, nil
}

// checksOf are all check runs of a name at a commit.
func (c *Client) checksOf(ctx context.Context, sha, name string) (runs []*gh.CheckRun, err error) {
	opt := &gh.ListCheckRunsOptions{CheckName: &name, Filter: gh.String("all"), ListOptions: gh.ListOptions{PerPage: 100}}
	for page, err := range pages(&opt.ListOptions, func() (*gh.ListCheckRunsResults, *gh.Response, error) {
		return c.api.Checks.ListCheckRunsForRef(ctx, c.owner, c.repo, sha, opt)
	}) {
		if err != nil {
			return nil, err
		}
		runs = append(runs, page.CheckRuns...)
	}
	return runs, nil
}

// addAnnotations adds notes to a run that has so many already: each update adds, so one that may have been done is
// counted before it is sent again.
func (c *Client) addAnnotations(ctx context.Context, check Check, id int64, notes []*gh.CheckRunAnnotation, already int) error {
	opt := gh.UpdateCheckRunOptions{Name: check.Name, Output: check.output(notes)}
	return c.once(ctx, func() error {
		_, _, err := c.api.Checks.UpdateCheckRun(ctx, c.owner, c.repo, id, opt)
		return err
	}, func() (bool, error) {
		run, _, err := c.api.Checks.GetCheckRun(ctx, c.owner, c.repo, id)
		return run.GetOutput().GetAnnotationsCount() > already, err
	})
}

func (c Check) output(notes []*gh.CheckRunAnnotation) *gh.CheckRunOutput {
	title, summary := shortened(c.Title, 255), cutLines(c.Summary, MaxCheckText)
	out := &gh.CheckRunOutput{Title: &title, Summary: &summary, Annotations: notes}
	if c.Text != "" {
		out.Text = gh.String(cutLines(c.Text, MaxCheckText))
	}
	return out
}

func annotations(all []Annotation) []*gh.CheckRunAnnotation {
	var out []*gh.CheckRunAnnotation
	for _, a := range all[:min(len(all), MaxAnnotations)] {
		out = append(out, &gh.CheckRunAnnotation{
			Path: gh.String(a.Path), StartLine: gh.Int(a.StartLine), EndLine: gh.Int(max(a.EndLine, a.StartLine)),
			AnnotationLevel: gh.String(a.Level), Title: gh.String(shortened(a.Title, 255)), Message: gh.String(shortened(a.Message, 64<<10-1)),
		})
	}
	return out
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

// SetStatus sets a commit status. One that may have been set is looked for before it is set again.
func (c *Client) SetStatus(ctx context.Context, s Status) error {
	what := fmt.Sprintf("set commit status %q", s.Context)
	if s.SHA == "" || s.Context == "" {
		return errors.New(what + ": a status needs a commit and a context")
	}
	description := firstRunes(s.Description, MaxStatus)
	set := &gh.RepoStatus{State: &s.State, Context: &s.Context, Description: &description}
	if s.TargetURL != "" {
		set.TargetURL = &s.TargetURL
	}
	err := c.once(ctx, func() error {
		_, _, err := c.api.Repositories.CreateStatus(ctx, c.owner, c.repo, s.SHA, set)
		return err
	}, func() (bool, error) { return c.hasStatus(ctx, s, description) })
	return explain(err, what, "statuses: write", mayBeHidden)
}

// hasStatus reports whether the newest status of a context says the same. GitHub lists the newest first.
func (c *Client) hasStatus(ctx context.Context, s Status, description string) (bool, error) {
	page, _, err := c.api.Repositories.ListStatuses(ctx, c.owner, c.repo, s.SHA, &gh.ListOptions{PerPage: 100})
	if err != nil {
		return false, err
	}
	for _, one := range page {
		if one.GetContext() == s.Context {
			return one.GetState() == s.State && one.GetDescription() == description && one.GetTargetURL() == s.TargetURL, nil
		}
	}
	return false, nil
}

// firstRunes is text of at most most characters.
func firstRunes(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:most-1]) + "…"
}
