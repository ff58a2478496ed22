package parity

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
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
	f, err := untrusted.Open(path, untrusted.NoLimit)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, fmt.Errorf("read the corpus: %s: %w", path, err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > mostCorpusBytes {
		return c, fmt.Errorf("read the corpus: %s is larger than %d MiB", path, mostCorpusBytes>>20)
	}
	lines := bufio.NewReader(f)
	for n := 1; ; n++ {
		text, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return c, fmt.Errorf("read the corpus: %w", err)
		}
		c.open = err != nil && len(text) > 0
		switch decodeErr := c.add(text); {
		case decodeErr != nil && err != nil:
			c.torn, c.open = n, false
			return c, nil
		case decodeErr != nil:
			return c, fmt.Errorf("read the corpus: %s:%d is not a line of a corpus: %w", path, n, decodeErr)
		case len(c.entries) > maxCorpus:
			return c, fmt.Errorf("read the corpus: %s has more than %d lines", path, maxCorpus)
		}
		if c.size += int64(len(text)); err != nil {
			return c, nil
		}
	}
}

func (c *corpus) add(text []byte) error {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil
	}
	e, err := document.Decode(text)
	if err == nil {
		c.entries = append(c.entries, *e)
	}
	return err
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
