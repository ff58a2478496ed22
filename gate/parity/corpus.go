package parity

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
)

// CorpusFile is where failing cases are kept unless a name is given, beside the configuration.
const CorpusFile = "perfgate-corpus.jsonl"

// entry is a line of a corpus file: a case that failed once.
type entry struct {
	Kernel string `json:"kernel"`
	Case   string `json:"case"` // as --case takes it
	Values string `json:"values"`
	Seed   string `json:"seed"` // of the run
}

const maxCorpus = 10_000 // lines; a file that long is no list of failures

// readCorpus reads a corpus file; one that is not there is empty.
func readCorpus(path string) ([]entry, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the corpus: %w", err)
	}
	defer f.Close()
	var out []entry
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		if len(lines.Bytes()) == 0 {
			continue
		}
		var e entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("read the corpus: %s:%d is not a line of a corpus: %w", path, n, err)
		}
		if len(out) == maxCorpus {
			return nil, fmt.Errorf("read the corpus: %s has more than %d lines", path, maxCorpus)
		}
		out = append(out, e)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read the corpus: %w", err)
	}
	return out, nil
}

// remembered are the cases of the corpus that are this kernel's. A line that does not fit the kernel any more, because its
// parameters have changed, is passed over and said. A case that was asked for by name is not preceded by others.
func (c *check) remembered() ([]plan.FuzzCase, error) {
	from := c.subject.Cases[0].From()
	if c.opt.Wishes.Corpus == "" || from == nil || c.subject.Replay {
		return nil, nil
	}
	entries, err := readCorpus(c.opt.Wishes.Corpus)
	if err != nil {
		return nil, err
	}
	var out []plan.FuzzCase
	for _, e := range entries {
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
	e := entry{Kernel: fuzz.Case.Kernel, Case: fuzz.Case.Args(), Values: fuzz.Values, Seed: c.seedOf(fuzz)}
	tell := func(verb string) {
		if c.opt.Wishes.Saved != nil {
			c.opt.Wishes.Saved(fmt.Sprintf("%s %s %s, %s inputs, seed %s", c.opt.Wishes.Corpus, verb, fuzz.Case.Name(), e.Values, e.Seed))
		}
	}
	old, err := readCorpus(c.opt.Wishes.Corpus)
	if err != nil {
		return err
	}
	if slices.Contains(old, e) {
		tell("already has")
		return nil
	}
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("save to the corpus: %w", err)
	}
	f, err := os.OpenFile(c.opt.Wishes.Corpus, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("save to the corpus: %w", err)
	}
	_, err = f.Write(append(line, '\n'))
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("save to the corpus: %w", err)
	}
	tell("now has")
	return nil
}
