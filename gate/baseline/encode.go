package baseline

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Limits on what is read: a record of hundreds of cases stays below a tenth of them.
const (
	maxPacked   = 16 << 20
	maxUnpacked = 64 << 20
	maxCases    = 10_000
	maxValues   = 10_000
)

// Errors that say what a record is when it is none of ours.
var (
	ErrCorrupt = errors.New("corrupt record")
	ErrForeign = errors.New("not a record of perfgate")
	ErrNewer   = errors.New("newer schema")
)

// Encode writes a record as compressed JSON. A record that Decode would refuse is an error. Equal records give equal
// bytes.
func Encode(r *Record) ([]byte, error) {
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("encode record: %w", err)
	}
	text, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode record: %w", err)
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(text); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Decode reads a record. Its error wraps ErrCorrupt, ErrForeign or ErrNewer.
func Decode(data []byte) (*Record, error) {
	text, err := unpack(data)
	if err != nil {
		return nil, err
	}
	return decodeText(text)
}

// decodeText reads a record that is not compressed.
func decodeText(text []byte) (*Record, error) {
	if err := checkSchema(text); err != nil {
		return nil, err
	}
	r := new(Record)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return r, nil
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

func unpack(data []byte) ([]byte, error) {
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
	text, err := io.ReadAll(io.LimitReader(z, maxUnpacked+1))
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("%w: it ends in the middle: was it cut off?", ErrCorrupt)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	case len(text) > maxUnpacked:
		return nil, fmt.Errorf("%w: unpacks to more than %d MiB", ErrForeign, maxUnpacked>>20)
	}
	return text, nil
}

// checkSchema looks at the schema before anything else: a newer record may have other types under the same names.
func checkSchema(text []byte) error {
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return fmt.Errorf("%w: %w", ErrForeign, err)
	}
	if head.Schema == Schema {
		return nil
	}
	number, ours := strings.CutPrefix(head.Schema, schemaName)
	if version, err := strconv.Atoi(number); ours && err == nil && version > schemaVersion {
		return fmt.Errorf("%w: %s, this perfgate reads %s; update perfgate", ErrNewer, head.Schema, Schema)
	}
	return fmt.Errorf("%w: schema %.60q", ErrForeign, head.Schema)
}

// check holds a record to what the comparison relies on.
func (r *Record) check() error {
	if r.Schema != Schema {
		return fmt.Errorf("schema %.60q", r.Schema)
	}
	if err := checkKey(r.Key()); err != nil {
		return err
	}
	if len(r.Cases) == 0 || len(r.Cases) > maxCases {
		return fmt.Errorf("%d cases", len(r.Cases))
	}
	if len(r.Accepted) > maxAccepted {
		return fmt.Errorf("%d acceptances", len(r.Accepted))
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
	if len(c.ValuesNS) < minProcesses || len(c.ValuesNS) > maxValues || len(c.ValuesNS) != len(c.Rounds) {
		return fmt.Errorf("%d values, %d rounds", len(c.ValuesNS), len(c.Rounds))
	}
	if err := checkTimes(c.ValuesNS); err != nil {
		return err
	}
	if !(c.ComputeNS >= 0) || !(c.MemoryNS >= 0) || math.IsInf(c.ComputeNS+c.MemoryNS, 0) {
		return errors.New("a canary that is no time")
	}
	if math.IsNaN(c.Excess) || math.IsInf(c.Excess, 0) {
		return fmt.Errorf("an excess of %v", c.Excess)
	}
	if c.Pin != nil {
		if err := c.Pin.check(); err != nil {
			return err
		}
	}
	return checkBeside(c.Rivals)
}

func checkTimes(ns []float64) error {
	for _, v := range ns {
		if !(v > 0) || math.IsInf(v, 0) {
			return fmt.Errorf("a value of %v ns", v)
		}
	}
	return nil
}
