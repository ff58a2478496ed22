package action

import (
	"context"
	"fmt"
	"strings"

	"github.com/org/perfgate/gate"
	"github.com/org/perfgate/gate/result"
)

// trailerValues reads the trailers of a key out of messages of commits, a line each: those of the last paragraph, unless
// that is the title, with what is continued on lines that begin with a blank.
func trailerValues(key string, messages []string) string {
	var values strings.Builder
	for _, message := range messages {
		paragraphs := strings.Split(strings.TrimSpace(strings.ReplaceAll(message, "\r\n", "\n")), "\n\n")
		if len(paragraphs) < 2 {
			continue
		}
		open := false
		for line := range strings.Lines(paragraphs[len(paragraphs)-1]) {
			line = strings.TrimRight(line, "\n")
			if strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t") {
				if open {
					values.WriteString(" " + strings.TrimSpace(line))
				}
				continue
			}
			if open {
				values.WriteString("\n")
			}
			name, value, found := strings.Cut(line, ":")
			if open = found && strings.EqualFold(strings.TrimSpace(name), key); open {
				values.WriteString(strings.TrimSpace(value))
			}
		}
		if open {
			values.WriteString("\n")
		}
	}
	return values.String()
}

// acceptBy is accept for a verdict that was made of results of other jobs.
func (r *reporter) acceptBy(ctx context.Context, res *result.Result, rules *rules) error {
	if res.Conclusion.Exit != result.ExitFailed {
		return nil
	}
	values := trailerValues(gate.AcceptTrailer, r.messages)
	if r.mode == ModeMerge {
		var err error
		values, err = git{r.Dir}.run(ctx, "log", "--format=%(trailers:key="+gate.AcceptTrailer+",valueonly,unfold)", r.target.Base+".."+r.target.Head)
		if err != nil {
			return err
		}
	}
	asked := gate.ParseAcceptances(values)
	if len(asked) == 0 {
		return nil
	}
	if rules.vouched == nil {
		r.warn("%s", fmt.Sprintf("a commit asks to accept a regression (%s), which counts only together with the label %s, applied by somebody who may write after the last push", gate.AcceptTrailer, r.in.Label))
		return nil
	}
	gate.AcceptAsked(res, asked, rules.vouched.By, rules.vouched.Label)
	return nil
}
