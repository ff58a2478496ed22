package repo

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Line lists the commits after one up to another, oldest first, each the first parent of the next: merges count as one step.
func (g Git) Line(ctx context.Context, after, upTo string) ([]string, error) {
	out, err := g.Run(ctx, "rev-list", "--first-parent", "--reverse", after+".."+upTo, "--")
	if err != nil {
		return nil, fmt.Errorf("list the commits from %.12s to %.12s: %w", after, upTo, err)
	}
	return strings.Fields(out), nil
}

// LineFiles are the files that each commit of a line changes against its first parent, by commit; slash-separated, from the top folder.
// A file that was moved counts under both names.
func (g Git) LineFiles(ctx context.Context, after, upTo string) (map[string][]string, error) {
	const head = "\x01" // begins the line of a commit
	out, err := g.Output(ctx, "log", "-z", "--first-parent", "--diff-merges=first-parent", "--name-only", "--no-renames", "--format="+head+"%H", after+".."+upTo, "--")
	if err != nil {
		return nil, fmt.Errorf("list what the commits from %.12s to %.12s change: %w", after, upTo, err)
	}
	files := map[string][]string{}
	commit := ""
	for word := range strings.SplitSeq(out, "\x00") {
		word = strings.TrimPrefix(word, "\n")
		if id, ok := strings.CutPrefix(word, head); ok {
			commit = id
		} else if word != "" {
			files[commit] = append(files[commit], word)
		}
	}
	return files, nil
}

// LineTime is when a line of a file, as it is in the work tree, was last changed: now where that is not committed.
func (g Git) LineTime(ctx context.Context, file string, line int) (time.Time, error) {
	out, err := g.Run(ctx, "blame", "--no-textconv", "--porcelain", "-L", fmt.Sprintf("%d,%d", line, line), "--", file)
	if err != nil {
		return time.Time{}, fmt.Errorf("find out when line %d of %s was changed: %w", line, file, err)
	}
	_, after, _ := strings.Cut(out, "\ncommitter-time ")
	seconds, _, _ := strings.Cut(after, "\n")
	at, err := strconv.ParseInt(seconds, 10, 64)
	return time.Unix(at, 0), err
}

// Commit is what a commit says of itself: untrusted text.
type Commit struct {
	ID      string    `json:"id"`
	Author  string    `json:"author"`
	Time    time.Time `json:"time"` // of the author
	Subject string    `json:"subject"`
}

// Describe tells of commits what they say of themselves, by commit.
func (g Git) Describe(ctx context.Context, commits []string) (map[string]Commit, error) {
	found := map[string]Commit{}
	if len(commits) == 0 {
		return found, nil
	}
	described, err := g.list(ctx, append([]string{"log", "-z", "--no-walk=unsorted", "--format=%H%n%aI%n%an%n%s"}, append(commits[:len(commits):len(commits)], "--")...)...)
	if err != nil {
		return nil, fmt.Errorf("describe commits: %w", err)
	}
	for _, word := range described {
		lines := strings.SplitN(word, "\n", 4)
		if len(lines) < 4 {
			continue
		}
		c := Commit{ID: lines[0], Author: lines[2], Subject: lines[3]}
		c.Time, _ = time.Parse(time.RFC3339, lines[1]) // a date that makes no sense is none
		found[c.ID] = c
	}
	return found, nil
}
