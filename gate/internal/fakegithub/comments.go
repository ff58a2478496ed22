package fakegithub

import (
	"fmt"
	"net/http"
	"slices"
	"time"
	"unicode/utf8"
)

// Comment is a comment on a pull request.
type Comment struct {
	ID      int64
	PR      int
	Author  string
	Body    string
	Edits   int
	Created time.Time
}

// AddComment writes a comment of an account, and returns its ID.
func (s *Server) AddComment(pr int, author, body string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.addComment(pr, author, body).ID
}

func (s *Server) addComment(pr int, author, body string) *Comment {
	c := &Comment{ID: s.id(), PR: pr, Author: author, Body: body, Created: s.tick()}
	s.comments = append(s.comments, c)
	return c
}

// Comments returns the comments of a pull request, oldest first.
func (s *Server) Comments(pr int) []Comment {
	return copies(s, &s.comments, func(c *Comment) bool { return c.PR == pr })
}

func (c *Comment) json(s *Server) map[string]any {
	url := fmt.Sprintf("https://github.example/%s/pull/%d#issuecomment-%d", s.fullName(), c.PR, c.ID)
	return map[string]any{"id": c.ID, "body": c.Body, "user": user(c.Author), "html_url": url, "created_at": stamp(c.Created)}
}

func (s *Server) listComments(c *call, _ Identity) *answer {
	number := int(c.number("issue_number"))
	if s.pulls[number] == nil && s.issue(number) == nil {
		return notFound()
	}
	return list(s, c, "", slices.Values(s.comments), func(one *Comment) bool { return one.PR == number }, (*Comment).json)
}

// maxComment is GitHub's limit as it words it. Seen from outside, 262 144 bytes are stored: four for each character. The
// fake takes the narrower reading.
const maxComment = 65536

func tooLong(body string) *answer {
	if utf8.RuneCountInString(body) <= maxComment {
		return nil
	}
	return invalid("IssueComment", "body", "body is too long (maximum is 65536 characters)")
}

func (s *Server) createComment(c *call, who Identity) *answer {
	number := int(c.number("issue_number"))
	if s.pulls[number] == nil && s.issue(number) == nil {
		return notFound()
	}
	var in struct{ Body string }
	c.decode(&in)
	if a := tooLong(in.Body); a != nil {
		return a
	}
	return created(s.addComment(number, who.Login, in.Body).json(s))
}

func (s *Server) updateComment(c *call, who Identity) *answer {
	one := find(s.comments, func(one *Comment) bool { return one.ID == c.number("comment_id") })
	if one == nil {
		return notFound()
	}
	if one.Author != who.Login {
		return message(http.StatusForbidden, "Resource not accessible by integration")
	}
	var in struct{ Body string }
	c.decode(&in)
	if a := tooLong(in.Body); a != nil {
		return a
	}
	one.Body = in.Body
	one.Edits++
	s.tick()
	return ok(one.json(s))
}
