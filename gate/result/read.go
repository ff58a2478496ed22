package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// MaxBytes is the largest result that is read. A run of hundreds of cases stays below a tenth of it.
const MaxBytes = 256 << 20

// schemaPrefix is Schema without its number.
const schemaPrefix = "perfgate/result/v"

// Begins says whether a file that starts so is a result, of this or another version. 64 bytes tell.
func Begins(start []byte) bool {
	rest, isObject := bytes.CutPrefix(bytes.TrimSpace(start), []byte("{"))
	rest, hasSchema := bytes.CutPrefix(bytes.TrimSpace(rest), []byte(`"schema":`))
	return isObject && hasSchema && bytes.HasPrefix(bytes.TrimSpace(rest), []byte(`"`+schemaPrefix))
}

// ReadFile reads the result at path. All errors name the file.
func ReadFile(path string) (*Result, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read result: %w", err)
	}
	defer f.Close()
	r, err := Read(f)
	return r, inFile(path, err)
}

// inFile makes an error of reading say which file; nil stays nil.
func inFile(path string, err error) error {
	var bad *ReadError
	if errors.As(err, &bad) {
		bad.File = path
		return bad
	}
	if err != nil {
		return fmt.Errorf("read result %s: %w", path, err)
	}
	return nil
}

// Read reads one result and nothing after it. Fields that this version does not know are ignored, since later
// versions of the same schema may add some. Another schema, input over MaxBytes, numbers that no float64 holds and
// words that the schema does not have (such as an unknown verdict) are errors of type *ReadError.
func Read(in io.Reader) (*Result, error) {
	data, err := readAll(in, MaxBytes)
	if err != nil {
		return nil, err
	}
	if err := checkSchema(data); err != nil {
		return nil, err
	}
	r := new(Result)
	if err := json.Unmarshal(data, r); err != nil {
		return nil, syntaxError(data, err)
	}
	if err := Check(r); err != nil {
		return nil, err
	}
	return r, nil
}

func readAll(in io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(in, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, &ReadError{Err: fmt.Errorf("larger than %d MiB: not a result", limit>>20)}
	}
	if len(data) == 0 {
		return nil, &ReadError{Err: errors.New("the file is empty")}
	}
	return data, nil
}

// checkSchema looks at the schema before anything else: a newer result may have other types under the same names, and
// must not be answered with a complaint about one of them.
func checkSchema(data []byte) error {
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return syntaxError(data, err)
	}
	if head.Schema == Schema {
		return nil
	}
	number, isOurs := strings.CutPrefix(head.Schema, schemaPrefix)
	version, err := strconv.Atoi(number)
	switch {
	case head.Schema == "":
		return &ReadError{Field: "schema", Err: fmt.Errorf("missing: not a result of perfgate (%s)", Schema)}
	case !isOurs || err != nil || version < 1:
		return &ReadError{Field: "schema", Err: fmt.Errorf("%q is not %s", clip(head.Schema), Schema)}
	}
	return &ReadError{Field: "schema", Err: fmt.Errorf("%s, and this perfgate reads %s: measure again, or use the perfgate that wrote it", head.Schema, Schema)}
}

// clip keeps a word of the file quotable in an error.
func clip(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}
