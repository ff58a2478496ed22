package github

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
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

// MaxSummary is how many bytes the runner takes of one step's summary; it shows nothing of a longer one.
const MaxSummary = 1 << 20

// outputName matches what an output may be called, as docs.github.com has it for IDs.
var outputName = text.Pattern(`^[A-Za-z_][A-Za-z0-9_-]*$`)

// SetOutputs appends outputs to the file that GITHUB_OUTPUT names, in the order of their names, all or none. Each is
// written between delimiters drawn at random: with a known one (go-githubactions v1.3.1 has a fixed one) a value could
// end itself and set others. env is os.Getenv or a stand-in; without GITHUB_OUTPUT nothing is written and nothing
// wrong.
func SetOutputs(env func(string) string, outputs map[string]string) error {
	path := env("GITHUB_OUTPUT")
	if path == "" {
		return nil
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(outputs)) {
		if !outputName().MatchString(name) {
			return fmt.Errorf("set outputs: %.60q is not the name of an output", name)
		}
		delimiter, err := draw()
		if err != nil {
			return fmt.Errorf("set outputs: %w", err)
		}
		if strings.Contains(outputs[name], delimiter) {
			return errors.New("set outputs: a value has the delimiter that was drawn for it")
		}
		fmt.Fprintf(&b, "%s<<%s\n%s\n%s\n", name, delimiter, outputs[name], delimiter)
	}
	if err := appendTo(path, b.String()); err != nil {
		return fmt.Errorf("set outputs: %w", err)
	}
	return nil
}

func draw() (string, error) {
	var b [24]byte
	_, err := rand.Read(b[:])
	return "perfgate_" + hex.EncodeToString(b[:]), err
}

// appendTo adds text to a file of the runner, which it has made: one that is not there is an error.
func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// AddSummary appends Markdown to the file that GITHUB_STEP_SUMMARY names, if it is set. An error if the step's summary
// would then have over MaxSummary bytes, and nothing is written.
func AddSummary(env func(string) string, markdown string) error {
	path := env("GITHUB_STEP_SUMMARY")
	if path == "" {
		return nil
	}
	if room := SummaryRoom(env); len(markdown) > room {
		return fmt.Errorf("step summary: %d bytes, there is room for %d", len(markdown), room)
	}
	if err := appendTo(path, markdown); err != nil {
		return fmt.Errorf("step summary: %w", err)
	}
	return nil
}

// SummaryRoom returns how many bytes AddSummary still takes.
func SummaryRoom(env func(string) string) int {
	info, err := os.Stat(env("GITHUB_STEP_SUMMARY"))
	if err != nil {
		return MaxSummary
	}
	return int(max(0, MaxSummary-info.Size()))
}
