package repo

import (
	"context"
	"strings"
)

// Messages are those of the commits that head has and base has not, newest first.
func (g Git) Messages(ctx context.Context, base, head string) ([]string, error) {
	commits, err := g.Between(ctx, base, head)
	messages := make([]string, len(commits))
	for i, c := range commits {
		messages[i] = c.Message
	}
	return messages, err
}

// Message is what a commit says.
type Message struct{ ID, Message string }

// Between are the commits that head has and base has not, newest first.
func (g Git) Between(ctx context.Context, base, head string) ([]Message, error) {
	commits, err := g.list(ctx, "log", "-z", "--format=%H%n%B", base+".."+head, "--")
	var out []Message
	for _, word := range commits {
		id, message, _ := strings.Cut(word, "\n")
		out = append(out, Message{id, message})
	}
	return out, err
}

// Trailers returns the values of the trailers of a key in messages of commits: of those in the last paragraph, unless that is the
// title, with what is continued on lines that begin with a blank.
func Trailers(key string, messages []string) []string {
	var values []string
	for _, message := range messages {
		paragraphs := strings.Split(strings.TrimSpace(strings.ReplaceAll(message, "\r\n", "\n")), "\n\n")
		if len(paragraphs) > 1 {
			values = append(values, trailersOf(paragraphs[len(paragraphs)-1], key)...)
		}
	}
	return values
}

func trailersOf(paragraph, key string) []string {
	var values []string
	open := false // the line before belongs to a trailer of the key
	for line := range strings.SplitSeq(paragraph, "\n") {
		if strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t") {
			if open {
				values[len(values)-1] += " " + strings.TrimSpace(line)
			}
			continue
		}
		name, value, found := strings.Cut(line, ":")
		if open = found && strings.EqualFold(strings.TrimSpace(name), key); open {
			values = append(values, strings.TrimSpace(value))
		}
	}
	return values
}
