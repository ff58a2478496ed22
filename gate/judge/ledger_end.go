package judge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/untrusted"
)

// endFile says how far a ledger was written. The sums of lines show a change in the middle; that its last lines are gone, they cannot show.
const endFile = "ledger.end"

// ledgerEnd is what the file holds. It is written after each line, so a crash between the two leaves it one line behind.
type ledgerEnd struct {
	Lines int    `json:"lines"`
	Sum   string `json:"sum"` // of the last of them
}

// checkEnd refuses a ledger that has lost lines which were written to their end. A ledger of an earlier perfgate has no such file.
func (l *Ledger) checkEnd() error {
	text, err := untrusted.ReadLinked(filepath.Join(l.dir, endFile), 1<<10)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("read the ledger: %w", err)
	}
	var end ledgerEnd
	if err := json.Unmarshal(text, &end); err != nil || end.Lines < 1 {
		return fmt.Errorf("%w: %s does not say how many lines %s has. Restore both files, or begin another ledger (--ledger)", ErrLedger, filepath.Join(l.dir, endFile), ledgerFile)
	}
	if lost := end.Lines - len(l.lines); lost > 0 {
		return l.damaged(len(l.lines)+1, fmt.Sprintf("the file ends before it, and %d were written: the last %d are gone", end.Lines, lost))
	}
	if l.lines[end.Lines-1].Sum != end.Sum {
		return l.damaged(end.Lines, "another line stood there when it was written ("+endFile+")")
	}
	return nil
}

// writeEnd notes that the lines so far are written.
func (l *Ledger) writeEnd() error {
	text, err := json.Marshal(ledgerEnd{Lines: len(l.lines), Sum: l.lines[len(l.lines)-1].Sum})
	if err != nil {
		return err
	}
	return result.ReplaceFile(filepath.Join(l.dir, endFile), func(to io.Writer) error {
		_, err := io.Copy(to, bytes.NewReader(append(text, '\n')))
		return err
	})
}
