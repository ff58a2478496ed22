package github

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/text"
)

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
