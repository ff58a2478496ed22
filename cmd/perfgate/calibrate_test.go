package main

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// A 0 that is written does not ask for the default of a thousand.
func TestCalibrateRefusesNoCases(t *testing.T) {
	for _, flag := range []string{"--trials=0", "--trials=-1", "--suites=0", "--suite-cases=0"} {
		var said bytes.Buffer
		code := execute(t.Context(), []string{"calibrate", "--quick", flag}, &streams{out: io.Discard, err: &said})
		if code != int(result.ExitUsage) || !strings.Contains(said.String(), "it must be more than 0") {
			t.Errorf("%s: exit %d: %s", flag, code, said.String())
		}
	}
}
