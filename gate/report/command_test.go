package report

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// What a saved result says is to be pasted is shown only where a shell makes one run of perfgate of it.
func TestCommandsOfResults(t *testing.T) {
	t.Parallel()
	for line, shown := range map[string]bool{
		"perfgate run --seed=7": true, "perfgate run --config=sub/perfgate.yaml --case='gemm/**' --base='a b'": true, `perfgate run --head-flags='-DA='\''x'\'''`: true, "perfgate": true,
		"perfgate run && true": false, "perfgate run; x": false, "perfgate run $(x)": false, "perfgate run `x`": false, "perfgate run --a=$HOME": false, "perfgate run >x": false,
		"perfgate run --a='x": false, "perfgate run\nx": false, "perfgate run 'a\nb'": false, "perfgate-x run": false, "curl x": false, "x=1 perfgate run": false, "perfgate run | x": false, "": false,
	} {
		r := &result.Result{Repro: line, Kernels: []result.Kernel{{Name: "k", Parity: result.Parity{Status: result.ParityFailed, Failure: &result.ParityFailure{Repro: line}}}}}
		said := flat(New(r))
		if line != "" && strings.Contains(said, line) != shown {
			t.Errorf("%q is shown: %v", line, !shown)
		}
	}
}
