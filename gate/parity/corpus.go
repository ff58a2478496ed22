package parity

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"syscall"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/saved"
	"github.com/org/perfgate/gate/untrusted"
)

// CorpusFile is where failing cases are kept unless a name is given, beside the configuration.
const CorpusFile = "perfgate-corpus.jsonl"

// entry is a line of a corpus file: a case that failed once.
type entry struct {
	Kernel string `json:"kernel"`
	Case   string `json:"case"` // as --param takes it
	Values string `json:"values"`
	Seed   string `json:"seed"` // of the run
}

// document is how a line is saved.
var document = saved.Kind[entry]{Bytes: 1 << 20, Line: true}

const maxCorpus = 10_000 // lines; a file that long is no list of failures

// corpus is what a corpus file holds.
type corpus struct {
	entries []entry
	torn    int   // number of a last line that was not written to its end, as when the machine went down, and that is passed over; 0: none
	open    bool  // the last line has no end
	size    int64 // of the lines before a torn one
}

const mostCorpusBytes = maxCorpus << 10

// readCorpus reads a corpus file; one that is not there is empty. It lies in a side: a link would have anything read, and be written to.
func readCorpus(path string) (c corpus, err error) {
	text, err := untrusted.Read(path, mostCorpusBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, fmt.Errorf("read the corpus: %s: %w", path, err)
	}
	n := 0
	for line := range bytes.Lines(text) {
		n++
		c.open = !bytes.HasSuffix(line, []byte("\n"))
		if len(bytes.TrimSpace(line)) > 0 {
			e, err := document.Decode(line)
			switch {
			case err != nil && c.open:
				c.torn, c.open = n, false
				return c, nil
			case err != nil:
				return c, fmt.Errorf("read the corpus: %s:%d is not a line of a corpus: %w", path, n, err)
			case len(c.entries) == maxCorpus:
				return c, fmt.Errorf("read the corpus: %s has more than %d lines", path, maxCorpus)
			}
			c.entries = append(c.entries, *e)
		}
		c.size += int64(len(line))
	}
	return c, nil
}

// remembered are the cases of the corpus that are this kernel's. A line that does not fit the kernel any more, because its
// parameters have changed, is passed over and said. A case that was asked for by name is not preceded by others.
func (c *check) remembered() ([]plan.FuzzCase, error) {
	from := c.subject.Cases[0].From()
	if c.opt.Wishes.Corpus == "" || from == nil || c.subject.Replay {
		return nil, nil
	}
	kept, err := readCorpus(c.opt.Wishes.Corpus)
	if err != nil {
		return nil, err
	}
	if kept.torn > 0 {
		c.warn(fmt.Sprintf("line %d of the corpus was cut off as it was written, and is skipped", kept.torn))
	}
	var out []plan.FuzzCase
	for _, e := range kept.entries {
		if e.Kernel != from.Name {
			continue
		}
		text := e.Case
		if text == "" {
			text = from.Name
		}
		known, err := plan.ParseCase(*from, text)
		seed, seedErr := strconv.ParseUint(e.Seed, 10, 64)
		if err != nil || seedErr != nil || !slices.Contains(config.InputKinds, e.Values) {
			c.warn(fmt.Sprintf("the corpus has a case that does not fit the kernel any more: %.120q", e.Case))
			continue
		}
		out = append(out, plan.FuzzCase{Case: known, Values: e.Values, Seed: plan.InputSeed(seed, known, e.Values), Origin: seed})
	}
	return out, nil
}

// save adds a failing case to the corpus, once.
func (c *check) save(fuzz plan.FuzzCase) error {
	if !c.opt.Wishes.Save || c.opt.Wishes.Corpus == "" {
		return nil
	}
	e := entry{Kernel: fuzz.Case.Kernel, Case: fuzz.Case.ID().Args(), Values: fuzz.Values, Seed: c.seedOf(fuzz)}
	tell := func(verb string) {
		if c.opt.Wishes.Saved != nil {
			c.opt.Wishes.Saved(fmt.Sprintf("%s %s %s, %s inputs, seed %s", c.opt.Wishes.Corpus, verb, fuzz.Case.Name(), e.Values, e.Seed))
		}
	}
	old, err := readCorpus(c.opt.Wishes.Corpus)
	if err != nil {
		return err
	}
	if slices.Contains(old.entries, e) {
		tell("already has")
		return nil
	}
	var line bytes.Buffer
	if old.open {
		line.WriteByte('\n')
	}
	if err := document.Encode(&line, &e); err != nil {
		return fmt.Errorf("save to the corpus: %w", err)
	}
	f, err := os.OpenFile(c.opt.Wishes.Corpus, os.O_APPEND|os.O_CREATE|os.O_WRONLY|syscall.O_NOFOLLOW, 0o644)
	if err != nil {
		return fmt.Errorf("save to the corpus: %w", err)
	}
	if old.torn > 0 {
		err = f.Truncate(old.size)
	}
	if err == nil {
		_, err = f.Write(line.Bytes())
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("save to the corpus: %w", err)
	}
	tell("now has")
	return nil
}
