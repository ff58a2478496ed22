package github

import (
	"io"
	"strings"

	"github.com/sethvargo/go-githubactions"

	"github.com/org/perfgate/gate/text"
)

// Log writes lines and commands to the log of a step. What fails to be written is lost: there is nowhere to say it.
type Log struct {
	w      io.Writer
	action *githubactions.Action
}

// NewLog returns a log on w, the standard output of the step. env is os.Getenv or a stand-in.
func NewLog(w io.Writer, env func(string) string) *Log {
	quiet := unfailing{w}
	action := githubactions.New(githubactions.WithWriter(quiet), githubactions.WithGetenv(env))
	return &Log{w: quiet, action: action.WithFieldsMap(map[string]string{"title": "perfgate"})}
}

// unfailing hides errors from go-githubactions, which panics.
type unfailing struct{ io.Writer }

// Write writes and says that it did.
func (u unfailing) Write(p []byte) (int, error) {
	_, _ = u.Writer.Write(p)
	return len(p), nil
}

// Print writes text in which no line is a command, whatever it says: control characters are made visible, and a
// backslash is put into what the runner would act on.
func (l *Log) Print(said string) {
	_, _ = io.WriteString(l.w, text.ForLog(visibleLines(strings.TrimSuffix(said, "\n")))+"\n")
}

// Mask makes the runner write *** for a secret from here on: for each of its lines, since it looks at lines. Blank ones
// are left alone, or the whole log would be stars.
func (l *Log) Mask(secret string) {
	for line := range strings.SplitSeq(secret, "\n") {
		if line = strings.TrimSuffix(line, "\r"); strings.TrimSpace(line) != "" {
			l.action.AddMask(line)
		}
	}
}

// Notice writes an annotation of the run.
func (l *Log) Notice(message string) { l.action.Noticef("%s", visibleLines(message)) }

// Warning is a Notice in yellow.
func (l *Log) Warning(message string) { l.action.Warningf("%s", visibleLines(message)) }

// Error is a Notice in red. It does not end the step.
func (l *Log) Error(message string) { l.action.Errorf("%s", visibleLines(message)) }

func visibleLines(said string) string {
	lines := strings.Split(said, "\n")
	for i := range lines {
		lines[i] = text.Visible(strings.TrimSuffix(lines[i], "\r"))
	}
	return strings.Join(lines, "\n")
}
