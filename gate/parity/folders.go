package parity

import (
	"fmt"
	"io"
	"os"

	"github.com/org/perfgate/gate/oracle"
	"github.com/org/perfgate/gate/untrusted"
	"github.com/org/perfgate/kernels"
)

// folders makes those in which outputs are exchanged.
func (c *check) folders() (given, made string, err error) {
	given, made = oracle.Folders(c.opt.Scratch)
	for _, dir := range []string{given, made} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", "", fmt.Errorf("make a folder for outputs: %w", err)
		}
	}
	return given, made, nil
}

// readOutputs reads what head wrote of the outputs of a case, as much as they have. Head could have made anything of the
// file: a link, a pipe, something endless.
func readOutputs(path string, spec kernels.SpecReply) ([]byte, error) {
	f, err := untrusted.Open(path, untrusted.NoLimit)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	most := int64(0)
	for _, t := range spec.Tensors {
		if t.IsOutput() {
			most += 8 * elements(t)
		}
	}
	return io.ReadAll(io.LimitReader(f, most))
}
