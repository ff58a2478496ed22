package github

import (
	"net/http"
	"time"
)

// Options say which repository to talk to, and how.
type Options struct {
	APIURL    string            // such as https://api.github.com or https://ghe.example/api/v3; "" is the former
	Token     string            // "" asks without one, which reads public repositories
	Owner     string            // of the repository
	Repo      string            // its name, without the owner
	UserAgent string            // "" is perfgate
	MaxSleep  time.Duration     // longest wait for rate limits and retries, in all; 0 is a minute, less than 0 none
	Log       func(string)      // takes a line when the client waits or tries again; nil drops it
	Transport http.RoundTripper // below everything; nil is http.DefaultTransport
}

// Comment is a comment to write or to edit.
type Comment struct {
	PR     int    // number of the pull request
	Key    string // one comment per key and pull request: the name of the gate, any text
	Author string // login that the token writes as; "" is github-actions[bot]
	Body   string // Markdown; RenderComment makes it. The hidden marker of Key is put after it if it is not there yet
	Create bool   // write one if there is none; else only edit one that is there
}

// Conclusions of a check run.
const (
	CheckSuccess        = "success"
	CheckFailure        = "failure"
	CheckNeutral        = "neutral"
	CheckActionRequired = "action_required"
)

// Check is a finished check run.
type Check struct {
	SHA         string // head of the pull request
	Name        string // must not be the name of a job or of a status that is required
	ExternalID  string // tells this run's check from others of the same name: RUN_ID-ATTEMPT
	Title       string // plain text
	Summary     string // Markdown, at most MaxCheckText bytes; longer is cut at a line
	Text        string // Markdown, at most MaxCheckText bytes; may be ""
	Conclusion  string // CheckSuccess, …
	DetailsURL  string // may be ""
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

// Approval says whether a label approves the head of a pull request.
type Approval struct {
	Granted  bool
	Label    string
	By       string    // who applied the label last; "" if it was not applied
	At       time.Time // when, by GitHub's clock
	PushedAt time.Time // when the head was pushed last, by GitHub's clock; zero if that is not known
	SHA      string    // the head that the answer is about: compare it with what was measured
	Reason   string    // a sentence: why it is granted or not
}

// Artifact is a file that a workflow run kept.
type Artifact struct {
	ID      int64
	Name    string
	Expired bool
}

// Sizes that GitHub takes. All are counted in bytes of UTF-8 here. For check runs that is what the API counts
// ("exceeds a maximum bytesize of 65535"). For comments it speaks of 65 536 characters, and was seen to store up to
// 262 144 bytes, the room that its database has for as many characters of four bytes; bytes are within the limit on
// either reading.
const (
	MaxComment         = 65536
	MaxCheckText       = 65535
	MaxStatus          = 140 // characters
	AnnotationsPerCall = 50
	MaxAnnotations     = 200 // that PublishCheck sends; more do not help, and cost a call per 50
)
