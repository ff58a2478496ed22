package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
)

// Within writes a policy to a new file and returns the command line, to be given to a program that starts others, of a helper
// that will become path with args under that policy. Descriptors below keep stay open in it. Where that program is itself in a
// sandbox, both policies hold.
func Within(p Policy, file string, keep int, path string, args []string) ([]string, error) {
	if !installed {
		return nil, ErrNotInstalled
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	text, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("write the policy: %w", err)
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("write the policy: %w", err)
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("write the policy: %w", err)
	}
	return append([]string{self, Verb, strconv.Itoa(keep) + ":" + file, path}, args...), nil
}
