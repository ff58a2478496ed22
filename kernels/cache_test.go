package kernels

import (
	"path/filepath"
	"strings"
	"testing"
)

// A cache that cannot be written to says what names another one.
func TestCacheThatCannotBeWritten(t *testing.T) {
	from := filepath.Join(t.TempDir(), "a.so")
	write(t, from, "x")
	for name, c := range map[string]struct{ to, says string }{
		"no folder can be made": {filepath.Join(from, "adapters", "adapter.so"), "make the cache folder"},
		"no file can be made":   {"/proc/self/adapter.so", "write into the cache"},
	} {
		err := publish(from, c.to)
		if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "PERFGATE_CACHE") {
			t.Errorf("%s: %v, want %q and PERFGATE_CACHE", name, err, c.says)
		}
	}
}
