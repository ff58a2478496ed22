package search

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/saved"
	"github.com/org/perfgate/gate/untrusted"
)

// LedgerSchema names the format of a ledger.
const LedgerSchema = "perfgate/ledger/v5"

// Names in the folder of a ledger.
const (
	ledgerFile = "ledger.jsonl"
	treesDir   = "candidates.git"
)

// ledgerDocument is how a line is saved.
var ledgerDocument = saved.Kind[ledgerLine]{Bytes: 16 << 20, Line: true, Texts: result.Texts, Most: map[string]int{"cases": 10_000}}

// Opening is what a ledger is about. Its promise holds for one base, one question and one machine.
type Opening struct {
	Schema     string    `json:"schema"`
	Tool       string    `json:"tool"`
	Started    time.Time `json:"started"`
	Base       string    `json:"base"` // hash of its files
	BaseLabel  string    `json:"baseLabel"`
	Config     string    `json:"config"`  // hash of base's configuration
	Machine    string    `json:"machine"` // its key
	Kernels    []string  `json:"kernels,omitempty"`
	Cases      []string  `json:"cases,omitempty"`
	Confidence float64   `json:"confidence"` // that no candidate is called better that is not, over the whole search
	Gain       float64   `json:"gain"`       // the smallest that is looked for
}

// claimRequest is a candidate that asks to be called better. It is written before the rounds that answer it, so that an interrupted one is spent.
type claimRequest struct {
	Candidate int `json:"candidate"`
	Claim
}

// ledgerLine is one entry of the ledger: exactly one of its pointers is set.
type ledgerLine struct {
	Opened   *Opening      `json:"opened,omitempty"`
	Began    *Candidate    `json:"began,omitempty"`
	Asked    *claimRequest `json:"asked,omitempty"`
	Answered *Answer       `json:"answered,omitempty"`
}

// Ledger is every candidate of a search, in a folder. Lines are only ever appended. Writing takes a lock on the folder, which is the
// caller's to take.
type Ledger struct {
	dir   string
	lines []ledgerLine
	begun []Candidate // of the lines, in order
	asked int         // requests in them
	// Torn is the number of a last line that was not written to its end, as when the machine went down; 0 where there is none. It is
	// dropped: what it would have said is not known.
	Torn int
	size int64 // of the whole lines
	end  int64 // of the file as it was read: a torn line lies between
}

// ErrLedger says that a folder holds no ledger that can be used.
var ErrLedger = errors.New("the ledger cannot be used")

// damaged is an ErrLedger that says where and what to do.
func (l *Ledger) damaged(number int, why string) error {
	return fmt.Errorf("%w: %s, line %d: %s. Restore the file, or begin another ledger (--ledger): what was promised for this one cannot be kept", ErrLedger,
		filepath.Join(l.dir, ledgerFile), number, why)
}

// LoadLedger reads the ledger of a folder. Where there is none yet it is empty.
func LoadLedger(dir string) (*Ledger, error) {
	l := &Ledger{dir: dir}
	f, err := untrusted.OpenLinked(filepath.Join(dir, ledgerFile), untrusted.NoLimit)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return l, l.checkEmpty()
	case err != nil:
		return nil, fmt.Errorf("read the ledger: %w", err)
	}
	defer f.Close()
	return l, l.read(f)
}

// checkEmpty refuses a folder in which something else lies: it would be mixed with the candidates.
func (l *Ledger) checkEmpty() error {
	entries, err := os.ReadDir(l.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the ledger's folder: %w", err)
	}
	for _, e := range entries {
		if e.Name() != treesDir {
			return fmt.Errorf("%w: %s holds no %s, and %s: name a separate folder with --ledger", ErrLedger, l.dir, ledgerFile, e.Name())
		}
	}
	return nil
}

func (l *Ledger) read(from io.Reader) error {
	r := bufio.NewReader(from)
	for number := 1; ; number++ {
		text, err := r.ReadBytes('\n')
		l.end += int64(len(text))
		switch {
		case errors.Is(err, io.EOF):
			if len(text) > 0 {
				l.Torn = number
			}
			return nil
		case err != nil:
			return fmt.Errorf("read the ledger: %w", err)
		}
		next, err := ledgerDocument.Decode(text)
		if err != nil {
			return l.damaged(number, "it is not an entry of a ledger: "+err.Error())
		}
		if (number == 1) != (next.Opened != nil) {
			return l.damaged(number, "a ledger begins once, with its first line")
		}
		if number == 1 && next.Opened.Schema != LedgerSchema {
			return l.damaged(number, fmt.Sprintf("its schema is %.60q, and this perfgate reads %s", next.Opened.Schema, LedgerSchema))
		}
		if !l.follows(*next) {
			return l.damaged(number, "it does not follow from the lines before it")
		}
		l.add(*next)
		l.size += int64(len(text))
	}
}

func (l *Ledger) add(next ledgerLine) {
	l.lines = append(l.lines, next)
	if c := next.Began; c != nil && c.Number > len(l.begun) {
		l.begun = append(l.begun, *c)
	}
	if next.Asked != nil {
		l.asked++
	}
}

// follows says whether a line is about candidates and requests that the lines before it have.
func (l *Ledger) follows(next ledgerLine) bool {
	entries := 0
	for _, is := range []bool{next.Opened != nil, next.Began != nil, next.Asked != nil, next.Answered != nil} {
		if is {
			entries++
		}
	}
	if entries != 1 {
		return false
	}
	switch {
	case next.Opened != nil:
		return len(l.lines) == 0
	case next.Began != nil:
		return next.Began.Number >= 1 && next.Began.Number <= len(l.begun)+1
	case next.Asked != nil:
		return next.Asked.Request == l.asked+1 && next.Asked.Candidate >= 1 && next.Asked.Candidate <= len(l.begun)
	case next.Answered != nil:
		a := next.Answered
		return slices.Contains(Verdicts, a.Verdict) && a.Candidate.Number >= 1 && a.Candidate.Number <= len(l.begun) && (a.Claim == nil || a.Claim.Request >= 1 && a.Claim.Request <= l.asked) &&
			(a.Verdict != Better || a.Claim != nil)
	}
	return false
}

// append writes a line to the disk before it returns. What a crash left of a line goes first.
func (l *Ledger) append(next ledgerLine) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("write the ledger: %w", err)
		}
	}()
	var text bytes.Buffer
	if err := ledgerDocument.Encode(&text, &next); err != nil {
		return err
	}
	if err := os.MkdirAll(l.dir, 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(l.dir, ledgerFile), os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	defer f.Close()
	// A ledger that has grown since it was read is another call's: neither may write over the other.
	if info, err := f.Stat(); err != nil || info.Size() != l.end {
		return cmp.Or(err, fmt.Errorf("%w: %s was written to while this call was at work: ask again", ErrLedger, f.Name()))
	}
	if err := f.Truncate(l.size); err != nil {
		return err
	}
	l.end = l.size
	if n, err := f.WriteAt(text.Bytes(), l.size); err != nil {
		l.end += int64(n)
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if l.size == 0 {
		if err := saved.SyncFolder(l.dir); err != nil {
			return err
		}
	}
	l.size += int64(text.Len())
	l.end = l.size
	l.add(next)
	return nil
}
