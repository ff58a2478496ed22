package main

import (
	"os"
	"strings"
	"testing"
)

func TestCount(t *testing.T) {
	var out strings.Builder
	if err := count(&out, os.DirFS("testdata/house")); err != nil {
		t.Fatal(err)
	}
	// Three lines and one below testdata, which is not counted; two of a room with the same budget; two of a test.
	for _, want := range []string{
		"     3    1250  stats\n",
		"     5    1200  gate/history + gate/drift 2\n",
		"     8   54000  Go of the product, in ",
		"     2   32000  Go of tests: _test.go\n",
		"     4   10338  C++ and CUDA of kernels/native\n",
		"     1    5341  Python of kernels/python/perfgate\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("lacks %q:\n%s", want, &out)
		}
	}
}
