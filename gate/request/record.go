package request

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/result"
)

// maxNamed is far more than a record or a result of a thousand cases has.
const maxNamed = 256 << 20

// ReadNamed reads a file that the user names, which may be a pipe; "-" is from.
func ReadNamed(path string, from io.Reader) ([]byte, error) {
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, result.Usage(err)
		}
		defer f.Close()
		from = f
	}
	data, err := io.ReadAll(io.LimitReader(from, maxNamed+1))
	if err == nil && len(data) > maxNamed {
		err = result.Usagef("larger than %d MiB", maxNamed>>20)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return data, nil
}

// SavedRecord is what another job has measured: a record, or a side of the result of a run. A path of "-" is read from from.
func (k Kept) SavedRecord(path string, from io.Reader, side result.Side) (*baseline.Record, error) {
	data, err := ReadNamed(path, from)
	if err != nil {
		return nil, err
	}
	rec, err := baseline.Decode(data)
	switch {
	case err == nil:
		return rec, nil
	case !errors.Is(err, baseline.ErrForeign):
		return nil, fmt.Errorf("%s: %w", path, err)
	case k.Config == nil:
		return nil, result.Usagef("a record needs the configuration that its cases come from: there is no %s", config.DefaultFile)
	}
	res, err := result.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if res.Config.SHA256 != k.Config.SHA256 {
		return nil, result.Usagef("%s was measured with another configuration than %s is now", path, k.Config.File)
	}
	return baseline.FromResult(res, side, k.Config.CaseHash)
}
