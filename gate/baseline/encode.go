package baseline

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/saved"
)

// maxPacked bounds a record as it is stored: one of hundreds of cases stays below a tenth of it.
const maxPacked = 16 << 20

// Document is how records are saved, before they are compressed.
var Document = saved.Kind[Record]{
	Schema: Schema, Bytes: 64 << 20, Line: true,
	Texts: append([]string{"asked", "files"}, result.Texts...), // a path may have any character
	Most: map[string]int{
		"cases": 10_000, "rounds": 10_000, "valuesNs": 10_000, "accepted": maxAccepted, "competitors": result.MaxCompetitors, "asked": MostAsked, "files": MostEnvironment, "parts": MostEnvironment,
	},
}

// Errors that say what a record is when it is none of ours.
var (
	ErrCorrupt = errors.New("corrupt record")
	ErrForeign = errors.New("not a record of perfgate")
	ErrNewer   = errors.New("newer schema")
)

// Encode writes a record as compressed JSON. A record that Decode would refuse is an error. Equal records give equal
// bytes.
func Encode(r *Record) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(Document.Encode(z, r), z.Close()); err != nil {
		return nil, fmt.Errorf("encode record: %w", err)
	}
	return b.Bytes(), nil
}

// Decode reads a record. Its error wraps ErrCorrupt, ErrForeign or ErrNewer.
func Decode(data []byte) (*Record, error) {
	if len(data) == 0 {
		return nil, fmt.Errorf("%w: the file is empty", ErrCorrupt)
	}
	if len(data) > maxPacked {
		return nil, fmt.Errorf("%w: larger than %d MiB", ErrForeign, maxPacked>>20)
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if errors.Is(err, gzip.ErrHeader) {
		return nil, fmt.Errorf("%w: not compressed with gzip", ErrForeign)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	r, err := Document.Read(z)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("it ends in the middle: was it cut off?")
	}
	return r, recordError(err)
}

// recordError says of an error of reading what the record is instead.
func recordError(err error) error {
	if err == nil {
		return nil
	}
	is := ErrCorrupt
	var bad *saved.Error
	if errors.As(err, &bad) {
		switch bad.Fault {
		case saved.Foreign:
			is = ErrForeign
		case saved.Newer:
			is = ErrNewer
		}
	}
	return fmt.Errorf("%w: %w", is, err)
}

// decodeAs reads the record that lies under key, and refuses one that belongs elsewhere.
func decodeAs(key string, data []byte) (*Record, error) {
	r, err := Decode(data)
	if err != nil {
		return nil, err
	}
	if r.Key() != key {
		return nil, fmt.Errorf("%w: it says that it is %s", ErrForeign, r.Key())
	}
	return r, nil
}

// Check holds a record to what the comparison relies on.
func (r *Record) Check() error {
	if err := checkKey(r.Key()); err != nil {
		return err
	}
	if len(r.Cases) == 0 {
		return errors.New("no cases")
	}
	for _, a := range r.Accepted {
		if err := a.check(); err != nil {
			return err
		}
	}
	if err := r.checkObservations(); err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, c := range r.Cases {
		if seen[c.Name] {
			return fmt.Errorf("case %.80q appears twice", c.Name)
		}
		seen[c.Name] = true
		if err := c.check(); err != nil {
			return fmt.Errorf("case %.80q: %w", c.Name, err)
		}
	}
	return nil
}

func (c *Case) check() error {
	if len(c.ValuesNS) < minProcesses || len(c.ValuesNS) != len(c.Rounds) {
		return fmt.Errorf("%d values, %d rounds", len(c.ValuesNS), len(c.Rounds))
	}
	if err := checkTimes(c.ValuesNS); err != nil {
		return err
	}
	if c.ComputeNS < 0 || c.MemoryNS < 0 {
		return errors.New("a canary that is no time")
	}
	if c.Pin != nil {
		if err := c.Pin.check(); err != nil {
			return err
		}
	}
	return checkBeside(c.Competitors)
}

func checkTimes(ns []float64) error {
	for _, v := range ns {
		if !(v > 0) {
			return fmt.Errorf("a value of %v ns", v)
		}
	}
	return nil
}
